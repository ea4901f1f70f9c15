#include "compiler/passes/vector/scalars/choose_values.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/join_equals.hpp"

using namespace llvm;

namespace lanza::compiler {

// Where a way without code leads, and from which block; null: it has some, or others come to it.
static BasicBlock* end_of_way(BasicBlock& question, BasicBlock& way, BasicBlock*& from) {
  from = &question;
  if (way.getSinglePredecessor() != &question || &way.front() != way.getTerminator()) return &way;
  auto* onwards = dyn_cast<BranchInst>(way.getTerminator());
  if (!onwards || onwards->isConditional()) return &way;
  from = &way;
  return onwards->getSuccessor(0);
}

static bool choose_at(BasicBlock& question) {
  auto* branch = dyn_cast<BranchInst>(question.getTerminator());
  if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1)) return false;
  BasicBlock *from_yes, *from_no;
  BasicBlock* join = end_of_way(question, *branch->getSuccessor(0), from_yes);
  if (join != end_of_way(question, *branch->getSuccessor(1), from_no)) return false;
  if (join == &question || from_yes == from_no || !join->hasNPredecessors(2)) return false;
  IRBuilder<> b(branch);
  for (PHINode& phi : make_early_inc_range(join->phis())) {
    Value *yes = phi.getIncomingValueForBlock(from_yes), *no = phi.getIncomingValueForBlock(from_no);
    phi.replaceAllUsesWith(yes == no ? yes : b.CreateSelect(branch->getCondition(), yes, no));
    phi.eraseFromParent();
  }
  b.CreateBr(join);
  branch->eraseFromParent();
  for (BasicBlock* way : {from_yes, from_no})
    if (way != &question) DeleteDeadBlock(way);
  MergeBlockIntoPredecessor(join);
  return true;
}

// Those of a way that come before anything is written, or may not come to its end.
static SmallVector<LoadInst*, 4> first_loads(BasicBlock& way) {
  SmallVector<LoadInst*, 4> loads;
  for (Instruction& i : way) {
    if (i.mayWriteToMemory() || !isGuaranteedToTransferExecutionToSuccessor(&i)) break;
    if (auto* load = dyn_cast<LoadInst>(&i); load && load->isSimple()) loads.push_back(load);
  }
  return loads;
}

// What both ways begin with: `if (up) { if (a[i] > a[j]) ... } else { if (a[i] < a[j]) ... }`.
static bool load_before(BasicBlock& question) {
  auto* branch = dyn_cast<BranchInst>(question.getTerminator());
  if (!branch || !branch->isConditional()) return false;
  BasicBlock *yes = branch->getSuccessor(0), *no = branch->getSuccessor(1);
  if (yes->getSinglePredecessor() != &question || no->getSinglePredecessor() != &question) return false;
  bool changed = false;
  const SmallVector<LoadInst*, 4> others = first_loads(*no);
  for (LoadInst* load : first_loads(*yes))
    for (LoadInst* other : others) {
      if (other->use_empty() || load->getType() != other->getType()) continue;
      if (!same_value(load->getPointerOperand(), other->getPointerOperand())) continue;
      Value* address = compute_at(branch, {load->getPointerOperand(), other->getPointerOperand()});
      LoadInst* before = IRBuilder<>(branch).CreateAlignedLoad(load->getType(), address,
                                                               std::min(load->getAlign(), other->getAlign()));
      before->setDebugLoc(load->getDebugLoc());
      load->replaceAllUsesWith(before);
      other->replaceAllUsesWith(before);
      changed = true;
      break;
    }
  return changed;
}

bool choose_values(Function& kernel) {
  bool changed = false;
  for (BasicBlock& block : kernel) changed |= load_before(block);
  for (bool any = true; any;) {  // what was chosen may be all there was on another way
    any = false;
    for (BasicBlock& block : make_early_inc_range(kernel))
      if (choose_at(block)) {
        changed = any = true;
        break;  // the next block may be gone
      }
  }
  return changed;
}

}  // namespace lanza::compiler
