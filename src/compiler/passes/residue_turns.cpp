#include "compiler/passes/residue_turns.hpp"

#include <optional>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/kept_analyses.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr uint64_t kFar = 1 << 16;  // where no counter of such a loop goes

/// What a turn asks first: whether `number`, which goes up or down by one from turn to turn, is a multiple of `step`.
struct Question {
  ICmpInst* asks;
  bool wanted;  ///< the answer
  Instruction* number;
  bool goes_up;
  uint64_t step;
  bool is_positive;  ///< asked, too: that the number is not below 0
};

/// A loop whose turns all ask, or do nothing.
struct Turns {
  Loop* loop;
  ICmpInst* asks;  ///< whether the counter has come to its end
  PHINode* counter;
  Instruction* following;  ///< the counter one further on
  uint64_t start, end;
  BasicBlock* then;  ///< behind the question
  Question question;
};

bool does_nothing(const BasicBlock& block) {
  return none_of(block, [](const Instruction& i) { return i.mayHaveSideEffects() || i.mayReadFromMemory(); });
}

bool is_quotient(const Instruction& i, const Turns& turns) {
  const Question& asked = turns.question;
  if (match(&i, m_SDiv(m_Specific(asked.number), m_SpecificInt(asked.step)))) return true;
  return isPowerOf2_64(asked.step) && match(&i, m_Shr(m_Specific(asked.number), m_SpecificInt(Log2_64(asked.step))));
}

class TurnsReader {
 public:
  explicit TurnsReader(Loop& loop) : loop_(loop), head_(loop.getHeader()), latch_(loop.getLoopLatch()) {}

  std::optional<Turns> read(bool& changed) {
    auto* branch = dyn_cast<BranchInst>(head_->getTerminator());
    if (!latch_ || latch_ == head_ || !loop_.getLoopPreheader() || !branch || !branch->isConditional()) return {};
    Turns turns{};
    turns.loop = &loop_;
    BasicBlock* first = branch->getSuccessor(loop_.contains(branch->getSuccessor(0)) ? 0 : 1);
    if (first == latch_ || first->getSinglePredecessor() != head_ || !read_counter(*branch, turns)) return {};
    for (BasicBlock* block = first;; block = turns.then) {
      auto* asks = dyn_cast<BranchInst>(block->getTerminator());
      if (!asks || !asks->isConditional() || !is_guard(*asks, turns)) return {};
      const bool stays = asks->getSuccessor(1) == latch_;
      turns.then = asks->getSuccessor(stays ? 0 : 1);
      const auto [condition, wanted] = first_that_differs(asks->getCondition(), stays, changed);
      if (condition) return read_question(*condition, wanted, turns, changed) ? std::optional(turns) : std::nullopt;
    }
  }

 private:
  // for (counter = start; counter < end; ++counter), and nobody asks where it ended.
  bool read_counter(const BranchInst& branch, Turns& turns) const {
    auto* asks = dyn_cast<ICmpInst>(branch.getCondition());
    auto* counter = asks ? dyn_cast<PHINode>(asks->getOperand(0)) : nullptr;
    if (!counter || counter->getParent() != head_) return false;
    const bool stays = loop_.contains(branch.getSuccessor(0));
    const auto predicate = stays ? asks->getPredicate() : asks->getInversePredicate();
    const APInt *start, *end;
    if ((predicate != ICmpInst::ICMP_SLT && predicate != ICmpInst::ICMP_ULT) ||
        !match(counter->getIncomingValueForBlock(loop_.getLoopPreheader()), m_APInt(start)) ||
        !match(asks->getOperand(1), m_APInt(end)) || !start->ult(kFar) || !end->ult(kFar))
      return false;
    auto* following = dyn_cast<Instruction>(counter->getIncomingValueForBlock(latch_));
    if (!following || !match(following, m_Add(m_Specific(counter), m_One())) || !following->hasOneUse()) return false;
    turns.asks = asks;
    turns.counter = counter;
    turns.following = following;
    turns.start = start->getZExtValue();
    turns.end = end->getZExtValue();
    return turns.start < turns.end &&
           all_of(counter->users(), [&](User* user) { return loop_.contains(cast<Instruction>(user)); });
  }

  // Of what must all hold the first part that turns may answer differently: each asks it, or none does anything. Null:
  // there is none.
  std::pair<Value*, bool> first_that_differs(Value* condition, bool wanted, bool& changed) const {
    Value *left, *right;
    if (loop_.makeLoopInvariant(condition, changed)) return {};
    if (match(condition, m_Not(m_Value(left)))) return first_that_differs(left, !wanted, changed);
    if (!(wanted ? match(condition, m_LogicalAnd(m_Value(left), m_Value(right)))
                 : match(condition, m_LogicalOr(m_Value(left), m_Value(right)))))
      return {condition, wanted};
    const auto first = first_that_differs(left, wanted, changed);
    return first.first ? first : first_that_differs(right, wanted, changed);
  }

  // A question behind which a turn does nothing, or all that it does.
  bool is_guard(const BranchInst& asks, const Turns& turns) const {
    const BasicBlock* first = asks.getParent();
    const unsigned then = asks.getSuccessor(0) == latch_ ? 1 : 0;
    if (asks.getSuccessor(1 - then) != latch_ || asks.getSuccessor(then) == latch_) return false;
    if (!asks.getSuccessor(then)->getSinglePredecessor() || !does_nothing(*first) || !does_nothing(*latch_))
      return false;
    return all_of(head_->phis(), [&](PHINode& phi) {
      Value* kept = phi.getIncomingValueForBlock(latch_);
      if (auto* joined = dyn_cast<PHINode>(kept); joined && joined->getParent() == latch_)
        kept = joined->getIncomingValueForBlock(first);
      return kept == &phi || &phi == turns.counter;
    });
  }

  // (number & 1) == 0 (with the sign: number & 0x80000001), number % 3 == 0
  bool read_question(Value& condition, bool wanted, Turns& turns, bool& changed) const {
    Question& question = turns.question;
    question.asks = dyn_cast<ICmpInst>(&condition);
    question.wanted = wanted;
    ICmpInst::Predicate predicate;
    Value *left, *number;
    const APInt* part;
    if (!match(&condition, m_OneUse(m_ICmp(predicate, m_Value(left), m_Zero())))) return false;
    if (predicate != (wanted ? ICmpInst::ICMP_EQ : ICmpInst::ICMP_NE)) return false;
    if (match(left, m_And(m_Value(number), m_APInt(part)))) {
      const unsigned low = part->countr_one();
      const APInt rest = part->lshr(low).shl(low);
      question.is_positive = rest.isSignMask();
      question.step = uint64_t{1} << std::min(low, 16U);
      if (low == 0 || question.step >= kFar || (!rest.isZero() && !question.is_positive)) return false;
    } else if (match(left, m_SRem(m_Value(number), m_APInt(part))) && part->sgt(1) && part->ult(kFar)) {
      question.step = part->getZExtValue();
    } else {
      return false;
    }
    question.number = dyn_cast<Instruction>(number);
    return question.number && goes_by_ones(*turns.counter, question, changed) && finds_quotients(turns);
  }

  // Else neighbours, which would have counters of their own, gain nothing by it: `a[k * n + x]` lies in two rows.
  bool finds_quotients(const Turns& turns) const {
    return any_of(turns.question.number->users(), [&](User* user) {
      return loop_.contains(cast<Instruction>(user)) && is_quotient(*cast<Instruction>(user), turns);
    });
  }

  // What no turn changes, plus or minus the counter, and perhaps more of the kind.
  bool goes_by_ones(PHINode& counter, Question& question, bool& changed) const {
    Value *inner = question.number, *sum, *other = nullptr;
    if (match(inner, m_NSWAdd(m_Value(sum), m_Value(other))) && sum != &counter && other != &counter) {
      if (!loop_.makeLoopInvariant(other, changed)) return false;
      inner = sum;
    }
    question.goes_up = match(inner, m_c_Add(m_Specific(&counter), m_Value(other)));
    if (!question.goes_up && !match(inner, m_Sub(m_Value(other), m_Specific(&counter)))) return false;
    return cast<Instruction>(inner)->hasNoSignedWrap() && loop_.makeLoopInvariant(other, changed);
  }

  Loop& loop_;
  BasicBlock *head_, *latch_;
};

/// Leaves out the turns in between.
class Leap {
 public:
  Leap(const Turns& turns, const DominatorTree& dominators)
      : t_(turns),
        q_(turns.question),
        dominators_(dominators),
        type_(turns.counter->getType()),
        b_(turns.loop->getLoopPreheader()->getTerminator()) {}

  void run() {
    b_.SetCurrentDebugLocation(q_.asks->getDebugLoc());
    Value* first = number_at_start();
    Value* turn = first_turn(first);
    Value* least = q_.goes_up ? b_.CreateAdd(first, turn) : b_.CreateSub(first, turn);
    least = quotient(least);
    b_.SetInsertPoint(t_.counter->getParent(), t_.counter->getParent()->getFirstInsertionPt());
    Value* counter = b_.CreateAdd(t_.counter, turn, "", /*HasNUW=*/true, /*HasNSW=*/true);
    t_.counter->replaceUsesWithIf(counter, [&](Use& use) {
      return use.getUser() != counter && use.getUser() != t_.following && use.getUser() != t_.asks;
    });
    Value* leaps = b_.CreateUDiv(b_.CreateNUWSub(t_.counter, number(t_.start)), number(q_.step), "", /*isExact=*/true);
    Value* at = q_.goes_up ? b_.CreateNSWAdd(least, leaps) : b_.CreateNSWSub(least, leaps);
    replace_quotients(*at);
    answer(*counter, *at);
    t_.following->setOperand(1, number(q_.step));
  }

 private:
  Constant* number(uint64_t value) const { return ConstantInt::get(type_, value); }

  // As the loop's first turn computes it, which asks: it does not wrap.
  Value* number_at_start() {
    Instruction* copy = q_.number->clone();
    for (Use& operand : copy->operands())
      if (auto* part = dyn_cast<Instruction>(operand); part && part != t_.counter && t_.loop->contains(part)) {
        operand.set(b_.Insert(part->clone()));
        cast<Instruction>(operand)->replaceUsesOfWith(t_.counter, number(t_.start));
      }
    copy->replaceUsesOfWith(t_.counter, number(t_.start));
    return b_.Insert(copy);
  }

  Value* first_turn(Value* first) {
    if (isPowerOf2_64(q_.step)) return b_.CreateAnd(q_.goes_up ? b_.CreateNeg(first) : first, number(q_.step - 1));
    Value* left = b_.CreateSRem(first, number(q_.step));
    if (q_.goes_up) left = b_.CreateNSWNeg(left);
    return b_.CreateSelect(b_.CreateICmpSLT(left, number(0)), b_.CreateNSWAdd(left, number(q_.step)), left);
  }

  // Of what the step divides.
  Value* quotient(Value* v) {
    return isPowerOf2_64(q_.step) ? b_.CreateAShr(v, Log2_64(q_.step)) : b_.CreateSDiv(v, number(q_.step));
  }

  // LLVM shifts as unsigned ones those behind a question that only others than negative numbers pass.
  bool is_behind(const Instruction& i) const { return q_.is_positive && dominators_.dominates(t_.then, i.getParent()); }

  void replace_quotients(Value& at) {
    for (User* user : make_early_inc_range(q_.number->users()))
      if (auto* i = cast<Instruction>(user);
          t_.loop->contains(i) && is_quotient(*i, t_) && (i->getOpcode() != Instruction::LShr || is_behind(*i)))
        i->replaceAllUsesWith(&at);
  }

  // The rest of the question.
  void answer(Value& counter, Value& quotient) {
    b_.SetInsertPoint(q_.asks);
    Value* holds = q_.is_positive ? b_.CreateICmpSGE(&quotient, number(0)) : b_.getTrue();
    if ((t_.end - t_.start) % q_.step != 0) holds = b_.CreateAnd(holds, b_.CreateICmpULT(&counter, number(t_.end)));
    q_.asks->replaceAllUsesWith(q_.wanted ? holds : b_.CreateNot(holds));
    q_.asks->eraseFromParent();
  }

  const Turns& t_;
  const Question& q_;
  const DominatorTree& dominators_;
  Type* type_;
  IRBuilder<> b_;
};

}  // namespace

PreservedAnalyses ResidueTurnsPass::run(Function& function, FunctionAnalysisManager& analyses) {
  const auto& dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  bool changed = false;
  for (Loop* loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    if (const auto turns = TurnsReader(*loop).read(changed)) {
      Leap(*turns, dominators).run();
      changed = true;
    }
  return keeps_control_flow(changed);
}

}  // namespace lanza::compiler
