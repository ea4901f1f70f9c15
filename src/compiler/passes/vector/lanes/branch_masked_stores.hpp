// Stores of some lanes: none and all are the common cases.
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: run form at its end. Out: on a CPU without AVX-512, masked stores of words and wider elements ask first: where
/// no lane stores they are skipped, where all do they are plain ones, else they are as they were. Stores of one mask
/// with nothing between them ask once. Zen 4 takes 14 cycles for a vmaskmovps, whatever its mask. Nothing is written
/// that was not: other threads may have written there since. True when something changed.
bool branch_masked_stores(llvm::Function& run, const llvm::TargetTransformInfo& host);

}  // namespace lanza::compiler
