// Groups that lie inside follow on each other in a loop that does not ask where they are.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: run form at its end, loops in simplified form. Out, for loops over groups whose turns begin with a question that
/// an affine index answers (`x + 15 < n`, and `x > 0` with it):
///
///     group:  if (inside(group)) body; else edge;  group += lanes;  if (group < end) group;
///
/// the body is in a loop of its own, entered by the first group that lies inside, for as many as do:
///
///     group:  if (inside(group)) { do body; while ((group += lanes) < last) } else edge; ...
///
/// No code is copied. In that loop the index, which cannot wrap there, is one of 64 bits. `carries_taps`: carry_taps()
/// will save loads there. True when something changed.
bool make_inside_loops(llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution, const llvm::DominatorTree& dominators,
                       bool carries_taps);

}  // namespace lanza::compiler
