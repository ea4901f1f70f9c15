// Sums of floats whose additions wait for each other.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: a kernel in group form, or in SPMD form. Out: additions to the one or two sums of floats that an innermost loop
/// carries are noted as costs (cost_notes.hpp). Of more sums the processor adds to others meanwhile.
void note_ordered_sums(llvm::Function& kernel);

}  // namespace lanza::compiler
