// Fast copies of code that divides indices, for groups whose lanes all have the same quotients.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// Attribute of a kernel that launches do not take where its rows are longer than a few lanes: it gets no copies.
inline constexpr char kRowsElsewhere[] = "lanza.rows-elsewhere";

/// In: a kernel in SPMD form, loops in LCSSA form. Out, for code that takes a flat index apart by a divisor that all
/// lanes share (`row = i / width, column = i % width`):
///
///     if (the lanes lie in one row, at no negative index) copy;
///     else if (they lie in few) for (first = 0; first < lanes; first = end) if (first <= lane < end) copy;
///     else original;
///
/// In the copy the quotient is lane 0's and the remainder goes with the lanes, so that addresses made of them are those
/// of neighbours; in the loop, which walks through the rows, those of lane `first`. Of a remainder that is divided by a
/// power of two (`column / 2`, `column & 1`) it is known how it goes with the lanes, where lane 0 is at a multiple:
/// rows are as long, or a second copy is for those that are. There is no loop where the piece is
/// long, has loops that lanes leave one by one, or hands values on. What is divided again (`i / width / height`) is
/// asked about at the same place; of what is divided by a multiple (`i / (width * height)`) only whether that wraps. A
/// piece reaches from the first division to the end of its loop's turn, without what counts the turns, or of the
/// kernel; it ends before synchronisation points. True when something changed.
bool version_quotients(llvm::Function& kernel, const GroupShape& group);

}  // namespace lanza::compiler
