// Narrow blocks that wait at barriers: two neighbours of a row, or four, run side by side.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// Whether it has loops around barriers, and all of them store results in each turn, as those do that go through a
/// volume plane by plane.
bool goes_by_planes(llvm::Function& kernel);

/// In: SPMD form of a kernel with barriers for one blockDim, isolate_points() done, shared memory by its address. A
/// block of few threads along x, and of several rows, reads pieces of lines, which its neighbour reads again; the turns
/// of its loops around barriers are short, and each ends before what it stored is in the cache. Where there is neither,
/// two ask for more memory at once than some cores follow (asks_for_much()); others gain. Loops around barriers store
/// results in each turn: others keep sums in registers, which do not hold those of two blocks. Kernels without such
/// loops that ask where along x a block lies stay as they are: twice as many blocks would be at an edge; so do those
/// that do not know of blockIdx.x, of whose rows each has one block. Out: threads of two blocks of a row as one block
/// twice as wide, `group` for them: x runs through both, and blockIdx.x, threadIdx.x and the place of the block's own
/// shared memory follow from it.
///
/// Only where the threads of both meet at every barrier, by proof, and none of them leaves before; groups lie in one
/// block. Kernels that call anybody stay as they are: who is called asks who runs. `wide`: x * blockDim.x may wrap.
/// Groups of two registers that go through a volume are of as many blocks as blocks_beside() says. True when something
/// changed.
bool pair_blocks(llvm::Function& kernel, GroupShape& group, bool wide, const llvm::TargetMachine& host);

}  // namespace lanza::compiler
