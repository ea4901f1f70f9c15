// Accesses of shared memory that all threads may make, whatever they are asked before it.
#pragma once

#include <llvm/IR/Instructions.h>

namespace lanza::compiler {

/// Whether an access to shared memory behind `guard` lies inside of its array for every thread that comes to the guard,
/// of a block of one dimension with `threads` threads: by its place, or as the guard loads the same element of another
/// array of as many.
bool reaches_inside(llvm::Instruction& access, llvm::BasicBlock& guard, uint64_t threads);

}  // namespace lanza::compiler
