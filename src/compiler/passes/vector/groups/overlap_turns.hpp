// How many lanes a kernel wants whose loops wait for their own last turn.
#pragma once

#include <llvm/IR/PassManager.h>
#include <llvm/Target/TargetMachine.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in SPMD form that may run with groups of `group`, a register of 32-bit lanes. Where its innermost loops
/// compute without memory, or go by what the turn before has gathered (a binary search, a table's next state), or sum
/// up what neighbours load in a loop with as many turns as each thread has (`for (i = threadIdx.x; i < n; i +=
/// blockDim.x)`, in which no groups walk together: join_groups()), or, on a wide core (is_wide_core()), rows of their
/// own (`s += a[row * n + i]`), and what a turn hands to the next takes longer than the turn's work (z = z * z + c, a
/// random number made of the one before, or of the one before that where lanes ask a logarithm which): groups of up to
/// 32 lanes, several registers, one of which works while the others wait. Else `group`. Where lanes leave a loop one by
/// one, more of them are idle in the end: there a turn has to wait longer.
GroupShape overlap_turns(llvm::Function& kernel, const GroupShape& group, llvm::FunctionAnalysisManager& analyses,
                         const llvm::TargetMachine& host);

}  // namespace lanza::compiler
