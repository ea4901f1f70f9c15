// Stores of some lanes: none and all are the common cases.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

namespace lanza::compiler {

/// Stores of one block with the same mask, in order, with nothing between them.
using MaskedStores = llvm::SmallVector<llvm::IntrinsicInst*, 4>;

/// Whether masks have registers of their own, and stores take them as they are: with AVX-512.
bool has_native_masks(const llvm::TargetTransformInfo& host);

/// Those by masks that are no constants, of which `is_meant` is true.
llvm::SmallVector<MaskedStores, 8> find_masked_stores(llvm::Function& f,
                                                      llvm::function_ref<bool(const llvm::IntrinsicInst&)> is_meant);

/// Those of words and wider elements.
llvm::SmallVector<MaskedStores, 8> find_masked_stores(llvm::Function& f);

/// The mask as the numbers that instructions take for vectors of type `of`: conditions would be packed on their way to
/// another block, where a lane is meant whose number is negative.
llvm::Value* spread_mask(llvm::IRBuilder<>& b, llvm::Value* mask, llvm::Type* of);

/// In: run form at its end. Out: on a CPU without AVX-512, masked stores of words and wider elements ask first: where
/// no lane stores they are skipped, where all do they are plain ones, else they are as they were. Stores of one mask
/// with nothing between them ask once. Zen 4 takes 14 cycles for a vmaskmovps, whatever its mask. Nothing is written
/// that was not: other threads may have written there since. True when something changed.
bool branch_masked_stores(llvm::Function& run, const llvm::TargetTransformInfo& host);

}  // namespace lanza::compiler
