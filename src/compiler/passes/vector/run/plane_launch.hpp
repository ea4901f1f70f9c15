// A launch by flat index becomes one of planes.
#pragma once

#include <llvm/IR/Module.h>

#include "compiler/passes/vector/groups/index_planes.hpp"

namespace lanza::compiler {

/// Adds `i32 (launch, arguments, block)` to `module`: calls `run`, which is declared only, with the code of
/// take_index_planes(), for as many of its blocks as the range of `block` is of all blocks: calls for all ranges of a
/// launch run every thread once. Returns what `run` does, or -1 where nothing was run, as rows or columns are too
/// short, or indices might wrap. `kernel`, of which the planes are, is in the form that find_index_planes() left it in;
/// `block_size` is its blockDim.x. If a fault is reported, any thread may have been the one.
llvm::Function* make_plane_launch(llvm::Module& module, llvm::Function& run, const llvm::Function& kernel,
                                  const IndexPlanes& planes, unsigned block_size);

}  // namespace lanza::compiler
