// Vector arithmetic of which only the first lanes are looked at.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: vector code. Out: operations on vectors, and loads, of which nobody looks at more than the first half, quarter,
/// ... of the lanes are done on so many. The steps of a warp's reduction are that: the one before the last makes two
/// sums. LLVM's InstCombine sees it for values with a single use only. True when something changed; what is left of
/// longer vectors is shuffles that InstCombine takes away.
bool narrow_lanes(llvm::Function& function);

}  // namespace lanza::compiler
