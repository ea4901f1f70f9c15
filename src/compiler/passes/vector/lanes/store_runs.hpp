// Stores of some lanes side by side, those at an edge, without masks.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

namespace lanza::compiler {

/// In: run form, behind branch_masked_stores() and split_masks(). Out: without AVX-512, not on Intel's cores, masked
/// stores of words and wider elements whose mask goes by the lanes' places (`x > 0 && x < w - 1`, no data) ask whether
/// none of the register's lanes store, or all, or neighbours only: these go to memory by way of the stack, four and
/// more in two stores that overlap, up to three one by one. Zen 3 takes 5 ns for a vmaskmovps, and 1.5 for that.
/// Nothing is written that was not. True when something changed.
bool store_runs(llvm::Function& run, const llvm::TargetMachine& host);

}  // namespace lanza::compiler
