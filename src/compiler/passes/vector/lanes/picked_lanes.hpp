// Loops that take lanes out of a vector by a number take them out of memory.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: run form. Out: where a loop takes lanes out of a vector that does not change in it,
/// by a number that only the run tells (one active lane after the other: atomics, calls, loops of single lanes), the
/// vector is stored in front of the loop, once, by halves of 64 bytes, and the loop loads lanes. LLVM would store it
/// again for each lane.
/// True when something changed.
bool store_picked_lanes(llvm::Function& run, llvm::LoopInfo& loops, llvm::DominatorTree& dominators);

}  // namespace lanza::compiler
