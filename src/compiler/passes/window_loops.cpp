#include "compiler/passes/window_loops.hpp"

#include <optional>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr int64_t kMostTurns = 16;
constexpr int64_t kFar = 1 << 16;   // no constant of a window
constexpr unsigned kMostSeen = 64;  // instructions that an index is made of

/// A number and a constant, whose sum does not wrap.
struct Sum {
  Value* base;
  int64_t offset = 0;
};

Sum as_sum(Value* v) {
  Value* base;
  const APInt* number;
  if (!match(v, m_NSWAdd(m_Value(base), m_APInt(number))) || !number->abs().ult(kFar)) return {v};
  const Sum inner = as_sum(base);
  return {inner.base, inner.offset + number->getSExtValue()};
}

/// One end of a range: `at`, or beyond `edge` that. InstCombine writes max(x - 1, 0) as max(x, 1) - 1: then the edge is
/// a constant before `behind` is added, and the sum may wrap where the edge is taken.
struct End {
  Sum at;
  Value* edge = nullptr;
  int64_t behind = 0;
};

// InstCombine makes them unsigned where no side is negative.
bool is_choice(const MinMaxIntrinsic& i, Intrinsic::ID wanted, const DataLayout& layout) {
  if (i.getIntrinsicID() == wanted) return true;
  return i.getIntrinsicID() == (wanted == Intrinsic::smax ? Intrinsic::umax : Intrinsic::umin) &&
         isKnownNonNegative(i.getLHS(), layout) && isKnownNonNegative(i.getRHS(), layout);
}

SmallVector<End, 3> ends_of(Value* v, Intrinsic::ID choice, const DataLayout& layout) {
  SmallVector<End, 3> ends;
  const Sum sum = as_sum(v);
  auto* chosen = dyn_cast<MinMaxIntrinsic>(sum.base);
  if (!chosen || !is_choice(*chosen, choice, layout)) return {{sum}};
  for (unsigned side : {0, 1}) {
    Value* edge = chosen->getOperand(1 - side);
    const APInt* number;
    if (sum.offset != 0 && !(match(edge, m_APInt(number)) && number->abs().ult(kFar))) continue;
    Sum at = as_sum(chosen->getOperand(side));
    at.offset += sum.offset;
    ends.push_back({at, edge, sum.offset});
  }
  return ends;
}

/// A loop over [start, start + turns), as far as it lies between the edges.
struct Window {
  Loop* loop;
  BasicBlock *head, *body, *latch;
  ICmpInst* asks;
  bool stays;  ///< where the answer is yes
  PHINode* counter;
  Instruction* following;  ///< the counter one further on
  bool inclusive;          ///< of its end
  End start, end;
  int64_t turns;
  std::optional<LaunchWindow> size;  ///< in place of `turns`
};

/// A number as a sum that does not wrap, of values, some of which are taken off.
struct Parts {
  SmallVector<std::pair<Value*, bool>, 4> values;
  int64_t constant = 0;

  void add(Value* v, bool is_negative) {
    Value *a, *b;
    const APInt* number;
    if (match(v, m_APInt(number)) && number->abs().ult(kFar)) {
      constant += is_negative ? -number->getSExtValue() : number->getSExtValue();
    } else if (values.size() < kMostParts && match(v, m_NSWAdd(m_Value(a), m_Value(b)))) {
      add(a, is_negative);
      add(b, is_negative);
    } else if (values.size() < kMostParts && match(v, m_NSWSub(m_Value(a), m_Value(b)))) {
      add(a, is_negative);
      add(b, !is_negative);
    } else if (auto other = find(values, std::pair{v, !is_negative}); other != values.end()) {
      values.erase(other);
    } else {
      values.push_back({v, is_negative});
    }
  }

  static constexpr size_t kMostParts = 6;
};

// Where neighbours go over the same, nothing is gained.
bool is_of_lanes(const Value* v, SmallPtrSetImpl<const Value*>& seen) {
  auto* i = dyn_cast<Instruction>(v);
  if (!i || !seen.insert(v).second || seen.size() > kMostSeen) return false;
  auto* read = dyn_cast<IntrinsicInst>(i);
  if (read && read->getIntrinsicID() == Intrinsic::nvvm_read_ptx_sreg_tid_x) return true;
  return any_of(i->operands(), [&](const Use& operand) { return is_of_lanes(operand, seen); });
}

std::optional<std::pair<End, End>> window_between(Value* from, Value* to, const DataLayout& layout) {
  for (const End& start : ends_of(from, Intrinsic::smax, layout))
    for (const End& end : ends_of(to, Intrinsic::smin, layout))
      if (SmallPtrSet<const Value*, 16> seen; start.at.base == end.at.base && (start.edge || end.edge))
        if (is_of_lanes(start.at.base, seen)) return std::pair{start, end};
  return {};
}

// Its ends are values themselves: no constant behind an edge.
std::optional<std::pair<End, End>> launch_window_between(Value* from, Value* to, const DataLayout& layout,
                                                         LaunchWindow& size) {
  for (const End& start : ends_of(from, Intrinsic::smax, layout))
    for (const End& end : ends_of(to, Intrinsic::smin, layout)) {
      if (start.behind || end.behind || !(start.edge || end.edge)) continue;
      Parts parts;
      parts.constant = end.at.offset - start.at.offset;
      parts.add(end.at.base, false);
      parts.add(start.at.base, true);
      SmallPtrSet<const Value*, 16> seen, others;
      if (!is_of_lanes(start.at.base, seen)) continue;
      if (parts.values.empty() || any_of(parts.values, [&](auto& part) { return is_of_lanes(part.first, others); }))
        continue;
      size = {std::move(parts.values), parts.constant, start.edge, end.edge};
      return std::pair{start, end};
    }
  return {};
}

// Nobody waits in it, so that some may stay out.
bool may_be_guarded(const Loop& loop) {
  return none_of(loop.blocks(), [](const BasicBlock* block) {
    return any_of(*block, [](const Instruction& i) { return isa<CallBase>(i) && !isa<IntrinsicInst>(i); });
  });
}

// Phis, the question, and the branch; what no turn changes is put in front of the loop.
bool only_asks(const Loop& loop, const Value* question, bool& changed) {
  for (Instruction& i : make_early_inc_range(*loop.getHeader()))
    if (!isa<PHINode>(i) && &i != question && !i.isTerminator() && !i.isDebugOrPseudoInst() &&
        !loop.makeLoopInvariant(&i, changed))
      return false;
  return true;
}

std::optional<Window> read_window(Loop& loop, bool of_launch) {
  BasicBlock *head = loop.getHeader(), *latch = loop.getLoopLatch();
  auto* branch = dyn_cast<BranchInst>(head->getTerminator());
  if (!latch || latch == head || llvm::count(successors(latch), head) != 1 || !loop.getLoopPreheader() || !branch ||
      !branch->isConditional())
    return {};
  auto* asks = dyn_cast<ICmpInst>(branch->getCondition());
  const bool stays = loop.contains(branch->getSuccessor(0));
  BasicBlock* body = branch->getSuccessor(stays ? 0 : 1);
  if (!asks || !asks->hasOneUse() || loop.contains(branch->getSuccessor(stays ? 1 : 0)) ||
      !body->getSinglePredecessor() || !may_be_guarded(loop))
    return {};
  auto* counter = dyn_cast<PHINode>(asks->getOperand(0));
  ICmpInst::Predicate predicate = stays ? asks->getPredicate() : asks->getInversePredicate();
  if (!counter || counter->getParent() != head) {
    counter = dyn_cast<PHINode>(asks->getOperand(1));
    predicate = ICmpInst::getSwappedPredicate(predicate);
  }
  if (!counter || counter->getParent() != head || (predicate != ICmpInst::ICMP_SLT && predicate != ICmpInst::ICMP_SLE))
    return {};
  Value* end = asks->getOperand(asks->getOperand(0) == counter ? 1 : 0);
  auto* following = dyn_cast<Instruction>(counter->getIncomingValueForBlock(latch));
  if (!following || !match(following, m_Add(m_Specific(counter), m_One())) || !following->hasOneUse()) return {};
  if (any_of(counter->users(), [&](User* user) { return !loop.contains(cast<Instruction>(user)); })) return {};
  Value* start = counter->getIncomingValueForBlock(loop.getLoopPreheader());
  const DataLayout& layout = head->getModule()->getDataLayout();
  std::optional<LaunchWindow> size;
  if (of_launch) size.emplace();
  const auto ends = size ? launch_window_between(start, end, layout, *size) : window_between(start, end, layout);
  if (!ends) return {};
  const auto& [first, last] = *ends;
  const bool inclusive = predicate == ICmpInst::ICMP_SLE;
  const int64_t turns = last.at.offset - first.at.offset + inclusive;
  if (size)
    size->constant += inclusive;
  else if (turns < 1 || turns > kMostTurns)
    return {};
  return Window{&loop,     head,      body,  latch, asks,  stays,          counter,
                following, inclusive, first, last,  turns, std::move(size)};
}

std::optional<Window> as_window(Loop& loop, bool& changed) {
  const bool of_launch = loop.getHeader()->getTerminator()->hasMetadata(kLaunchWindow);
  std::optional<Window> window = read_window(loop, of_launch);
  if (!window || !only_asks(loop, window->asks, changed)) return {};
  const bool is_known = all_of(window->asks->operands(), [&](const Use& operand) {
    return operand == window->counter || loop.isLoopInvariant(operand);
  });
  return is_known ? window : std::nullopt;
}

/// Makes a loop go over all of its window.
class Opening {
 public:
  explicit Opening(const Window& window)
      : w_(window), type_(window.counter->getType()), b_(window.head->getTerminator()) {
    b_.SetCurrentDebugLocation(w_.head->getTerminator()->getDebugLoc());
  }

  void run() {
    Function* function = w_.head->getParent();
    auto* guard = BasicBlock::Create(function->getContext(), "window", function, w_.body);
    auto* inside = BasicBlock::Create(function->getContext(), "inside", function, w_.body);
    auto* next = BasicBlock::Create(function->getContext(), "next", function, w_.latch->getNextNode());
    if (w_.size) turns_ = sum_up(*w_.size);
    PHINode* turn = count(next);
    skip(guard, next);
    w_.head->getTerminator()->replaceSuccessorWith(w_.body, guard);
    w_.body->replacePhiUsesWith(w_.head, inside);
    b_.SetInsertPoint(guard);
    Value* at = b_.CreateAdd(w_.start.at.base, offset(turn), "", /*HasNUW=*/false, /*HasNSW=*/is_exact());
    b_.CreateCondBr(is_inside(turn, at), inside, next);
    b_.SetInsertPoint(inside);
    if (!is_exact()) at = b_.CreateNSWAdd(w_.start.at.base, offset(turn));
    b_.CreateBr(w_.body);
    ask(turn);
    w_.following->eraseFromParent();
    w_.counter->replaceAllUsesWith(at);
    w_.counter->eraseFromParent();
  }

 private:
  Constant* number(int64_t value) const { return ConstantInt::getSigned(type_, value); }

  // Each part may be anything; the sum is near 0.
  Value* sum_up(const LaunchWindow& size) {
    b_.SetInsertPoint(w_.loop->getLoopPreheader()->getTerminator());
    Value* sum = number(size.constant);
    for (const auto& [value, is_negative] : size.terms)
      sum = is_negative ? b_.CreateSub(sum, value) : b_.CreateAdd(sum, value);
    return sum;
  }

  PHINode* count(BasicBlock* next) {
    b_.SetInsertPoint(w_.head, w_.head->begin());
    PHINode* turn = b_.CreatePHI(type_, 2, "turn");
    turn->addIncoming(number(0), w_.loop->getLoopPreheader());
    b_.SetInsertPoint(next);
    turn->addIncoming(b_.CreateAdd(turn, number(1), "", /*HasNUW=*/true, /*HasNSW=*/true), next);
    BranchInst* back = b_.CreateBr(w_.head);
    Instruction* leaves = w_.latch->getTerminator();
    back->setMetadata(LLVMContext::MD_loop, leaves->getMetadata(LLVMContext::MD_loop));
    leaves->setMetadata(LLVMContext::MD_loop, nullptr);
    leaves->replaceSuccessorWith(w_.head, next);
    return turn;
  }

  // What the loop keeps stays as it is in a turn beyond an edge.
  void skip(BasicBlock* guard, BasicBlock* next) {
    b_.SetInsertPoint(next, next->begin());
    for (PHINode& phi : w_.head->phis()) {
      const int from = phi.getBasicBlockIndex(w_.latch);
      if (from < 0) continue;  // the new counter
      PHINode* kept = b_.CreatePHI(phi.getType(), 2);
      kept->addIncoming(phi.getIncomingValue(static_cast<unsigned>(from)), w_.latch);
      kept->addIncoming(&phi, guard);
      phi.setIncomingBlock(static_cast<unsigned>(from), next);
      phi.setIncomingValue(static_cast<unsigned>(from),
                           &phi == w_.counter ? static_cast<Value*>(PoisonValue::get(type_)) : kept);
      if (&phi == w_.counter) kept->eraseFromParent();
    }
  }

  Value* offset(Value* turn) { return b_.CreateAdd(turn, number(w_.start.at.offset)); }

  // No number of the window wraps, if its ends do not. Below an edge that asks for the base one may: that is asked
  // first.
  bool is_exact() const { return w_.end.behind == 0; }

  // Where the constant behind an edge is no part of it the plain end may wrap: the base is asked, not the sum.
  Value* is_inside(Value* turn, Value* at) {
    const auto ask = [&](ICmpInst::Predicate predicate, const End& end) -> Value* {
      if (end.behind == 0) return b_.CreateICmp(predicate, at, end.edge);
      const int64_t edge = cast<ConstantInt>(end.edge)->getSExtValue() + end.behind - w_.start.at.offset;
      return b_.CreateICmp(predicate, w_.start.at.base, b_.CreateSub(number(edge), turn));
    };
    Value* after = w_.start.edge ? ask(ICmpInst::ICMP_SGE, w_.start) : nullptr;
    Value* before = w_.end.edge ? ask(w_.inclusive ? ICmpInst::ICMP_SLE : ICmpInst::ICMP_SLT, w_.end) : nullptr;
    return !after ? before : !before ? after : b_.CreateLogicalAnd(after, before);
  }

  void ask(Value* turn) {
    b_.SetInsertPoint(w_.asks);
    auto predicate = w_.stays ? ICmpInst::ICMP_ULT : ICmpInst::ICMP_UGE;
    if (turns_) predicate = ICmpInst::getSignedPredicate(predicate);
    w_.asks->replaceAllUsesWith(b_.CreateICmp(predicate, turn, turns_ ? turns_ : number(w_.turns)));
    w_.asks->eraseFromParent();
  }

  const Window& w_;
  Type* type_;
  IRBuilder<> b_;
  Value* turns_ = nullptr;  ///< of a launch's window
};

}  // namespace

std::optional<LaunchWindow> launch_window(Loop& loop) {
  std::optional<Window> window = read_window(loop, /*of_launch=*/true);
  return window ? std::move(window->size) : std::nullopt;
}

PreservedAnalyses WindowLoopsPass::run(Function& function, FunctionAnalysisManager& analyses) {
  SmallVector<Window, 4> windows;
  bool changed = false;
  for (Loop* loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    if (auto window = as_window(*loop, changed)) windows.push_back(*window);
  for (const Window& window : reverse(windows)) Opening(window).run();  // no end of a loop depends on an inner one
  return changed || !windows.empty() ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace lanza::compiler
