// Loops that leave out the lane's own turn.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in SPMD form, loops in simplified and LCSSA form. Out, for innermost loops that only read, each lane
/// along a row of its own, and ask in each turn whether it is the one of the lane's own number (`for (j ...) if (j !=
/// i) sum += a[i * n + j] * x[j]`): the turns in pieces of 16,
///
///     if (16 are left && lanza.all(i is none of them)) 16 turns that do not ask; else 16 turns, or what is left;
///
/// A group's lanes ask in vain but for one piece or two: unroll_row_loops() takes the others. True when something
/// changed.
bool version_diagonals(llvm::Function& kernel, const GroupShape& group, PassRunner& runner);

}  // namespace lanza::compiler
