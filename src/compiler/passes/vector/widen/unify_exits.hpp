// Loops that lanes leave in different iterations get one place where they do.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in SPMD form with loops in simplified and LCSSA form, without irreducible cycles, switches or
/// unreachable ends. Out: every loop has one exit block. A loop that lanes leave in different iterations leaves from
/// its latch, where all of an iteration's ways meet; besides from blocks that all lanes of the iteration pass and leave
/// together, if at all. False where that takes too many changes.
bool unify_exits(llvm::Function& function, const GroupShape& group);

}  // namespace lanza::compiler
