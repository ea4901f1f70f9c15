#include "compiler/passes/vector/scalars/fold_rings.hpp"

#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/guard_division.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

/// A dividend: index + step, and the divisor once more if `around`.
struct Step {
  Value* index;
  int64_t step = 0;
  bool around = false;
  bool is_exact = true;  // no part of the sum wraps, as a number with a sign
};

bool is_remainder(const Instruction& i) {
  return (i.getOpcode() == Instruction::SRem || i.getOpcode() == Instruction::URem) && i.getType()->isIntegerTy();
}

// None: it is no step to a neighbour.
std::optional<Step> step_of(const BinaryOperator& remainder, const Value* n) {
  Step sum{remainder.getOperand(0)};
  auto has = [&](const Value* v) { return v == n; };
  while (auto* add = dyn_cast<BinaryOperator>(sum.index)) {
    if (add->getOpcode() != Instruction::Add) break;
    Value *a = add->getOperand(0), *b = add->getOperand(1);
    const auto* number = dyn_cast<ConstantInt>(b);
    const auto* size = dyn_cast<ConstantInt>(n);
    if (number && number->getValue().abs() == 1) {
      sum.step += number->getSExtValue();
    } else if (number && size && !sum.around && (number->getValue() - size->getValue()).abs().ule(1)) {
      sum.step += (number->getValue() - size->getValue()).getSExtValue();  // x - 1 + 1000
      sum.around = true;
    } else if (!sum.around && (has(a) || has(b))) {
      sum.around = true;
    } else {
      break;
    }
    sum.is_exact &= add->hasNoSignedWrap();
    sum.index = has(a) ? b : a;
  }
  const bool is_step = sum.index != remainder.getOperand(0) && std::abs(sum.step) <= 1;
  return is_step && (sum.around || sum.step >= 0) ? std::optional(sum) : std::nullopt;
}

// x, where that lies on the ring: threads beyond its end go around once.
Value* taken_around(IRBuilder<>& b, Value* x, Value* n) {
  Value* rest = b.CreateSub(x, n, "", /*HasNUW=*/false, /*HasNSW=*/true);
  return b.CreateSelect(b.CreateICmpSLT(x, n), x, rest);
}

Value* choice(BinaryOperator& remainder, const Step& step, Value* n, bool beyond) {
  IRBuilder<> b(&remainder);
  Value* x = beyond ? taken_around(b, step.index, n) : step.index;
  if (step.step == 0) return x;
  Value *one = ConstantInt::get(x->getType(), 1), *none = ConstantInt::get(x->getType(), 0);
  Value* last = b.CreateSub(n, one, "", /*HasNUW=*/true, /*HasNSW=*/true);
  const bool up = step.step > 0;
  Value* wraps = b.CreateICmpEQ(x, up ? last : none);
  Value* next = up ? b.CreateAdd(x, one, "", true, true) : b.CreateSub(x, one, "", /*HasNUW=*/false, /*HasNSW=*/true);
  return b.CreateSelect(wraps, up ? none : last, next);
}

// (x + step) & (size - 1), of a group that begins at a multiple of its lanes: x & (size - 1) are neighbours.
bool fold_mask(BinaryOperator& mask, Shapes& shapes) {
  Value* x;
  const APInt *step, *most;
  if (!match(&mask, m_And(m_Add(m_Value(x), m_APInt(step)), m_APInt(most))) || !most->isMask()) return false;
  const Shape shape = shapes[x];
  const unsigned lanes = shapes.group().lanes;
  if (shape.kind != Shape::Strided || shape.stride != 1 || most->ult(lanes - 1) || shape.zeros < Log2_32(lanes))
    return false;
  const APInt by = step->trunc(most->countr_one()).sext(most->getBitWidth());
  if (by.abs() != 1) return false;
  IRBuilder<> b(&mask);
  Value* within = b.CreateAnd(x, *most);
  Value *last = ConstantInt::get(x->getType(), *most), *none = ConstantInt::get(x->getType(), 0);
  Value* next = b.CreateAdd(within, ConstantInt::get(x->getType(), by), "", by.isOne(), /*HasNSW=*/true);
  Value* wraps = b.CreateICmpEQ(within, by.isOne() ? last : none);
  mask.replaceAllUsesWith(b.CreateSelect(wraps, by.isOne() ? none : last, next));
  shapes.erase(mask);
  return true;
}

bool fold_masks(Function& kernel, const GroupShape& group) {
  SmallVector<BinaryOperator*, 8> masks;
  for (Instruction& i : instructions(kernel))
    if (match(&i, m_And(m_Add(m_Value(), m_Constant()), m_LowBitMask()))) masks.push_back(cast<BinaryOperator>(&i));
  if (masks.empty() || group.lanes == 1 || !isPowerOf2_32(group.lanes)) return false;
  Shapes shapes(kernel, group);
  bool changed = false;
  for (BinaryOperator* mask : masks) changed |= fold_mask(*mask, shapes);
  return changed;
}

bool fold_remainders(Function& kernel, PassRunner& runner) {
  if (none_of(instructions(kernel), is_remainder)) return false;
  auto& evolution = runner.functions().getResult<ScalarEvolutionAnalysis>(kernel);
  bool changed = false;
  for (Instruction& i : make_early_inc_range(instructions(kernel))) {
    if (!is_remainder(i)) continue;
    changed |= fold_ring(cast<BinaryOperator>(i), [&](Value* index, Value* n) {
      const SCEV* x = evolution.getSCEV(index);
      const SCEV* size = evolution.getSCEV(n);
      if (!evolution.isKnownNonNegative(x) ||
          !evolution.isBasicBlockEntryGuardedByCond(i.getParent(), ICmpInst::ICMP_SLT, x, size))
        return false;
      evolution.forgetValue(&i);
      return true;
    });
  }
  return changed;
}

}  // namespace

static bool has_addend(const Value* sum, const Value* addend, unsigned depth = 4) {
  auto* add = dyn_cast<BinaryOperator>(sum);
  if (!add || add->getOpcode() != Instruction::Add || depth == 0) return false;
  return any_of(add->operands(), [&](const Use& part) {
    return part == addend || isa<ConstantInt>(part) || has_addend(part, addend, depth - 1);
  });
}

// By a distance that is known at run time only.
static bool has_difference(const Value* sum, unsigned depth = 4) {
  if (match(sum, m_Sub(m_Value(), m_Value()))) return !match(sum, m_Sub(m_Value(), m_Constant()));
  auto* add = dyn_cast<BinaryOperator>(sum);
  return add && add->getOpcode() == Instruction::Add && depth != 0 &&
         any_of(add->operands(), [&](const Use& part) { return has_difference(part, depth - 1); });
}

bool wraps_neighbour(const BinaryOperator& remainder) {
  if (remainder.getOpcode() != Instruction::URem && remainder.getOpcode() != Instruction::SRem) return false;
  Value* n = remainder.getOperand(1);
  const bool is_column = any_of(remainder.getOperand(0)->users(), [&](const User* user) {
    auto* row = dyn_cast<BinaryOperator>(user);
    return row && (row->getOpcode() == Instruction::UDiv || row->getOpcode() == Instruction::SDiv) &&
           row->getOperand(1) == n;
  });
  if (is_column) return false;
  n = unguarded_divisor(n);
  return has_addend(remainder.getOperand(0), n) && !has_difference(remainder.getOperand(0));
}

bool fold_ring(BinaryOperator& remainder, function_ref<bool(Value*, Value*)> is_on_ring, bool beyond) {
  Value* n = unguarded_divisor(remainder.getOperand(1));
  const std::optional<Step> step = step_of(remainder, n);
  // The sum is below 2 n, or beyond the ring below 3 n of a signed one: what a number without a sign holds.
  if (!step || !(step->is_exact || remainder.getOpcode() == Instruction::URem)) return false;
  if (!is_on_ring(step->index, n)) return false;
  remainder.replaceAllUsesWith(choice(remainder, *step, n, beyond));
  remainder.eraseFromParent();
  return true;
}

Value* without_addend(Value* sum, Value* addend, bool is_signed, Instruction& at) {
  auto* add = dyn_cast<OverflowingBinaryOperator>(sum);
  if (!add || add->getOpcode() != Instruction::Add) return nullptr;
  if (!(is_signed ? add->hasNoSignedWrap() : add->hasNoUnsignedWrap())) return nullptr;
  for (unsigned k = 0; k < 2; ++k) {
    Value *part = add->getOperand(k), *other = add->getOperand(1 - k);
    if (part == addend) return other;
    if (Value* rest = without_addend(part, addend, is_signed, at))
      return IRBuilder<>(&at).CreateAdd(rest, other, "", !is_signed, is_signed);
  }
  return nullptr;
}

Value* without_addend_modulo(Value* sum, Value* addend, Instruction& at, bool is_outer) {
  auto* add = dyn_cast<OverflowingBinaryOperator>(sum);
  if (!add || add->getOpcode() != Instruction::Add || add->getType()->getScalarSizeInBits() != 32) return nullptr;
  for (unsigned k = 0; k < 2; ++k) {
    Value *part = add->getOperand(k), *other = add->getOperand(1 - k);
    if (part == addend) return other;
    if (Value* rest = without_addend_modulo(part, addend, at, false))
      return IRBuilder<>(&at).CreateAdd(rest, other, "", false, is_outer);
  }
  return nullptr;
}

bool fold_rings(Function& kernel, const GroupShape& group, PassRunner& runner) {
  bool changed = fold_remainders(kernel, runner);
  changed |= fold_masks(kernel, group);
  if (changed) runner.clear();
  return changed;
}

}  // namespace lanza::compiler
