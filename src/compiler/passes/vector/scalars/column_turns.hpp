// Loops down a column by a flat index make the same turns for all threads.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: a kernel in SPMD form with rotated loops in simplified form. Out, for loops that go down a column of a plane by
/// an index, or a pointer, which no turn counts,
///
///     for (int i = x; i < width * height; i += width)         (const float *p = a + x; p < a + width * height; ...)
///
/// where `0 <= x < width` is known, by a guard in front: what is asked is `turn < height`, and in front of the loop
/// `0 < height`. So all threads leave together. A loop may begin a row further down (x + width). Products and sums that
/// do not wrap. What the index is used for stays. True when something changed.
bool count_column_turns(llvm::Function& kernel);

}  // namespace lanza::compiler
