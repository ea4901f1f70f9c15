// Loads from one of two arrays, of which it is known which lane takes which.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in SPMD form after linearise(). Out, in blocks that all lanes run: a load from `even ? &a[i / 2] :
/// &b[i / 2]`, where it is known how far each lane's addresses are from lane 0's, and which one it takes, is a choice
/// of loads from both: neighbours, in an order that find_tabled_accesses() knows. Only where each element that is
/// loaded now was loaded by some lane before. True when something changed.
bool part_choices(llvm::Function& kernel, const GroupShape& group);

}  // namespace lanza::compiler
