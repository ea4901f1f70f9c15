// Minima and maxima of bytes and sums that have one bit more.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: a kernel in SPMD form. Out: `a + 1 < v ? a + 1 : v` of bytes or shorts, which C++ compares in 32 bits, is
/// min(sum, v) of the sum that ends at 255, and `a - b > v ? a - b : v` max(difference, v) of the one that ends at 0:
/// processors have both as one instruction, where a wide comparison takes an extension, a mask and a choice. Results
/// are the same: the lesser of v and something above 255 is v. True when something changed.
bool saturate_extrema(llvm::Function& kernel);

}  // namespace lanza::compiler
