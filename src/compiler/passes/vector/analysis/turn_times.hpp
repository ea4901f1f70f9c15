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

}  // namespace lanza::compiler
