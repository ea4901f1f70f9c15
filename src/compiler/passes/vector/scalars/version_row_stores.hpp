// Copies of loops that write rows of the lanes' own, in which turns may change places.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// Metadata of a loop whose turns read and write different elements each: no turn reads what another one writes.
inline constexpr char kTurnsApart[] = "lanza.turns.apart";
/// Metadata of a store of such a loop: its number.
inline constexpr char kRowStore[] = "lanza.row.store";

/// In: a kernel in SPMD form, loops in simplified and LCSSA form. Out, where blocks have one row of threads, for loops
/// of one basic block in which each lane writes a row of its own, element after element, and all addresses go up by the
/// same bytes every turn (`for (j ...) y[i * n + j] = x[i * n + j] * w[j]`):
///
///     if (lanza.all(what is written lies apart from all else)) copy, marked with kTurnsApart; else original;
///
/// What is read where it is written, in the same turn and before, need not lie apart; what is read there a turn later
/// stays in a register. Private arrays are no such rows. Addresses of the copy count turns from where they begin. True
/// when something changed.
bool version_row_stores(llvm::Function& kernel, const GroupShape& group, PassRunner& runner);

}  // namespace lanza::compiler
