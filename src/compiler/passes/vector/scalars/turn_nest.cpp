#include "compiler/passes/vector/scalars/turn_nest.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include "compiler/passes/vector/analysis/turn_steps.hpp"
#include "compiler/passes/vector/scalars/loop_copy.hpp"
#include "compiler/passes/vector/scalars/step_sums.hpp"
#include "compiler/passes/vector/scalars/version_guards.hpp"

using namespace llvm;

namespace lanza::compiler {

static constexpr unsigned kMostInner = 40, kMostOuter = 60;  // instructions
static constexpr unsigned kMostLoads = 6, kMostStores = 4;   // each pair is asked

SmallVector<BasicBlock*, 5> TurnNest::blocks() const {
  SmallSetVector<BasicBlock*, 5> all;
  for (BasicBlock* block : {head, before, body, end, latch}) all.insert(block);
  return all.takeVector();
}

namespace {

class NestFinder {
 public:
  NestFinder(Loop& loop, ScalarEvolution& evolution, TurnNest& found) : evolution_(evolution), n_(found) {
    n_.outer = &loop;
  }

  bool find() { return take_blocks() && take_turns() && take_accesses() && begins_with_counters(); }

 private:
  bool take_blocks() {
    if (n_.outer->getSubLoops().size() != 1 || !n_.outer->isLoopSimplifyForm()) return false;
    n_.inner = n_.outer->getSubLoops().front();
    if (!LoopCopy::can(*n_.inner, kMostInner)) return false;
    n_.ahead = n_.outer->getLoopPreheader();
    n_.head = n_.outer->getHeader();
    n_.before = n_.inner->getLoopPreheader();
    n_.body = n_.inner->getHeader();
    n_.end = n_.inner->getExitBlock();
    n_.latch = n_.outer->getLoopLatch();
    if (n_.outer->getExitingBlock() != n_.latch || !n_.outer->getExitBlock()) return false;
    if (n_.end != n_.latch && n_.end->getSingleSuccessor() != n_.latch) return false;
    return n_.blocks().size() == n_.outer->getNumBlocks() && take_guard();
  }

  bool take_guard() {
    if (n_.head == n_.before) return n_.end == n_.latch || n_.latch->getSinglePredecessor();
    auto* branch = dyn_cast<BranchInst>(n_.head->getTerminator());
    if (!branch || n_.before->getSinglePredecessor() != n_.head) return false;
    if (branch->isUnconditional()) return true;
    n_.guard = branch->getCondition();
    n_.truth = branch->getSuccessor(0) == n_.before;
    return branch->getSuccessor(n_.truth ? 1 : 0) == n_.latch && n_.end != n_.latch &&
           n_.outer->isLoopInvariant(n_.guard);
  }

  bool take_turns() {
    n_.turns = evolution_.getBackedgeTakenCount(n_.outer);
    n_.inner_turns = evolution_.getBackedgeTakenCount(n_.inner);
    return can_count(n_.turns, *n_.ahead, evolution_) && can_count(n_.inner_turns, *n_.ahead, evolution_) &&
           evolution_.isLoopInvariant(n_.inner_turns, n_.outer);
  }

  bool take_accesses() {
    unsigned size = 0;
    for (BasicBlock* block : n_.blocks()) {
      size += block == n_.body ? 0 : block->sizeWithoutDebug();
      if (!all_of(*block, [&](Instruction& i) { return take(i); })) return false;
    }
    if (size > kMostOuter || n_.loads.size() > kMostLoads || n_.stores.size() > kMostStores) return false;
    return all_of(n_.stores, [&](StoreInst* store) {
      const Value* object = getUnderlyingObject(store->getPointerOperand());
      return all_of(n_.loads, [&](LoadInst* load) { return getUnderlyingObject(load->getPointerOperand()) != object; });
    });
  }

  bool take(Instruction& i) {
    if (i.hasMetadata(kAtEdge)) return false;
    if (auto* load = dyn_cast<LoadInst>(&i)) {
      n_.loads.push_back(load);
      return load->isSimple() && is_sum_of_steps(*load->getPointerOperand());
    }
    if (auto* store = dyn_cast<StoreInst>(&i)) {
      n_.stores.push_back(store);
      if (store->getParent() == n_.body && !n_.inner->isLoopInvariant(store->getPointerOperand())) return false;
      return store->isSimple() && is_sum_of_steps(*store->getPointerOperand());
    }
    return !i.mayReadOrWriteMemory() && (!isa<CallInst>(i) || isa<IntrinsicInst>(i));
  }

  bool is_sum_of_steps(const Value& value) const {
    return compiler::is_sum_of_steps(value, *n_.outer, {n_.head, n_.body});
  }

  bool begins_with_counters() {
    SmallPtrSet<const Value*, 16> late;
    for (PHINode& phi : n_.head->phis())
      if (step_of_counter(phi))
        n_.counters.push_back(&phi);
      else
        late.insert(&phi);
    for (BasicBlock* block : {n_.head, n_.before, n_.body})
      for (Instruction& i : *block)
        if (!isa<PHINode>(i) || block != n_.head)
          if (any_of(i.operands(), [&](const Use& operand) { return late.contains(operand); })) return false;
    return all_of(n_.counters, [&](PHINode* counter) { return step_of_counter(*counter)->getParent() != n_.body; });
  }

  ScalarEvolution& evolution_;
  TurnNest& n_;
};

}  // namespace

bool find_nest(Loop& loop, ScalarEvolution& evolution, TurnNest& found) {
  return NestFinder(loop, evolution, found).find();
}

NestRanges::NestRanges(const TurnNest& nest, ScalarEvolution& evolution, IRBuilder<>& b) : nest_(nest), b_(b) {
  SCEVExpander expander(evolution, nest.head->getDataLayout(), "turns");
  auto take = [&](PHINode& phi, const SCEV* turns, unsigned bit) {
    const BinaryOperator* step = step_of_counter(phi);
    if (!step) return;
    Value* count = expander.expandCodeFor(evolution.getTruncateOrZeroExtend(turns, phi.getType()), phi.getType(),
                                          b.GetInsertPoint());
    Value* start = nest.start_of(phi);
    if (!nest.outer->isLoopInvariant(start)) return;
    Value* last = b.CreateAdd(start, b.CreateMul(count, step->getOperand(1)));
    for (unsigned corner = 0; corner < corners_.size(); ++corner) corners_[corner][&phi] = corner & bit ? last : start;
  };
  for (PHINode& phi : nest.head->phis()) take(phi, nest.turns, 1);
  for (PHINode& phi : nest.body->phis()) take(phi, nest.inner_turns, 2);
}

// Sums of steps are least and greatest at the ends of both loops.
NestRanges::Ends NestRanges::ends(Instruction& access) {
  Value *low = nullptr, *high = nullptr;
  for (KnownValues& corner : corners_) {
    Value* place =
        b_.CreatePtrToInt(computed_at(getLoadStorePointerOperand(&access), *nest_.outer, corner, b_), b_.getInt64Ty());
    low = low ? b_.CreateBinaryIntrinsic(Intrinsic::umin, low, place) : place;
    high = high ? b_.CreateBinaryIntrinsic(Intrinsic::umax, high, place) : place;
  }
  const uint64_t size = access.getDataLayout().getTypeStoreSize(getLoadStoreType(&access));
  return {low, b_.CreateAdd(high, b_.getInt64(size))};
}

Value* NestRanges::apart() {
  MapVector<const Value*, Ends> stored, loaded;
  for (StoreInst* store : nest_.stores) stored.insert({store->getPointerOperand(), ends(*store)});
  for (LoadInst* load : nest_.loads) loaded.insert({load->getPointerOperand(), ends(*load)});
  Value* all = b_.getTrue();
  for (const auto& [place, one] : stored)
    for (const auto& [from, other] : loaded)
      all = b_.CreateAnd(
          all, b_.CreateOr(b_.CreateICmpULE(one.second, other.first), b_.CreateICmpULE(other.second, one.first)));
  return all;
}

}  // namespace lanza::compiler
