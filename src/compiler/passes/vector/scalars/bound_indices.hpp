// Index arithmetic that does not wrap in usual launches says so; a launch is asked whether it is usual.
#pragma once

#include <llvm/IR/PassManager.h>

#include "compiler/passes/vector/scalars/launch_test.hpp"

namespace lanza::compiler {

/// In: a kernel for one blockDim and narrow grids, still nvptx64, values in registers, loops in simplified form.
/// `a[row * n + k + tx]` of unsigned indices may wrap, and then nothing says that neighbouring threads have
/// neighbouring addresses. Out: the arithmetic of 32 bits that leads to addresses, and that of counters of loops, is
/// nsw and, where it is unsigned, nuw, extensions of what is not negative nneg, comparisons of two such numbers signed,
/// as if indices were int, those of 64 bits (narrow_indices.hpp), too, where their bounds are known as formulas of
/// gridDim and the kernel's arguments. The code serves launches only that pass `test`.
void bound_indices(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses, LaunchTest& test);

/// In: the same kernel, its loops unrolled. `(at + dx) * 3 + c` is `at * 3 - 3 + c` by now, and nothing says any more
/// that none of it wraps. Out: the arithmetic that leads to addresses says so again.
void bound_indices_again(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses, LaunchTest& test);

}  // namespace lanza::compiler
