#include "compiler/passes/vector/lanes/convert_at_once.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

#include <limits>

#include "compiler/passes/vector/analysis/processors.hpp"
#include "compiler/passes/vector/lanes/by_registers.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostSteps = 6;
constexpr double kTwoTo31 = 2147483648.0;

/// What a float must be less than, and the first integer.
struct Ends {
  explicit Ends(bool is_signed) : low(is_signed ? -kTwoTo31 : 0.0), high(is_signed ? kTwoTo31 : 2 * kTwoTo31) {}
  double low, high;
};

/// What code makes of one number, if it only asks how that lies to the ends: then others between the same ends fare
/// alike.
class Evaluation {
 public:
  Evaluation(const Value* source, double number, Ends ends) : source_(source), number_(number), ends_(ends) {}

  std::optional<APInt> integer(Value* v) const {
    const APInt* constant;
    if (match(v, m_APInt(constant))) return *constant;
    if (auto* choice = dyn_cast<SelectInst>(v)) {
      const auto way = condition(choice->getCondition());
      return way ? integer(*way ? choice->getTrueValue() : choice->getFalseValue()) : std::nullopt;
    }
    auto* cast = dyn_cast<CastInst>(v);
    if (cast && isa<TruncInst>(cast)) {
      const auto whole = integer(cast->getOperand(0));
      return whole ? std::optional(whole->trunc(v->getType()->getScalarSizeInBits())) : std::nullopt;
    }
    return cast && isa<FPToSIInst, FPToUIInst>(cast) ? converted(cast->getOperand(0)) : std::nullopt;
  }

 private:
  std::optional<APInt> converted(Value* v) const {
    if (auto* choice = dyn_cast<SelectInst>(v)) {
      const auto way = condition(choice->getCondition());
      return way ? converted(*way ? choice->getTrueValue() : choice->getFalseValue()) : std::nullopt;
    }
    if (match(v, m_AnyZeroFP())) return APInt::getZero(32);
    if (v != source_ || !(number_ >= ends_.low && number_ < ends_.high)) return std::nullopt;
    return APInt(32, static_cast<uint64_t>(static_cast<int64_t>(number_)), true);
  }

  std::optional<bool> condition(Value* v) const {
    CmpInst::Predicate asks;
    const APFloat* end;
    Value *x, *y;
    if (match(v, m_FCmp(asks, m_Specific(source_), m_APFloat(end)))) {
      if (const double at = end->convertToFloat(); at != ends_.low && at != ends_.high) return std::nullopt;
      return FCmpInst::compare(APFloat(static_cast<float>(number_)), *end, asks);
    }
    const bool is_and = match(v, m_LogicalAnd(m_Value(x), m_Value(y)));
    if (!is_and && !match(v, m_LogicalOr(m_Value(x), m_Value(y)))) return std::nullopt;
    const auto first = condition(x), second = condition(y);
    if (!first || !second) return std::nullopt;
    return is_and ? *first && *second : *first || *second;
  }

  const Value* source_;
  const double number_;
  const Ends ends_;
};

/// `result` is `source`, converted with its guards.
struct Conversion {
  Instruction* result = nullptr;
  Value* source;
  bool is_signed;
};

bool is_guarded(Instruction& result, const Conversion& c) {
  const Ends ends(c.is_signed);
  const unsigned bits = result.getType()->getScalarSizeInBits();
  auto gives = [&](double number, const APInt& expected) {
    const auto is = Evaluation(c.source, number, ends).integer(&result);
    return is && *is == expected.trunc(bits);
  };
  const APInt least = c.is_signed ? APInt::getSignedMinValue(32) : APInt::getZero(32);
  const APInt greatest = c.is_signed ? APInt::getSignedMaxValue(32) : APInt::getMaxValue(32);
  return gives(ends.low, least) && gives(12345, APInt(32, 12345)) && gives(77, APInt(32, 77)) &&
         gives(ends.high, greatest) && gives(2 * ends.high, greatest) && gives(-4 * kTwoTo31, least) &&
         gives(std::numeric_limits<double>::quiet_NaN(), APInt::getZero(32));
}

Conversion find(CastInst& cast) {
  auto* type = dyn_cast<FixedVectorType>(cast.getType());
  if (!type || type->getScalarSizeInBits() != 32 || !cast.getOperand(0)->getType()->getScalarType()->isFloatTy())
    return {};
  if (const unsigned lanes = type->getNumElements(); lanes % 16 || !isPowerOf2_32(lanes)) return {};
  Conversion c{nullptr, cast.getOperand(0), isa<FPToSIInst>(cast)};
  if (Value * x; match(c.source, m_Select(m_Value(), m_Value(x), m_AnyZeroFP()))) c.source = x;
  Instruction* v = &cast;
  for (unsigned step = 0; step < kMostSteps && v->hasOneUse(); ++step) {
    v = v->user_back();
    if (!isa<SelectInst, TruncInst>(v) || !v->getType()->isIntOrIntVectorTy()) break;
    if (is_guarded(*v, c)) c.result = v;
  }
  return c;
}

class Converter {
 public:
  explicit Converter(const Conversion& c) : c_(c), b_(c.result) {}

  Value* convert() {
    Value* x = c_.source;
    const bool rounds = match(x, m_Intrinsic<Intrinsic::rint>(m_Value(x)));
    Type* words = c_.source->getType()->getWithNewType(b_.getInt32Ty());
    Type* type = c_.result->getType();
    Constant* zero = Constant::getNullValue(x->getType());
    if (!c_.is_signed) {
      Value* positive = b_.CreateSelect(b_.CreateFCmpOGT(x, zero), x, zero);
      return b_.CreateTrunc(instruction(positive, rounds, nullptr), type);
    }
    const bool is_whole = type == words;
    Value* converted = instruction(x, rounds, is_whole ? b_.CreateFCmpORD(x, zero) : nullptr);
    Value* too_high = b_.CreateFCmpOGE(x, ConstantFP::get(x->getType(), kTwoTo31));
    const APInt greatest = is_whole ? APInt::getSignedMaxValue(32) : APInt::getAllOnes(32);
    return b_.CreateTrunc(b_.CreateSelect(too_high, ConstantInt::get(words, greatest), converted), type);
  }

 private:
  // 0 where the mask is off.
  Value* instruction(Value* x, bool rounds, Value* mask) {
    constexpr int kUsualRounding = 4;
    const Intrinsic::ID id =
        c_.is_signed ? (rounds ? Intrinsic::x86_avx512_mask_cvtps2dq_512 : Intrinsic::x86_avx512_mask_cvttps2dq_512)
                     : (rounds ? Intrinsic::x86_avx512_mask_cvtps2udq_512 : Intrinsic::x86_avx512_mask_cvttps2udq_512);
    SmallVector<Value*, 2> operands{x};
    if (mask) operands.push_back(mask);
    return by_registers(b_, operands, [&](ArrayRef<Value*> parts) -> Value* {
      Value* zeros = Constant::getNullValue(FixedVectorType::get(b_.getInt32Ty(), 16));
      Value* active = mask ? b_.CreateBitCast(parts[1], b_.getInt16Ty()) : b_.getInt16(0xffff);
      return b_.CreateIntrinsic(id, {}, {parts[0], zeros, active, b_.getInt32(kUsualRounding)});
    });
  }

  const Conversion& c_;
  IRBuilder<> b_;
};

}  // namespace

bool convert_at_once(Function& run, const TargetMachine& host) {
  if (!has_features(host, "+avx512f")) return false;
  SmallVector<Conversion, 16> work;
  for (Instruction& i : instructions(run))
    if (isa<FPToSIInst, FPToUIInst>(i))
      if (const Conversion c = find(cast<CastInst>(i)); c.result) work.push_back(c);
  for (const Conversion& c : work) {
    c.result->replaceAllUsesWith(Converter(c).convert());
    RecursivelyDeleteTriviallyDeadInstructions(c.result);
  }
  return !work.empty();
}

}  // namespace lanza::compiler
