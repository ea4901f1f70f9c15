// Loops along rows of the lanes' own that end at each lane's own number.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in SPMD form, loops in simplified and LCSSA form. Out, for innermost loops that only read, each lane
/// along a row of its own and as far as it goes for that lane (triangles, `for (j = 0; j <= i; j++) sum += a[i * n +
/// j]`; rows whose ends are read from memory):
///
///     while (lanza.all(more than 16 turns are left)) 16 turns; the loop, for what is left;
///
/// Those turns run with all lanes and no mask: unroll_row_loops() takes them. True when something changed.
bool split_row_loops(llvm::Function& kernel, const GroupShape& group, PassRunner& runner);

}  // namespace lanza::compiler
