#include "compiler/passes/vector/scalars/saturate_extrema.hpp"

#include <optional>

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

/// `v` as a number of so few bits, where it is an extension of one, or a constant.
Value* narrow_of(Value* v, IntegerType* narrow) {
  Value* inside;
  if (match(v, m_ZExt(m_Value(inside))) && inside->getType() == narrow) return inside;
  auto* number = dyn_cast<ConstantInt>(v);
  return number && number->getValue().isIntN(narrow->getBitWidth()) ? ConstantInt::get(narrow, number->getZExtValue())
                                                                    : nullptr;
}

/// A sum or difference of two such numbers that has room for all of its bits.
struct Sum {
  Value *left = nullptr, *right = nullptr;
  bool subtracts = false;

  Value* saturated(IRBuilder<>& b) const {
    return b.CreateBinaryIntrinsic(subtracts ? Intrinsic::usub_sat : Intrinsic::uadd_sat, left, right);
  }

  /// Whether `v` is its low bits.
  bool is_cut_to(Value* v, Value* whole) const {
    if (match(v, m_Trunc(m_Specific(whole)))) return true;
    if (!subtracts) return match(v, m_c_Add(m_Specific(left), m_Specific(right)));
    auto* number = dyn_cast<ConstantInt>(right);
    return match(v, m_Sub(m_Specific(left), m_Specific(right))) ||
           (number && match(v, m_Add(m_Specific(left), m_SpecificInt(-number->getValue()))));
  }
};

std::optional<Sum> sum_of(Value* v, IntegerType* narrow) {
  auto* i = dyn_cast<BinaryOperator>(v);
  if (!i || i->getType()->getScalarSizeInBits() < narrow->getBitWidth() + 2) return std::nullopt;
  Value *a = i->getOperand(0), *c = i->getOperand(1);
  Sum sum{narrow_of(a, narrow), nullptr, i->getOpcode() == Instruction::Sub};
  if (!sum.left || isa<Constant>(sum.left) || (!sum.subtracts && i->getOpcode() != Instruction::Add))
    return std::nullopt;
  auto* number = dyn_cast<ConstantInt>(c);
  if (number && number->isNegative() && !sum.subtracts) {  // as LLVM writes `a - 1`
    c = ConstantInt::get(c->getType(), -number->getValue());
    sum.subtracts = true;
  }
  sum.right = narrow_of(c, narrow);
  return sum.right ? std::optional(sum) : std::nullopt;
}

/// The lesser of a sum and a number, or the greater of a difference and one.
Value* extremum(IRBuilder<>& b, const Sum& sum, Value* other) {
  return b.CreateBinaryIntrinsic(sum.subtracts ? Intrinsic::umax : Intrinsic::umin, sum.saturated(b), other);
}

/// Of `choice`, which asks whether `whole` is less or greater than `other`.
Value* of_choice(SelectInst& choice, Value* whole, Value* other, ICmpInst::Predicate predicate) {
  auto* narrow = cast<IntegerType>(choice.getType());
  Value* number = narrow_of(other, narrow);
  const auto sum = number ? sum_of(whole, narrow) : std::nullopt;
  // What may be below zero is great where nobody looks at signs.
  if (!sum || (sum->subtracts && !ICmpInst::isSigned(predicate))) return nullptr;
  const bool asks_less = ICmpInst::isLT(predicate) || ICmpInst::isLE(predicate);
  const bool takes_sum_if_so = sum->is_cut_to(choice.getTrueValue(), whole);
  Value* rest = takes_sum_if_so ? choice.getFalseValue() : choice.getTrueValue();
  if (rest != number || (!takes_sum_if_so && !sum->is_cut_to(choice.getFalseValue(), whole))) return nullptr;
  const bool takes_less = asks_less == takes_sum_if_so;
  if (takes_less == sum->subtracts) return nullptr;
  IRBuilder<> b(&choice);
  return extremum(b, *sum, number);
}

Value* of_choice(SelectInst& choice) {
  auto* asked = dyn_cast<ICmpInst>(choice.getCondition());
  if (!asked || !asked->isRelational() || !choice.getType()->isIntegerTy()) return nullptr;
  Value *x = asked->getOperand(0), *y = asked->getOperand(1);
  if (Value* found = of_choice(choice, x, y, asked->getPredicate())) return found;
  return of_choice(choice, y, x, asked->getSwappedPredicate());
}

Value* of_extremum(MinMaxIntrinsic& call, IntegerType* narrow) {
  for (unsigned at = 0; at < 2; ++at) {
    Value* number = narrow_of(call.getArgOperand(1 - at), narrow);
    const auto sum = number ? sum_of(call.getArgOperand(at), narrow) : std::nullopt;
    if (!sum || (sum->subtracts && !call.isSigned())) continue;
    if (ICmpInst::isGT(call.getPredicate()) != sum->subtracts) continue;
    IRBuilder<> b(&call);
    return b.CreateZExt(extremum(b, *sum, number), call.getType());
  }
  return nullptr;
}

Value* saturated(Instruction& i) {
  LLVMContext& context = i.getContext();
  IntegerType *bytes = Type::getInt8Ty(context), *shorts = Type::getInt16Ty(context);
  if (auto* choice = dyn_cast<SelectInst>(&i))
    return choice->getType() == bytes || choice->getType() == shorts ? of_choice(*choice) : nullptr;
  auto* call = dyn_cast<MinMaxIntrinsic>(&i);
  if (!call || !call->getType()->isIntegerTy()) return nullptr;
  Value* found = of_extremum(*call, bytes);
  return found ? found : of_extremum(*call, shorts);
}

}  // namespace

bool saturate_extrema(Function& kernel) {
  bool changed = false;
  for (Instruction& i : make_early_inc_range(instructions(kernel)))
    if (Value* better = saturated(i)) {
      i.replaceAllUsesWith(better);
      changed = true;
    }
  return changed;
}

}  // namespace lanza::compiler
