// Loops over few groups become straight code.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: run form with loops simplified and in LCSSA form. Out: loops over few groups (16, or a block of 256) of `lanes`
/// are unrolled in full: what is the same in every group of a turn is a constant then, and slots become registers.
/// What a block comes to once, and makes nothing registers, only where turns are next to nothing.
/// Loops over many groups, or over the rows of a block whose rows are a group each, are unrolled where that makes
/// registers of all of a block's variables and spares a good part of what they do: in a tree over a large block one
/// step follows on the other without a store.
/// Loops inside go with them where the number of the group tells how many turns they take: each warp's sum of what
/// those before it have left. What rarely runs (blocks at the edges of a grid) stays a loop. True when something
/// changed.
bool unroll_groups(llvm::Function& run, unsigned lanes, llvm::FunctionAnalysisManager& analyses);

/// In: as for unroll_groups(). Out: loops over few groups that are next to nothing are unrolled, also where blocks
/// rarely come. They ask the groups who is under way, and so which region follows; while that is open, code for blocks
/// at the edges counts as everybody's. True when something changed.
bool unroll_tiny_groups(llvm::Function& run, llvm::FunctionAnalysisManager& analyses);

}  // namespace lanza::compiler
