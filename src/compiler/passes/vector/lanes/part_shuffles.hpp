// Long networks of shuffles are kept in parts.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: run form, right before code generation, whose combiner tries at every shuffle what could be made of it and of
/// all that it is made of, again and again: for a transposition half of its time, and it finds nothing. Out: of
/// shuffles of two vectors each, one made of the other, every second layer ends in a fence (`llvm.arithmetic.fence`, no
/// instruction), behind which the combiner does not look. True when something changed.
bool part_shuffles(llvm::Function& run);

}  // namespace lanza::compiler
