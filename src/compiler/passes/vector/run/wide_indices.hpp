// Indices of 64 bits, of which a loop changes only what has to change.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: any function with loops in simplified form. Out: counters of 32 bits from a constant on that are extended to 64
/// have 64; and in loops a sum of 32 bits that is known not to wrap, and is extended, is the sum of the extended parts
/// where one of them does not change in the loop: its extension can leave it, constants become part of addresses.
/// (LLVM's indvars does as much and more, but asks every branch on the way to a loop: with a chain of loops, one a
/// region, that takes longer than all other passes together.) True when something changed.
bool widen_indices(llvm::Function& function, llvm::LoopInfo& loops);

}  // namespace lanza::compiler
