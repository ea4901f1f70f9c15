// Sums that a loop writes to memory in each turn are written once, behind it.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Function.h>

#include "compiler/passes/vector/analysis/group_ways.hpp"

namespace lanza::compiler {

/// In: a kernel in group form without barriers; `along`: for the axes along which several groups are about to walk
/// together. Out: a loop of one block in which all lanes write one place each, which stays the same
/// (`for (k ...) c[i * n + j] += a[i * n + k] * b[k * n + j]`), keeps it in a register and writes it behind its last
/// turn, if all else that the loop reads is read by several threads: by all lanes of a group, or by groups that walk
/// together and write different places. A thread that wrote what another one reads, with nothing that orders the two,
/// would be a race, so nobody needs to ask whether c lies apart from a and b. Without room for one more register a
/// group only sums that are in one already. True when something changed.
bool sink_sums(llvm::Function& kernel, llvm::ArrayRef<const GroupWays*> along, bool has_room);

}  // namespace lanza::compiler
