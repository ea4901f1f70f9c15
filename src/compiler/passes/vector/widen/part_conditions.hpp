// What all lanes of a group share of a question is asked once for all of them.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in SPMD form. Out, for branches at which lanes part, with parts that they share (of rows, of the block,
/// of a loop's counter), and code that follows it for all threads:
///
///     if (x > i && y > i) work;    becomes    if (y > i) if (x > i) work;
///
/// So groups that have nothing to do go on by a branch, and the mask is made of what lanes do not share alone.
/// Likewise for `if (x < i || y < i) return`. True when something changed.
bool part_conditions(llvm::Function& kernel, const GroupShape& group);

}  // namespace lanza::compiler
