#include "compiler/passes/vector/bound_lane_loops.hpp"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "compiler/passes/note_lanes.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

bool is_lane_loop(const Loop& loop) {
  MDNode* id = loop.getLoopID();
  return id && findOptionMDForLoopID(id, kLaneLoop);
}

bool has_effects(const BasicBlock& block) {
  return any_of(block, [](const Instruction& i) { return i.mayHaveSideEffects() || i.mayReadFromMemory(); });
}

bool is_used_behind(const Loop& loop) {
  for (BasicBlock* block : loop.blocks())
    for (Instruction& i : *block)
      if (any_of(i.users(), [&](User* user) { return !loop.contains(cast<Instruction>(user)); })) return true;
  return false;
}

/// The value that `v` of the header has in the next turn, computed at the latch; null: not that easy. What the chain
/// is made of: the loop's counters, arithmetic, and what does not change in the loop.
Value* in_next_turn(Value* v, const Loop& loop, IRBuilder<>& b, unsigned depth = 4) {
  auto* i = dyn_cast<Instruction>(v);
  if (!i || !loop.contains(i)) return v;
  if (auto* phi = dyn_cast<PHINode>(i)) {
    if (phi->getParent() != loop.getHeader()) return nullptr;
    return phi->getIncomingValueForBlock(loop.getLoopLatch());
  }
  if (depth == 0 || !isa<BinaryOperator, CastInst, ICmpInst>(i) || i->isIntDivRem()) return nullptr;
  SmallVector<Value*, 2> operands;
  for (Value* operand : i->operands()) {
    operands.push_back(in_next_turn(operand, loop, b, depth - 1));
    if (!operands.back()) return nullptr;
  }
  Instruction* next = b.Insert(i->clone());
  for (unsigned k = 0; k < operands.size(); ++k) next->setOperand(k, operands[k]);
  next->dropPoisonGeneratingFlags();
  return next;
}

/// Once the branch has gone past the body it does so in every later turn.
bool is_over_once_false(const ICmpInst& test, bool works_when, const Loop& loop, ScalarEvolution& evolution) {
  ICmpInst::Predicate predicate = works_when ? test.getPredicate() : test.getInversePredicate();
  const SCEV *index = evolution.getSCEV(test.getOperand(0)), *limit = evolution.getSCEV(test.getOperand(1));
  if (evolution.isLoopInvariant(index, &loop)) {
    std::swap(index, limit);
    predicate = ICmpInst::getSwappedPredicate(predicate);
  }
  auto* counter = dyn_cast<SCEVAddRecExpr>(index);
  if (!counter || counter->getLoop() != &loop || !evolution.isLoopInvariant(limit, &loop)) return false;
  return evolution.getMonotonicPredicateType(counter, predicate) == ScalarEvolution::MonotonicallyDecreasing;
}

bool bound(Loop& loop, ScalarEvolution& evolution) {
  BasicBlock *header = loop.getHeader(), *latch = loop.getLoopLatch();
  if (!latch || latch == header || loop.getExitingBlock() != latch || has_effects(*header) || has_effects(*latch))
    return false;
  auto *enters = dyn_cast<BranchInst>(header->getTerminator()), *repeats = dyn_cast<BranchInst>(latch->getTerminator());
  if (!enters || !enters->isConditional() || !repeats || !isa<ICmpInst>(repeats->getCondition())) return false;
  const bool works_when = enters->getSuccessor(1) == latch;
  auto* test = dyn_cast<ICmpInst>(enters->getCondition());
  if (!test || enters->getSuccessor(works_when) != latch || !latch->phis().empty()) return false;
  if (!is_over_once_false(*test, works_when, loop, evolution)) return false;
  // Nothing but counters goes from turn to turn: what is left of the loop changes nothing.
  for (PHINode& phi : header->phis())
    if (!isa<SCEVAddRecExpr>(evolution.getSCEV(&phi))) return false;
  if (!loop.getUniqueExitBlock() || is_used_behind(loop)) return false;
  IRBuilder<> b(repeats);
  Value* works = in_next_turn(test, loop, b);
  if (!works) return false;
  if (!works_when) works = b.CreateNot(works);
  const bool stays = repeats->getSuccessor(0) == header;
  Value* ends = repeats->getCondition();
  repeats->setCondition(stays ? b.CreateAnd(ends, works) : b.CreateOr(ends, b.CreateNot(works)));
  evolution.forgetLoop(&loop);
  return true;
}

}  // namespace

bool bound_lane_loops(LoopInfo& loops, ScalarEvolution& evolution) {
  bool changed = false;
  for (Loop* loop : loops.getLoopsInPreorder())
    if (is_lane_loop(*loop)) changed |= bound(*loop, evolution);
  return changed;
}

void drop_idle_lane_loops(DominatorTree& dominators, LoopInfo& loops, ScalarEvolution& evolution) {
  for (Loop* loop : loops.getLoopsInPreorder()) {
    if (!is_lane_loop(*loop) || !loop->isInnermost() || !loop->getLoopPreheader() || is_used_behind(*loop)) continue;
    const bool idle = none_of(loop->blocks(), [](BasicBlock* block) { return has_effects(*block); });
    if (idle && loop->getUniqueExitBlock()) deleteDeadLoop(loop, &dominators, &evolution, &loops);
  }
}

}  // namespace lanza::compiler
