// Copies of code whose addresses depend on a power of two that the block shares, for each that matters to a group.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in SPMD form. Out, for code whose addresses are made of the bits of a thread index by a value `s` that
/// is the same for all lanes (`t ^ s`, `2 * t - (t & (s - 1))`, `t % s`: sorting networks, butterflies, trees), or by
/// a factor `s` that is known for a power of two (`s * (2 * t + 1)`: scans):
///
///     switch (s) { 1, 2, 4 ... below the lanes: copy with that number; a multiple of the lanes: copy that knows it;
///     else: original; }
///
/// or by an argument, or a member of one, that is no size (`x[i * incx]`): one copy where all such that multiply what
/// lanes differ by are 1, with the loops in it.
/// In the copies a group's addresses are neighbours, or a permutation of neighbours that is known, as is which of two
/// partners comes first. Code with
/// synchronisation points is not copied, nor what does not fit the budget. True when something changed.
bool version_strides(llvm::Function& kernel, const GroupShape& group);

}  // namespace lanza::compiler
