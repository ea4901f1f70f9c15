// Turns of a loop that sum up, each in a loop of its own, go side by side.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in SPMD form without points of synchronisation, loops in simplified and LCSSA form. Out, for nests
/// (turn_nest.hpp) that lanes leave one by one and whose inner loop adds up floats (a matrix of correlations, `for (j =
/// i + 1; j < n; j++) for (k ...) sum += a[k * n + i] * a[k * n + j]`):
///
///     if (lanza.all(no turn reads what another one writes)) four turns at once (eight with AVX-512), then what is
///     left, one by one; else original;
///
/// Additions wait for those before, but those of several turns not for each other, and what the turns share is loaded
/// once. Each sum is added up in its own order; stores come behind the inner loop, in the order that they had. Nests
/// that lanes leave together are left to groups that walk together (join_groups). True when something changed.
bool join_turns(llvm::Function& kernel, const GroupShape& group, PassRunner& runner, const llvm::TargetMachine& host);

}  // namespace lanza::compiler
