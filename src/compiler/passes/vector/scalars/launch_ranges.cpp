#include "compiler/passes/vector/scalars/launch_ranges.hpp"

#include <cmath>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/KnownBits.h>

#include "compiler/passes/guard_division.hpp"
#include "compiler/passes/thread_context.hpp"
#include "compiler/passes/vector/scalars/quotient_rows.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

static constexpr unsigned kDepth = 64;           // of expressions
static constexpr uint64_t kMostKnown = 1 << 20;  // that a constant bound may be: indices by tables, bytes, masks
static constexpr unsigned kOfHashes = 16;        // bits of a factor: products by greater ones are to wrap

double greatest_of(unsigned width) { return std::ldexp(1.0, width > 32 ? 52 : static_cast<int>(width) - 1); }

// While a range is being found, nothing is known of it.
const KnownRange& LaunchRanges::of(Value& value) {
  if (const auto found = known_.find(&value); found != known_.end()) return *found->second;
  KnownRange& known = *(known_[&value] = std::make_unique<KnownRange>());
  if (depth_ == kDepth) return known;
  ++depth_;
  KnownRange computed = compute(value);
  --depth_;
  if (computed.range) known = std::move(computed);
  return known;
}

KnownRange LaunchRanges::of_natural(Value& value) {
  KnownRange known;
  known.range = take(known, &value);
  return needs_at_least(known, known.range, 0) ? known : KnownRange{};
}

KnownRange LaunchRanges::in(const BasicBlock& block, Value& value) {
  KnownRange known;
  known.range = take(known, value, block);
  return known;
}

KnownRange LaunchRanges::natural_in(const BasicBlock& block, Value& value) {
  KnownRange known = in(block, value);
  return needs_at_least(known, known.range, 0) ? known : KnownRange{};
}

KnownRange LaunchRanges::compute(Value& value) {
  if (!value.getType()->isIntegerTy() || value.getType()->getIntegerBitWidth() > 64) return {};
  if (auto* constant = dyn_cast<ConstantInt>(&value)) {
    const auto number = static_cast<double>(constant->getSExtValue());
    return std::abs(number) < greatest_of(64) ? KnownRange{exact(test_.number(number))} : KnownRange{};
  }
  if (auto* parameter = dyn_cast<Argument>(&value)) return of_argument(*parameter, value.getType(), 0);
  auto* i = dyn_cast<Instruction>(&value);
  if (!i) return {};
  KnownRange known = of_instruction(*i);
  return known.range ? known : of_constants(*i);
}

KnownRange LaunchRanges::of_instruction(Instruction& i) {
  if (auto* binary = dyn_cast<BinaryOperator>(&i)) return of_binary(*binary);
  if (auto* cast = dyn_cast<CastInst>(&i)) return of_cast(*cast);
  if (auto* choice = dyn_cast<SelectInst>(&i)) return of_choice(*choice);
  if (auto* call = dyn_cast<CallInst>(&i)) return of_call(*call);
  if (auto* load = dyn_cast<LoadInst>(&i)) return of_load(*load);
  if (auto* phi = dyn_cast<PHINode>(&i))
    return loops_.isLoopHeader(phi->getParent()) ? of_counter(*phi) : of_join(*phi);
  if (!isa<FreezeInst>(i)) return {};
  KnownRange known;
  known.range = take(known, i.getOperand(0));
  return known;
}

KnownRange LaunchRanges::of_binary(BinaryOperator& i) {
  switch (i.getOpcode()) {
    case Instruction::Add:
    case Instruction::Sub:
      return of_sum(i);
    case Instruction::Mul:
    case Instruction::Shl:
      return of_product(i);
    case Instruction::UDiv:
    case Instruction::SDiv:
      return of_quotient(i);
    case Instruction::URem:
    case Instruction::SRem:
      return of_remainder(i);
    case Instruction::LShr:
    case Instruction::AShr:
      return of_shift(i);
    case Instruction::And:
      return of_mask(i);
    case Instruction::Or:
    case Instruction::Xor:
      return of_bits(i);
    default:
      return {};
  }
}

LaunchRange LaunchRanges::take(KnownRange& known, Value* part) {
  const LaunchRange range = of(*part).range;
  if (range && !isa<Constant>(part)) known.parts.push_back(part);
  return range;
}

LaunchRange LaunchRanges::take(KnownRange& known, Use& operand) {
  return take(known, *operand.get(), *cast<Instruction>(operand.getUser())->getParent());
}

// What guards on the way to the block say is so there.
LaunchRange LaunchRanges::take(KnownRange& known, Value& value, const BasicBlock& block) {
  LaunchRange range = take(known, &value);
  if (!range || range.is_exact() || !isa<Instruction>(value)) return range;
  settle_difference(known, range, value, &block);
  guards_.any_guard(&block, [&](const ICmpInst& asked, bool truth) {
    const auto predicate = truth ? asked.getPredicate() : asked.getInversePredicate();
    if (asked.getOperand(0) == &value)
      guard(known, range, predicate, asked.getOperand(1));
    else if (asked.getOperand(1) == &value)
      guard(known, range, ICmpInst::getSwappedPredicate(predicate), asked.getOperand(0));
    return false;
  });
  return range;
}

void LaunchRanges::guard(KnownRange& known, LaunchRange& range, CmpInst::Predicate predicate, Value* limit) {
  const bool is_signed = ICmpInst::isSigned(predicate);
  if (auto* number = dyn_cast<ConstantInt>(limit)) {
    const auto least = static_cast<double>(number->getSExtValue()) + (ICmpInst::isGE(predicate) ? 0 : 1);
    const bool is_above =
        ICmpInst::isGT(predicate) || ICmpInst::isGE(predicate) || (predicate == ICmpInst::ICMP_NE && number->isZero());
    const auto low = constant_of(range.low);
    if (is_above && low && *low < least && (is_signed || *low >= 0)) range.low = test_.number(least);
    if (is_above && is_signed && !low) range.low = test_.greatest(range.low, test_.number(least));
  }
  if (!ICmpInst::isLT(predicate) && !ICmpInst::isLE(predicate)) return;
  KnownRange guarded = known;
  const LaunchRange bound = take(guarded, limit);
  if (!bound || (!is_signed && !needs_at_least(guarded, bound, 0))) return;
  known = std::move(guarded);
  Value* most = ICmpInst::isLT(predicate) ? test_.difference(bound.high, test_.number(1)) : bound.high;
  range.high = test_.least(range.high, most);
  if (const auto low = constant_of(range.low); !is_signed && low && *low < 0) range.low = test_.number(0);
}

bool LaunchRanges::needs_at_least(KnownRange& known, const LaunchRange& range, double least) {
  if (!range) return false;
  if (const auto number = constant_of(range.low)) return *number >= least;
  if (least == 0 && test_.is_never_negative(range.low)) return true;
  if (!test_.is_usually_at_least(range.low, least)) return false;
  known.needs.push_back(test_.is_at_least(range.low, least));
  return true;
}

bool LaunchRanges::needs_below(KnownRange& known, Value* high, double limit) {
  if (const auto number = constant_of(high)) return *number < limit;
  known.needs.push_back(test_.is_below(high, limit));
  return true;
}

KnownRange LaunchRanges::below(KnownRange known, double limit) {
  if (!needs_below(known, known.range.high, limit)) return {};
  if (const auto number = constant_of(known.range.low)) return *number >= -limit ? known : KnownRange{};
  if (is_never_negative(known.range)) return known;
  known.needs.push_back(test_.is_at_least(known.range.low, -limit));
  return known;
}

// Of arithmetic that does not wrap whatever the launch nothing is needed; sums of 64 bits may be more than doubles
// hold.
KnownRange LaunchRanges::in_range(KnownRange known, const Instruction& i) {
  const unsigned width = i.getType()->getIntegerBitWidth();
  known.is_arithmetic = true;
  return width <= 32 && i.hasNoSignedWrap() ? known : below(std::move(known), greatest_of(width));
}

// ScalarEvolution counts the turns of all loops on the way to the value, and holds each loop's end against the guards
// in front of it: of 480 loops in a row for two thirds of the time to compile.
KnownRange LaunchRanges::of_constants(Instruction& i) {
  const ConstantRange range = has_many_loops_
                                  ? ConstantRange::fromKnownBits(computeKnownBits(&i, i.getDataLayout()), false)
                                  : evolution_.getUnsignedRange(evolution_.getSCEV(&i));
  if (range.getUnsignedMax().ugt(kMostKnown) || range.getUnsignedMax().isNegative()) return {};
  auto number = [&](const APInt& n) { return test_.number(static_cast<double>(n.getZExtValue())); };
  return {{number(range.getUnsignedMin()), number(range.getUnsignedMax())}};
}

// A mask is enough to know: ScalarEvolution would look at all that goes into it (470 loops with such indices: half of
// the time to compile).
KnownRange LaunchRanges::of_known_bits(Instruction& i) {
  const KnownBits bits = computeKnownBits(&i, i.getDataLayout());
  auto number = [&](const APInt& n) { return test_.number(static_cast<double>(n.getZExtValue())); };
  return {{number(bits.getMinValue()), number(bits.getMaxValue())}};
}

// Of shorter ones the type bounds what they are extended to.
KnownRange LaunchRanges::of_argument(const Argument& parameter, Type* type, uint64_t offset) {
  if (!type->isIntegerTy(32) && !type->isIntegerTy(64)) return {};
  KnownRange known{exact(test_.argument(parameter, type, offset))};
  return type->getIntegerBitWidth() > 32 ? below(std::move(known), greatest_of(64)) : known;
}

KnownRange LaunchRanges::of_load(LoadInst& load) {
  const auto member = loaded_member(load);
  return member ? of_argument(*member->parameter, load.getType(), member->offset) : KnownRange{};
}

KnownRange LaunchRanges::of_call(CallInst& call) {
  auto block = [&](unsigned axis) {
    return KnownRange{{test_.number(0), test_.difference(test_.grid_size(axis), test_.number(1))}};
  };
  KnownRange known;
  switch (call.getIntrinsicID()) {
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
      return block(0);
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
      return block(1);
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
      return block(2);
    case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
      return {exact(test_.grid_size(0))};
    case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
      return {exact(test_.grid_size(1))};
    case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
      return {exact(test_.grid_size(2))};
    case Intrinsic::umin:
    case Intrinsic::smin:
    case Intrinsic::umax:
    case Intrinsic::smax:
    case Intrinsic::usub_sat:
      break;
    default:
      return {};
  }
  const LaunchRange a = take(known, call.getArgOperand(0)), b = take(known, call.getArgOperand(1));
  if (!a || !b) return {};
  if (call.getIntrinsicID() == Intrinsic::usub_sat) {
    if (!needs_at_least(known, a, 0) || !needs_at_least(known, b, 0)) return {};
    known.range = {test_.number(0), a.high};
    return known;
  }
  const auto& extremum = cast<MinMaxIntrinsic>(call);
  const bool is_signed = extremum.isSigned(), is_least = ICmpInst::isLT(extremum.getPredicate());
  if (!is_signed && !(needs_at_least(known, a, 0) && needs_at_least(known, b, 0))) return {};
  auto of = [&](Value* x, Value* y) { return is_least ? test_.least(x, y) : test_.greatest(x, y); };
  known.range = {of(a.low, b.low), of(a.high, b.high)};
  return known;
}

// ---- arithmetic
// ---------------------------------------------------------------------------------------------------------

// Behind a guard what would be negative is not.
void LaunchRanges::settle_difference(KnownRange& known, LaunchRange& range, Value& difference,
                                     const BasicBlock* block) {
  if (range.is_exact() || is_never_negative(range) || !guards_.is_never_below(&difference, block)) return;
  Value* minuend = cast<Instruction>(difference).getOperand(0);
  if (needs_at_least(known, take(known, minuend), 0)) range.low = test_.number(0);
}

KnownRange LaunchRanges::of_sum(BinaryOperator& i) {
  KnownRange known;
  const LaunchRange a = take(known, i.getOperandUse(0)), b = take(known, i.getOperandUse(1));
  if (!a || !b) return {};
  const bool adds = i.getOpcode() == Instruction::Add;
  const auto number = constant_of(b.high);
  if (a.is_exact() && b.is_exact())
    known.range = exact(adds ? test_.sum(a.low, b.low) : test_.difference(a.low, b.low));
  else if (adds)
    known.range = {test_.sum(a.low, b.low), test_.sum(a.high, b.high)};
  else
    known.range = {test_.difference(a.low, b.high), test_.difference(a.high, b.low)};
  known.is_unsigned = adds && is_never_negative(a) && is_never_negative(b);
  if (!adds || (number && *number < 0)) settle_difference(known, known.range, i, i.getParent());
  if (!adds) known.is_unsigned = is_never_negative(known.range) && is_never_negative(b);
  return in_range(std::move(known), i);
}

// Of factors one of which may be negative in any launch.
KnownRange LaunchRanges::of_product(BinaryOperator& i) {
  KnownRange known;
  LaunchRange a = take(known, i.getOperandUse(0)), b = take(known, i.getOperandUse(1));
  if (!a || !b) return {};
  const unsigned width = i.getType()->getIntegerBitWidth();
  if (i.getOpcode() == Instruction::Shl) {
    const auto by = constant_of(b.low);
    if (!by || !b.is_exact() || *by < 0 || *by >= kOfHashes || *by >= width) return {};
    b = exact(test_.number(std::ldexp(1.0, static_cast<int>(*by))));
  }
  if (const auto factor = constant_of(b.high); factor && b.is_exact() && !constant_of(a.high))
    if (std::abs(*factor) >= std::ldexp(1.0, kOfHashes)) return {};
  if (constant_of(a.low) && *constant_of(a.low) < 0) std::swap(a, b);
  if (a.is_exact() && b.is_exact()) {
    known.range = exact(test_.product(a.low, b.low));
    return in_range(std::move(known), i);
  }
  if (!needs_at_least(known, a, 0)) {  // `((y - 1) * w + x) * 3`
    const auto factor = constant_of(b.low);
    if (!factor || *factor < 0 || !b.is_exact()) return {};
    known.range = {test_.product(a.low, b.low), test_.product(a.high, b.low)};
    return in_range(std::move(known), i);
  }
  if (const auto low = constant_of(b.low); low && *low < 0) {
    known.range = {test_.product(a.high, b.low), test_.product(a.high, test_.greatest(b.high, test_.number(0)))};
  } else {
    if (!needs_at_least(known, b, 0)) return {};
    known.is_unsigned = true;
    known.range = {test_.product(a.low, b.low), test_.product(a.high, b.high)};
  }
  return in_range(std::move(known), i);
}

KnownRange LaunchRanges::of_quotient(BinaryOperator& i) {
  KnownRange known;
  const auto* by = dyn_cast<ConstantInt>(i.getOperand(1));
  // `x - n / 2`, as LLVM writes it: a quotient by -2 is added, and nothing says any more that the sum does not wrap.
  if (by && by->isNegative() && i.getOpcode() == Instruction::SDiv) {
    const LaunchRange a = take(known, i.getOperandUse(0));
    if (!needs_at_least(known, a, 0)) return {};
    Value* most = test_.quotient(a.high, test_.number(-static_cast<double>(by->getSExtValue())));
    known.range = {test_.difference(test_.number(0), most), test_.number(0)};
    return known;
  }
  const LaunchRange a = take(known, i.getOperandUse(0)), b = take(known, unguarded_divisor(i.getOperand(1)));
  if (!needs_at_least(known, a, 0) || !needs_at_least(known, b, 1)) return {};
  known.range = {test_.number(0), test_.quotient(a.high, b.low)};
  return known;
}

// Below the divisor, whatever is divided.
KnownRange LaunchRanges::of_remainder(BinaryOperator& i) {
  KnownRange known;
  const LaunchRange b = take(known, unguarded_divisor(i.getOperand(1)));
  if (!needs_at_least(known, b, 1)) return {};
  if (i.getOpcode() == Instruction::SRem && !needs_at_least(known, take(known, i.getOperandUse(0)), 0)) return {};
  known.range = {test_.number(0), test_.difference(b.high, test_.number(1))};
  return known;
}

KnownRange LaunchRanges::of_shift(BinaryOperator& i) {
  KnownRange known;
  const APInt* by;
  if (!match(i.getOperand(1), m_APInt(by)) || by->uge(i.getType()->getIntegerBitWidth())) return {};
  const LaunchRange a = take(known, i.getOperandUse(0));
  if (!needs_at_least(known, a, 0)) return {};
  const double factor = std::ldexp(1.0, -static_cast<int>(by->getZExtValue()));
  known.range = {test_.number(0), test_.product(a.high, test_.number(factor))};
  return known;
}

// A mask that all threads share bounds anything. One that makes multiples (`x / 2 * 2`, of x that is not negative)
// keeps any number: they are bounded by what they are made of.
KnownRange LaunchRanges::of_mask(BinaryOperator& i) {
  const APInt* mask = nullptr;
  if (match(i.getOperand(1), m_APInt(mask)) && mask->ule(kMostKnown)) return of_known_bits(i);
  if (mask && mask->countl_zero() == 1 && mask->countr_zero() > 0) {
    KnownRange known;
    const LaunchRange whole = take(known, i.getOperandUse(0));
    if (needs_at_least(known, whole, 0)) {
      known.range = {test_.number(0), whole.high};
      return known;
    }
  }
  for (const bool shared : {true, false}) {
    for (Value* operand : {i.getOperand(1), i.getOperand(0)}) {
      KnownRange known;
      const LaunchRange a = take(known, operand);
      if (a.is_exact() != shared || !needs_at_least(known, a, 0)) continue;
      known.range = {test_.number(0), a.high};
      return known;
    }
  }
  return {};
}

// ~x is -1 - x.
KnownRange LaunchRanges::of_complement(BinaryOperator& i) {
  KnownRange known;
  const LaunchRange a = take(known, i.getOperandUse(0));
  if (!a) return {};
  Value* minus_one = test_.number(-1);
  known.range.low = test_.difference(minus_one, a.high);
  known.range.high = a.is_exact() ? known.range.low : test_.difference(minus_one, a.low);
  return known;
}

KnownRange LaunchRanges::of_bits(BinaryOperator& i) {
  if (match(&i, m_Not(m_Value()))) return of_complement(i);
  KnownRange known;
  const LaunchRange a = take(known, i.getOperandUse(0)), b = take(known, i.getOperandUse(1));
  if (!needs_at_least(known, a, 0) || !needs_at_least(known, b, 0)) return {};
  known.range = {test_.number(0), test_.sum(a.high, b.high)};
  return known;
}

KnownRange LaunchRanges::of_cast(CastInst& i) {
  KnownRange known;
  known.range = take(known, i.getOperandUse(0));
  known.is_arithmetic = true;
  if (!known.range || isa<SExtInst>(i)) return known;
  if (isa<ZExtInst>(i)) return needs_at_least(known, known.range, 0) ? known : KnownRange{};
  if (!isa<TruncInst>(i) || i.getType()->getIntegerBitWidth() != 32) return {};
  return below(std::move(known), greatest_of(32));
}

// ---- where ways meet
// ----------------------------------------------------------------------------------------------------

LaunchRange LaunchRanges::joined(const LaunchRange& a, const LaunchRange& b) {
  if (!a || !b) return {};
  return {test_.least(a.low, b.low), test_.greatest(a.high, b.high)};
}

// What guard_division.hpp gives for a division by 0 is no matter where the divisor must be 1 or more.
static Value* divided(SelectInst& choice) {
  Value *asked, *divisor;
  ICmpInst::Predicate predicate;
  if (!match(choice.getCondition(), m_ICmp(predicate, m_Value(asked), m_Zero()))) return nullptr;
  if (!ICmpInst::isEquality(predicate)) return nullptr;
  const bool is_first = predicate == ICmpInst::ICMP_EQ;
  Value *by_zero = is_first ? choice.getTrueValue() : choice.getFalseValue(),
        *division = is_first ? choice.getFalseValue() : choice.getTrueValue();
  if (!match(by_zero, m_AllOnes())) return nullptr;
  if (!match(division, m_CombineOr(m_IDiv(m_Value(), m_Value(divisor)), m_IRem(m_Value(), m_Value(divisor)))))
    return nullptr;
  return unguarded_divisor(divisor) == asked ? division : nullptr;
}

KnownRange LaunchRanges::of_choice(SelectInst& i) {
  KnownRange known;
  if (Value* division = divided(i)) {
    known.range = take(known, division);
    return known;
  }
  const LaunchRange a = take(known, i.getTrueValue());
  known.range = a ? joined(a, take(known, i.getFalseValue())) : a;
  return known;
}

KnownRange LaunchRanges::of_join(PHINode& phi) {
  constexpr unsigned kMostWays = 8;
  if (phi.getNumIncomingValues() > kMostWays) return {};
  KnownRange known;
  known.range = take(known, phi.getIncomingValue(0));
  for (Value* incoming : drop_begin(phi.incoming_values()))
    if (known.range) known.range = joined(known.range, take(known, incoming));
  return known;
}

}  // namespace lanza::compiler
