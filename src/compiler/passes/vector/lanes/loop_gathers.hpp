// Gathers of many bytes or shorts that hardly any group comes to.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: run form at its end. Out: gathers of more than 16 bytes or shorts by some lanes, as of groups at an edge, and
/// those that are marked as only such groups' (kAtEdge), are a loop over the lanes that are on. No processor has them,
/// and the code generator's way is code for each lane, which takes longer to compile than the rest of a short kernel.
/// True when something changed.
bool loop_gathers(llvm::Function& run);

}  // namespace lanza::compiler
