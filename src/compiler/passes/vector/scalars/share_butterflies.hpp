// What a reduction over a warp by __shfl_xor_sync leaves in every lane is one number.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: SPMD form of a kernel whose groups are warps that meet at its warp operations. After
///
///     for (int w = 16; w; w /= 2) s += __shfl_xor_sync(-1, s, w);
///
/// all lanes have the same sum: lane l and lane l ^ w have added the same two numbers. Out: behind the last step, the
/// sum of lane 0 for all, so that what follows from it (the exponentials of a softmax) is computed once a warp, and the
/// steps themselves for ever fewer lanes. Any step will do that stays what it is when both numbers change places, in
/// any order of the five distances. True when something changed.
bool share_butterflies(llvm::Function& kernel, const GroupShape& group);

}  // namespace lanza::compiler
