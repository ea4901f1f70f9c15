// Numbers that are sorted, of which one is wanted.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: a kernel in group form. Out: where minima and maxima of few numbers, one of the other in straight code, lead to
/// one result, and are more than a network takes that finds a median of as many, the first of them is noted as a cost
/// (cost_notes.hpp). They come of sorts of small private arrays; what nobody asks for is gone already.
void note_sorts_for_one(llvm::Function& kernel);

}  // namespace lanza::compiler
