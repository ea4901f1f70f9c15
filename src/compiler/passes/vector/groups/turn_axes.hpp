// Kernels whose memory runs along y or z have their lanes along that axis.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: SPMD form of a kernel for one blockDim, which can be widened, before any pass has chosen its x. Out: where lanes
/// along y or z find their neighbours in memory (`a[threadIdx.x * n + threadIdx.y]`) and lanes along x do not, the
/// kernel asks for its indices along that axis where it asked for x, and the other way round; `group` says so
/// (GroupShape::lane_axis). All that follows knows one x, the group's; make_run_form() answers in the launch's axes,
/// and takes the blocks in the order of the group's.
///
/// Threads run in another order then: kernels that could tell (atomics with results or on floats, volatile accesses,
/// calls, points of a warp) stay as they are. True when axes were turned.
bool turn_axes(llvm::Function& kernel, GroupShape& group);

/// Of blocks with one thread along x, in whose kernel `blockIdx.x * 1 + threadIdx.x` stands for blockIdx.x: whether
/// blocks side by side are better lanes than threads of one block, which are few, or have their neighbours in memory
/// far away.
bool are_blocks_nearer(llvm::Function& kernel, const GroupShape& group);

}  // namespace lanza::compiler
