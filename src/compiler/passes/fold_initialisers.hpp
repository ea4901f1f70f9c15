// __constant__ variables that the host has never asked for hold what they were initialised with.
#pragma once

#include <llvm/IR/Module.h>

namespace lanza::compiler {

/// In: a module as the front end wrote it. Out: its __constant__ variables without pointers, and not all zeros, are
/// constants to LLVM, which folds loads of known elements; they keep their places in the data segment, which other
/// loads read. For code that runs only as long as the host has asked for none of them.
void fold_initialisers(llvm::Module& module);

}  // namespace lanza::compiler
