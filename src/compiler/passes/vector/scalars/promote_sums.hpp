// Sums that a loop keeps in memory are kept in registers.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in SPMD form, loops in simplified and LCSSA form. Out, for loops of one basic block that write memory
/// at places which stay the same, and may read it there, and write nothing else, while each lane walks along a row of
/// its own (`for (j ...) y[i] += a[i * n + j] * x[j]`), where the lanes' places lie far from each other, or as far as a
/// row of 16, or behind a mask beside loads that all lanes share (which wait for what is stored), or where these
/// are members of records and all else is read from other memory (`f[i].x += ...` of a tile in shared memory):
///
///     if (lanza.all(no other load of the loop comes to these places)) copy, with the places' values in registers;
///     else original;
///
/// The copy writes them when it ends; unroll_row_loops() takes it then. In blocks of several rows only for loops to
/// which the kernel comes by guards alone: groups that walk together ask there for all of them (ask_together). Nothing
/// says that pointers to y, a and x differ, so it is asked at run time. True when something changed.
bool promote_sums(llvm::Function& kernel, const GroupShape& group, PassRunner& runner);

}  // namespace lanza::compiler
