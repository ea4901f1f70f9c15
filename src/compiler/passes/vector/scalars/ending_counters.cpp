#include "compiler/passes/vector/scalars/ending_counters.hpp"

#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

// Nothing in it is seen from outside while it runs: no loop of C++ does that for ever.
static bool must_end(const Loop& loop) {
  return isMustProgress(&loop) && all_of(loop.blocks(), [](const BasicBlock* block) {
           return none_of(*block, [](const Instruction& i) {
             if (auto* call = dyn_cast<CallBase>(&i)) return call->mayHaveSideEffects();
             return i.isVolatile() || i.isAtomic();
           });
         });
}

// The comparison by which the loop, that has no other exit, goes on.
static ICmpInst* only_question(const Loop& loop, ICmpInst::Predicate& goes_on) {
  BasicBlock *exiting = loop.getExitingBlock(), *latch = loop.getLoopLatch();
  if (!exiting || !latch || exiting != latch) return nullptr;
  auto* branch = dyn_cast<BranchInst>(exiting->getTerminator());
  auto* question = branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
  if (!question) return nullptr;
  goes_on = branch->getSuccessor(0) == loop.getHeader() ? question->getPredicate() : question->getInversePredicate();
  return question;
}

// What the first turn's number is known to be; of `x + 1 <= limit` it may be that `x < limit`.
static bool begins_below(const Loop& loop, ICmpInst::Predicate goes_on, const SCEV* start, const SCEV* limit,
                         ScalarEvolution& evolution) {
  if (evolution.isLoopEntryGuardedByCond(&loop, goes_on, start, limit)) return true;
  if (!ICmpInst::isLE(goes_on)) return false;
  const bool is_least = ICmpInst::isSigned(goes_on) ? evolution.getSignedRangeMin(start).isMinSignedValue()
                                                    : evolution.getUnsignedRangeMin(start).isZero();
  const SCEV* before = evolution.getMinusSCEV(start, evolution.getOne(start->getType()));
  return !is_least && evolution.isLoopEntryGuardedByCond(&loop, ICmpInst::getStrictPredicate(goes_on), before, limit);
}

static bool prove_counter(const Loop& loop, ScalarEvolution& evolution) {
  ICmpInst::Predicate goes_on;
  ICmpInst* question = only_question(loop, goes_on);
  if (!question) return false;
  Value *counted = question->getOperand(0), *limit = question->getOperand(1);
  if (loop.isLoopInvariant(counted)) {
    std::swap(counted, limit);
    goes_on = ICmpInst::getSwappedPredicate(goes_on);
  }
  if (!loop.isLoopInvariant(limit) || !(ICmpInst::isLT(goes_on) || ICmpInst::isLE(goes_on))) return false;
  Value* before;
  const APInt* step;
  if (!match(counted, m_Add(m_Value(before), m_APInt(step))) || !step->isPowerOf2() || step->isNegative()) return false;
  auto* counter = dyn_cast<PHINode>(before);
  if (!counter || counter->getParent() != loop.getHeader() || !loop.getLoopPreheader()) return false;
  if (counter->getIncomingValueForBlock(loop.getLoopLatch()) != counted) return false;
  auto* next = cast<BinaryOperator>(counted);
  const bool is_signed = ICmpInst::isSigned(goes_on);
  if (is_signed ? next->hasNoSignedWrap() : next->hasNoUnsignedWrap()) return false;
  const SCEV* start = evolution.getSCEV(counter->getIncomingValueForBlock(loop.getLoopPreheader()));
  if (!begins_below(loop, goes_on, start, evolution.getSCEV(limit), evolution)) return false;
  if (!must_end(loop)) return false;
  is_signed ? next->setHasNoSignedWrap() : next->setHasNoUnsignedWrap();
  return true;
}

bool prove_counters(LoopInfo& loops, ScalarEvolution& evolution) {
  bool changed = false;
  for (Loop* loop : loops.getLoopsInPreorder()) changed |= prove_counter(*loop, evolution);
  return changed;
}

}  // namespace lanza::compiler
