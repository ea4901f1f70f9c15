#include "compiler/passes/vector/scalars/prove_no_wrap.hpp"

#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

/// Whether a sum, difference or product of any two members stays in range.
bool never_wraps(unsigned opcode, const ConstantRange& a, const ConstantRange& b, bool is_signed) {
  using Overflow = ConstantRange::OverflowResult;
  switch (opcode) {
    case Instruction::Add:
      return (is_signed ? a.signedAddMayOverflow(b) : a.unsignedAddMayOverflow(b)) == Overflow::NeverOverflows;
    case Instruction::Sub:
      return (is_signed ? a.signedSubMayOverflow(b) : a.unsignedSubMayOverflow(b)) == Overflow::NeverOverflows;
    case Instruction::Mul:
      if (!is_signed) return a.unsignedMulMayOverflow(b) == Overflow::NeverOverflows;
      return ConstantRange::makeGuaranteedNoWrapRegion(Instruction::Mul, b, OverflowingBinaryOperator::NoSignedWrap)
          .contains(a);
    default:
      return false;
  }
}

bool strengthen(BinaryOperator& i, ScalarEvolution& evolution) {
  if (i.hasNoSignedWrap() && i.hasNoUnsignedWrap()) return false;
  const SCEV *a = evolution.getSCEV(i.getOperand(0)), *b = evolution.getSCEV(i.getOperand(1));
  bool changed = false;
  if (!i.hasNoSignedWrap() &&
      never_wraps(i.getOpcode(), evolution.getSignedRange(a), evolution.getSignedRange(b), true)) {
    i.setHasNoSignedWrap();
    changed = true;
  }
  if (!i.hasNoUnsignedWrap() &&
      never_wraps(i.getOpcode(), evolution.getUnsignedRange(a), evolution.getUnsignedRange(b), false)) {
    i.setHasNoUnsignedWrap();
    changed = true;
  }
  return changed;
}

/// What branches on the way to a block say of differences: `if (tid >= d) v = s[tid - d]`.
class GuardedDifferences {
 public:
  GuardedDifferences(const DominatorTree& dominators, ScalarEvolution& evolution)
      : dominators_(dominators), evolution_(evolution) {}

  /// True when no thread that comes to `block` has a minuend below its subtrahend, as unsigned numbers.
  bool is_never_below(Value* difference, const BasicBlock* block) {
    Value *a, *b;
    const APInt* c;
    if (match(difference, m_Add(m_Value(a), m_APInt(c))) && c->isNegative() && !c->isMinSignedValue())
      return any_guard(block, [&](const ICmpInst& guard, bool truth) { return bounds(guard, truth, a, -*c); });
    if (!match(difference, m_Sub(m_Value(a), m_Value(b)))) return false;
    return any_guard(block, [&](const ICmpInst& guard, bool truth) { return orders(guard, truth, a, b); });
  }

 private:
  // Branches whose one way is the only one to the block.
  bool any_guard(const BasicBlock* block, function_ref<bool(const ICmpInst&, bool)> tells) const {
    constexpr unsigned kMostGuards = 8;
    const auto* node = dominators_.getNode(block);
    for (unsigned k = 0; node && k < kMostGuards; ++k, node = node->getIDom()) {
      const BasicBlock *to = node->getBlock(), *from = to->getSinglePredecessor();
      auto* branch = from ? dyn_cast<BranchInst>(from->getTerminator()) : nullptr;
      if (!branch || branch->isUnconditional() || branch->getSuccessor(0) == branch->getSuccessor(1)) continue;
      auto* guard = dyn_cast<ICmpInst>(branch->getCondition());
      if (guard && tells(*guard, branch->getSuccessor(0) == to)) return true;
    }
    return false;
  }

  // `least <= a`, by a comparison of `a` with a constant.
  bool bounds(const ICmpInst& guard, bool truth, const Value* a, const APInt& least) {
    const APInt* limit;
    if (guard.getOperand(0) != a || !match(guard.getOperand(1), m_APInt(limit))) return false;
    const auto predicate = truth ? guard.getPredicate() : guard.getInversePredicate();
    const ConstantRange passes = ConstantRange::makeExactICmpRegion(predicate, *limit);
    const ConstantRange range = evolution_.getUnsignedRange(evolution_.getSCEV(guard.getOperand(0)));
    return passes.intersectWith(range).getUnsignedMin().uge(least);
  }

  // `b <= a`
  static bool orders(const ICmpInst& guard, bool truth, const Value* a, const Value* b) {
    auto predicate = truth ? guard.getPredicate() : guard.getInversePredicate();
    const Value *left = guard.getOperand(0), *right = guard.getOperand(1);
    if (left == b && right == a) {
      std::swap(left, right);
      predicate = ICmpInst::getSwappedPredicate(predicate);
    }
    return left == a && right == b && (predicate == ICmpInst::ICMP_UGE || predicate == ICmpInst::ICMP_UGT);
  }

  const DominatorTree& dominators_;
  ScalarEvolution& evolution_;
};

// A difference of what is not negative, behind a guard that lets no thread by for which it would be.
bool strengthen_guarded(ZExtInst& zero, GuardedDifferences& differences, ScalarEvolution& evolution) {
  auto* difference = dyn_cast<BinaryOperator>(zero.getOperand(0));
  if (!difference || !difference->getType()->isIntegerTy()) return false;
  if (!evolution.isKnownNonNegative(evolution.getSCEV(difference->getOperand(0)))) return false;
  if (!differences.is_never_below(difference, difference->getParent())) return false;
  difference->setHasNoSignedWrap(difference->hasNoSignedWrap() || difference->getOpcode() == Instruction::Add);
  if (difference->getOpcode() == Instruction::Sub) difference->setHasNoUnsignedWrap();
  return true;
}

}  // namespace

bool prove_no_wrap(Function& kernel, ScalarEvolution& evolution, const DominatorTree& dominators) {
  GuardedDifferences differences(dominators, evolution);
  bool changed = false;
  for (Instruction& i : instructions(kernel)) {
    if (!i.getType()->isIntegerTy() || i.getType()->getIntegerBitWidth() > 64) continue;
    if (auto* binary = dyn_cast<BinaryOperator>(&i); binary && isa<OverflowingBinaryOperator>(binary)) {
      changed |= strengthen(*binary, evolution);
    } else if (auto* zero = dyn_cast<ZExtInst>(&i); zero && !zero->hasNonNeg()) {
      const bool not_negative = evolution.isKnownNonNegative(evolution.getSCEV(zero->getOperand(0)));
      if (!not_negative && !strengthen_guarded(*zero, differences, evolution)) continue;
      zero->setNonNeg();
      changed = true;
    }
  }
  return changed;
}

}  // namespace lanza::compiler
