// Which loops must be unrolled in full: over private arrays, which then live in registers, and over barriers.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: rotated loops. Out: marked llvm.loop.unroll.full, for loop-unroll-full to obey:
/// - loops that index a private array, where unrolling makes every index of that array a constant. The array's address
///   does not escape, and what indexes it depends on nothing but constants and counters of loops that are unrolled;
/// - with `barriers`, loops of few turns that hold a synchronisation point: their conditions become constants, and no
///   value is carried across the cut by the loop.
/// A budget of instructions a function bounds what this may cost; what does not fit stays as it is. Changes metadata
/// only.
struct MarkUnrollPass : llvm::PassInfoMixin<MarkUnrollPass> {
  bool barriers = false;

  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
