// How many lanes a kernel wants whose lanes lie in patterns in shared memory.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel with barriers in SPMD form that may run with groups of `group`. A pattern of places (a transform's
/// pairs, every second element of a tree, a column of sums) is put in order by shuffles, and what does not fit by an
/// access a lane. Within one register a shuffle is one instruction, across two it is several, of which LLVM also makes
/// hundreds before it finds them. Out: groups that fill one register of `bits` with elements of 32, where there are
/// many such accesses and groups fill two; else `group`.
GroupShape fit_shuffled_tiles(llvm::Function& kernel, const GroupShape& group, unsigned bits);

}  // namespace lanza::compiler
