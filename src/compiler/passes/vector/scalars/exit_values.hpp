// What lanes take out of a loop that they leave in different turns is computed behind it, where it can be.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: SPMD form, loops simplified and closed (LCSSA). Out: indices and other sums that lanes take out of a loop that
/// they leave apart, and that follow from what each lane had in front of it (`for (j = 0; j <= i; ++j)` leaves i in j),
/// are made of that behind the loop. LLVM likes to write i as j there, and what is made of it; such a value would be
/// kept for each lane in each turn. True when something changed.
bool compute_exit_values(llvm::Function& kernel, const GroupShape& group, PassRunner& runner,
                         const llvm::TargetMachine& host);

}  // namespace lanza::compiler
