#include "compiler/passes/vector/scalars/prove_no_wrap.hpp"

#include <vector>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/retarget.hpp"
#include "compiler/passes/vector/analysis/guarded_differences.hpp"
#include "compiler/passes/vector/groups/whole_rows.hpp"

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

// `tile[x > 0 ? t - 1 : t]`, whose extension LLVM no longer knows to be of what is not negative: shared memory is not
// so large that a place beyond 2^31 is one of it.
bool is_place_in_shared(const ZExtInst& zero) {
  return zero.getSrcTy()->isIntegerTy(32) && zero.getDestTy()->isIntegerTy(64) && !zero.use_empty() &&
         all_of(zero.uses(), [](const Use& use) {
           auto* address = dyn_cast<GetElementPtrInst>(use.getUser());
           if (!address || !address->isInBounds() || use.getOperandNo() == 0) return false;
           auto* base = dyn_cast<CallInst>(getUnderlyingObject(address->getPointerOperand()));
           return base && base->getCalledFunction() && base->getCalledFunction()->getName() == kSharedBase;
         });
}

bool passes_words_on(const Instruction& i) {
  if (auto* call = dyn_cast<IntrinsicInst>(&i))
    return call->getIntrinsicID() == Intrinsic::fshl || call->getIntrinsicID() == Intrinsic::fshr;
  return isa<PHINode, SelectInst, TruncInst, StoreInst>(i) ||
         (isa<BinaryOperator>(i) && !i.isIntDivRem() && i.getType()->isIntegerTy());
}

/// What an address, a comparison, an extension or a call is made of, in the order of the code. Words that are only
/// mixed with each other, as a hash mixes them, may wrap: LLVM's sums of them have hundreds of terms.
std::vector<Instruction*> find_counts(Function& kernel) {
  SmallPtrSet<const Instruction*, 32> counts;
  SmallVector<const Instruction*, 64> open;
  auto follow = [&](const Instruction& user) {
    for (const Value* operand : user.operands())
      if (auto* from = dyn_cast<Instruction>(operand); from && counts.insert(from).second) open.push_back(from);
  };
  for (const Instruction& i : instructions(kernel))
    if (!passes_words_on(i)) follow(i);
  while (!open.empty()) follow(*open.pop_back_val());
  std::vector<Instruction*> found;
  for (Instruction& i : instructions(kernel))
    if (counts.contains(&i) || isa<ZExtInst>(i)) found.push_back(&i);
  return found;
}

}  // namespace

bool prove_no_wrap(Function& kernel, ScalarEvolution& evolution, const DominatorTree& dominators) {
  GuardedDifferences differences(dominators, evolution);
  bool changed = false;
  for (Instruction* counted : find_counts(kernel)) {
    Instruction& i = *counted;
    if (!i.getType()->isIntegerTy() || i.getType()->getIntegerBitWidth() > 64) continue;
    if (auto* binary = dyn_cast<BinaryOperator>(&i); binary && isa<OverflowingBinaryOperator>(binary)) {
      changed |= strengthen(*binary, evolution);
    } else if (auto* zero = dyn_cast<ZExtInst>(&i); zero && !zero->hasNonNeg()) {
      const bool not_negative = evolution.isKnownNonNegative(evolution.getSCEV(zero->getOperand(0)));
      if (!not_negative && !strengthen_guarded(*zero, differences, evolution) && !is_place_in_shared(*zero)) continue;
      zero->setNonNeg();
      changed = true;
    }
  }
  return changed;
}

bool prove_steps_back(Function& kernel) {
  bool changed = false;
  for (Instruction& i : instructions(kernel)) {
    Value* from;
    if (!match(&i, m_Add(m_Value(from), m_Negative())) || cast<BinaryOperator>(i).hasNoSignedWrap()) continue;
    auto* index = dyn_cast<Instruction>(from);
    if (!index || !index->hasMetadata(kIndexInRow)) continue;
    i.setHasNoSignedWrap();
    changed = true;
  }
  return changed;
}

}  // namespace lanza::compiler
