// Index arithmetic that does not wrap in usual launches says so; a launch is asked whether it is usual.
#pragma once

#include <memory>

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: a kernel for one blockDim and narrow grids, still nvptx64, values in registers, loops in simplified form.
/// `a[row * n + k + tx]` of unsigned indices may wrap, and then nothing says that neighbouring threads have
/// neighbouring addresses. Out: the arithmetic of 32 bits that leads to addresses, and that of counters of loops, is
/// nsw and, where it is unsigned, nuw, extensions of what is not negative nneg, comparisons of two such numbers signed,
/// as if indices were int, those of 64 bits (narrow_indices.hpp), too, where their bounds are known as formulas of
/// gridDim and the kernel's arguments. The code serves launches only for which the function in the returned module
/// answers 1: `i32 lanza.fits(gridDim, arguments)`. Null: it serves all.
std::unique_ptr<llvm::Module> bound_indices(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

}  // namespace lanza::compiler
