// What all groups of a loop load from one address is loaded once.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>

namespace lanza::compiler {

/// In: run form with its loops over groups, in simplified form. Out: loads that each turn of such a loop makes, before
/// it writes anything, from an address that the loop neither changes nor writes to by that name, stand in front of it,
/// as many as registers hold; and so does what follows from them alone. The turns are other threads', with no barrier
/// between them: what one of them writes there, another cannot count on to see, nor not to see. LLVM, which has to take
/// the turns one after the other, keeps such a load in the loop wherever a store might go to its address. True when
/// something changed.
bool share_loads(llvm::LoopInfo& loops, llvm::DominatorTree& dominators, const llvm::TargetTransformInfo& host);

}  // namespace lanza::compiler
