#include "compiler/passes/vector/lanes/loop_gathers.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/vector/scalars/version_guards.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostStraight = 16, kMostLanes = 64, kWord = 32;

bool is_long(const Instruction& i) {
  auto* gather = dyn_cast<IntrinsicInst>(&i);
  if (!gather || gather->getIntrinsicID() != Intrinsic::masked_gather) return false;
  auto* type = cast<FixedVectorType>(gather->getType());
  if (type->getNumElements() <= kMostStraight || type->getNumElements() > kMostLanes) return false;
  if (type->getScalarSizeInBits() >= kWord || type->getScalarSizeInBits() % 8 != 0) return false;
  return gather->hasMetadata(kAtEdge) || !match(gather->getArgOperand(2), m_AllOnes());
}

// Addresses and results lie on the stack.
void loop(IntrinsicInst& gather) {
  Value *addresses = gather.getArgOperand(0), *mask = gather.getArgOperand(2);
  auto* type = cast<FixedVectorType>(gather.getType());
  BasicBlock& entry = gather.getFunction()->getEntryBlock();
  auto* places = new AllocaInst(addresses->getType(), 0, "", entry.begin());
  auto* lanes = new AllocaInst(type, 0, "", entry.begin());
  IRBuilder<> b(&gather);
  b.CreateStore(addresses, places);
  b.CreateStore(gather.getArgOperand(3), lanes);
  Type* bits_type = b.getIntNTy(type->getNumElements());
  Value* all = b.CreateBitCast(b.CreateFreeze(mask), bits_type);

  BasicBlock* before = gather.getParent();
  BasicBlock* each = SplitBlock(before, &gather);
  BasicBlock* after = SplitBlock(each, &gather);
  before->getTerminator()->eraseFromParent();
  b.SetInsertPoint(before);
  b.CreateCondBr(b.CreateIsNull(all), after, each);

  each->getTerminator()->eraseFromParent();
  b.SetInsertPoint(each);
  b.SetCurrentDebugLocation(gather.getDebugLoc());
  PHINode* bits = b.CreatePHI(bits_type, 2);
  Value* lane = b.CreateIntrinsic(Intrinsic::cttz, {bits_type}, {bits, b.getTrue()});
  Value* place = b.CreateLoad(b.getPtrTy(), b.CreateGEP(b.getPtrTy(), places, lane));
  const Align align(cast<ConstantInt>(gather.getArgOperand(1))->getZExtValue());
  Value* loaded = b.CreateAlignedLoad(type->getElementType(), place, align);
  b.CreateStore(loaded, b.CreateGEP(type->getElementType(), lanes, lane));
  Value* rest = b.CreateAnd(bits, b.CreateSub(bits, ConstantInt::get(bits_type, 1)));
  b.CreateCondBr(b.CreateIsNull(rest), after, each);
  bits->addIncoming(all, before);
  bits->addIncoming(rest, each);

  b.SetInsertPoint(&gather);
  gather.replaceAllUsesWith(b.CreateLoad(type, lanes));
  gather.eraseFromParent();
}

}  // namespace

bool loop_gathers(Function& run) {
  SmallVector<IntrinsicInst*, 8> found;
  for (Instruction& i : instructions(run))
    if (is_long(i)) found.push_back(cast<IntrinsicInst>(&i));
  for (IntrinsicInst* gather : found) loop(*gather);
  return !found.empty();
}

}  // namespace lanza::compiler
