// Loops that wait for other blocks, in code that groups of threads run one after the other.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/codegen/report.hpp"
#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: SPMD form of a kernel with YIELD points, in loops that wait (implicit_points.hpp). Out, without words:
/// each is a call of kWait, upon which the executor runs other blocks, and nobody of the loop's own block is needed to
/// end it, though none of its other groups goes on meanwhile. Else why that is not certain; the kernel is as it was.
///
/// From the branch at which threads part from those that wait, else from the loop on, to the next barrier or the end
/// nothing is written that others may wait for, but
/// - by the only thread that comes to the loop, as in `if (threadIdx.x == 0) { publish; while (!ready) ...; }`;
/// - or, where groups are warps, by lanes of the one warp that comes to it, if those who leave the loop write nothing
///   before the warp meets again, as at a vote.
/// What the block has written before that is behind it for all: a barrier is put there where needed. Shared and private
/// memory does not count, where the loop does not wait for it.
Reason settle_waits(llvm::Function& kernel, const GroupShape& group);

/// True behind settle_waits(), if there were such loops.
bool has_waits(llvm::Function& kernel);

}  // namespace lanza::compiler
