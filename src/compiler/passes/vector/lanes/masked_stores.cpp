#include "compiler/passes/vector/lanes/masked_stores.hpp"

using namespace llvm;

namespace lanza::compiler {

bool has_native_masks(const TargetTransformInfo& host) {
  return host.getNumberOfRegisters(host.getRegisterClassForType(/*Vector=*/true)) >= 32;
}

IntrinsicInst* as_masked_store(Instruction& i) {
  auto* store = dyn_cast<IntrinsicInst>(&i);
  return store && store->getIntrinsicID() == Intrinsic::masked_store ? store : nullptr;
}

SmallVector<MaskedStores, 8> find_masked_stores(Function& f, function_ref<bool(const IntrinsicInst&)> is_meant) {
  SmallVector<MaskedStores, 8> runs;
  for (BasicBlock& block : f) {
    bool goes_on = false;
    for (Instruction& i : block) {
      IntrinsicInst* store = as_masked_store(i);
      if (store && !isa<Constant>(store_mask(*store)) && is_meant(*store)) {
        goes_on = goes_on && store_mask(*runs.back()[0]) == store_mask(*store);
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
  return find_masked_stores(
      f, [](const IntrinsicInst& store) { return stored_value(store)->getType()->getScalarSizeInBits() >= 32; });
}

Value* spread_mask(IRBuilder<>& b, Value* mask, Type* of) {
  auto* lanes = cast<FixedVectorType>(of);
  const DataLayout& layout = b.GetInsertBlock()->getDataLayout();  // pointers have a size, too
  Type* number = b.getIntNTy(layout.getTypeSizeInBits(lanes->getElementType()).getFixedValue());
  return b.CreateSExt(mask, FixedVectorType::get(number, lanes->getNumElements()), "stores");
}

void store_all_lanes(IRBuilder<>& b, const IntrinsicInst& store) {
  b.SetCurrentDebugLocation(store.getDebugLoc());
  b.CreateAlignedStore(stored_value(store), stored_at(store), store_align(store))->copyMetadata(store);
}

}  // namespace lanza::compiler
