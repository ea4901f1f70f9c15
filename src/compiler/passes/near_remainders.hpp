// Remainders of numbers that lie within two turns of their divisor are differences.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: any code whose loops of few turns are unrolled, which is when places on a ring of constant length
/// (`(base + threadIdx.x + 397) % 624`) have their least and greatest number. Out, of integers that are not negative,
/// n no power of two: where all of them lie in one turn, `x % n` is x - k n and `x / n` is k; where they lie in two,
/// `x % n` is `x < k n ? x - (k - 1) n : x - k n`, which goes with the threads but for an edge. Not then a step to a
/// neighbour, which fold_rings() knows, nor a column whose row is asked for, too (version_quotients).
struct NearRemaindersPass : llvm::PassInfoMixin<NearRemaindersPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
