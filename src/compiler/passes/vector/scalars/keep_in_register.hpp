// A place in memory that a loop writes in each turn is a register in it.
#pragma once

#include <llvm/IR/BasicBlock.h>

namespace lanza::compiler {

/// In: a loop of one block, `body`, that stores values of `type` at `place`, an address which stays the same, and may
/// load them there; nothing else that it accesses lies there. `before` leads to the loop alone, and only the loop leads
/// to `behind`. Out: the place is loaded, if the loop loads it, in `before`, and stored in `behind`.
void keep_in_register(llvm::Value* place, llvm::Type* type, llvm::BasicBlock& before, llvm::BasicBlock& body,
                      llvm::BasicBlock& behind);

}  // namespace lanza::compiler
