#include "compiler/passes/vector/lanes/fill_gathers.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/passes/vector/lanes/lane_accesses.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

// Lanes that are off have what lane `first` has.
Value* filled(IRBuilder<>& b, Value* lanes, Value* mask, Value* first) {
  const ElementCount count = cast<VectorType>(lanes->getType())->getElementCount();
  return b.CreateSelect(mask, lanes, b.CreateVectorSplat(count, b.CreateExtractElement(lanes, first)));
}

// By an index of 32 bits, where that is what differs between lanes.
Value* filled_addresses(IRBuilder<>& b, Value* addresses, Value* mask, Value* first) {
  auto* place = dyn_cast<GetElementPtrInst>(addresses);
  if (!place || place->getNumIndices() != 1 || place->getPointerOperandType()->isVectorTy())
    return filled(b, addresses, mask, first);
  Value *index = place->getOperand(1), *narrow = nullptr;
  if (match(index, m_SExt(m_Value(narrow))))
    index = b.CreateSExt(filled(b, narrow, mask, first), index->getType());
  else if (match(index, m_ZExt(m_Value(narrow))))
    index = b.CreateZExt(filled(b, narrow, mask, first), index->getType());
  else
    index = filled(b, index, mask, first);
  return b.CreateGEP(place->getSourceElementType(), place->getPointerOperand(), index, "", place->getNoWrapFlags());
}

void fill(IntrinsicInst& gather) {
  Value *addresses = gather.getArgOperand(0), *mask = gather.getArgOperand(2), *others = gather.getArgOperand(3);
  auto* lanes = cast<FixedVectorType>(mask->getType());
  IRBuilder<> b(&gather);
  Value* bits = b.CreateBitCast(mask, b.getIntNTy(lanes->getNumElements()));
  Value* any = b.CreateIsNotNull(bits);
  BasicBlock* before = gather.getParent();
  Instruction* end = SplitBlockAndInsertIfThen(any, &gather, /*Unreachable=*/false);
  BasicBlock* behind = gather.getParent();
  gather.moveBefore(end);
  b.SetInsertPoint(&gather);
  Value* first = b.CreateBinaryIntrinsic(Intrinsic::cttz, bits, b.getTrue());
  gather.setArgOperand(0, filled_addresses(b, addresses, mask, first));
  gather.setArgOperand(2, ConstantInt::getTrue(lanes));
  gather.setArgOperand(3, PoisonValue::get(gather.getType()));
  PHINode* result = PHINode::Create(gather.getType(), 2, "", behind->begin());
  gather.replaceAllUsesWith(result);
  b.SetInsertPoint(end);
  result->addIncoming(isa<UndefValue>(others) ? &gather : b.CreateSelect(mask, &gather, others), end->getParent());
  result->addIncoming(others, before);
  RecursivelyDeleteTriviallyDeadInstructions(addresses);
}

}  // namespace

bool fill_gathers(Function& run, const TargetTransformInfo& host) {
  SmallVector<IntrinsicInst*, 16> gathers;
  for (Instruction& i : instructions(run)) {
    auto* gather = dyn_cast<IntrinsicInst>(&i);
    if (!gather || gather->getIntrinsicID() != Intrinsic::masked_gather) continue;
    if (!isa<Constant>(gather->getArgOperand(2)) && !has_lane_instruction(*gather, host)) gathers.push_back(gather);
  }
  for (IntrinsicInst* gather : gathers) fill(*gather);
  return !gathers.empty();
}

}  // namespace lanza::compiler
