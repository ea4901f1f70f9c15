// How long a loop's turns wait for each other or for memory, whatever work is done meanwhile.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>

namespace lanza::compiler {

/// Half cycles from one turn of an innermost loop in group form to the next, in which others could run: the longest
/// chain of operations from what `counts` among the values that the loop hands on to what it hands on for them; and for
/// vectors that every turn loads from another row of memory, where no line follows the one before.
unsigned wait_of_turn(const llvm::Loop& loop, const llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution,
                      llvm::function_ref<bool(const llvm::Value&)> counts);

/// Half cycles that the lines take which a vector load of a loop gets from memory in each turn, all of each: from a
/// second cache at best, one after the other, whoever waits for them. 0 for other instructions, and for the block's own
/// memory, which is in a first cache.
unsigned time_of_stream(llvm::Instruction& load, const llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution);

}  // namespace lanza::compiler
