// How many lanes a kernel wants whose threads work in small teams.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel for which why_gathers_bind() refuses `group`. Threads that share what a loop goes by (`row = i / 4`,
/// four threads for the rows of a small block of a sparse matrix) go round it together: what the others wait for and
/// gather in a group of several teams is one number in a group that is one team. Out: groups of 8 or 4 lanes that are
/// not refused; else `group`.
GroupShape fit_teams(llvm::Function& kernel, const GroupShape& group, const llvm::TargetMachine& host);

}  // namespace lanza::compiler
