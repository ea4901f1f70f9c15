#include "compiler/passes/vector/lanes/fill_gathers.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/passes/vector/lanes/lane_accesses.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

// What differs between lanes' addresses: an index of 32 bits, where that is all.
Use& different_part(Use& addresses) {
  auto* place = dyn_cast<GetElementPtrInst>(addresses);
  if (!place || place->getNumIndices() != 1 || place->getPointerOperandType()->isVectorTy()) return addresses;
  auto* index = dyn_cast<CastInst>(place->getOperand(1));
  return index && isa<SExtInst, ZExtInst>(index) ? index->getOperandUse(0) : place->getOperandUse(1);
}

// The gather's own copy of its addresses, up to the part that differs, which is returned.
Use& own_part(IntrinsicInst& gather) {
  Use* own = &gather.getArgOperandUse(0);
  Use* part = &different_part(*own);
  Instruction* at = &gather;
  while (own->get() != part->get()) {
    Instruction* copy = cast<Instruction>(own->get())->clone();
    copy->insertBefore(at->getIterator());
    own->set(copy);
    at = copy;
    own = &copy->getOperandUse(isa<GetElementPtrInst>(copy) ? 1 : 0);
  }
  return *own;
}

// Lanes that are off have what the first one that is on has; where all are on nobody waits for that.
void fill_part(IntrinsicInst& gather, Value* mask, Value* bits) {
  Use& part = own_part(gather);
  Instruction* at = isa<Instruction>(part.getUser()) ? cast<Instruction>(part.getUser()) : &gather;
  Value* lanes = part.get();
  IRBuilder<> b(at);
  BasicBlock* before = at->getParent();
  Instruction* partly =
      SplitBlockAndInsertIfThen(b.CreateICmpNE(bits, Constant::getAllOnesValue(bits->getType())), at, false);
  b.SetInsertPoint(partly);
  Value* first = b.CreateBinaryIntrinsic(Intrinsic::cttz, bits, b.getTrue());
  Value* one =
      b.CreateVectorSplat(cast<VectorType>(lanes->getType())->getElementCount(), b.CreateExtractElement(lanes, first));
  Value* filled = b.CreateSelect(mask, lanes, one);
  PHINode* either = PHINode::Create(lanes->getType(), 2, "", at->getParent()->begin());
  either->addIncoming(lanes, before);
  either->addIncoming(filled, partly->getParent());
  part.set(either);
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
  fill_part(gather, mask, bits);
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
