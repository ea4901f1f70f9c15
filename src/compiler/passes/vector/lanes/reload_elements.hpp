// Elements of a loaded row that are broadcast are loaded where they are used.
#pragma once

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: code after its last simplification, which would undo it. Out: where a block broadcasts many elements of vectors
/// that it loads, as a product does with the rows of a tile that it has just copied, each such element is loaded where
/// it is taken, unless something in between may write there. The code generator would make the same loads, but all of
/// them where the vector was loaded, and keep what they give on the stack; here they are operands of their users.
/// True when something changed.
bool reload_elements(llvm::Function& run, llvm::AAResults& aliases);

}  // namespace lanza::compiler
