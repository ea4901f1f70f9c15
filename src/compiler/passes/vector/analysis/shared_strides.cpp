#include "compiler/passes/vector/analysis/shared_strides.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/thread_context.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

static constexpr unsigned kMostDepth = 10;

static bool works_on_bits(const Instruction& i) {
  if (auto* sum = dyn_cast<PossiblyDisjointInst>(&i)) return !sum->isDisjoint();
  switch (i.getOpcode()) {
    case Instruction::And:
    case Instruction::Xor:
    case Instruction::URem:
    case Instruction::UDiv:
    case Instruction::SRem:
    case Instruction::SDiv:
      return true;
    default:
      return false;
  }
}

bool may_meet_stride(const Instruction& i) {
  if (!i.getType()->isIntegerTy() || !isa<BinaryOperator>(i)) return false;
  return (i.getOpcode() == Instruction::Mul || works_on_bits(i)) && !isa<Constant>(i.getOperand(1));
}

Value* step_to_stride(Value* v) {
  Value* x;
  const bool known = match(v, m_Add(m_Value(x), m_ConstantInt())) || match(v, m_Not(m_Value(x))) ||
                     match(v, m_Neg(m_Value(x))) || match(v, m_Select(m_Value(), m_One(), m_Value(x)));
  return known ? x : nullptr;
}

static Value* root_of(Value* v) {
  while (Value* x = step_to_stride(v)) v = x;
  return isa<Constant>(v) ? nullptr : v;
}

// As far as multiplications and shifts show. Any other number is as likely to be none of the powers below the lanes.
static bool is_power_of_two(Value* value) {
  SmallSetVector<Value*, 8> made_of;
  made_of.insert(value);
  for (size_t n = 0; n < made_of.size(); ++n) {
    Value *v = made_of[n], *x, *y;
    if (auto* number = dyn_cast<ConstantInt>(v)) {
      if (!number->getValue().isPowerOf2()) return false;
    } else if (auto* phi = dyn_cast<PHINode>(v)) {
      for (Value* incoming : phi->incoming_values()) made_of.insert(incoming);
    } else if (match(v, m_Shl(m_Value(x), m_Value())) || match(v, m_Shr(m_Value(x), m_Value())) ||
               match(v, m_SDiv(m_Value(x), m_Power2())) || match(v, m_ZExtOrSExt(m_Value(x)))) {
      made_of.insert(x);
    } else if (match(v, m_Mul(m_Value(x), m_Value(y)))) {
      made_of.insert(x);
      made_of.insert(y);
    } else {
      return false;
    }
  }
  return true;
}

// A loop's counter that goes up or down by a constant is seldom a power of two.
static bool counts_evenly(const Value* value) {
  auto* phi = dyn_cast<PHINode>(value);
  return phi && any_of(phi->incoming_values(),
                       [&](const Value* next) { return match(next, m_Add(m_Specific(phi), m_ConstantInt())); });
}

static bool is_compared(const Value& v) {
  return any_of(v.users(), [](const User* user) {
    auto* compare = dyn_cast<ICmpInst>(user);
    return compare ? !isa<Constant>(compare->getOperand(1)) : isa<CastInst>(user) && is_compared(*user);
  });
}

Value* argument_stride(Value* factor) {
  while (isa<SExtInst, ZExtInst, TruncInst>(factor)) factor = cast<CastInst>(factor)->getOperand(0);
  const bool is_argument = isa<Argument>(factor) || loaded_member(*factor);
  return is_argument && factor->getType()->isIntegerTy() && !is_compared(*factor) ? factor : nullptr;
}

static std::optional<SharedStride> stride_of(Instruction& i, const Shapes& shapes, LaneTables& tables) {
  if (!may_meet_stride(i)) return {};
  for (unsigned k = 0; k < 2; ++k) {
    const Value* index = i.getOperand(1 - k);
    if (!shapes.is_uniform(i.getOperand(k)) || shapes.is_uniform(index) || !tables.of(index)) continue;
    const bool is_factor = i.getOpcode() == Instruction::Mul;
    const bool is_argument =
        is_factor && shapes[index].is_strided() && shapes[index].stride == 1 && argument_stride(i.getOperand(k));
    if (is_factor && !is_argument && !is_power_of_two(i.getOperand(k))) continue;
    Value* root = is_factor ? i.getOperand(k) : root_of(i.getOperand(k));
    if (!root || isa<Constant>(root) || root->getType()->getIntegerBitWidth() < 32 || counts_evenly(root)) continue;
    return SharedStride{root, &i, is_factor, is_argument};
  }
  return {};
}

static std::optional<SharedStride> find(const Value* value, const Shapes& shapes, LaneTables& tables, unsigned depth) {
  auto* i = dyn_cast<Instruction>(const_cast<Value*>(value));
  if (!i || depth == kMostDepth || !shapes[value].is_varying()) return {};
  if (!isa<BinaryOperator, CastInst, GetElementPtrInst>(i)) return {};
  if (auto found = stride_of(*i, shapes, tables)) return found;
  for (const Use& operand : i->operands())
    if (auto found = find(operand, shapes, tables, depth + 1)) return found;
  return {};
}

std::optional<SharedStride> shared_stride(const Value* address, const Shapes& shapes, LaneTables& tables) {
  return find(address, shapes, tables, 0);
}

}  // namespace lanza::compiler
