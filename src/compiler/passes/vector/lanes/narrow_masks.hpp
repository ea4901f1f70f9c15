// Masked accesses of the first few lanes, always the same ones.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: vector code, simplified, so that masks which are constant show it. Out: a masked load or store whose mask is
/// constant, and true for the first 1, 2, 4 .. lanes, is a load or store of so many lanes: the processor hands what it
/// stores on to loads, which it does not from behind a mask. True when something changed.
bool narrow_masks(llvm::Function& function);

}  // namespace lanza::compiler
