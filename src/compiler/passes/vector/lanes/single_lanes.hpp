// Vectors of which one lane is looked at.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: vector code. Out: where all users of a phi of vectors take one lane out of it, and always the same, the phi is
/// of that lane, and so are the choices that come to it. LLVM's InstCombine knows it of a loop's phis only. True when
/// something changed.
bool take_single_lanes(llvm::Function& function);

}  // namespace lanza::compiler
