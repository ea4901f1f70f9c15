// The numbers that counters of loops come to.
#include <cmath>

#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/vector/scalars/launch_ranges.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

static constexpr uint64_t kMostFactor = 1 << 16;

/// How a counter goes up: by a number, or times a constant.
struct LaunchRanges::Step {
  LaunchRange by;
  double factor = 0;  ///< 0: it is a sum
};

/// Each turn that is not the last one has the counter, or the next one, at `most` or below.
struct LaunchRanges::Limit {
  Value *most = nullptr, *value = nullptr;
  bool of_next = false, is_signed = false, is_strict = false;
};

static Value* start_of(const Loop& loop, const PHINode& phi) {
  return phi.getIncomingValueForBlock(loop.getLoopPreheader());
}
static Value* next_of(const Loop& loop, const PHINode& phi) {
  return phi.getIncomingValueForBlock(loop.getLoopLatch());
}

KnownRange LaunchRanges::of_counter(PHINode& phi) {
  const Loop& loop = *loops_.getLoopFor(phi.getParent());
  if (phi.getNumIncomingValues() != 2 || !loop.getLoopPreheader() || !loop.getLoopLatch()) return {};
  KnownRange known = of_counter_that_ends(phi);
  if (known.range) return known;
  if (!shrinks(phi, next_of(loop, phi))) return of_counter_beside(phi);
  const LaunchRange start = take(known = {}, start_of(loop, phi));
  if (!needs_at_least(known, start, 0)) return {};
  known.range = {test_.number(0), start.high};
  return known;
}

// `for (i = start; i < n; i += step)`, or times a factor; also where the next number is asked for.
KnownRange LaunchRanges::of_counter_that_ends(PHINode& phi) {
  const Loop& loop = *loops_.getLoopFor(phi.getParent());
  KnownRange known;
  const LaunchRange start = take(known, start_of(loop, phi));
  const auto limit = start ? limit_of(phi, known) : std::nullopt;
  if (!limit) return {};
  if (limit->of_next && !limit->is_signed) {  // whatever the next number is made of
    if (!needs_at_least(known, start, 0)) return {};
    known.range = {test_.number(0), test_.greatest(start.high, limit->most)};
    return known;
  }
  const auto step = step_of(phi, known);
  if (!step || (step->factor && !needs_at_least(known, start, 0))) return {};
  auto after = [&](Value* x) {
    return step->factor ? test_.product(x, test_.number(step->factor)) : test_.sum(x, step->by.high);
  };
  Value* most = limit->of_next ? test_.greatest(start.high, limit->most) : limit->most;
  if (!needs_below(known, after(most), greatest_of(phi.getType()->getIntegerBitWidth()))) return {};
  known.range = {start.low, limit->of_next ? most : test_.greatest(start.high, after(most))};
  return known;
}

// One that goes up beside another that ends the loop: `for (...; ++k, index += n)`.
KnownRange LaunchRanges::of_counter_beside(PHINode& phi) {
  const Loop& loop = *loops_.getLoopFor(phi.getParent());
  KnownRange known;
  const LaunchRange start = take(known, start_of(loop, phi));
  const auto step = start ? step_of(phi, known) : std::nullopt;
  Value* turns = step && !step->factor ? turns_of(loop, phi, known) : nullptr;
  if (!turns) return {};
  known.range = {start.low, test_.sum(start.high, test_.product(turns, step->by.high))};
  if (!needs_below(known, known.range.high, greatest_of(phi.getType()->getIntegerBitWidth()))) return {};
  return known;
}

// How often the loop goes round at most, by a counter that never wraps.
Value* LaunchRanges::turns_of(const Loop& loop, const PHINode& other, KnownRange& known) {
  for (PHINode& phi : loop.getHeader()->phis()) {
    if (&phi == &other || !phi.getType()->isIntegerTy() || phi.getNumIncomingValues() != 2) continue;
    KnownRange counted = known;
    const auto limit = limit_of(phi, counted);
    const auto step = limit ? step_of(phi, counted) : std::nullopt;
    if (!step || step->factor || !needs_at_least(counted, step->by, 1) || !take(counted, &phi)) continue;
    const LaunchRange start = take(counted, start_of(loop, phi));
    Value* way = way_of(*limit, start_of(loop, phi), counted);
    known = std::move(counted);
    if (!way) way = test_.difference(limit->most, start.low);
    Value* all = test_.quotient(way, step->by.low);
    return test_.greatest(test_.sum(all, test_.number(1)), test_.number(0));
  }
  return nullptr;
}

// From a start that is different for each block to a limit that is made of it: `start + n - 1`. Null: it is not.
Value* LaunchRanges::way_of(const Limit& limit, Value* start, KnownRange& known) {
  SmallVector<Value*, 4> parts{limit.value};
  bool found = false;
  Value* way = test_.number(limit.is_strict ? -1 : 0);
  while (!parts.empty()) {
    Value *part = parts.pop_back_val(), *x, *y;
    if (!found && part == start) {
      found = true;
    } else if (match(part, m_Add(m_Value(x), m_Value(y))) && of(*part).is_arithmetic && parts.size() < 4) {
      parts.append({x, y});
    } else {
      const LaunchRange range = take(known, part);
      if (!range) return nullptr;
      way = test_.sum(way, range.high);
    }
  }
  return found ? way : nullptr;
}

std::optional<LaunchRanges::Step> LaunchRanges::step_of(PHINode& phi, KnownRange& known) {
  Value *next = next_of(*loops_.getLoopFor(phi.getParent()), phi), *by;
  const APInt* factor;
  if (match(next, m_c_Add(m_Specific(&phi), m_Value(by)))) {
    const LaunchRange range = take(known, by);
    return needs_at_least(known, range, 0) ? std::optional(Step{range}) : std::nullopt;
  }
  if (match(next, m_Shl(m_Specific(&phi), m_APInt(factor))) && factor->ult(16))
    return Step{{}, std::ldexp(1.0, static_cast<int>(factor->getZExtValue()))};
  if (match(next, m_Mul(m_Specific(&phi), m_APInt(factor))) && factor->ult(kMostFactor) && !factor->isZero())
    return Step{{}, static_cast<double>(factor->getZExtValue())};
  return std::nullopt;
}

// Never to more than it was: `i >>= 1`, and `--i` where it is asked first whether that is left.
bool LaunchRanges::shrinks(PHINode& phi, Value* next) {
  const APInt* by;
  if (match(next, m_Shr(m_Specific(&phi), m_APInt(by)))) return by->ult(by->getBitWidth());
  if (match(next, m_UDiv(m_Specific(&phi), m_APInt(by)))) return !by->isZero();
  if (!match(next, m_CombineOr(m_Add(m_Specific(&phi), m_Negative()), m_Sub(m_Specific(&phi), m_Value()))))
    return false;
  return guards_.is_never_below(next, cast<Instruction>(next)->getParent());
}

// What is asked in each turn before the next one.
std::optional<LaunchRanges::Limit> LaunchRanges::limit_of(PHINode& phi, KnownRange& known) {
  const Loop& loop = *loops_.getLoopFor(phi.getParent());
  const Value* next = next_of(loop, phi);
  auto of_question = [&](const ICmpInst& question, bool truth) -> std::optional<Limit> {
    auto predicate = truth ? question.getPredicate() : question.getInversePredicate();
    Value *counter = question.getOperand(0), *limit = question.getOperand(1);
    if (limit == &phi || limit == next) {
      std::swap(counter, limit);
      predicate = ICmpInst::getSwappedPredicate(predicate);
    }
    if ((counter != &phi && counter != next) || !(ICmpInst::isLT(predicate) || ICmpInst::isLE(predicate))) return {};
    KnownRange asked = known;
    const LaunchRange range = take(asked, limit);
    const bool is_signed = ICmpInst::isSigned(predicate);
    if (!range || (!is_signed && !needs_at_least(asked, range, 0))) return {};
    known = std::move(asked);
    const bool is_strict = ICmpInst::isLT(predicate);
    Value* most = is_strict ? test_.difference(range.high, test_.number(1)) : range.high;
    return Limit{most, limit, counter == next, is_signed, is_strict};
  };
  auto of_condition = [&](Value* condition, bool truth, const auto& self) -> std::optional<Limit> {
    if (auto* question = dyn_cast<ICmpInst>(condition)) return of_question(*question, truth);
    Value *x, *y;
    const bool both = truth ? match(condition, m_LogicalAnd(m_Value(x), m_Value(y)))
                            : match(condition, m_LogicalOr(m_Value(x), m_Value(y)));
    if (!both) return {};
    const auto limit = self(x, truth, self);
    return limit ? limit : self(y, truth, self);
  };
  SmallVector<BasicBlock*, 4> exiting;
  loop.getExitingBlocks(exiting);
  for (const BasicBlock* block : exiting) {
    auto* branch = dyn_cast<BranchInst>(block->getTerminator());
    if (!branch || branch->isUnconditional() || !dominators_.dominates(block, loop.getLoopLatch())) continue;
    if (loops_.getLoopFor(block) != &loop) continue;  // the last turn of an inner loop is asked for others
    if (const auto limit = of_condition(branch->getCondition(), loop.contains(branch->getSuccessor(0)), of_condition))
      return limit;
  }
  return {};
}

}  // namespace lanza::compiler
