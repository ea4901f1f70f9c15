#include "compiler/passes/vector/lanes/branch_masked_stores.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

enum : unsigned { kValue, kAddress, kAlign, kMask };

bool is_slow(const Instruction& i) {
  auto* store = dyn_cast<IntrinsicInst>(&i);
  if (!store || store->getIntrinsicID() != Intrinsic::masked_store) return false;
  const unsigned bits = store->getArgOperand(kValue)->getType()->getScalarSizeInBits();
  return bits >= 32 && !isa<Constant>(store->getArgOperand(kMask));
}

}  // namespace

SmallVector<MaskedStores, 8> find_masked_stores(Function& f) {
  SmallVector<MaskedStores, 8> runs;
  for (BasicBlock& block : f) {
    bool goes_on = false;
    for (Instruction& i : block) {
      if (is_slow(i)) {
        auto* store = cast<IntrinsicInst>(&i);
        goes_on = goes_on && runs.back()[0]->getArgOperand(kMask) == store->getArgOperand(kMask);
        if (!goes_on) runs.emplace_back();
        runs.back().push_back(store);
        goes_on = true;
      } else if (i.mayReadOrWriteMemory()) {
        goes_on = false;
      }
    }
  }
  return runs;
}

namespace {

// The mask as the numbers that the instructions take: conditions would be packed on their way to another block.
Value* spread(IRBuilder<>& b, Value* mask, Type* of) {
  auto* lanes = cast<FixedVectorType>(of);
  Type* number = b.getIntNTy(lanes->getScalarSizeInBits());
  return b.CreateSExt(mask, FixedVectorType::get(number, lanes->getNumElements()), "stores");
}

void branch(const MaskedStores& run) {
  IntrinsicInst& last = *run.back();
  Value* mask = run[0]->getArgOperand(kMask);
  IRBuilder<> b(&last);
  Type* bits_type = b.getIntNTy(cast<FixedVectorType>(mask->getType())->getNumElements());
  Value* bits = b.CreateBitCast(mask, bits_type);
  Value* spread_mask = spread(b, mask, last.getArgOperand(kValue)->getType());
  Instruction* some = SplitBlockAndInsertIfThen(b.CreateIsNotNull(bits), &last, /*Unreachable=*/false);
  Instruction *all = nullptr, *part = nullptr;
  b.SetInsertPoint(some);
  SplitBlockAndInsertIfThenElse(b.CreateICmpEQ(bits, ConstantInt::getAllOnesValue(bits_type)), some, &all, &part);
  b.SetInsertPoint(part);
  Value* rest = b.CreateIsNeg(spread_mask);
  for (IntrinsicInst* store : run) {
    const Align align = cast<ConstantInt>(store->getArgOperand(kAlign))->getAlignValue();
    b.SetInsertPoint(all);
    b.SetCurrentDebugLocation(store->getDebugLoc());
    b.CreateAlignedStore(store->getArgOperand(kValue), store->getArgOperand(kAddress), align)->copyMetadata(*store);
    store->moveBefore(part);
    store->setArgOperand(kMask, rest);
  }
}

}  // namespace

bool branch_masked_stores(Function& run, const TargetTransformInfo& host) {
  if (host.getNumberOfRegisters(host.getRegisterClassForType(/*Vector=*/true)) >= 32) return false;
  const auto runs = find_masked_stores(run);
  for (const MaskedStores& stores : runs) branch(stores);
  return !runs.empty();
}

}  // namespace lanza::compiler
