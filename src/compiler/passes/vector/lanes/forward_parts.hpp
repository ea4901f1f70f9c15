// What was stored as a vector is read as a part of it.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: run form. Out: vectors and elements that are loaded from constant places of a block's own variable, out of a
/// vector that was stored there in the same basic block, are shuffled out of that: the last steps of a tree, each of
/// which waits for what the one before has stored, where a loop elsewhere keeps the variable in memory. LLVM hands on
/// what is loaded as a whole only. True when something changed.
bool forward_parts(llvm::Function& run);

}  // namespace lanza::compiler
