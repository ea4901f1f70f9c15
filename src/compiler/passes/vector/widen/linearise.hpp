// Divergent control flow becomes masks.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"
#include "compiler/passes/vector/widen/block_mask.hpp"

namespace lanza::compiler {

/// Loops that are entered in more than one place (a jump into the middle) become loops as all others are, which passes
/// that copy code count on.
void make_reducible(llvm::Function& function);

/// Brings control flow into the form that linearise() takes: two-way branches, reducible and simplified loops with one
/// exit block (see unify_exits.hpp), one return, no unreachable ends. False where that fails.
bool prepare_control(llvm::Function& function, const GroupShape& group);

/// In: SPMD form after prepare_control(). Out: every branch is taken by all lanes of a group together. A block that
/// only some of the lanes run begins with a call of lanza.mask; blocks without one run with all lanes. What lanes on
/// different ways bring to a join is chosen by selects. Code that must not run without an active lane, or that is not
/// worth it, stands behind a branch on lanza.any. Branches that were uniform stay as they are.
void linearise(llvm::Function& function, const GroupShape& group);

}  // namespace lanza::compiler
