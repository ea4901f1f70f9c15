// Short members of records that all go through the same operations, from memory to memory.
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/Function.h>

#include "compiler/passes/vector/analysis/shapes.hpp"

namespace lanza::compiler {

/// In: a kernel in SPMD form after linearise(). Out: the loads and stores of members of bytes and shorts
/// (`out[i].x = f(in[i].x); out[i].y = f(in[i].y); ...`) where all members of a record are stored, and each is made of
/// the same member of records that are loaded, by the same operations, with constants that may differ, and nobody else
/// looks at what is loaded. Such records are computed with as they lie in memory (keep_records()); as parts of words
/// they would be taken apart and put together.
llvm::DenseSet<const llvm::Instruction*> find_alike_members(llvm::Function& kernel, const Shapes& shapes);

}  // namespace lanza::compiler
