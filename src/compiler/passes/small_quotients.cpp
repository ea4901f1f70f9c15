#include "compiler/passes/small_quotients.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/kept_analyses.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostBits = 16;  // of the integers that are tried

struct Integers {
  std::int64_t first, last;
};

// Of an integer that is converted to a floating-point number.
std::optional<Integers> integers_of(Value* number, const DataLayout& layout) {
  Value* i = nullptr;
  if (match(number, m_UIToFP(m_Value(i)))) {
    const unsigned bits = computeKnownBits(i, layout).countMaxActiveBits();
    if (bits <= kMostBits) return Integers{0, (std::int64_t{1} << bits) - 1};
  } else if (match(number, m_SIToFP(m_Value(i)))) {
    const KnownBits known = computeKnownBits(i, layout);
    const unsigned bits = ComputeMaxSignificantBits(i, layout);
    const std::int64_t end = std::int64_t{1} << (std::min(bits, kMostBits + 1) - 1);
    if (bits <= kMostBits + 1 && known.isNonNegative()) return Integers{0, end - 1};
    if (bits <= kMostBits) return Integers{-end, end - 1};
  }
  return std::nullopt;
}

template <typename Float>
bool is_same(Float a, Float b) {
  using Bits = std::conditional_t<sizeof(Float) == 4, std::uint32_t, std::uint64_t>;
  return std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
}

enum class Way { Division, Product, ProductOfParts, CorrectedProduct };

// What the inverse lacks: 1 / divisor = inverse + rest.
template <typename Float>
Float rest_of_inverse(Float divisor, Float inverse) {
  return std::fma(-divisor, inverse, Float(1)) / divisor;
}

template <typename Float>
Way way_of(const Integers& integers, Float divisor) {
  const Float inverse = 1 / divisor;
  auto all = [&](auto quotient) {
    for (std::int64_t i = integers.first; i <= integers.last; ++i)
      if (!is_same(quotient(static_cast<Float>(i)), static_cast<Float>(i) / divisor)) return false;
    return true;
  };
  if (!std::isnormal(inverse)) return Way::Division;
  if (all([&](Float x) { return x * inverse; })) return Way::Product;
  const Float rest = rest_of_inverse(divisor, inverse);
  if (all([&](Float x) { return std::fma(x, inverse, x * rest); })) return Way::ProductOfParts;
  auto corrected = [&](Float x) {
    const Float product = x * inverse;
    return std::fma(std::fma(-divisor, product, x), inverse, product);
  };
  return all(corrected) ? Way::CorrectedProduct : Way::Division;
}

template <typename Float>
Value* without_division(IRBuilder<>& b, Value* x, const Integers& integers, Float divisor) {
  const Way way = way_of(integers, divisor);
  if (way == Way::Division) return nullptr;
  auto constant = [&](Float value) { return ConstantFP::get(x->getType(), value); };
  auto fma = [&](Value* p, Value* q, Value* sum) {
    return b.CreateIntrinsic(Intrinsic::fma, {x->getType()}, {p, q, sum});
  };
  const Float inverse = 1 / divisor;
  if (way == Way::ProductOfParts)
    return fma(x, constant(inverse), b.CreateFMul(x, constant(rest_of_inverse(divisor, inverse))));
  Value* product = b.CreateFMul(x, constant(inverse));
  if (way == Way::Product) return product;
  return fma(fma(constant(-divisor), product, x), constant(inverse), product);
}

Value* without_division(Instruction& quotient, const DataLayout& layout) {
  const APFloat* divisor = nullptr;
  Value* x = nullptr;
  if (!match(&quotient, m_FDiv(m_Value(x), m_APFloat(divisor))) || !divisor->isNormal()) return nullptr;
  const auto integers = integers_of(x, layout);
  if (!integers) return nullptr;
  IRBuilder<> b(&quotient);
  if (x->getType()->isFloatTy()) return without_division(b, x, *integers, divisor->convertToFloat());
  if (x->getType()->isDoubleTy()) return without_division(b, x, *integers, divisor->convertToDouble());
  return nullptr;
}

}  // namespace

PreservedAnalyses SmallQuotientsPass::run(Function& function, FunctionAnalysisManager&) {
  bool changed = false;
  for (Instruction& i : make_early_inc_range(instructions(function))) {
    Value* result = without_division(i, function.getDataLayout());
    if (!result) continue;
    i.replaceAllUsesWith(result);
    i.eraseFromParent();
    changed = true;
  }
  return keeps_control_flow(changed);
}

}  // namespace lanza::compiler
