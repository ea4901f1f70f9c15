// A kernel with more arguments.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// Moves all of `kernel`, which is left without a body and a name, to a kernel that has `more` arguments of 32 bits
/// behind its own.
llvm::Function* with_more_arguments(llvm::Function& kernel, unsigned more);

}  // namespace lanza::compiler
