// Addresses that are never in the same memory.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/Instruction.h>

namespace lanza::compiler {

/// True when nothing lies at both: other variables, or what an argument points to and the block's shared memory or a
/// thread's own variable, which have no address before the block runs.
bool are_distinct(const llvm::Value* a, const llvm::Value* b);

/// What a load or store touches, in whichever thread.
struct MemorySpan {
  const llvm::Value* address;
  llvm::ConstantRange shared;  ///< bytes behind the base of shared memory; full: somewhere, or elsewhere
};
MemorySpan span_of(const llvm::Instruction& access);

/// True when nothing lies in both; of two places in shared memory their indices' ranges tell.
bool are_distinct(const MemorySpan& a, const MemorySpan& b);

/// Of stores in front of a load in shared memory, those that may be done behind it, as they lie apart from it: other
/// loads must not be done at its place unless they lie apart from these, too.
llvm::SmallVector<MemorySpan, 4> may_come_behind(const MemorySpan& load, llvm::ArrayRef<MemorySpan> stores);

}  // namespace lanza::compiler
