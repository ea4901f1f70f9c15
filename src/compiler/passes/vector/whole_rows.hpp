// Kernels in group form that know their x only as blockIdx.x * blockDim.x + threadIdx.x: the blocks of a row are one
// long loop.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in group form or in SPMD form for one blockDim, without synchronisation points. True when all uses of
/// x are in such sums, so that a first block with threads beyond its size stands for the blocks that follow it: then
/// the sums are additions, whatever simplification made of them. Nothing in the kernel may know its block or thread
/// otherwise: there is no shared memory, no service of the launch, and no lane beyond the block.
bool take_whole_rows(llvm::Function& kernel, const GroupShape& group);

}  // namespace lanza::compiler
