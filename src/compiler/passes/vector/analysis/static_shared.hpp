// Places that a block's shared memory surely has.
#pragma once

#include <llvm/Analysis/ScalarEvolution.h>

namespace lanza::compiler {

/// Whether `size` bytes at the address lie in the first `end` bytes of shared memory, in whichever thread and turn, as
/// the ranges of its indices say: nothing has to be asked before they are read.
bool is_in_shared(llvm::Value& address, uint64_t size, int64_t end, llvm::ScalarEvolution& evolution);

}  // namespace lanza::compiler
