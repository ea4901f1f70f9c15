// What lanes take out of a loop that they leave in different turns.
#pragma once

#include <llvm/IR/Instructions.h>

namespace lanza::compiler {

/// In: a loop whose body is linearised under `live`, a phi of its header with the lanes that come in, and whose latch
/// asks which of them stay. Out: it goes on while one of them is in it; each lane takes out what it had when it left.
/// Lanes that never were in it keep what they had in front of it, where that passes through unchanged.
void leave_apart(llvm::PHINode& live, llvm::BasicBlock& latch, llvm::BasicBlock& exit);

}  // namespace lanza::compiler
