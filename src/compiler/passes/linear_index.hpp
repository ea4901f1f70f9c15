// Kernels that know their place only as blockIdx.x * blockDim.x + threadIdx.x: their blocks of a row are one long loop.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

namespace lanza::compiler {

/// `index < limit` stood between the kernel's entry and all that it does; `limit` is the same for all threads.
struct IndexBound {
  llvm::Value* limit = nullptr;
  bool is_signed = false;      ///< the comparison
  bool sign_extended = false;  ///< how the 32-bit index reaches the width of `limit`
};

struct LinearIndex {
  llvm::SmallVector<llvm::Instruction*, 4>
      sums;  ///< the instructions that compute the index; empty: the kernel is not of this kind
  llvm::SmallVector<IndexBound, 2> bounds;
};

/// In: host IR (after RetargetPass) of a kernel without synchronisation points. Finds the index: every use of
/// threadIdx.x and blockIdx.x is in such a sum, there is no shared memory, and no call that could see the thread or the
/// block (printf, functions that were not inlined). Then takes the bounds out of the kernel: their comparisons are true
/// from now on.
LinearIndex take_linear_index(llvm::Function& kernel);

/// How many of the `length` (i64) indices from `base` (i32) on, which do not wrap, are below the bound.
llvm::Value* clamp_to_bound(llvm::IRBuilder<>& b, const IndexBound& bound, llvm::Value* base, llvm::Value* length);

}  // namespace lanza::compiler
