// Addresses that are never in the same memory.
#pragma once

#include <llvm/IR/Value.h>

namespace lanza::compiler {

/// True when nothing lies at both: other variables, or the block's shared memory and what an argument points to, as
/// shared memory has no address before the block runs.
bool are_distinct(const llvm::Value* a, const llvm::Value* b);

}  // namespace lanza::compiler
