// Loops in which lanes gain nothing by running at once.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

#include "compiler/codegen/report.hpp"
#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: SPMD form, loops simplified. A reason where an innermost loop, whose lanes leave it in different iterations,
/// does little but load what lies apart, write a stack of its own, or work by atomics on what lies apart: a gather
/// takes as long as the loads it stands for, atomics go lane by lane, and every lane waits for the one that stays
/// longest. Not so a row of each lane's own, element by element, where the host gathers fast (gathers_fast()) or takes
/// rows in pieces (masks_rows()): a line serves many turns. Nor, where it gathers fast, loads from where the turn
/// before has found: all lanes wait at once. Not so rows and columns of an index (`i / width`, `i % width`), of which
/// version_quotients() makes neighbours. Where gathers are slow, twice as much work pays for one in a loop that may end
/// by what a turn has loaded, and no wrong guess does: few lanes stay. Loops that go by swaps are run for one lane
/// after the other anyway. Also where a loop adds floats to a row of each thread's own: LLVM makes vectors of its
/// turns.
Reason why_gathers_bind(llvm::Function& kernel, const GroupShape& group, const llvm::TargetMachine& host);

}  // namespace lanza::compiler
