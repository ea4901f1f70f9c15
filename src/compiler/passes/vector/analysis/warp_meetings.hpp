// The proof that the lanes which a warp operation names come to it together.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/codegen/report.hpp"
#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// True when lanes of a warp meet somewhere in `kernel`.
bool has_warp_operations(llvm::Function& kernel);

/// In: SPMD form after prepare_lanes(), a group being a warp; loops are brought into simplified form. Why code that
/// takes all lanes of a group along at once might run a warp operation of `kernel` with other lanes than its mask
/// names, as far as they live; no words when it is proved that it does not. Lanes that have left, and can meet no
/// others any more, are not waited for. Known are masks
/// - that follow from thread indices: of the whole warp, of tiles, of the lanes that a branch on thread indices lets
/// by;
/// - from __activemask() or __match_any_sync() that the same lanes have just asked;
/// - from __ballot_sync() of the condition on which they have come.
Reason why_warps_part(llvm::Function& kernel, const GroupShape& group);

}  // namespace lanza::compiler
