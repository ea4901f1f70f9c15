// Flat blocks whose threads form rows.
#pragma once

#include <llvm/IR/PassManager.h>

#include "compiler/passes/vector/scalars/fold_block_dim.hpp"

namespace lanza::compiler {

/// In: a kernel for one blockDim, `block`, values in registers. Out: where the block has one row, but its threads stand
/// for several (`column = threadIdx.x % 16, row = threadIdx.x / 16`, and what is written to global memory goes by
/// both; or what is read from there does, where threads write one after the other), threadIdx.x and threadIdx.y are
/// column and row, and the module's flag says how long rows are: the block is one of two dimensions for all that
/// follows. Threads keep their order. Kernels with operations of a warp stay as they are, and so do those with
/// functions of their own (that recurse) which ask for threadIdx.
struct FoldRowsPass : llvm::PassInfoMixin<FoldRowsPass> {
  BlockDim block;

  llvm::PreservedAnalyses run(llvm::Function& f, llvm::FunctionAnalysisManager& analyses) const;
};

/// The block that the module's code is written for, where `block` is the launch's.
BlockDim folded_block(const llvm::Module& module, const BlockDim& block);

}  // namespace lanza::compiler
