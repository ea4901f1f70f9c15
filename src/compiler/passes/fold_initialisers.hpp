// __constant__ variables that the host has never asked for hold what they were initialised with.
#pragma once

#include <llvm/IR/Module.h>

namespace lanza::compiler {

/// Whether fold_initialisers() makes a constant of it.
bool is_folded(const llvm::GlobalVariable& variable);

/// In: a module as the front end wrote it. Out: its __constant__ variables of integers, not all zeros, are constants to
/// LLVM, which folds loads of known elements: offsets, directions, sizes. They keep their places in the data segment,
/// which other loads read. Weights stay there: an operation takes one from memory as it does from a register, of which
/// constants of all lanes take one each. For code that runs only as long as the host has asked for none of them.
void fold_initialisers(llvm::Module& module);

}  // namespace lanza::compiler
