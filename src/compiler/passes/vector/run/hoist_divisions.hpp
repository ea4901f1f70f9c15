// Quotients that a loop does not change are in front of it.
#pragma once

#include <llvm/Analysis/LoopInfo.h>

namespace lanza::compiler {

/// In: any function with loops in simplified form, what they do not change in front of them. Out: so are quotients and
/// remainders of integers by what is known to be above 0, or not to be 0 where they are unsigned (`plane / max(n, 1)`),
/// whichever part of the loop's turns they are in: LLVM 19 leaves those by other than constants where they are, as if
/// they might fault. True when something changed.
bool hoist_divisions(const llvm::LoopInfo& loops);

}  // namespace lanza::compiler
