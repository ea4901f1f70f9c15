#include "compiler/passes/clamp_conversions.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/MathExtras.h>
#include <llvm/Transforms/Utils/Local.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kDepth = 12;
constexpr unsigned kBits = 32;  // of the integers

/// Where the converted number lies: beyond an integer's ends, between them, or nowhere.
enum class Place { Below, Inside, Above, NaN };

/// A result for all numbers of one place: one number, or, inside, what is converted, clamped and cut to so many bits.
struct Outcome {
  int64_t low, high;
  unsigned bits;
  bool is_converted = false;  // else both are the result
};

class ClampedConversion {
 public:
  explicit ClampedConversion(FPToSIInst& conversion)
      : conversion_(conversion), source_(*conversion.getOperand(0)), ends_(APFloat::getZero(semantics())) {
    ends_.convertFromAPInt(APInt::getSignedMinValue(kBits), /*IsSigned=*/true, APFloat::rmTowardZero);
  }

  bool run() {
    Instruction* root = nullptr;
    std::optional<Outcome> of_root, nan_of_root;
    for (Instruction* i = &conversion_; i->hasOneUse() && goes_on(*cast<Instruction>(*i->user_begin()), *i);) {
      i = cast<Instruction>(*i->user_begin());
      const auto inside = outcome(*i, Place::Inside), below = outcome(*i, Place::Below);
      const auto above = outcome(*i, Place::Above), nan = outcome(*i, Place::NaN);
      if (!inside || !inside->is_converted || !is(below, inside->low) || !is(above, inside->high)) continue;
      const bool has_zero = inside->low <= 0 && inside->high >= 0;
      if (!is(nan, inside->low) && !is(nan, inside->high) && !(is(nan, 0) && has_zero)) continue;
      if (!is_exact(inside->low) || !is_exact(inside->high)) continue;
      root = i, of_root = inside, nan_of_root = nan;
    }
    if (!root) return false;
    replace(*root, *of_root, nan_of_root->low);
    return true;
  }

 private:
  const fltSemantics& semantics() const { return source_.getType()->getFltSemantics(); }

  static bool goes_on(const Instruction& user, const Instruction& value) {
    if (auto* choice = dyn_cast<SelectInst>(&user)) return choice->getCondition() != &value;
    return isa<TruncInst, MinMaxIntrinsic>(user);
  }

  static bool is(const std::optional<Outcome>& outcome, int64_t number) {
    return outcome && !outcome->is_converted && outcome->low == SignExtend64(number, outcome->bits);
  }

  APFloat as_float(int64_t number) const {
    APFloat result = APFloat::getZero(semantics());
    result.convertFromAPInt(APInt(64, number, /*isSigned=*/true), /*IsSigned=*/true, APFloat::rmTowardZero);
    return result;
  }

  // All between such ends are, so that none of them is rounded beyond one.
  bool is_exact(int64_t number) const {
    return std::abs(number) < int64_t{1} << (APFloat::semanticsPrecision(semantics()) - 1);
  }

  std::optional<Outcome> outcome(Value& value, Place place, unsigned depth = kDepth) const {
    if (depth == 0) return {};
    if (auto* number = dyn_cast<ConstantInt>(&value); number && number->getBitWidth() <= kBits)
      return Outcome{number->getSExtValue(), number->getSExtValue(), number->getBitWidth()};
    if (&value == &conversion_) {
      if (place != Place::Inside) return {};
      return Outcome{minIntN(kBits), maxIntN(kBits), kBits, true};
    }
    if (auto* choice = dyn_cast<SelectInst>(&value)) {
      const auto way = answer(*choice->getCondition(), place, depth - 1);
      if (!way) return {};
      return outcome(*(*way ? choice->getTrueValue() : choice->getFalseValue()), place, depth - 1);
    }
    if (auto* cut = dyn_cast<TruncInst>(&value)) {
      const auto of = outcome(*cut->getOperand(0), place, depth - 1);
      const unsigned bits = cut->getType()->getIntegerBitWidth();
      if (!of) return {};
      if (of->is_converted) return Outcome{of->low, of->high, bits, true};
      return Outcome{SignExtend64(of->low, bits), SignExtend64(of->high, bits), bits};
    }
    auto* clamp = dyn_cast<MinMaxIntrinsic>(&value);
    auto* limit = clamp ? dyn_cast<ConstantInt>(clamp->getRHS()) : nullptr;
    const auto of = limit ? outcome(*clamp->getLHS(), place, depth - 1) : std::nullopt;
    if (!of || (of->is_converted && of->bits != kBits)) return {};
    // Of numbers that are not negative the sign does not matter.
    if (!clamp->isSigned() && (of->low < 0 || limit->isNegative())) return {};
    auto clamped = [&](int64_t number) {
      const bool is_least = ICmpInst::isLT(clamp->getPredicate());
      return is_least ? std::min(number, limit->getSExtValue()) : std::max(number, limit->getSExtValue());
    };
    return Outcome{clamped(of->low), clamped(of->high), of->bits, of->is_converted};
  }

  // What is asked of any number of the place; none: it depends.
  std::optional<bool> answer(Value& condition, Place place, unsigned depth) const {
    if (depth == 0) return {};
    Value *a, *b;
    if (match(&condition, m_Not(m_Value(a)))) {
      const auto of = answer(*a, place, depth - 1);
      return of ? std::optional(!*of) : std::nullopt;
    }
    const bool both = match(&condition, m_LogicalAnd(m_Value(a), m_Value(b)));
    if (both || match(&condition, m_LogicalOr(m_Value(a), m_Value(b)))) {
      const auto left = answer(*a, place, depth - 1), right = answer(*b, place, depth - 1);
      if (left && right) return both ? *left && *right : *left || *right;
      return {};
    }
    auto* compare = dyn_cast<FCmpInst>(&condition);
    const APFloat* limit = nullptr;
    if (!compare || compare->getOperand(0) != &source_) return {};
    const bool is_of_itself = compare->getOperand(1) == &source_;
    if (!is_of_itself && !match(compare->getOperand(1), m_APFloat(limit))) return {};
    if (limit && limit->isNaN()) return {};
    if (FCmpInst::isOrdered(compare->getPredicate()) == FCmpInst::isUnordered(compare->getPredicate())) return {};
    if (place == Place::NaN) return FCmpInst::isUnordered(compare->getPredicate());
    if (compare->getPredicate() == FCmpInst::FCMP_ORD) return true;
    if (compare->getPredicate() == FCmpInst::FCMP_UNO) return false;
    return !limit ? std::nullopt : order(FCmpInst::getOrderedPredicate(compare->getPredicate()), *limit, place);
  }

  // Below are those less than -2^31, above those of 2^31 and more.
  std::optional<bool> order(FCmpInst::Predicate predicate, const APFloat& limit, Place place) const {
    const APFloat low = ends_, high = neg(ends_);
    const bool is_strict = predicate == FCmpInst::FCMP_OLT || predicate == FCmpInst::FCMP_OGT;
    const bool asks_less = predicate == FCmpInst::FCMP_OLT || predicate == FCmpInst::FCMP_OLE;
    if (!asks_less && predicate != FCmpInst::FCMP_OGT && predicate != FCmpInst::FCMP_OGE) return {};
    // x < limit and x >= limit are one question, x <= limit and x > limit the other one.
    const bool at_limit_is_less = asks_less != is_strict;
    std::optional<bool> is_less;
    if (place != Place::Below && (at_limit_is_less ? limit < (place == Place::Above ? high : low)
                                                   : limit <= (place == Place::Above ? high : low)))
      is_less = false;
    if (place != Place::Above && limit >= (place == Place::Below ? low : high)) is_less = true;
    return is_less ? std::optional(*is_less == asks_less) : std::nullopt;
  }

  void replace(Instruction& root, const Outcome& inside, int64_t of_nan) const {
    IRBuilder<> b(&root);
    Type* type = source_.getType();
    Value *low = ConstantFP::get(type, as_float(inside.low)), *high = ConstantFP::get(type, as_float(inside.high));
    auto at_least = [&](Value* x) { return b.CreateSelect(b.CreateFCmpOGT(x, low), x, low); };
    auto at_most = [&](Value* x) { return b.CreateSelect(b.CreateFCmpOLT(x, high), x, high); };
    const bool low_first = of_nan == SignExtend64(inside.low, inside.bits);
    Value* clamped = low_first ? at_most(at_least(&source_)) : at_least(at_most(&source_));
    Value* result = b.CreateFPToSI(clamped, conversion_.getType());
    if (!low_first && of_nan != SignExtend64(inside.high, inside.bits))
      result = b.CreateSelect(b.CreateFCmpORD(&source_, Constant::getNullValue(type)), result,
                              Constant::getNullValue(result->getType()));
    root.replaceAllUsesWith(b.CreateTrunc(result, root.getType()));
    RecursivelyDeleteTriviallyDeadInstructions(&root);
  }

  FPToSIInst& conversion_;
  Value& source_;
  APFloat ends_;  ///< -2^31
};

}  // namespace

PreservedAnalyses ClampConversionsPass::run(Function& function, FunctionAnalysisManager&) {
  SmallVector<WeakVH, 8> conversions;
  for (Instruction& i : instructions(function))
    if (isa<FPToSIInst>(i) && i.getType()->isIntegerTy(kBits) &&
        (i.getOperand(0)->getType()->isFloatTy() || i.getOperand(0)->getType()->isDoubleTy()))
      conversions.push_back(&i);
  bool changed = false;
  for (WeakVH& conversion : conversions)
    if (conversion) changed |= ClampedConversion(*cast<FPToSIInst>(conversion)).run();
  if (!changed) return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

}  // namespace lanza::compiler
