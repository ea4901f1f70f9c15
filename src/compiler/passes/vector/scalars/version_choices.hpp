// Copies of loops whose first or last turn is, as all threads know, the same for all of them.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: SPMD form, loops rotated and in simplified form. Out: a loop that begins or ends where a question which all
/// lanes answer alike chooses a lane's own number or one of all lanes', as in tiles on the diagonal and others,
///
///     for (i = row == column ? threadIdx.x + 1 : 0; i < n; i++)
///
/// has a copy for the latter: there lanes go round together, and what they load by the counter is one element. Not
/// loops with synchronisation points. True when something changed.
bool version_choices(llvm::Function& kernel, const GroupShape& group);

}  // namespace lanza::compiler
