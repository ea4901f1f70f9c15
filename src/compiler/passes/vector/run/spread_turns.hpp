// What all lanes compute alike, turn after turn of a loop, is computed for many turns at once.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetTransformInfo.h>

namespace lanza::compiler {

/// In: run form with loops in simplified and LCSSA form. Out, for loops of one block, in which a long computation is
/// one for all lanes and depends on the turn alone, by its number or, where the loop writes nothing, by what it reads
/// from neighbouring elements (`for (k = 0; k < n; k++) sum += expf(score[threadIdx.y][k] - most) * v[k][x]`): it is
/// made for as many turns at once as a register has lanes, and put where each turn finds its own. Of few constant turns
/// for all of them in front of the loop; of others in the first of every so many turns, which parts the loop's block.
/// What is made of it from turn to turn stays in order. True when something changed: then loops are not known any more.
bool spread_turns(llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution, const llvm::TargetTransformInfo& host);

}  // namespace lanza::compiler
