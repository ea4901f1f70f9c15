#include "compiler/passes/vector/analysis/float_bits.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/vector/group_form.hpp"
#include "compiler/passes/zero_choices.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostSteps = 256;  // from a value to what it is made of

using Values = SmallVector<Value*, 16>;

Intrinsic::ID intrinsic(const Value* v) {
  auto* call = dyn_cast<IntrinsicInst>(v);
  return call ? call->getIntrinsicID() : Intrinsic::not_intrinsic;
}

bool is_extremum(const Value* v) { return intrinsic(v) == Intrinsic::maxnum || intrinsic(v) == Intrinsic::minnum; }

// What a group keeps for the next region is what was stored there. False where the slot has no memory of its own.
bool add_kept(const LoadInst& load, Values& from) {
  if (!load.hasMetadata(kSlot)) return false;
  auto* slot = dyn_cast<AllocaInst>(getUnderlyingObject(load.getPointerOperand()));
  if (!slot) return false;
  SmallVector<const User*, 8> users(slot->users());
  while (!users.empty()) {
    const User* user = users.pop_back_val();
    auto* store = dyn_cast<StoreInst>(user);
    if (isa<GetElementPtrInst>(user)) {
      append_range(users, user->users());
    } else if (store && store->hasMetadata(kSlot) && store->getValueOperand()->getType() == load.getType()) {
      from.push_back(const_cast<Value*>(store->getValueOperand()));
    } else if (!isa<LoadInst>(user) && !cast<Instruction>(user)->isLifetimeStartOrEnd()) {
      return false;
    }
  }
  return true;
}

// Among what the value is chosen, lane by lane, also as bits of the same size.
bool add_choices(Value* v, Values& from) {
  if (auto* choice = dyn_cast<SelectInst>(v)) {
    from.push_back(choice->getFalseValue());
    if (!as_equal_numbers(*choice).first) from.push_back(choice->getTrueValue());
  } else if (auto* phi = dyn_cast<PHINode>(v)) {
    append_range(from, phi->incoming_values());
  } else if (auto* moved = dyn_cast<ShuffleVectorInst>(v)) {
    append_range(from, moved->operands());
  } else if (auto* cast = dyn_cast<BitCastInst>(v)) {
    if (cast->getSrcTy()->getScalarSizeInBits() != cast->getDestTy()->getScalarSizeInBits()) return false;
    from.push_back(cast->getOperand(0));
  } else if (auto* load = dyn_cast<LoadInst>(v)) {
    return add_kept(*load, from);
  } else {
    return isa<PoisonValue>(v);
  }
  return true;
}

/// Whether all that the value comes from is as `is_one` says, which may name what it follows from in turn.
bool come_all(Value* value, function_ref<bool(Value*, Values& from)> is_one) {
  Values work{value};
  SmallPtrSet<Value*, 16> seen;
  while (!work.empty()) {
    Value* v = work.pop_back_val();
    if (!seen.insert(v).second) continue;
    if (seen.size() > kMostSteps || !(is_one(v, work) || add_choices(v, work))) return false;
  }
  return true;
}

bool has_number(Value* v, Values& from) {
  Value* x;
  if (is_extremum(v)) {
    auto* call = cast<IntrinsicInst>(v);
    // One of them suffices: a number, or what a loop has so far, most often the first.
    Value *x = call->getArgOperand(0), *y = call->getArgOperand(1);
    from.push_back(match(y, m_NonNaN()) || (isa<PHINode>(y) && !isa<PHINode>(x)) ? y : x);
    return true;
  }
  if (match(v, m_FAbs(m_Value(x))) || match(v, m_FNeg(m_Value(x)))) {
    from.push_back(x);
    return true;
  }
  return match(v, m_NonNaN());
}

bool is_computed(const Value* v) {
  switch (intrinsic(v)) {
    case Intrinsic::fma:
    case Intrinsic::sqrt:
    case Intrinsic::floor:
    case Intrinsic::ceil:
    case Intrinsic::trunc:
    case Intrinsic::rint:
    case Intrinsic::roundeven:
      return true;
    default:
      return isa<FPExtInst, FPTruncInst, SIToFPInst, UIToFPInst>(v) ||
             (isa<BinaryOperator>(v) && v->getType()->isFPOrFPVectorTy());
  }
}

// What equal numbers are, a choice's first part, has the bits of either, or of both: two zeros may differ in their
// sign.
void add_equals(Value* v, Values& from) {
  auto* choice = dyn_cast<SelectInst>(v);
  const auto [x, y] = choice ? as_equal_numbers(*choice) : std::pair<Value*, Value*>();
  if (x) from.append({x, y});
}

// Not less than zero, nor a negative zero; or NaN.
bool has_no_sign(Value* value) {
  return come_all(value, [](Value* v, Values& from) {
    const APFloat* number;
    Value *x, *y, *z;
    if (match(v, m_APFloat(number))) return !number->isNegative();
    if (match(v, m_FAbs(m_Value())) || isa<UIToFPInst>(v) || match(v, m_FMul(m_Value(x), m_Deferred(x)))) return true;
    if (match(v, m_Intrinsic<Intrinsic::fma>(m_Value(x), m_Deferred(x), m_Value(z)))) {
      from.push_back(z);
    } else if (match(v, m_Sqrt(m_Value(x)))) {
      from.push_back(x);
    } else if (match(v, m_FAdd(m_Value(x), m_Value(y))) || match(v, m_FMul(m_Value(x), m_Value(y))) ||
               match(v, m_FDiv(m_Value(x), m_Value(y)))) {
      from.append({x, y});
    } else {
      add_equals(v, from);
      return false;
    }
    return true;
  });
}

}  // namespace

bool is_never_nan(Value* value) { return come_all(value, has_number); }

bool is_never_signalling(Value* value) {
  return come_all(value, [](Value* v, Values& from) {
    if (is_computed(v)) return true;
    if (!is_extremum(v)) return has_number(v, from);
    append_range(from, cast<IntrinsicInst>(v)->args());
    return true;
  });
}

bool has_positive_zeros(Value* value) {
  return come_all(value, [](Value* v, Values& from) {
    if (has_no_sign(v)) return true;
    const APFloat* number;
    if (match(v, m_APFloat(number))) return !number->isNegZero();
    if (is_extremum(v)) {
      append_range(from, cast<IntrinsicInst>(v)->args());
      return true;
    }
    add_equals(v, from);
    return false;
  });
}

}  // namespace lanza::compiler
