// A copy of a kernel with barriers for blocks that lie inside.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in SPMD form with barriers that all threads meet, and a known blockDim. Out:
///
///     if (guards hold for all threads of the block) copy; else original;
///
/// The question is one for the whole block, asked before anything else: groups must not disagree about barriers, and a
/// barrier in front of either way keeps each from asking again. So guards on thread indices (`if (i < n)`,
/// `if (i >= n) return`) and clamps are looked at whose least and greatest value over the block can be computed from
/// blockIdx and arguments. In the copy they are known to pass, and so is what follows from them: min(256, n - first) is
/// 256, (first + i - 1 + n) % n of a tile and its halo is first + i - 1; and what all threads ask alike
/// (`first < 0 ? -first : 0`), if the tests answer it. What blockDim alone decides the other way
/// (`if (threadIdx.x == 0)`) is no guard; kernels that are too long stay as they are. The original is kSeldom, and
/// version_guards() leaves its guards alone outside of loops over barriers. Guards behind `if (threadIdx.x == 31)`, of
/// a tile's halo, are asked only where `asks_few`: else a block at an edge would leave the copy for a few threads'
/// sake. So is what all threads ask alike in front of a load. True when something changed.
bool version_blocks(llvm::Function& kernel, const GroupShape& group, bool asks_few = false);

}  // namespace lanza::compiler
