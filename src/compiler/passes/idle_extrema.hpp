// Atomic minima and maxima that change nothing write nothing.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: a function's final code. Out: relaxed atomic minima and maxima of integers read first, and exchange only a value
/// that they change. Else, x86 having no such instruction, each would take the line of memory from the other threads,
/// and 20 cycles: most keep what is there (a greatest element, distances of a shortest path).
void skip_idle_extrema(llvm::Function& function);

}  // namespace lanza::compiler
