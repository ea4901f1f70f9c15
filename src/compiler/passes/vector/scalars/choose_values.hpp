// Branches that do nothing but choose are choices.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: a kernel in SPMD form. Out: `if (c) { x = a; y = b; z = d; }`, ways without code whose values meet behind them,
/// is `x = c ? a : x` and so on, however many there are: LLVM does so with two. Masks would come to the same, but code
/// that is looked at as a whole, from where an index is made to the last access by it, has no end there. What both ways
/// of a branch load first is loaded before. True when something changed.
bool choose_values(llvm::Function& kernel);

}  // namespace lanza::compiler
