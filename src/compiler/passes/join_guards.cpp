#include "compiler/passes/join_guards.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/sync_calls.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

/// `question` branches to `work`, which goes on where the other side leads to: to `behind`.
struct Guard {
  BasicBlock *question, *work, *behind;
  Value* condition;
  unsigned side;  ///< on which `work` is
};

bool match(BasicBlock& question, Guard& guard) {
  auto* branch = dyn_cast<BranchInst>(question.getTerminator());
  if (!branch || !branch->isConditional()) return false;
  for (unsigned side = 0; side < 2; ++side) {
    BasicBlock *work = branch->getSuccessor(side), *behind = branch->getSuccessor(1 - side);
    if (work->getSinglePredecessor() != &question || work->getSingleSuccessor() != behind) continue;
    if (work == behind || behind == &question || !behind->hasNPredecessors(2)) continue;
    if (any_of(*work, [](Instruction& i) { return as_sync(i) != nullptr; })) continue;
    guard = {&question, work, behind, branch->getCondition(), side};
    return true;
  }
  return false;
}

// What `behind` does before it asks again can be done in front of the first question.
bool can_move(const Guard& first) {
  return all_of(*first.behind, [&](Instruction& i) {
    if (isa<PHINode>(i) || i.isTerminator()) return true;
    return !i.mayReadOrWriteMemory() && isSafeToSpeculativelyExecute(&i) && none_of(i.operands(), [&](const Use& use) {
      auto* value = dyn_cast<Instruction>(use);
      return value && (value->getParent() == first.work || (isa<PHINode>(value) && value->getParent() == first.behind));
    });
  });
}

// On the way of the work a value of `first.behind` is what comes of that; behind both it is a phi there.
void hand_on(PHINode& phi, const Guard& first, const Guard& second) {
  Value *worked = phi.getIncomingValueForBlock(first.work), *passed = phi.getIncomingValueForBlock(first.question);
  auto* joined = PHINode::Create(phi.getType(), 2, "", second.behind->begin());
  joined->setDebugLoc(phi.getDebugLoc());
  for (Use& use : make_early_inc_range(phi.uses())) {
    auto* user = cast<Instruction>(use.getUser());
    auto* other = dyn_cast<PHINode>(user);
    const BasicBlock* at = other ? other->getIncomingBlock(use) : user->getParent();
    use.set(at == second.work ? worked : at == first.behind ? passed : joined);
  }
  joined->addIncoming(worked, second.work);
  joined->addIncoming(passed, first.behind);  // which the first question's block becomes
  if (joined->use_empty()) joined->eraseFromParent();
}

// Whether something was joined; `first` is the guard of both then.
bool join(Guard& first) {
  Guard second;
  if (!match(*first.behind, second) || second.condition != first.condition || second.side != first.side) return false;
  if (second.behind == first.question || second.behind == first.work || !can_move(first)) return false;
  for (PHINode& phi : make_early_inc_range(first.behind->phis())) {
    hand_on(phi, first, second);
    phi.eraseFromParent();
  }
  for (Instruction& i : make_early_inc_range(*first.behind))
    if (!i.isTerminator()) i.moveBefore(first.question->getTerminator());
  second.behind->replacePhiUsesWith(first.behind, first.question);
  first.question->getTerminator()->replaceSuccessorWith(first.behind, second.behind);
  first.work->getTerminator()->replaceSuccessorWith(first.behind, second.work);
  first.behind->eraseFromParent();
  MergeBlockIntoPredecessor(second.work);
  first.behind = second.behind;
  return true;
}

}  // namespace

PreservedAnalyses JoinGuardsPass::run(Function& function, FunctionAnalysisManager& /*analyses*/) {
  bool changed = false;
  SmallPtrSet<BasicBlock*, 16> gone;
  SmallVector<BasicBlock*, 32> blocks;
  for (BasicBlock& block : function) blocks.push_back(&block);
  for (BasicBlock* block : blocks) {
    Guard guard;
    if (gone.contains(block) || !match(*block, guard)) continue;
    for (BasicBlock *behind = guard.behind, *work = nullptr; true; behind = guard.behind) {
      Guard next;
      work = match(*behind, next) ? next.work : nullptr;
      if (!join(guard)) break;
      gone.insert(behind);
      gone.insert(work);
      changed = true;
    }
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace lanza::compiler
