// Rows that several results read one turn after the other are loaded once.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetTransformInfo.h>

namespace lanza::compiler {

/// In: run form with its groups walking together, loops in simplified form. Out: in an innermost loop of one block that
/// writes nothing, where a load goes by the step that another load is ahead of it,
///
///     for (k) { s0 += t[k] * in[k]; s1 += t[k] * in[k + 1]; s2 += t[k] * in[k + 2]; }     (rows of a column's taps)
///
/// it is, but for the first turn, what that other load was a turn ago:
///
///     a = in[0]; b = in[1];
///     for (k) { c = in[k + 2]; s0 += t[k] * a; s1 += t[k] * b; s2 += t[k] * c; a = b; b = c; }
///
/// Eight results and one load in a turn, instead of eight, let the processor's multipliers work all the time. Only
/// where registers hold the rows. True when something changed.
bool carry_rows(llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution, const llvm::TargetTransformInfo& host);

}  // namespace lanza::compiler
