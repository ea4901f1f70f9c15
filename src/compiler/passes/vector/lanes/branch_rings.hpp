// Loads of neighbours on a ring: all before its end is the common case.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: run form at its end, loads from rings as widen_rings.cpp makes them: those up to the end and those behind it.
/// Out: they ask first whether all lanes stand before the end, as 15 of 16 groups of 16 on a ring of 256 do, and are
/// one load then. Not where there are so many that the questions would be most of the code. True when something
/// changed.
bool branch_rings(llvm::Function& run);

}  // namespace lanza::compiler
