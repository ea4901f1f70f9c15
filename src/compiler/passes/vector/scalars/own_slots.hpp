// Shared memory of which each thread has a part of its own.
#pragma once

#include <array>

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: a kernel for one blockDim, nvptx64 form, address spaces known. On a GPU a private array that is indexed lies in
/// slow memory, so that small ones are put into shared memory, a part for each thread. Out: arrays in shared memory
/// that are only loaded from and stored to, element by element, and of which no thread touches another one's elements,
/// are private arrays, which become registers:
/// - a row for each thread, `s[tid][k]`, `s[3 * tid + 1]`, where it is known that k stays in the row;
/// - a column for each thread, `s[k * blockDim.x + tid]`.
/// True when something changed.
bool make_slots_private(llvm::Function& kernel, std::array<unsigned, 3> block, llvm::FunctionAnalysisManager& analyses);

}  // namespace lanza::compiler
