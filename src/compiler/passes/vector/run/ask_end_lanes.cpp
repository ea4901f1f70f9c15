#include "compiler/passes/vector/run/ask_end_lanes.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

/// Whether the bits of all lanes are set, or of any; or that this is not so.
struct Question {
  ICmpInst* lanes = nullptr;
  bool all = false, is_denied = false;
};

Question question_of(Instruction& i) {
  ICmpInst::Predicate predicate;
  Value* lanes;
  const APInt* bits;
  if (!match(&i, m_ICmp(predicate, m_BitCast(m_Value(lanes)), m_APInt(bits))) || !ICmpInst::isEquality(predicate) ||
      !lanes->getType()->isIntOrIntVectorTy(1) || !(bits->isZero() || bits->isAllOnes()))
    return {};
  const bool all = bits->isAllOnes();
  return {dyn_cast<ICmpInst>(lanes), all, (predicate == ICmpInst::ICMP_EQ) != all};
}

// What all lanes share, also where ways meet.
Value* shared_by_lanes(Value* lanes) {
  if (Value* shared = getSplatValue(lanes)) return shared;
  auto* phi = dyn_cast<PHINode>(lanes);
  if (!phi || !all_of(phi->incoming_values(), [](const Use& way) { return getSplatValue(way); })) return nullptr;
  const auto is_same = [&](const PHINode& other) {
    return all_of(phi->blocks(), [&](BasicBlock* from) {
      return other.getIncomingValueForBlock(from) == getSplatValue(phi->getIncomingValueForBlock(from));
    });
  };
  for (PHINode& other : phi->getParent()->phis())
    if (is_same(other)) return &other;
  PHINode* shared =
      PHINode::Create(phi->getType()->getScalarType(), phi->getNumIncomingValues(), "", phi->getIterator());
  for (BasicBlock* from : phi->blocks()) shared->addIncoming(getSplatValue(phi->getIncomingValueForBlock(from)), from);
  return shared;
}

// The index of lane 0 where those of the others follow it, none of them around the end of what there is; ends of
// numbers with a sign are multiples of a group's lanes, too.
Value* first_of_neighbours(Value* indices, bool is_signed) {
  auto* sum = dyn_cast<BinaryOperator>(indices);
  auto* type = dyn_cast<FixedVectorType>(indices->getType());
  auto* steps = sum && type ? dyn_cast<Constant>(sum->getOperand(1)) : nullptr;
  if (!steps) return nullptr;
  const bool may_wrap =
      sum->getOpcode() != Instruction::Add || !(is_signed ? sum->hasNoSignedWrap() : sum->hasNoUnsignedWrap());
  if (may_wrap && !match(sum, m_DisjointOr(m_Value(), m_Value()))) return nullptr;
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    auto* step = dyn_cast_or_null<ConstantInt>(steps->getAggregateElement(lane));
    if (!step || step->getZExtValue() != lane) return nullptr;
  }
  return shared_by_lanes(sum->getOperand(0));
}

Value* ask_end_lane(Instruction& i) {
  const Question question = question_of(i);
  if (!question.lanes || question.lanes->isEquality()) return nullptr;
  const ICmpInst::Predicate predicate = question.lanes->getPredicate();
  const bool is_signed = ICmpInst::isSigned(predicate);
  Value* limit = getSplatValue(question.lanes->getOperand(1));
  Value* first = limit ? first_of_neighbours(question.lanes->getOperand(0), is_signed) : nullptr;
  if (!first) return nullptr;
  const bool is_upper = ICmpInst::isLT(predicate) || ICmpInst::isLE(predicate);
  const unsigned lanes = cast<FixedVectorType>(question.lanes->getType())->getNumElements();
  if (!isPowerOf2_32(lanes)) return nullptr;
  IRBuilder<> b(&i);
  Constant* to_last = ConstantInt::get(first->getType(), lanes - 1);
  Value* end = is_upper == question.all ? b.CreateAdd(first, to_last, "", !is_signed, is_signed) : first;
  return b.CreateICmp(question.is_denied ? ICmpInst::getInversePredicate(predicate) : predicate, end, limit);
}

}  // namespace

bool ask_end_lanes(Function& run) {
  bool changed = false;
  for (Instruction& i : make_early_inc_range(instructions(run))) {
    Value* answer = ask_end_lane(i);
    if (!answer) continue;
    i.replaceAllUsesWith(answer);
    i.eraseFromParent();
    changed = true;
  }
  return changed;
}

}  // namespace lanza::compiler
