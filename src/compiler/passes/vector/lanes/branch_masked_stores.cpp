#include "compiler/passes/vector/lanes/branch_masked_stores.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/vector/lanes/masked_stores.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

void branch(const MaskedStores& run) {
  IntrinsicInst& last = *run.back();
  Value* mask = store_mask(*run[0]);
  IRBuilder<> b(&last);
  Type* bits_type = b.getIntNTy(cast<FixedVectorType>(mask->getType())->getNumElements());
  Value* bits = b.CreateBitCast(mask, bits_type);
  Value* numbers = spread_mask(b, mask, stored_value(last)->getType());
  Instruction* some = SplitBlockAndInsertIfThen(b.CreateIsNotNull(bits), &last, /*Unreachable=*/false);
  Instruction *all = nullptr, *part = nullptr;
  b.SetInsertPoint(some);
  SplitBlockAndInsertIfThenElse(b.CreateICmpEQ(bits, ConstantInt::getAllOnesValue(bits_type)), some, &all, &part);
  b.SetInsertPoint(part);
  Value* rest = b.CreateIsNeg(numbers);
  for (IntrinsicInst* store : run) {
    b.SetInsertPoint(all);
    store_all_lanes(b, *store);
    store->moveBefore(part);
    store->setArgOperand(kStoreMask, rest);
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
