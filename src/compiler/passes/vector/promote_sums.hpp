// Sums that a loop keeps in memory are kept in registers.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in SPMD form, loops in simplified and LCSSA form. Out, where blocks have one row of threads (in others
/// groups share what they load, and walk together), for loops of one basic block that write memory at
/// places which stay the same, and may read it there, and write nothing else, while each lane walks along a row of its
/// own (`for (j ...) y[i] += a[i * n + j] * x[j]`):
///
///     if (lanza.all(no other load of the loop comes to these places)) copy, with the places' values in registers;
///     else original;
///
/// The copy writes them when it ends; unroll_row_loops() takes it then. Nothing says that pointers to y, a and x
/// differ, so it is asked at run time. True when something changed.
bool promote_sums(llvm::Function& kernel, const GroupShape& group, PassRunner& runner);

}  // namespace lanza::compiler
