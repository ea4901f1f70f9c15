// Loops over groups that walk through a row do not divide their index again for every group.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: `run` with its loops over groups, simplified and in LCSSA form, after note_lanes. Out, for loops in which a turn
/// divides an index by what the loop does not change, and then takes a likely branch (version_quotients: the group lies
/// in one row):
///
///     turn:     ... q = index / n ...; if (the group lies in one row) row; else other;
///     row:      ...
///               index' = the next turn's; if (index' / n is q, and all that the next turn asks holds) row;
///               else turn, or where the next turn would go
///
/// Whether the quotient is still q is a subtraction and a comparison. The loop that ends so is one of its own, in which
/// quotients, and what is made of them, stand still. True when something changed: then loops are not in order.
bool walk_rows(llvm::Function& run);

}  // namespace lanza::compiler
