// Masks that differ by what a group's lanes share are the same where all of that holds.
#pragma once

#include <llvm/Analysis/LoopInfo.h>

namespace lanza::compiler {

/// In: run form, loops simplified and in LCSSA form, what is invariant in front of them. Out, for innermost loops that
/// load by many masks, made of few and of conditions that all lanes share: of a filter's taps at an image's edge, where
/// groups of several rows walk together, `the row above is inside && x - 1 is inside`, a mask for each tap and row,
///
///     if (all the conditions hold) copy, without them in its masks; else the loop
///
/// So nine masks are left of 72, or three, and stay in registers. Only where half of them are none any more. True when
/// something changed.
bool make_masks_same(llvm::LoopInfo& loops);

}  // namespace lanza::compiler
