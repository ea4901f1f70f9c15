// Divisions in a loop try the quotient of the turn before.
#pragma once

#include "compiler/passes/vector/row_loops.hpp"

namespace lanza::compiler {

/// In: a loop as row_loops finds it. Out: a turn divides only where the quotient is neither that of the last turn that
/// divided nor the one that follows it: rows are walked through one after the other.
void carry_quotients(RowLoop& loop);

}  // namespace lanza::compiler
