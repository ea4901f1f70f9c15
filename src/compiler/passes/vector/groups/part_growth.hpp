// Values that are greatest where all parts of a flat index are.
#pragma once

#include "compiler/passes/vector/groups/index_planes.hpp"

namespace lanza::compiler {

/// Whether a value is made of parts of the index and of arguments, by sums and products that grow with each of them: a
/// launch can compute how great it gets (plane_launch.cpp).
bool grows_with_parts(llvm::Value* v, const IndexPlanes& planes, unsigned depth = 0);

}  // namespace lanza::compiler
