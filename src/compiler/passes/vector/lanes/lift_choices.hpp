// Choices by a mask which some of the ways in front of them know.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: run form whose variables of the block are registers. Between barriers threads ask the same twice,
///
///     for (t = n - 1; t >= 0; t--) { if (i <= t) v = f(v, s[i + 1]); __syncthreads(); if (i <= t) s[i] = v; ... }
///
/// and where `s` became registers the store is a choice between `v` and what was there, by the mask of the lanes.
/// Behind the first question the groups have parted into those of which all lanes, no lane and some lanes do. Out: a
/// choice behind ways that know its mask (an integer that all lanes share, compared with a constant of each lane) by
/// the branches on that integer is made on the way that does not; on the others it is the one value or the other. What
/// the mask is made of goes to where it is still asked. A binomial tree of 127 steps takes 0.79 of the time on Zen 4.
/// At most one way may still have to choose, so code does not grow. True when something changed.
bool lift_choices(llvm::Function& run, const llvm::DominatorTree& dominators, const llvm::LoopInfo& loops);

}  // namespace lanza::compiler
