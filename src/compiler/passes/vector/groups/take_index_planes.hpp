// Threads that know a flat index become threads of planes.
#pragma once

#include "compiler/passes/vector/groups/index_planes.hpp"

namespace lanza::compiler {

/// In: a kernel of which find_index_planes() has found `planes`. Out: the kernel for blocks of kPlaneBlock, whose
/// thread (x, y, z) of the grid is the former thread (z * height + y)
/// * width + x, if there is one. Three arguments of 32 bits come behind the kernel's own: how many threads there are,
/// and the planes' width and height. Columns that are divided again are divided as floats. A launch has to make sure
/// that none of these indices wraps.
llvm::Function* take_index_planes(llvm::Function& kernel, IndexPlanes planes);

}  // namespace lanza::compiler
