// What all lanes ask at the end of a turn is asked in front of the next one.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in SPMD form with loops in simplified and LCSSA form. Out: a loop that lanes leave in different turns,
/// but at the end of a turn all that are still there together, as by a limit that they share
/// (`for (j = 0; j < n && text[i + j] == word[j]; ++j)`), is left by these at its head, which all lanes of a turn pass:
/// unify_exits() leaves such a question the scalar branch that it is; at the end, behind the exits of others, it would
/// be one more mask. True when something changed: loops are no longer in simplified form.
bool ask_before_turns(llvm::Function& function, const GroupShape& group);

}  // namespace lanza::compiler
