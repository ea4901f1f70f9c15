// Vectors that a block of code loads again, from an address that it has computed another way.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>

namespace lanza::compiler {

/// In: run form. Out: in blocks of loops, a vector that was loaded from the same address, with nothing written between,
/// is the one that was loaded first. Groups that walk together come to the same rows by ways of their own,
/// `in[((y + 1) + 0) * width + x]` and `in[(y + 1) * width + x]`, whose sums LLVM compares as they are written. Three
/// rows of a filter in eight groups are ten, not 24. True when something changed.
bool join_loads(llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution);

}  // namespace lanza::compiler
