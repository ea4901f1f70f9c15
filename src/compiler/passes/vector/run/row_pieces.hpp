// Lanes that leave a loop one by one, each along a row of its own, take several elements of it at once.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: run form. Out, for loops of one block that go on while a lane does, without effects, and in which each lane that
/// does loads the next element of a row of its own (`for (j = starts[i]; j < starts[i + 1]; ++j) sum += values[j]`),
/// until its counter comes to its limit: several turns, one behind the other, without a question between them. A turn
/// without lanes changes nothing. What those turns gather are the columns of rows, of which each lane loads what it
/// would have, and a transposition in registers. For hosts where masks_rows(). True when something changed.
bool take_row_pieces(llvm::Function& run);

}  // namespace lanza::compiler
