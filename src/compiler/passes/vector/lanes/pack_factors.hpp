// Numbers that are computed from neighbours in memory, one by one, and broadcast.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: code after its last simplification, which would undo it. Out: where a block computes floats from four or more
/// elements side by side in the same way, and only broadcasts them, as an unrolled product does with the factors of a
/// row (`sum += alpha * a[i * n + k] * b[k * n + j]`), they are computed as one vector that goes to the stack, from
/// where each is broadcast: a load that is its user's operand, where it had been an operation and a shuffle. Nothing in
/// between writes to memory. True when something changed.
bool pack_factors(llvm::Function& run);

}  // namespace lanza::compiler
