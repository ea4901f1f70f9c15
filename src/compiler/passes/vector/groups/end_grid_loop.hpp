// A loop in which the grid strides over an array, as a thread for each of its turns.
#pragma once

#include <optional>

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace lanza::compiler {

/// Of the threads' indices those below `count`, which is made of the kernel's arguments, each have a turn.
struct GridLoop {
  llvm::PHINode* index;
  llvm::Value* count;
};

/// In: SPMD form of a kernel for blocks of `block_size` threads along x, rotated loops in simplified form. The loop
///
///     for (i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) body
///
/// where a thread is known by nothing else, turns hand nothing on, and nothing outside of the loop shows. n threads, or
/// more, do what a grid of n threads or more did; a smaller one may hand on from turn to turn through memory.
std::optional<GridLoop> find_grid_loop(llvm::Function& kernel, unsigned block_size);

/// Out, where the kernel has such a loop: its body alone, for i as the thread's index. Returns n; null: there is no
/// such loop, and nothing has changed.
llvm::Value* end_grid_loop(llvm::Function& kernel, unsigned block_size);

/// Integers made of a kernel's arguments alone, and of members of those, divided by any: who computes them asks about
/// divisors.
bool is_made_of_arguments(const llvm::Value* v, unsigned depth = 0);

}  // namespace lanza::compiler
