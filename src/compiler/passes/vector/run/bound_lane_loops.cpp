#include "compiler/passes/vector/run/bound_lane_loops.hpp"

#include <optional>

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include "compiler/passes/note_lanes.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostQuestions = 2;

bool goes_over_groups(const Loop& loop) { return is_lane_loop(loop) || is_row_loop(loop); }

// Which threads are under way, said to the executor: the block is an argument.
bool is_note(const Instruction& i) {
  auto* store = dyn_cast<StoreInst>(&i);
  return store && store->isVolatile() && isa<Argument>(getUnderlyingObject(store->getPointerOperand()));
}

// But for notes: a turn that does nothing needs none.
bool has_effects(const BasicBlock& block) {
  return any_of(block,
                [](const Instruction& i) { return !is_note(i) && (i.mayHaveSideEffects() || i.mayReadFromMemory()); });
}

bool is_used_behind(const Loop& loop) {
  for (BasicBlock* block : loop.blocks())
    for (Instruction& i : *block)
      if (any_of(i.users(), [&](User* user) { return !loop.contains(cast<Instruction>(user)); })) return true;
  return false;
}

/// The value that `v` of the header has in another turn, of which `counter_in` says the loop's counters; null: not that
/// easy. What the chain is made of: counters, arithmetic, and what does not change in the loop.
Value* in_turn(Value* v, const Loop& loop, function_ref<Value*(PHINode&)> counter_in, IRBuilder<>& b,
               unsigned depth = 4) {
  auto* i = dyn_cast<Instruction>(v);
  if (!i || !loop.contains(i)) return v;
  if (auto* phi = dyn_cast<PHINode>(i)) return phi->getParent() == loop.getHeader() ? counter_in(*phi) : nullptr;
  if (depth == 0 || !isa<BinaryOperator, CastInst, ICmpInst>(i) || i->isIntDivRem()) return nullptr;
  SmallVector<Value*, 2> operands;
  for (Value* operand : i->operands()) {
    operands.push_back(in_turn(operand, loop, counter_in, b, depth - 1));
    if (!operands.back()) return nullptr;
  }
  if (auto* compare = dyn_cast<ICmpInst>(i)) return b.CreateICmp(compare->getPredicate(), operands[0], operands[1]);
  if (auto* sum = dyn_cast<BinaryOperator>(i)) return b.CreateBinOp(sum->getOpcode(), operands[0], operands[1]);
  return b.CreateCast(cast<CastInst>(i)->getOpcode(), operands[0], i->getType());
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

/// `do { if (test) body; } while (++group)`, and nothing else that counts.
struct GuardedLoop {
  Loop& loop;
  BranchInst *enters, *repeats;
  ICmpInst* test;
  bool works_when;
  bool is_frozen;  ///< by whoever asked for each turn in front of what the turn does

  /// The body runs where this holds of the operands.
  ICmpInst::Predicate predicate() const { return works_when ? test->getPredicate() : test->getInversePredicate(); }
  Value* settled(IRBuilder<>& b, Value* v) const { return is_frozen ? b.CreateFreeze(v) : v; }
  Value* where_it_works(IRBuilder<>& b, Value* tested) const { return works_when ? tested : b.CreateNot(tested); }
  void repeat_if(IRBuilder<>& b, Value* goes_on) const {
    repeats->setCondition(repeats->getSuccessor(0) == loop.getHeader() ? goes_on : b.CreateNot(goes_on));
  }
};

std::optional<GuardedLoop> as_guarded(Loop& loop, ScalarEvolution& evolution) {
  BasicBlock *header = loop.getHeader(), *latch = loop.getLoopLatch();
  if (!latch || latch == header || loop.getExitingBlock() != latch || has_effects(*header) || has_effects(*latch))
    return {};
  auto *enters = dyn_cast<BranchInst>(header->getTerminator()), *repeats = dyn_cast<BranchInst>(latch->getTerminator());
  if (!enters || !enters->isConditional() || !repeats || !isa<ICmpInst>(repeats->getCondition())) return {};
  const bool works_when = enters->getSuccessor(1) == latch;
  auto* frozen = dyn_cast<FreezeInst>(enters->getCondition());
  auto* test = dyn_cast<ICmpInst>(frozen ? frozen->getOperand(0) : enters->getCondition());
  if (!test || enters->getSuccessor(works_when) != latch || !latch->phis().empty()) return {};
  // Nothing but counters goes from turn to turn: what is left out of the loop changes nothing.
  for (PHINode& phi : header->phis())
    if (!isa<SCEVAddRecExpr>(evolution.getSCEV(&phi))) return {};
  if (!loop.getLoopPreheader() || !loop.getUniqueExitBlock() || is_used_behind(loop)) return {};
  return GuardedLoop{loop, enters, repeats, test, works_when, frozen != nullptr};
}

/// The loop ends where the next group would do nothing; so the test of the first one is that of all.
bool bound(const GuardedLoop& guarded, ScalarEvolution& evolution) {
  auto& [loop, enters, repeats, test, works_when, is_frozen] = guarded;
  if (!is_over_once_false(*test, works_when, loop, evolution)) return false;
  IRBuilder<> b(repeats);
  auto next = [&](PHINode& phi) { return phi.getIncomingValueForBlock(loop.getLoopLatch()); };
  Value* works = in_turn(test, loop, next, b);
  if (!works) return false;
  Value* goes_on = repeats->getCondition();
  if (repeats->getSuccessor(0) != loop.getHeader()) goes_on = b.CreateNot(goes_on);
  guarded.repeat_if(b, b.CreateAnd(goes_on, guarded.where_it_works(b, guarded.settled(b, works))));
  b.SetInsertPoint(loop.getLoopPreheader()->getTerminator());
  auto first = [&](PHINode& phi) { return phi.getIncomingValueForBlock(loop.getLoopPreheader()); };
  enters->setCondition(guarded.settled(b, in_turn(test, loop, first, b)));
  return true;
}

/// A question on the way past all that a turn does.
struct Question {
  ICmpInst* test;
  bool works_when, is_frozen;
};

/// `do { if (all) body; else if (some) masked body; } while (++group)`: what is asked until nothing is done. Empty: it
/// is no such loop.
SmallVector<Question, 2> questions_of(const Loop& loop, ScalarEvolution& evolution) {
  SmallVector<Question, 2> questions;
  BasicBlock *header = loop.getHeader(), *latch = loop.getLoopLatch();
  if (!latch || loop.getExitingBlock() != latch || has_effects(*latch) || !latch->phis().empty() ||
      !loop.getUniqueExitBlock() || is_used_behind(loop))
    return {};
  for (PHINode& phi : header->phis())
    if (!isa<SCEVAddRecExpr>(evolution.getSCEV(&phi))) return {};
  auto* repeats = dyn_cast<BranchInst>(latch->getTerminator());
  if (!repeats || !isa<ICmpInst>(repeats->getCondition())) return {};
  auto asks = [&](const BasicBlock* block) {
    auto* branch = dyn_cast<BranchInst>(block->getTerminator());
    return branch && branch->isConditional() && block != latch && loop.contains(block) && !has_effects(*block);
  };
  for (BasicBlock* block = header; block != latch;) {
    if (!asks(block) || questions.size() == kMostQuestions) return {};
    auto* branch = cast<BranchInst>(block->getTerminator());
    auto leads_past = [&](unsigned k) {
      BasicBlock* to = branch->getSuccessor(k);
      return to == latch || (to->getSinglePredecessor() && asks(to));
    };
    const bool works_when = leads_past(1);
    if (!leads_past(works_when)) return {};
    auto* frozen = dyn_cast<FreezeInst>(branch->getCondition());
    auto* test = dyn_cast<ICmpInst>(frozen ? frozen->getOperand(0) : branch->getCondition());
    if (!test || !is_over_once_false(*test, works_when, loop, evolution)) return {};
    questions.push_back({test, works_when, frozen != nullptr});
    block = branch->getSuccessor(works_when);
  }
  // Which groups work is known where the limits are: such a loop is more easily unrolled as it is.
  auto is_known = [](const Question& q) {
    return any_of(q.test->operands(), [](Value* v) { return isa<Constant>(v); });
  };
  if (all_of(questions, is_known)) return {};
  return questions;
}

/// The loop ends where the answer to all of them is no in the next turn.
bool bound_by_all(const Loop& loop, ArrayRef<Question> questions) {
  auto* repeats = cast<BranchInst>(loop.getLoopLatch()->getTerminator());
  IRBuilder<> b(repeats);
  auto next = [&](PHINode& phi) { return phi.getIncomingValueForBlock(loop.getLoopLatch()); };
  Value* any = nullptr;
  for (const Question& question : questions) {
    Value* works = in_turn(question.test, loop, next, b);
    if (!works) return false;
    if (question.is_frozen) works = b.CreateFreeze(works);
    if (!question.works_when) works = b.CreateNot(works);
    any = any ? b.CreateOr(any, works) : works;
  }
  const bool repeats_when = repeats->getSuccessor(0) == loop.getHeader();
  Value* goes_on = repeats->getCondition();
  if (!repeats_when) goes_on = b.CreateNot(goes_on);
  goes_on = b.CreateAnd(goes_on, any);
  repeats->setCondition(repeats_when ? goes_on : b.CreateNot(goes_on));
  return true;
}

/// `if (index == x)`: the loop begins with the one group that has work, if there is one, and ends behind it.
bool take_only_turn(const GuardedLoop& guarded, ScalarEvolution& evolution) {
  Loop& loop = guarded.loop;
  PHINode& counter = *loop.getHeader()->phis().begin();
  const unsigned turns = evolution.getSmallConstantTripCount(&loop);
  if (guarded.predicate() != ICmpInst::ICMP_EQ || turns == 0 || !hasSingleElement(loop.getHeader()->phis()))
    return false;
  const SCEV *index = evolution.getSCEV(guarded.test->getOperand(0)),
             *x = evolution.getSCEV(guarded.test->getOperand(1));
  if (evolution.isLoopInvariant(index, &loop)) std::swap(index, x);
  auto* counts = cast<SCEVAddRecExpr>(evolution.getSCEV(&counter));
  auto* step = dyn_cast<SCEVConstant>(counts->getStepRecurrence(evolution));
  if (!step || !step->getAPInt().isPowerOf2() || index->getType() != counter.getType()) return false;
  // Loops over single threads stay: they tell who is under way. Rows have notes of their own.
  if (step->getAPInt().isOne() && is_lane_loop(loop)) return false;
  const SCEV* before = evolution.getMinusSCEV(index, counts);
  if (!evolution.isLoopInvariant(before, &loop) || !evolution.isLoopInvariant(x, &loop)) return false;
  const SCEV* way = evolution.getMinusSCEV(evolution.getMinusSCEV(x, before), counts->getStart());
  Instruction* end = loop.getLoopPreheader()->getTerminator();
  SCEVExpander expander(evolution, loop.getHeader()->getDataLayout(), "");
  if (!expander.isSafeToExpandAt(way, end)) return false;
  Value *to_it = expander.expandCodeFor(way, counter.getType(), end),
        *start = counter.getIncomingValueForBlock(end->getParent());
  IRBuilder<> b(end);
  to_it = guarded.settled(b, to_it);
  // Rotated by the step's zeros, what is no multiple of it is far beyond the end.
  Constant* zeros = ConstantInt::get(counter.getType(), step->getAPInt().logBase2());
  Value* turn = b.CreateIntrinsic(Intrinsic::fshr, {counter.getType()}, {to_it, to_it, zeros});
  Value* is_there = b.CreateICmpULT(turn, ConstantInt::get(counter.getType(), turns));
  counter.setIncomingValueForBlock(end->getParent(), b.CreateSelect(is_there, b.CreateAdd(start, to_it), start));
  guarded.enters->setCondition(guarded.where_it_works(b, is_there));
  guarded.repeat_if(b, b.getFalse());
  return true;
}

}  // namespace

bool bound_lane_loops(LoopInfo& loops, ScalarEvolution& evolution) {
  bool changed = false;
  for (Loop* loop : loops.getLoopsInPreorder()) {
    if (!goes_over_groups(*loop)) continue;
    if (const auto guarded = as_guarded(*loop, evolution)) {
      if (!bound(*guarded, evolution) && !take_only_turn(*guarded, evolution)) continue;
    } else {
      const auto questions = questions_of(*loop, evolution);
      if (questions.empty() || !bound_by_all(*loop, questions)) continue;
    }
    evolution.forgetLoop(loop);
    changed = true;
  }
  return changed;
}

bool drop_idle_lane_loops(DominatorTree& dominators, LoopInfo& loops, ScalarEvolution& evolution) {
  bool changed = false;
  const auto outer_first = loops.getLoopsInPreorder();
  for (Loop* loop : reverse(outer_first)) {
    if (!goes_over_groups(*loop) || !loop->isInnermost() || is_used_behind(*loop)) continue;
    const bool idle = none_of(loop->blocks(), [](BasicBlock* block) { return has_effects(*block); });
    if (!idle || !loop->getUniqueExitBlock()) continue;
    if (!loop->getLoopPreheader()) InsertPreheaderForLoop(loop, &dominators, &loops, nullptr, /*PreserveLCSSA=*/false);
    // deleteDeadLoop() takes all that enters the exit's phis for the loop's.
    formDedicatedExitBlocks(loop, &dominators, &loops, nullptr, /*PreserveLCSSA=*/false);
    deleteDeadLoop(loop, &dominators, &evolution, &loops);
    changed = true;
  }
  return changed;
}

}  // namespace lanza::compiler
