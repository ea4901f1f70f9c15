// Stores of some lanes (llvm.masked.store): what the passes over them share.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

namespace lanza::compiler {

inline llvm::Value* stored_value(const llvm::IntrinsicInst& store) { return store.getArgOperand(0); }
inline llvm::Value* stored_at(const llvm::IntrinsicInst& store) { return store.getArgOperand(1); }
inline llvm::Align store_align(const llvm::IntrinsicInst& store) {
  return llvm::cast<llvm::ConstantInt>(store.getArgOperand(2))->getAlignValue();
}
constexpr unsigned kStoreMask = 3;  ///< the operand
inline llvm::Value* store_mask(const llvm::IntrinsicInst& store) { return store.getArgOperand(kStoreMask); }

/// Whether masks have registers of their own, and stores take them as they are: with AVX-512.
bool has_native_masks(const llvm::TargetTransformInfo& host);

/// Null: it is none.
llvm::IntrinsicInst* as_masked_store(llvm::Instruction& i);

/// Stores of one block with the same mask, in order, with nothing between them.
using MaskedStores = llvm::SmallVector<llvm::IntrinsicInst*, 4>;

/// Those by masks that are no constants, of which `is_meant` is true.
llvm::SmallVector<MaskedStores, 8> find_masked_stores(llvm::Function& f,
                                                      llvm::function_ref<bool(const llvm::IntrinsicInst&)> is_meant);

/// Those of words and wider elements.
llvm::SmallVector<MaskedStores, 8> find_masked_stores(llvm::Function& f);

/// The mask as the numbers that instructions take for vectors of type `of`: conditions would be packed on their way to
/// another block, where a lane is meant whose number is negative.
llvm::Value* spread_mask(llvm::IRBuilder<>& b, llvm::Value* mask, llvm::Type* of);

/// The store where all lanes do.
void store_all_lanes(llvm::IRBuilder<>& b, const llvm::IntrinsicInst& store);

}  // namespace lanza::compiler
