// Volatile accesses to shared memory that nobody but the code itself sees.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: a kernel in group form without waits (has_waits()). Out: volatile loads and stores of shared memory are ordinary
/// ones. Between the threads of a warp their order is in the code by now, vector after vector, or is kept by the points
/// at which groups wait for each other; and shared memory belongs to this code alone. So what one step of a tree
/// (`s[t] += s[t + 16]`) has stored the next one has in registers. True when something changed.
bool plain_shared(llvm::Function& kernel);

}  // namespace lanza::compiler
