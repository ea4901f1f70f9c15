#include "compiler/passes/inverse_roots.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/MC/MCSubtargetInfo.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

static FunctionCallee declare(Module& module, const Twine& name, Type* type) {
  FunctionCallee callee = module.getOrInsertFunction(name.str(), type, type);
  auto* function = cast<Function>(callee.getCallee());
  function->setMemoryEffects(MemoryEffects::none());
  function->setDoesNotThrow();
  function->setWillReturn();
  function->setSpeculatable();
  return callee;
}

FunctionCallee vector_inverse_root(Module& module, unsigned lanes) {
  Type* type = FixedVectorType::get(Type::getFloatTy(module.getContext()), lanes);
  return declare(module, Twine(kInverseRoot) + ".v" + Twine(lanes), type);
}

// What LLVM's LoopVectorizer calls in place of it.
static std::string vector_variants(Module& module) {
  std::string variants;
  for (unsigned lanes : {8, 16}) {
    const StringRef name = vector_inverse_root(module, lanes).getCallee()->getName();
    if (!variants.empty()) variants += ',';
    variants += ("_ZGV_LLVM_N" + Twine(lanes) + "v_" + kInverseRoot + "(" + name + ")").str();
  }
  return variants;
}

void name_inverse_roots(Module& module, const TargetMachine& host) {
  Function* approximate = module.getFunction("llvm.nvvm.rsqrt.approx.f");
  if (!approximate) return;
  const bool estimates = host.getMCSubtargetInfo()->checkFeatures("+avx512f,+avx512vl");
  for (User* user : make_early_inc_range(approximate->users())) {
    auto* call = cast<CallInst>(user);
    IRBuilder<> b(call);
    Value *x = call->getArgOperand(0), *result;
    if (estimates) {
      CallInst* root = b.CreateCall(declare(module, kInverseRoot, x->getType()), x);
      root->addFnAttr(Attribute::get(module.getContext(), "vector-function-abi-variant", vector_variants(module)));
      result = root;
    } else {
      result = b.CreateFDiv(ConstantFP::get(x->getType(), 1), b.CreateUnaryIntrinsic(Intrinsic::sqrt, x));
    }
    call->replaceAllUsesWith(result);
    call->eraseFromParent();
  }
  approximate->eraseFromParent();
}

static Value* estimate(IRBuilder<>& b, Value* x) {
  auto* type = dyn_cast<FixedVectorType>(x->getType());
  if (!type) {
    Value* first = b.CreateInsertElement(PoisonValue::get(FixedVectorType::get(x->getType(), 4)), x, uint64_t{0});
    Value* root = b.CreateIntrinsic(Intrinsic::x86_avx512_rsqrt14_ss, {}, {first, first, first, b.getInt8(0xff)});
    return b.CreateExtractElement(root, uint64_t{0});
  }
  auto whole = [&](Intrinsic::ID id, IntegerType* mask) {
    return b.CreateIntrinsic(id, {}, {x, Constant::getNullValue(type), Constant::getAllOnesValue(mask)});
  };
  const unsigned lanes = type->getNumElements();
  if (lanes == 8) return whole(Intrinsic::x86_avx512_rsqrt14_ps_256, b.getInt8Ty());
  if (lanes == 16) return whole(Intrinsic::x86_avx512_rsqrt14_ps_512, b.getInt16Ty());
  assert(lanes > 16 && isPowerOf2_32(lanes) && "groups have 8 lanes, or whole registers of them");
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
  for (Function& function : make_early_inc_range(module)) {
    if (!function.getName().starts_with(kInverseRoot)) continue;
    for (User* user : make_early_inc_range(function.users())) {
      auto* call = cast<CallInst>(user);
      IRBuilder<> b(call);
      call->replaceAllUsesWith(inverse_root(b, call->getArgOperand(0)));
      call->eraseFromParent();
    }
    function.eraseFromParent();
  }
}

}  // namespace lanza::compiler
