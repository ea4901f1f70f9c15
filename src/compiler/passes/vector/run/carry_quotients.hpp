// Divisions in a loop try the quotient of the turn before.
#pragma once

#include <llvm/IR/PassManager.h>

#include "compiler/passes/vector/analysis/row_loops.hpp"

namespace lanza::compiler {

/// In: a loop as row_loops finds it. Out: a turn divides only where the quotient is neither that of the last turn that
/// divided nor the one that follows it: rows are walked through one after the other.
void carry_quotients(RowLoop& loop);

/// The same for what walk_rows leaves: divisions by what their loop does not change, of an index that goes by constant
/// steps, or from row to row (the walk of version_quotients), or of a quotient that is carried. True when something
/// changed.
bool carry_quotients(llvm::Function& run, llvm::FunctionAnalysisManager& analyses);

}  // namespace lanza::compiler
