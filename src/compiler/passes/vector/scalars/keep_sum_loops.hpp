// Loops over a tile's products that stay loops, as their rows are copied already.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: rotated loops of a kernel whose blockDim is known and has several rows, still nvptx64. Out: innermost loops of a
/// constant number of turns, straight ones, are marked llvm.loop.unroll.disable, whatever the user asks for, where all
/// that they do is to add products of shared memory to sums, and what some of it is read by does not depend on
/// threadIdx.x, that of others not on threadIdx.y (`sum += as[ty][i] * bs[i][tx]`). join_groups() makes a copy of
/// such a turn for each of the rows that walk together, which keeps the processor busy as it is: the sums are what
/// turns wait for. Unrolled, too, it would be the most of the kernel's code. Changes metadata only.
struct KeepSumLoopsPass : llvm::PassInfoMixin<KeepSumLoopsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
