#include "compiler/passes/vector/lanes/scale_at_once.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/passes/vector/analysis/processors.hpp"
#include "compiler/passes/vector/lanes/by_registers.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

/// `factor * 2^(bits / 2) * 2^(bits - bits / 2)`, the exponents as biased as `shifted` is, whose bits those are.
struct Scaling {
  Value *factor, *shifted;
  Constant* bias;
};

struct Format {
  unsigned mantissa;
  double bias;  ///< as of __lanza_split_power
};

Format format_of(Type* type) {
  return type->getScalarType()->isDoubleTy() ? Format{52, 6755399441057790.0} : Format{23, 12583166.0};
}

std::optional<Scaling> as_scaling(Instruction& product) {
  auto* type = dyn_cast<FixedVectorType>(product.getType());
  if (!type || !(type->getElementType()->isFloatTy() || type->getElementType()->isDoubleTy())) return {};
  const Format format = format_of(type);
  Value *once, *factor, *bits, *half, *shifted;
  auto power = [&](auto exponent) { return m_BitCast(m_Shl(exponent, m_SpecificInt(format.mantissa))); };
  if (!match(&product, m_c_FMul(power(m_Sub(m_Value(bits), m_Value(half))), m_Value(once))) ||
      !match(half, m_LShr(m_Specific(bits), m_SpecificInt(1))) ||
      !match(once, m_c_FMul(power(m_Specific(half)), m_Value(factor))) || !match(bits, m_BitCast(m_Value(shifted))))
    return {};
  auto bias = m_SpecificFP(format.bias);
  if (!match(shifted, m_CombineOr(m_FAdd(m_Value(), bias), m_Intrinsic<Intrinsic::fma>(m_Value(), m_Value(), bias))))
    return {};
  return Scaling{factor, shifted, ConstantFP::get(type, -format.bias)};
}

Value* scale_register(IRBuilder<>& b, Value* factor, Value* by) {
  auto* type = cast<FixedVectorType>(factor->getType());
  const unsigned lanes = type->getNumElements(), bits = lanes * type->getScalarSizeInBits();
  const bool is_double = type->getElementType()->isDoubleTy();
  constexpr Intrinsic::ID kIds[] = {Intrinsic::x86_avx512_mask_scalef_ps_128, Intrinsic::x86_avx512_mask_scalef_ps_256,
                                    Intrinsic::x86_avx512_mask_scalef_ps_512, Intrinsic::x86_avx512_mask_scalef_pd_128,
                                    Intrinsic::x86_avx512_mask_scalef_pd_256, Intrinsic::x86_avx512_mask_scalef_pd_512};
  constexpr int kUsualRounding = 4;
  const unsigned size = bits == 128 ? 0 : bits == 256 ? 1 : 2;
  SmallVector<Value*, 5> operands{factor, by, PoisonValue::get(type),
                                  Constant::getAllOnesValue(b.getIntNTy(std::max(8U, lanes)))};
  if (size == 2) operands.push_back(b.getInt32(kUsualRounding));
  return b.CreateIntrinsic(kIds[3 * is_double + size], {}, operands);
}

bool fills_registers(Type* type) {
  const unsigned bits = type->getPrimitiveSizeInBits().getFixedValue();
  return isPowerOf2_32(bits) && bits >= 128;
}

}  // namespace

bool scale_at_once(Function& run, const TargetMachine& host) {
  if (!has_features(host, "+avx512f,+avx512vl")) return false;
  SmallVector<std::pair<Instruction*, Scaling>, 16> work;
  for (Instruction& i : instructions(run))
    if (const auto scaling = as_scaling(i); scaling && fills_registers(i.getType())) work.push_back({&i, *scaling});
  for (auto& [product, scaling] : work) {
    IRBuilder<> b(product);
    Value* by = b.CreateFAdd(scaling.shifted, scaling.bias);
    auto scale = [&](ArrayRef<Value*> parts) { return scale_register(b, parts[0], parts[1]); };
    product->replaceAllUsesWith(by_registers(b, {scaling.factor, by}, scale));
    RecursivelyDeleteTriviallyDeadInstructions(product);
  }
  return !work.empty();
}

}  // namespace lanza::compiler
