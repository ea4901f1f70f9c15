#include "compiler/passes/float_ranges.hpp"

#include <optional>

#include <llvm/ADT/APFloat.h>
#include <llvm/ADT/APSInt.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kDepth = 8;
constexpr auto kNearest = APFloat::rmNearestTiesToEven;

/// A number from low to high, either of which may be infinite.
struct Range {
  APFloat low, high;
};
using MaybeRange = std::optional<Range>;

bool is_less(const APFloat& a, const APFloat& b) { return a.compare(b) == APFloat::cmpLessThan; }
const APFloat& lesser(const APFloat& a, const APFloat& b) { return is_less(b, a) ? b : a; }
const APFloat& greater(const APFloat& a, const APFloat& b) { return is_less(a, b) ? b : a; }
Range all_of_type(const Value& v) {
  const fltSemantics& type = v.getType()->getFltSemantics();
  return {APFloat::getInf(type, /*Negative=*/true), APFloat::getInf(type)};
}

MaybeRange range_of(Value* v, unsigned depth);

// Of an operation that goes up or down with each operand: its extremes are at the ends of the operands' ranges.
template <class F>
MaybeRange at_ends(ArrayRef<Range> operands, F f) {
  MaybeRange result;
  for (unsigned choice = 0; choice < 1u << operands.size(); ++choice) {
    SmallVector<APFloat, 3> ends;
    for (unsigned k = 0; k < operands.size(); ++k) {
      ends.push_back(choice >> k & 1 ? operands[k].high : operands[k].low);
      if (!ends.back().isFinite()) return {};
    }
    f(ends);
    if (!ends[0].isFinite()) return {};
    result = result ? Range{lesser(result->low, ends[0]), greater(result->high, ends[0])} : Range{ends[0], ends[0]};
  }
  return result;
}

MaybeRange of_arithmetic(Instruction& i, ArrayRef<Range> operands) {
  return at_ends(operands, [&](MutableArrayRef<APFloat> v) {
    switch (i.getOpcode()) {
      case Instruction::FAdd:
        v[0].add(v[1], kNearest);
        break;
      case Instruction::FSub:
        v[0].subtract(v[1], kNearest);
        break;
      case Instruction::FMul:
        v[0].multiply(v[1], kNearest);
        break;
      case Instruction::FDiv:
        v[0].divide(v[1], kNearest);
        break;
      default:
        v[0].fusedMultiplyAdd(v[1], v[2], kNearest);
    }
  });
}

MaybeRange of_rounding(Value* source, RoundingMode mode, unsigned depth) {
  MaybeRange range = range_of(source, depth);
  if (!range) return {};
  range->low.roundToIntegral(mode);
  range->high.roundToIntegral(mode);
  return range;
}

// `fallback` is the result where one of them is NaN.
MaybeRange of_extremum(bool is_max, const MaybeRange& fallback, const MaybeRange& other, const Value& type) {
  if (!fallback) return {};
  const Range any = other.value_or(all_of_type(type));
  Range result = *fallback;
  (is_max ? result.high : result.low) = is_max ? greater(result.high, any.high) : lesser(result.low, any.low);
  if (other)
    (is_max ? result.low : result.high) = is_max ? greater(result.low, any.low) : lesser(result.high, any.high);
  return result;
}

// llvm.maxnum and llvm.minnum: of two, either stands where the other one is NaN.
MaybeRange of_extremum(bool is_max, Value* a, Value* b, unsigned depth) {
  const MaybeRange x = range_of(a, depth), y = range_of(b, depth);
  if (!x || !y) {
    const MaybeRange& known = x ? x : y;
    if (!known) return {};
    const Range any = all_of_type(*a);
    return is_max ? Range{known->low, any.high} : Range{any.low, known->high};
  }
  return is_max ? Range{greater(x->low, y->low), greater(x->high, y->high)}
                : Range{lesser(x->low, y->low), lesser(x->high, y->high)};
}

MaybeRange of_choice(Value* v, unsigned depth) {
  Value *a, *b;
  for (const bool is_max : {true, false}) {
    if (is_max ? match(v, m_OrdFMax(m_Value(a), m_Value(b))) : match(v, m_OrdFMin(m_Value(a), m_Value(b))))
      return of_extremum(is_max, range_of(b, depth), range_of(a, depth), *a);
    if (is_max ? match(v, m_UnordFMax(m_Value(a), m_Value(b))) : match(v, m_UnordFMin(m_Value(a), m_Value(b))))
      return of_extremum(is_max, range_of(a, depth), range_of(b, depth), *a);
  }
  auto* choice = cast<SelectInst>(v);
  const MaybeRange x = range_of(choice->getTrueValue(), depth);
  const MaybeRange y = x ? range_of(choice->getFalseValue(), depth) : MaybeRange();
  if (!x || !y) return {};
  return Range{lesser(x->low, y->low), greater(x->high, y->high)};
}

MaybeRange of_integer(const Instruction& conversion) {
  const bool is_signed = isa<SIToFPInst>(conversion);
  const ConstantRange integers = computeConstantRange(conversion.getOperand(0), is_signed);
  if (integers.isEmptySet()) return {};
  const fltSemantics& type = conversion.getType()->getFltSemantics();
  Range range{APFloat::getZero(type), APFloat::getZero(type)};
  range.low.convertFromAPInt(is_signed ? integers.getSignedMin() : integers.getUnsignedMin(), is_signed, kNearest);
  range.high.convertFromAPInt(is_signed ? integers.getSignedMax() : integers.getUnsignedMax(), is_signed, kNearest);
  return range;
}

MaybeRange of_intrinsic(IntrinsicInst& call, unsigned depth) {
  Value* first = call.getArgOperand(0);
  switch (call.getIntrinsicID()) {
    case Intrinsic::maxnum:
    case Intrinsic::minnum:
      return of_extremum(call.getIntrinsicID() == Intrinsic::maxnum, first, call.getArgOperand(1), depth);
    case Intrinsic::rint:
    case Intrinsic::nearbyint:
    case Intrinsic::roundeven:
      return of_rounding(first, kNearest, depth);
    case Intrinsic::round:
      return of_rounding(first, APFloat::rmNearestTiesToAway, depth);
    case Intrinsic::floor:
      return of_rounding(first, APFloat::rmTowardNegative, depth);
    case Intrinsic::ceil:
      return of_rounding(first, APFloat::rmTowardPositive, depth);
    case Intrinsic::trunc:
      return of_rounding(first, APFloat::rmTowardZero, depth);
    case Intrinsic::fma: {
      SmallVector<Range, 3> operands;
      for (Value* operand : call.args())
        if (const MaybeRange range = range_of(operand, depth))
          operands.push_back(*range);
        else
          return {};
      return of_arithmetic(call, operands);
    }
    default:
      return {};
  }
}

MaybeRange range_of(Value* v, unsigned depth) {
  const APFloat* constant;
  if (match(v, m_APFloat(constant))) return constant->isNaN() ? MaybeRange() : Range{*constant, *constant};
  auto* i = dyn_cast<Instruction>(v);
  if (!i || depth == 0 || !i->getType()->isFloatingPointTy()) return {};
  --depth;
  if (auto* call = dyn_cast<IntrinsicInst>(i)) return of_intrinsic(*call, depth);
  switch (i->getOpcode()) {
    case Instruction::Select:
      return of_choice(i, depth);
    case Instruction::SIToFP:
    case Instruction::UIToFP:
      return of_integer(*i);
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
    case Instruction::FDiv: {
      if (i->getOpcode() == Instruction::FDiv && !match(i->getOperand(1), m_FiniteNonZero())) return {};
      const MaybeRange x = range_of(i->getOperand(0), depth);
      const MaybeRange y = x ? range_of(i->getOperand(1), depth) : MaybeRange();
      return y ? of_arithmetic(*i, {*x, *y}) : MaybeRange();
    }
    default:
      return {};
  }
}

/// Nothing where both answers are possible.
std::optional<bool> answer(FCmpInst& compare) {
  const MaybeRange x = range_of(compare.getOperand(0), kDepth);
  const MaybeRange y = x ? range_of(compare.getOperand(1), kDepth) : MaybeRange();
  if (!y) return {};
  unsigned possible = 0;  // a predicate is the set of relations for which it holds
  if (is_less(x->low, y->high)) possible |= CmpInst::FCMP_OLT;
  if (is_less(y->low, x->high)) possible |= CmpInst::FCMP_OGT;
  if (!is_less(x->high, y->low) && !is_less(y->high, x->low)) possible |= CmpInst::FCMP_OEQ;
  const unsigned asked = compare.getPredicate();
  if ((possible & ~asked) == 0) return true;
  if ((possible & asked) == 0) return false;
  return {};
}

// Whether a signed integer as wide as the result holds what is converted.
bool fits_signed(FPToUIInst& conversion) {
  const MaybeRange range = range_of(conversion.getOperand(0), kDepth);
  if (!range) return false;
  const auto fits = [&](const APFloat& end) {
    APSInt integer(conversion.getType()->getIntegerBitWidth(), /*isUnsigned=*/false);
    bool is_exact;
    return end.convertToInteger(integer, APFloat::rmTowardZero, &is_exact) != APFloat::opInvalidOp;
  };
  return fits(range->low) && fits(range->high);
}

}  // namespace

PreservedAnalyses FloatRangesPass::run(Function& function, FunctionAnalysisManager&) {
  bool changed = false;
  for (Instruction& i : make_early_inc_range(instructions(function))) {
    Value* known = nullptr;
    if (auto* compare = dyn_cast<FCmpInst>(&i); compare && !compare->getType()->isVectorTy()) {
      if (const std::optional<bool> holds = answer(*compare)) known = ConstantInt::getBool(i.getContext(), *holds);
    } else if (auto* conversion = dyn_cast<FPToUIInst>(&i);
               conversion && !conversion->getType()->isVectorTy() && fits_signed(*conversion)) {
      known = IRBuilder<>(&i).CreateFPToSI(conversion->getOperand(0), conversion->getType());
    }
    if (!known) continue;
    i.replaceAllUsesWith(known);
    i.eraseFromParent();
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace lanza::compiler
