#include "compiler/passes/vector/split_strided_loops.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/group_form.hpp"
#include "compiler/passes/vector/shapes.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kLargest = 600;  // instructions of a loop
constexpr unsigned kMostLoops = 8;

/// A loop with its guard:
///   guard: branch to before or after;  before: only goes to header;  header ... latch: branch to header or exit;
///   exit: only phis, goes to after.
struct StridedLoop {
  Loop* loop;
  BasicBlock *guard, *before, *header, *latch, *exit, *after;
  BranchInst *enters, *repeats;
};

bool is_empty(const BasicBlock& block) { return &block.front() == block.getTerminator(); }

bool has_only_phis(BasicBlock& block) { return &*block.getFirstNonPHIOrDbg() == block.getTerminator(); }

/// An index that goes with the lanes against a value that they share.
bool compares_index(const Value* condition, const Shapes& shapes) {
  auto* compare = dyn_cast<ICmpInst>(condition);
  if (!compare || shapes.is_uniform(compare)) return false;
  const Shape a = shapes[compare->getOperand(0)], b = shapes[compare->getOperand(1)];
  return (a.is_strided() && b.is_uniform()) || (a.is_uniform() && b.is_strided());
}

bool may_be_copied(const Loop& loop) {
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

/// What stands before the loop moves in front of its guard, where that is allowed.
bool hoist(BasicBlock& before, Instruction* guard) {
  if (!all_of(before, [](Instruction& i) { return i.isTerminator() || isSafeToSpeculativelyExecute(&i); }))
    return false;
  for (Instruction& i : make_early_inc_range(before))
    if (!i.isTerminator()) i.moveBefore(guard);
  return true;
}

bool match_loop(Loop& loop, const Shapes& shapes, StridedLoop& found) {
  BasicBlock *latch = loop.getLoopLatch(), *before = loop.getLoopPreheader(), *exit = loop.getUniqueExitBlock();
  if (!latch || !before || !exit || loop.getExitingBlock() != latch || !has_only_phis(*exit)) return false;
  auto* repeats = dyn_cast<BranchInst>(latch->getTerminator());
  BasicBlock *guard = before->getSinglePredecessor(), *after = exit->getSingleSuccessor();
  auto* enters = guard ? dyn_cast<BranchInst>(guard->getTerminator()) : nullptr;
  if (!repeats || !after || !enters || !enters->isConditional() || !compares_index(repeats->getCondition(), shapes))
    return false;
  if (enters->getSuccessor(enters->getSuccessor(0) == before) != after || !exit->getSinglePredecessor()) return false;
  if (shapes.runs_some_lanes(guard) || !may_be_copied(loop)) return false;
  found = {&loop, guard, before, loop.getHeader(), latch, exit, after, enters, repeats};
  return is_empty(*before) || hoist(*before, enters);
}

/// The condition under which the branch goes there.
Value* condition_of(IRBuilder<>& b, BranchInst& branch, BasicBlock* to) {
  Value* condition = branch.getCondition();
  if (branch.getSuccessor(0) == to) return condition;
  auto* compare = dyn_cast<ICmpInst>(condition);
  if (!compare) return b.CreateNot(condition);
  return b.CreateICmp(compare->getInversePredicate(), compare->getOperand(0), compare->getOperand(1));
}

void split(const StridedLoop& l) {
  Function& function = *l.header->getParent();
  LLVMContext& context = function.getContext();
  ValueToValueMapTy map;
  SmallVector<BasicBlock*, 8> copies;
  for (BasicBlock* block : l.loop->blocks()) {
    BasicBlock* copy = CloneBasicBlock(block, map, ".full", &function);
    map[block] = copy;
    copies.push_back(copy);
  }
  remapInstructionsInBlocks(copies, map);
  auto copied = [&](Value* v) -> Value* {
    auto found = map.find(v);
    return found == map.end() ? v : static_cast<Value*>(found->second);
  };
  auto *header = cast<BasicBlock>(map[l.header]), *latch = cast<BasicBlock>(map[l.latch]);
  auto* rest = BasicBlock::Create(context, "rest", &function, l.before);
  header->replacePhiUsesWith(l.before, l.guard);

  // From the guard into the copy, out of it, and back, with all lanes or not at all.
  auto all_or_rest = [&](BranchInst* branch, BasicBlock* to) {
    IRBuilder<> b(branch);
    Value* more = condition_of(b, *branch, to);
    b.CreateCondBr(emit_collective(b, kAll, more), header, rest);
    branch->eraseFromParent();
    return more;
  };
  Value* enters = all_or_rest(l.enters, l.before);
  Value* repeats = all_or_rest(cast<BranchInst>(latch->getTerminator()), header);

  IRBuilder<> b(rest);
  auto meet = [&](Value* from_guard, Value* from_copy, const Twine& name = "") {
    PHINode* phi = b.CreatePHI(from_guard->getType(), 2, name);
    phi->addIncoming(from_guard, l.guard);
    phi->addIncoming(from_copy, latch);
    return phi;
  };
  Value* more = meet(enters, repeats, "more");
  for (PHINode& phi : l.header->phis()) {
    const int before = phi.getBasicBlockIndex(l.before);
    phi.setIncomingValue(before, meet(phi.getIncomingValue(before), copied(phi.getIncomingValueForBlock(l.latch))));
  }
  for (PHINode& phi : l.after->phis()) {
    Value* out = phi.getIncomingValueForBlock(l.exit);
    if (auto* last = dyn_cast<PHINode>(out); last && last->getParent() == l.exit) out = last->getIncomingValue(0);
    const int guard = phi.getBasicBlockIndex(l.guard);
    phi.setIncomingValue(guard, meet(phi.getIncomingValue(guard), copied(out)));
    phi.setIncomingBlock(guard, rest);
  }
  b.CreateCondBr(more, l.before, l.after);
}

}  // namespace

bool split_strided_loops(Function& kernel, const GroupShape& group) {
  SmallPtrSet<BasicBlock*, 8> done;  // headers
  while (done.size() < kMostLoops) {
    DominatorTree dominators(kernel);
    LoopInfo loops(dominators);
    if (loops.empty()) break;
    const Shapes shapes(kernel, group);
    StridedLoop found;
    auto candidates = loops.getLoopsInPreorder();
    auto* next = find_if(
        candidates, [&](Loop* loop) { return !done.contains(loop->getHeader()) && match_loop(*loop, shapes, found); });
    if (next == candidates.end()) break;
    done.insert(found.header);
    split(found);
  }
  return !done.empty();
}

}  // namespace lanza::compiler
