// What is asked about the value with which a loop was left is known where it was left.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: a kernel in SPMD form. Out: where all that is asked about a number that comes out of a loop is how it compares
/// with others (`while (j < n && text[i + j] == word[j]) ++j; found = j == n;`), and the answer is known at each of the
/// loop's exits, as those are told by the same comparison, the answers come out of it, not the number: lanes that leave
/// in different turns keep a bit in place of a counter of their own. Questions of ways around the loop are asked there.
/// True when something changed.
bool ask_at_exits(llvm::Function& kernel, llvm::LoopInfo& loops, const llvm::DominatorTree& dominators,
                  llvm::ScalarEvolution& evolution);

}  // namespace lanza::compiler
