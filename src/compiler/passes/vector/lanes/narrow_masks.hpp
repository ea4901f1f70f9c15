// Masked accesses of a few neighbouring lanes, always the same ones.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: vector code, simplified, so that masks which are constant show it. Out: a masked load or store whose mask is
/// constant, and true for 1, 2, 4 .. lanes in a row, is a load or store of so many lanes: the processor hands what it
/// stores on to loads, which it does not from behind a mask; a gather or scatter of one lane is a scalar's. So is one
/// behind a branch that asks whether any lane is on, if only one can be (`if (threadIdx.x == 0) s[0] = x > 0 ? a[x - 1]
/// : 0`), and of what is asked for ahead of time for a single lane, its line stays. True when something changed.
bool narrow_masks(llvm::Function& function);

}  // namespace lanza::compiler
