// Loops in which each lane walks along a row of its own load several of its elements at once.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: SPMD form, loops in simplified and LCSSA form. Out: loops like `for (j = 0; j < n; ++j) s += x[row * n + j]`,
/// with a row for each lane, whose lanes leave it together and which write nothing, do several turns at once, as many
/// as transpose_gathers() makes loads of rows of; of the turns that are left four at once, where that is little code in
/// no other loop (a table of rows of 8 words, 16 lanes: 40 us became 17), and the others one by one. So do loops marked
/// with kTurnsApart, where loads then come first and stores last, for transpose_gathers(). True when something changed.
bool unroll_row_loops(llvm::Function& kernel, const GroupShape& group, llvm::FunctionAnalysisManager& analyses);

}  // namespace lanza::compiler
