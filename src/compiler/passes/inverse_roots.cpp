#include "compiler/passes/inverse_roots.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/MC/MCSubtargetInfo.h>

#include "compiler/passes/lane_functions.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

static StringRef name_of(const Type* scalar) { return scalar->isDoubleTy() ? kInverseRootEstimate : kInverseRoot; }

static void name_inverse_roots(Module& module, StringRef intrinsic, bool has_estimates) {
  Function* approximate = module.getFunction(intrinsic);
  if (!approximate) return;
  for (User* user : make_early_inc_range(approximate->users())) {
    auto* call = cast<CallInst>(user);
    IRBuilder<> b(call);
    Value *x = call->getArgOperand(0), *result;
    if (has_estimates) {
      CallInst* root = b.CreateCall(lane_function(module, name_of(x->getType()), x->getType(), 1), x);
      offer_of_lanes(*root);
      result = root;
    } else {
      result = b.CreateFDiv(ConstantFP::get(x->getType(), 1), b.CreateUnaryIntrinsic(Intrinsic::sqrt, x));
    }
    call->replaceAllUsesWith(result);
    call->eraseFromParent();
  }
  approximate->eraseFromParent();
}

void name_inverse_roots(Module& module, const TargetMachine& host) {
  const bool has_estimates = host.getMCSubtargetInfo()->checkFeatures("+avx512f,+avx512vl");
  for (const char* intrinsic : {"llvm.nvvm.rsqrt.approx.f", "llvm.nvvm.rsqrt.approx.d"})
    name_inverse_roots(module, intrinsic, has_estimates);
}

static Value* estimate(IRBuilder<>& b, Value* x) {
  auto* type = dyn_cast<FixedVectorType>(x->getType());
  const bool is_double = x->getType()->getScalarType()->isDoubleTy();
  if (!type) {
    auto* lowest = FixedVectorType::get(x->getType(), 128 / x->getType()->getPrimitiveSizeInBits());
    Value* first = b.CreateInsertElement(PoisonValue::get(lowest), x, uint64_t{0});
    const auto id = is_double ? Intrinsic::x86_avx512_rsqrt14_sd : Intrinsic::x86_avx512_rsqrt14_ss;
    Value* root = b.CreateIntrinsic(id, {}, {first, first, first, b.getInt8(0xff)});
    return b.CreateExtractElement(root, uint64_t{0});
  }
  auto whole = [&](Intrinsic::ID id, IntegerType* mask) {
    return b.CreateIntrinsic(id, {}, {x, Constant::getNullValue(type), Constant::getAllOnesValue(mask)});
  };
  const unsigned lanes = type->getNumElements();
  const unsigned bits = type->getPrimitiveSizeInBits();
  if (is_double && bits == 256) return whole(Intrinsic::x86_avx512_rsqrt14_pd_256, b.getInt8Ty());
  if (is_double && bits == 512) return whole(Intrinsic::x86_avx512_rsqrt14_pd_512, b.getInt8Ty());
  if (bits == 256) return whole(Intrinsic::x86_avx512_rsqrt14_ps_256, b.getInt8Ty());
  if (bits == 512) return whole(Intrinsic::x86_avx512_rsqrt14_ps_512, b.getInt16Ty());
  assert(bits > 512 && isPowerOf2_32(lanes) && "groups have 8 lanes, or whole registers of them");
  auto part = [&](unsigned from) {
    const auto half =
        to_vector<32>(map_range(seq(from, from + lanes / 2), [](unsigned k) { return static_cast<int>(k); }));
    return estimate(b, b.CreateShuffleVector(x, half));
  };
  Value *low = part(0), *high = part(lanes / 2);
  return b.CreateShuffleVector(low, high, to_vector<64>(seq(0, static_cast<int>(lanes))));
}

// Neither 0 nor less, as far as it is a number: a sum with a positive number, which keeps lengths from 0.
static bool is_positive(const Value* x, const DataLayout& layout) {
  const APFloat* number = nullptr;
  const Value* other = nullptr;
  if (!match(x, m_FAdd(m_Value(other), m_APFloat(number)))) return false;
  if (number->isNegative() || !number->isNormal()) return false;
  return computeKnownFPClass(other, layout).cannotBeOrderedLessThanZero();
}

// y / 2 of an estimate y, which is never denormal: by integers, which more units of a Zen 5 compute than products.
// Saturation keeps 0; what becomes of infinities and NaN does not show in the sum with y.
static Value* half_estimate(IRBuilder<>& b, Value* y) {
  auto* type = dyn_cast<FixedVectorType>(y->getType());
  if (!type) return b.CreateFMul(y, ConstantFP::get(y->getType(), 0.5));
  auto* words = FixedVectorType::get(b.getInt16Ty(), 2 * type->getNumElements());
  Constant* one_exponent = ConstantVector::getSplat(type->getElementCount(), b.getInt32(1 << 23));
  Value* less =
      b.CreateBinaryIntrinsic(Intrinsic::usub_sat, b.CreateBitCast(y, words), b.CreateBitCast(one_exponent, words));
  return b.CreateBitCast(less, type);
}

static Value* smaller(IRBuilder<>& b, Value* x, const APFloat& bound) {
  Constant* other = ConstantFP::get(x->getType(), bound);
  return b.CreateSelect(b.CreateFCmpOLT(x, other), x, other);
}

// Of 0 and infinity the estimate is the result, and the step's error NaN: the smaller of 1 and NaN is 1, as x86 has it,
// which leaves them as they are. Where there is no 0 the largest number serves for infinity, beside the estimate.
static Value* inverse_root(IRBuilder<>& b, Value* x) {
  auto fma = [&](Value* p, Value* q, Value* sum) {
    return b.CreateIntrinsic(Intrinsic::fma, {x->getType()}, {p, q, sum});
  };
  const APFloat one(1.0f);
  Value* y = estimate(b, x);
  const bool positive = is_positive(x, b.GetInsertBlock()->getDataLayout());
  Value* finite = positive ? smaller(b, x, APFloat::getLargest(APFloat::IEEEsingle())) : x;
  Value* product = b.CreateFMul(finite, y);
  Value* error = fma(product, b.CreateFNeg(y), ConstantFP::get(x->getType(), one));
  Value* known = positive ? error : smaller(b, error, one);
  return fma(half_estimate(b, y), known, y);
}

void lower_inverse_roots(Module& module) {
  lower_lane_function(module, kInverseRoot, [](IRBuilder<>& b, CallInst& call) {
    Value* x = call.getArgOperand(0);
    return x->getType()->getScalarType()->isDoubleTy() ? estimate(b, x) : inverse_root(b, x);
  });
}

}  // namespace lanza::compiler
