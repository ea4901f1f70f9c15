// Fast copies of code whose index sums do not wrap.
#pragma once

#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// Metadata on the stores of the originals, which practically never run.
inline constexpr char kWraps[] = "lanza.wraps";

/// In: a kernel in SPMD form, loops in simplified and LCSSA form. `a[blockIdx.x * width + threadIdx.x]` has an unsigned
/// index of 32 bits, which might wrap between two lanes: nothing says that neighbours have neighbouring addresses. Out:
/// where accesses have such indices,
///
///     if (no sum wraps) copy; else original;
///
/// with indices of 64 bits in the copy, which all lanes of a group enter or none. A piece is a loop where the tests can
/// stand in front of it, else the code from an access to the last one of its block that can share the test, or, of
/// records, accesses other members. No piece
/// has a synchronisation point. True when something changed.
bool version_sums(llvm::Function& kernel, const GroupShape& group, llvm::ScalarEvolution& evolution);

}  // namespace lanza::compiler
