#include "compiler/passes/vector/scalars/strided_loop.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "compiler/passes/sync_calls.hpp"

using namespace llvm;

namespace lanza::compiler {

static constexpr unsigned kLargest = 600;  // instructions of a loop

static bool is_empty(const BasicBlock& block) { return &block.front() == block.getTerminator(); }

static bool has_only_phis(BasicBlock& block) { return &*block.getFirstNonPHIOrDbg() == block.getTerminator(); }

static bool may_be_copied(const Loop& loop) {
  unsigned size = 0;
  for (BasicBlock* block : loop.blocks()) {
    size += block->sizeWithoutDebug();
    for (Instruction& i : *block) {
      if (as_sync(i)) return false;
      if (auto* call = dyn_cast<CallBase>(&i); call && call->cannotDuplicate()) return false;
    }
  }
  return size <= kLargest;
}

// What stands before the loop moves in front of its guard, where that is allowed.
static bool hoist(BasicBlock& before, Instruction* guard) {
  if (!all_of(before, [](Instruction& i) { return i.isTerminator() || isSafeToSpeculativelyExecute(&i); }))
    return false;
  for (Instruction& i : make_early_inc_range(before))
    if (!i.isTerminator()) i.moveBefore(guard);
  return true;
}

bool is_loop_guard(BasicBlock* first, BasicBlock* otherwise, const LoopInfo& loops, const Shapes& shapes) {
  if (!loops.isLoopHeader(first) && first->getSingleSuccessor()) first = first->getSingleSuccessor();
  if (!loops.isLoopHeader(first)) return false;
  SmallVector<BasicBlock*, 4> exiting, exits;
  loops.getLoopFor(first)->getExitingBlocks(exiting);
  loops.getLoopFor(first)->getExitBlocks(exits);
  return any_of(exiting, [&](BasicBlock* block) { return shapes.is_divergent(block->getTerminator()); }) &&
         any_of(exits, [&](BasicBlock* exit) {
           return exit == otherwise || (has_only_phis(*exit) && exit->getSingleSuccessor() == otherwise);
         });
}

bool match_guarded_loop(Loop& loop, StridedLoop& found) {
  BasicBlock *latch = loop.getLoopLatch(), *before = loop.getLoopPreheader(), *exit = loop.getUniqueExitBlock();
  if (!latch || !before || !exit || loop.getExitingBlock() != latch || !has_only_phis(*exit)) return false;
  auto* repeats = dyn_cast<BranchInst>(latch->getTerminator());
  BasicBlock *guard = before->getSinglePredecessor(), *after = exit->getSingleSuccessor();
  auto* enters = guard ? dyn_cast<BranchInst>(guard->getTerminator()) : nullptr;
  if (!repeats || !after || !enters || !enters->isConditional()) return false;
  if (enters->getSuccessor(enters->getSuccessor(0) == before) != after || !exit->getSinglePredecessor()) return false;
  if (!may_be_copied(loop) || any_of(*before, [](Instruction& i) { return as_sync(i); })) return false;
  found = {&loop, guard, before, loop.getHeader(), latch, exit, after, enters, repeats};
  return true;
}

bool has_one_way_out(Loop& loop) {
  return loop.getLoopPreheader() && loop.getLoopLatch() && loop.getExitingBlock() == loop.getLoopLatch() &&
         loop.getUniqueExitBlock() && loop.hasDedicatedExits() && may_be_copied(loop);
}

StridedLoop take_unguarded(Loop& loop, const DominatorTree& dominators, const LoopInfo& loops) {
  formLCSSA(loop, dominators, &loops, /*SE=*/nullptr);  // simplification takes phis of one value away
  BasicBlock *guard = loop.getLoopPreheader(), *latch = loop.getLoopLatch(), *exit = loop.getUniqueExitBlock();
  BasicBlock* before = guard->splitBasicBlock(guard->getTerminator(), "before");
  BasicBlock* after = exit->splitBasicBlock(exit->getFirstNonPHIOrDbg(), "after");
  for (PHINode& phi : exit->phis()) {
    PHINode* out = PHINode::Create(phi.getType(), 2, "", after->begin());
    phi.replaceAllUsesWith(out);
    out->addIncoming(&phi, exit);
  }
  return {&loop,
          guard,
          before,
          loop.getHeader(),
          latch,
          exit,
          after,
          cast<BranchInst>(guard->getTerminator()),
          cast<BranchInst>(latch->getTerminator())};
}

bool reads_before(const StridedLoop& l) {
  auto is_plain = [](Instruction& i) {
    auto* load = dyn_cast<LoadInst>(&i);
    return i.isTerminator() || (load && load->isSimple()) || !(i.mayReadOrWriteMemory() || i.mayHaveSideEffects());
  };
  auto begins_with = [&](PHINode& phi) {
    auto* first = dyn_cast<Instruction>(phi.getIncomingValueForBlock(l.before));
    return first && first->getParent() == l.before;
  };
  return all_of(*l.before, is_plain) && none_of(l.header->phis(), begins_with) &&
         none_of(l.loop->blocks(),
                 [](BasicBlock* block) { return any_of(*block, [](Instruction& i) { return i.mayWriteToMemory(); }); });
}

bool match_strided_loop(Loop& loop, StridedLoop& found) {
  return match_guarded_loop(loop, found) && (is_empty(*found.before) || hoist(*found.before, found.enters));
}

// The condition under which the branch goes there.
static Value* condition_of(IRBuilder<>& b, BranchInst& branch, BasicBlock* to) {
  Value* condition = branch.getCondition();
  if (branch.getSuccessor(0) == to) return condition;
  auto* compare = dyn_cast<ICmpInst>(condition);
  if (!compare) return b.CreateNot(condition);
  return b.CreateICmp(compare->getInversePredicate(), compare->getOperand(0), compare->getOperand(1));
}

void enter_copy(const StridedLoop& l, const CopiedBlocks& copied, GoOn all_go_on) {
  BasicBlock *header = copied.of(l.header), *latch = copied.of(l.latch);
  BasicBlock* entry = copied.of(l.before) == l.before ? header : copied.of(l.before);
  auto* rest = BasicBlock::Create(header->getContext(), "rest", header->getParent(), l.before);
  if (entry == header) header->replacePhiUsesWith(l.before, l.guard);

  // From the guard into the copy, out of it, and back, all together or not at all; without a guard all have a turn.
  auto all_or_rest = [&](BranchInst* branch, BasicBlock* if_true, BasicBlock* to) -> Value* {
    IRBuilder<> b(branch);
    if (branch->isUnconditional()) {
      branch->setSuccessor(0, to);
      return nullptr;
    }
    Value* more = condition_of(b, *branch, if_true);
    b.CreateCondBr(all_go_on(b, more, branch != l.enters), to, rest);
    branch->eraseFromParent();
    return more;
  };
  Value* enters = all_or_rest(l.enters, l.before, entry);
  Value* repeats = all_or_rest(cast<BranchInst>(latch->getTerminator()), header, header);

  IRBuilder<> b(rest);
  auto meet = [&](Value* from_guard, Value* from_copy, const Twine& name = "") {
    PHINode* phi = b.CreatePHI(from_copy->getType(), 2, name);
    if (enters) phi->addIncoming(from_guard, l.guard);
    phi->addIncoming(from_copy, latch);
    return phi;
  };
  Value* more = meet(enters, repeats, "more");
  for (PHINode& phi : l.header->phis()) {
    const int before = phi.getBasicBlockIndex(l.before);
    phi.setIncomingValue(before, meet(phi.getIncomingValue(before), copied.of(phi.getIncomingValueForBlock(l.latch))));
  }
  for (PHINode& phi : l.after->phis()) {
    Value* out = phi.getIncomingValueForBlock(l.exit);
    if (auto* last = dyn_cast<PHINode>(out); last && last->getParent() == l.exit) out = last->getIncomingValue(0);
    if (!enters) {
      phi.addIncoming(meet(nullptr, copied.of(out)), rest);
      continue;
    }
    const int guard = phi.getBasicBlockIndex(l.guard);
    phi.setIncomingValue(guard, meet(phi.getIncomingValue(guard), copied.of(out)));
    phi.setIncomingBlock(guard, rest);
  }
  b.CreateCondBr(more, l.before, l.after);
}

}  // namespace lanza::compiler
