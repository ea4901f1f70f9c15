// Kernels that know their x only as blockIdx.x * blockDim.x + threadIdx.x: the blocks of a row are one long loop.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// Whether take_whole_rows() will, of blocks with several threads along x.
bool can_take_whole_rows(llvm::Function& kernel, const GroupShape& group);
/// Of any: of those with one thread along x it may see better lanes.
bool may_run_in_rows(llvm::Function& kernel, const GroupShape& group);

/// In: SPMD form of a kernel for one blockDim. Where it has no synchronisation points and all uses of x are in such
/// sums, or of low bits that are the same wherever a block begins, a first block with threads beyond its size may stand
/// for the blocks that follow it: then `group` becomes one of whole rows, the sums are additions, whatever
/// simplification made of them, and they begin at a multiple of the group's lanes. Nothing in such a kernel knows its
/// block or thread otherwise: there is no shared memory and no service of the launch. Where axes were turned
/// (turn_axes.hpp) x is the group's, and a row of blocks goes along the launch's other axis. Blocks of one thread along
/// x, too, where blocks side by side are the better lanes (are_blocks_nearer()).
void take_whole_rows(llvm::Function& kernel, GroupShape& group);

/// On such a sum: it is not negative, as a number of 32 bits with a sign, nor is what is up to kBehindRow more. Said
/// so, and not by flags or ranges: those would go where sums are questions.
inline constexpr char kIndexInRow[] = "lanza.index-in-row";
inline constexpr unsigned kBehindRow = 1 << 12;

}  // namespace lanza::compiler
