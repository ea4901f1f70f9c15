// Which NaNs and signs floating-point values may have, by what they are made of.
#pragma once

#include <llvm/IR/Value.h>

namespace lanza::compiler {

/// In: numbers, or vectors of them. They are followed through what chooses among values and moves lanes, and through
/// loops: the extremum so far (`m = fmaxf(m, x)`) follows from itself. False where it is not certain.

bool is_never_nan(llvm::Value* value);

/// No NaN of it asks for an exception; what is computed has none, what is loaded may.
bool is_never_signalling(llvm::Value* value);

/// Its zeros are all positive.
bool has_positive_zeros(llvm::Value* value);

}  // namespace lanza::compiler
