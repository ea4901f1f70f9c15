#include "compiler/passes/vector/lanes/branch_masked_stores.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

enum : unsigned { kValue, kAddress, kAlign, kMask };

IntrinsicInst* as_masked_store(Instruction& i) {
  auto* store = dyn_cast<IntrinsicInst>(&i);
  const bool is_masked = store && store->getIntrinsicID() == Intrinsic::masked_store;
  return is_masked && !isa<Constant>(store->getArgOperand(kMask)) ? store : nullptr;
}

}  // namespace

bool has_native_masks(const TargetTransformInfo& host) {
  return host.getNumberOfRegisters(host.getRegisterClassForType(/*Vector=*/true)) >= 32;
}

SmallVector<MaskedStores, 8> find_masked_stores(Function& f, function_ref<bool(const IntrinsicInst&)> is_meant) {
  SmallVector<MaskedStores, 8> runs;
  for (BasicBlock& block : f) {
    bool goes_on = false;
    for (Instruction& i : block) {
      if (IntrinsicInst* store = as_masked_store(i); store && is_meant(*store)) {
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

SmallVector<MaskedStores, 8> find_masked_stores(Function& f) {
  return find_masked_stores(f, [](const IntrinsicInst& store) {
    return store.getArgOperand(kValue)->getType()->getScalarSizeInBits() >= 32;
  });
}

Value* spread_mask(IRBuilder<>& b, Value* mask, Type* of) {
  auto* lanes = cast<FixedVectorType>(of);
  const DataLayout& layout = b.GetInsertBlock()->getDataLayout();  // pointers have a size, too
  Type* number = b.getIntNTy(layout.getTypeSizeInBits(lanes->getElementType()).getFixedValue());
  return b.CreateSExt(mask, FixedVectorType::get(number, lanes->getNumElements()), "stores");
}

namespace {

void branch(const MaskedStores& run) {
  IntrinsicInst& last = *run.back();
  Value* mask = run[0]->getArgOperand(kMask);
  IRBuilder<> b(&last);
  Type* bits_type = b.getIntNTy(cast<FixedVectorType>(mask->getType())->getNumElements());
  Value* bits = b.CreateBitCast(mask, bits_type);
  Value* numbers = spread_mask(b, mask, last.getArgOperand(kValue)->getType());
  Instruction* some = SplitBlockAndInsertIfThen(b.CreateIsNotNull(bits), &last, /*Unreachable=*/false);
  Instruction *all = nullptr, *part = nullptr;
  b.SetInsertPoint(some);
  SplitBlockAndInsertIfThenElse(b.CreateICmpEQ(bits, ConstantInt::getAllOnesValue(bits_type)), some, &all, &part);
  b.SetInsertPoint(part);
  Value* rest = b.CreateIsNeg(numbers);
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
  if (has_native_masks(host)) return false;
  const auto runs = find_masked_stores(run);
  for (const MaskedStores& stores : runs) branch(stores);
  return !runs.empty();
}

}  // namespace lanza::compiler
