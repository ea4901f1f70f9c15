// The grid that has a thread for each turn of a loop that strides with the grid.
#pragma once

#include <memory>

#include <llvm/IR/Module.h>

namespace lanza::compiler {

inline constexpr char kBlocks[] = "lanza.blocks";  ///< the function's name

/// In: a kernel for blocks of `block_size` threads along x alone, in the form that find_grid_loop() takes. A module
/// with `blocks` of LanzaKernelObject: of a launch the gridDim.x whose threads do the same in a turn each. That is
/// another one than was asked for where the grid has threads without a turn, or turns may run in any order: see
/// independent_turns(), arrays without `__restrict__` are looked at as they lie. Null: the kernel has no such loop.
std::unique_ptr<llvm::Module> make_grid_turns(llvm::Function& kernel, unsigned block_size);

}  // namespace lanza::compiler
