// Variables of a block that are not to become registers.
#pragma once

#include <llvm/IR/Instructions.h>

namespace lanza::compiler {

/// A call without meaning that takes the variable's address: no pass splits such a variable. To be erased in the end.
llvm::Instruction* keep_in_memory(llvm::AllocaInst& variable);

}  // namespace lanza::compiler
