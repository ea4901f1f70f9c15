#include "compiler/passes/nan_choices.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostUses = 200;  // that are followed for one choice

// What is NaN exactly where `value` is, and has other bits at most.
Value* number_of(Value* value) {
  while (isa<FPExtInst, FPTruncInst, BitCastInst>(value)) {
    Value* from = cast<CastInst>(value)->getOperand(0);
    if (!from->getType()->isFloatingPointTy()) break;
    value = from;
  }
  return value;
}

// `x is NaN ? constant : ...`; else null.
Value* asks_for_nan(SelectInst& choice) {
  Value *x, *y;
  CmpInst::Predicate asks;
  if (!isa<Constant>(choice.getTrueValue())) return nullptr;
  if (!match(choice.getCondition(), m_FCmp(asks, m_Value(x), m_Value(y))) || asks != CmpInst::FCMP_UNO) return nullptr;
  return x == y || match(y, m_AnyZeroFP()) ? x : nullptr;
}

// A choice that gives a converted number's NaN certain bits.
bool is_nan_choice(SelectInst& choice) {
  Value* x = asks_for_nan(choice);
  auto* constant = dyn_cast<ConstantFP>(choice.getTrueValue());
  return x && constant && constant->isNaN() && isa<FPExtInst, FPTruncInst>(choice.getFalseValue()) &&
         number_of(choice.getFalseValue()) == number_of(x);
}

// Arithmetic whose result, if it is NaN, is NaN whatever bits the operands' had, and else the same number.
bool is_arithmetic(const Instruction& i) {
  auto* call = dyn_cast<IntrinsicInst>(&i);
  if (!call)
    return isa<FPExtInst, FPTruncInst>(i) ||
           (isa<BinaryOperator, UnaryOperator>(i) && i.getType()->isFloatingPointTy());
  switch (call->getIntrinsicID()) {
    case Intrinsic::fma:
    case Intrinsic::fmuladd:
    case Intrinsic::sqrt:
    case Intrinsic::fabs:
    case Intrinsic::floor:
    case Intrinsic::ceil:
    case Intrinsic::trunc:
    case Intrinsic::rint:
    case Intrinsic::nearbyint:
    case Intrinsic::roundeven:
    case Intrinsic::maxnum:
    case Intrinsic::minnum:
      return true;
    default:
      return false;
  }
}

/// Whether nobody sees the bits of a value that is NaN.
class NanBits {
 public:
  bool are_unseen(Instruction& value) {
    follow(value);
    for (size_t n = 0; n < values_.size(); ++n)
      for (const Use& use : values_[n]->uses())
        if (values_.size() > kMostUses || !passes(use)) return false;
    return true;
  }

 private:
  // The value that the use is part of is followed, too, unless the use ends there.
  bool passes(const Use& use) {
    auto& user = *cast<Instruction>(use.getUser());
    if (isa<FCmpInst, FPToSIInst, FPToUIInst>(user)) return true;
    if (auto* call = dyn_cast<IntrinsicInst>(&user);
        call && (call->getIntrinsicID() == Intrinsic::fptosi_sat || call->getIntrinsicID() == Intrinsic::fptoui_sat))
      return true;
    if (auto* choice = dyn_cast<SelectInst>(&user)) return ends(*choice, *use.get()) || follow_number(user);
    if (isa<BitCastInst>(user) && !user.getType()->isFloatingPointTy())
      return all_of(user.users(), [&](User* u) { return isa<SelectInst>(u) && ends(*cast<SelectInst>(u), user); });
    return (isa<PHINode>(user) || is_arithmetic(user)) && follow(user);
  }

  // Where the value is NaN something else is chosen.
  static bool ends(SelectInst& choice, Value& value) {
    Value* x = asks_for_nan(choice);
    if (!x || choice.getFalseValue() != &value || choice.getTrueValue() == &value) return false;
    auto* bits = dyn_cast<BitCastInst>(&value);
    return number_of(bits ? bits->getOperand(0) : &value) == number_of(x);
  }

  bool follow_number(Instruction& user) { return user.getType()->isFloatingPointTy() && follow(user); }

  bool follow(Instruction& value) {
    values_.insert(&value);
    return true;
  }

  SmallSetVector<Instruction*, 16> values_;
};

}  // namespace

PreservedAnalyses NanChoicesPass::run(Function& function, FunctionAnalysisManager&) {
  bool changed = false;
  for (Instruction& i : make_early_inc_range(instructions(function))) {
    auto* choice = dyn_cast<SelectInst>(&i);
    if (!choice || !is_nan_choice(*choice) || !NanBits().are_unseen(*choice)) continue;
    choice->replaceAllUsesWith(choice->getFalseValue());
    choice->eraseFromParent();
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace lanza::compiler
