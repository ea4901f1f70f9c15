// Loops from a thread's place to a bound that is as far on for each thread make the same turns for all of them.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: loops in simplified form whose condition stands at their head. Out: where start and end hold the same parts of a
/// thread's index, and nothing else of it, as in
///
///     for (int t = first + tid; t < last + tid; t += step)
///
/// or, of pointers, `for (const float *p = a + tid * n, *end = p + n; p != end; ++p)`, what is asked is
/// `first + turns * step < last`, of 64 bits: all threads leave together, so that barriers in the loop are met by all.
/// Sums of 32 bits or less that do not wrap; what the loop's counter is used for stays.
struct EqualTurnsPass : llvm::PassInfoMixin<EqualTurnsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
