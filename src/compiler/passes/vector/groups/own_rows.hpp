// How many lanes a kernel wants whose lanes read rows of their own.
#pragma once

#include <llvm/IR/PassManager.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in SPMD form that may run with groups of `group`. Rows that lanes read element by element
/// (`s += a[row * n + i] * b[i]`) are turned into columns by shuffles, a square of registers at a time, beside the sums
/// of all groups that walk together: of two squares half goes to memory and back where there are 16 registers. Out:
/// groups that fill one register of `bits`, AVX2's, with elements of 32 where a loop sums up rows of global memory,
/// and groups fill two; else `group`.
GroupShape fit_own_rows(llvm::Function& kernel, const GroupShape& group, llvm::FunctionAnalysisManager& analyses,
                        unsigned bits);

}  // namespace lanza::compiler
