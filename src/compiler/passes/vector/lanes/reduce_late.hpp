// Lanes that are reduced to one value again and again are reduced once.
#pragma once

#include <llvm/Analysis/LoopInfo.h>

namespace lanza::compiler {

/// In: vector code with loops simplified, such as what combined atomics of many groups become: `x = max(x, reduce(v))`
/// one after the other, or in every turn of a loop. Out: the vectors are combined lane by lane, and the lanes at the
/// end. Integers only, whose operations may come in any order. True when something changed.
bool reduce_late(llvm::LoopInfo& loops, llvm::Function& function);

}  // namespace lanza::compiler
