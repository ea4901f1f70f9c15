// Copies of loops whose first index does not wrap.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in SPMD form, whose indices still have their ranges, behind prove_counters(). Where a loop's counter
/// begins with an unsigned sum that might wrap between two lanes (`for (int i = rows[r] + threadIdx.x; i < rows[r + 1];
/// i += blockDim.x)`), nothing says that neighbours have neighbouring addresses. Out:
///
///     if (no lane's sum can wrap) copy, with its guard; else original
///
/// by one test of what the lanes share. The original is marked as what few groups come to. True when something changed.
bool version_starts(llvm::Function& kernel, const GroupShape& group);

}  // namespace lanza::compiler
