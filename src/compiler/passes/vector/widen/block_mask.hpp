// Which lanes of a group run a block of code.
#pragma once

#include <llvm/IR/Instructions.h>

namespace lanza::compiler {

inline constexpr char kMask[] = "lanza.mask";  ///< void (i1): the lanes that are active to the end of the block

/// The call of kMask in a block after linearise(); null: all lanes run it.
llvm::CallInst* mask_of(llvm::BasicBlock& block);

}  // namespace lanza::compiler
