#include "compiler/passes/vector/groups/index_spans.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/guard_division.hpp"
#include "compiler/passes/vector/groups/end_grid_loop.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

static Value* without_cast(Value* v) {
  while (isa<SExtInst, ZExtInst, TruncInst, FreezeInst>(v)) v = cast<Instruction>(v)->getOperand(0);
  return v;
}

// LLVM guards a divisor before it extends it.
Value* without_division_guard(Value* guarded) {
  Value* divisor = unguarded_divisor(guarded);
  if (!isa<SExtInst, ZExtInst>(divisor)) return divisor;
  Value* narrow = cast<CastInst>(divisor)->getOperand(0);
  Value* unguarded = unguarded_divisor(narrow);
  return unguarded == narrow ? divisor : unguarded;
}

std::optional<IndexDivision> as_index_division(Instruction& i) {
  auto* operation = dyn_cast<BinaryOperator>(&i);
  if (!operation || i.getType()->getScalarSizeInBits() < 32 || i.getType()->isVectorTy()) return {};
  Value* by = i.getOperand(1);
  if (operation->isIntDivRem()) {
    const bool is_remainder = i.getOpcode() == Instruction::SRem || i.getOpcode() == Instruction::URem;
    Value* divisor = without_division_guard(by);
    return is_made_of_arguments(divisor) ? std::optional(IndexDivision{operation, is_remainder, divisor})
                                         : std::nullopt;
  }
  const APInt* number;
  if (!match(by, m_APInt(number))) return {};
  if (i.getOpcode() == Instruction::And && number->isMask())
    return IndexDivision{operation, true, ConstantInt::get(i.getType(), *number + 1)};
  if (i.isShift() && i.getOpcode() != Instruction::Shl && number->ult(31))
    return IndexDivision{operation, false, ConstantInt::get(i.getType(), uint64_t{1} << number->getZExtValue())};
  return {};
}

bool can_be_real(const IndexDivision& division) {
  auto* number = dyn_cast<ConstantInt>(division.divisor);
  const bool is_positive = !number || (number->getValue().isStrictlyPositive() && number->getValue().isIntN(31));
  return is_positive && division.operation->isIntDivRem();
}

IndexFactors index_factors(Value* v) {
  Value *x, *y;
  const APInt* shift;
  if (match(without_cast(v), m_Shl(m_Value(x), m_APInt(shift))) && shift->ult(31)) {
    IndexFactors factors = index_factors(x);
    factors.push_back(ConstantInt::get(x->getType(), uint64_t{1} << shift->getZExtValue()));
    return factors;
  }
  if (!match(without_cast(v), m_Mul(m_Value(x), m_Value(y)))) return {v};
  IndexFactors factors = index_factors(x);
  factors.append(index_factors(y));
  return factors;
}

std::optional<IndexFactors> without_factors(IndexFactors all, const IndexFactors& some) {
  for (Value* factor : some) {
    auto* found = find_if(all, [&](Value* v) { return without_cast(v) == without_cast(factor); });
    if (found == all.end()) return {};
    all.erase(found);
  }
  return all;
}

IndexFactors factor_product(IndexFactors a, const IndexFactors& b) {
  a.append(b);
  return a;
}

std::optional<IndexSpan> IndexSpan::part(const IndexFactors& divisor, bool is_remainder) const {
  if (!size) return is_remainder ? IndexSpan{below, divisor} : IndexSpan{factor_product(below, divisor), {}};
  const std::optional<IndexFactors> rest = without_factors(*size, divisor);
  if (!rest || rest->empty()) return {};
  return is_remainder ? IndexSpan{below, divisor} : IndexSpan{factor_product(below, divisor), rest};
}

}  // namespace lanza::compiler
