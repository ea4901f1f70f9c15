// How many lanes a kernel wants whose straight code is one long chain.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in SPMD form that may run with groups of `group`, a register of 32-bit lanes. Where it has no loops and
/// no barriers, reads and writes neighbours only, and computes so much one after the other (a logarithm, a quotient of
/// it, an exponential of that) that a core, which looks some 100 operations ahead, is idle before it comes to the next
/// group: groups of twice as many lanes, if registers hold them. On a wide core (is_wide_core()) also where less waits,
/// wherever it writes, and where code goes from barrier to barrier in a block whose rows such groups fill, reading
/// columns of shared memory if all lanes do; that on any core where it does nothing but move what it loads, or goes by
/// planes (goes_by_planes()): a group has two lines of memory then, which processors fetch in pairs. Else `group`.
GroupShape overlap_groups(llvm::Function& kernel, const GroupShape& group, const llvm::TargetMachine& host);

}  // namespace lanza::compiler
