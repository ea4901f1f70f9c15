// Loops over groups that all find the same.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>

namespace lanza::compiler {

/// In: run form with loops in simplified and LCSSA form. Between two barriers each group of a block answers which one
/// comes next, and hands on what all threads share (a sort's `size` and `stride`): of many groups, which are not
/// unrolled, that takes as long as their work. Out: where a loop over groups changes no memory, and each of its turns
/// asks and chooses alike, so that what the first one hands on the last one would, it makes one turn. True when
/// something changed.
bool ask_one_group(llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution);

}  // namespace lanza::compiler
