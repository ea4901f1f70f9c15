#include "compiler/passes/vector/lanes/blend_local_stores.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/vector/lanes/branch_masked_stores.hpp"
#include "compiler/passes/vector/lanes/split_masked_stores.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

enum : unsigned { kValue, kAddress, kAlign, kMask };

constexpr uint64_t kRegister = 32, kLine = 64;  // bytes

AllocaInst* variable_of(const IntrinsicInst& store) {
  auto* variable = dyn_cast<AllocaInst>(getUnderlyingObject(store.getArgOperand(kAddress), /*MaxLookup=*/0));
  return variable && variable->isStaticAlloca() ? const_cast<AllocaInst*>(variable) : nullptr;
}

// No lane lies outside of the variable by more than this.
uint64_t reach_of(const IntrinsicInst& store) {
  return store.getDataLayout().getTypeStoreSize(store.getArgOperand(kValue)->getType()).getFixedValue();
}

// Its place in a longer one. No user is told apart from another: they come to the same bytes as before.
void make_room(AllocaInst& variable, uint64_t reach) {
  const DataLayout& layout = variable.getDataLayout();
  const uint64_t room = alignTo(reach, std::max(kLine, variable.getAlign().value()));
  const uint64_t bytes = variable.getAllocationSize(layout)->getFixedValue();
  IRBuilder<> b(&variable);
  AllocaInst* longer = b.CreateAlloca(ArrayType::get(b.getInt8Ty(), room + bytes + room));
  longer->setAlignment(std::max(Align(kLine), variable.getAlign()));
  longer->takeName(&variable);
  b.SetInsertPoint(&*b.GetInsertBlock()->getFirstNonPHIOrDbgOrAlloca());
  for (User* user : make_early_inc_range(variable.users()))
    if (auto* life = dyn_cast<LifetimeIntrinsic>(user)) {
      life->setArgOperand(0, b.getInt64(room + bytes + room));
      life->setArgOperand(1, longer);
    }
  variable.replaceAllUsesWith(b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), longer, room));
  variable.eraseFromParent();
}

// No metadata: others may have been told that they do not meet the lanes that stored.
void blend(IRBuilder<>& b, IntrinsicInst& store, Value* lanes) {
  Value *value = store.getArgOperand(kValue), *address = store.getArgOperand(kAddress);
  const Align align = cast<ConstantInt>(store.getArgOperand(kAlign))->getAlignValue();
  b.SetCurrentDebugLocation(store.getDebugLoc());
  Value* before = b.CreateAlignedLoad(value->getType(), address, align);
  b.CreateAlignedStore(b.CreateSelect(lanes, value, before), address, align);
  store.eraseFromParent();
}

void ask_and_blend(ArrayRef<IntrinsicInst*> stores) {
  Value* mask = stores[0]->getArgOperand(kMask);
  IRBuilder<> b(stores.back());
  Value* bits = b.CreateBitCast(mask, b.getIntNTy(cast<FixedVectorType>(mask->getType())->getNumElements()));
  Value* numbers = spread_mask(b, mask, stores.back()->getArgOperand(kValue)->getType());
  Instruction* some = SplitBlockAndInsertIfThen(b.CreateIsNotNull(bits), stores.back(), /*Unreachable=*/false);
  b.SetInsertPoint(some);
  Value* lanes = b.CreateIsNeg(numbers);
  for (IntrinsicInst* store : stores) blend(b, *store, lanes);
}

/// Masked stores to variables, which are given room.
class LocalStores {
 public:
  explicit LocalStores(Function& run) : run_(run) {}

  bool blend_all() {
    for (Instruction& i : make_early_inc_range(instructions(run_)))
      if (auto* store = dyn_cast<IntrinsicInst>(&i); store && is_by_constant(*store)) {
        note_reach(*store);
        IRBuilder<> b(store);
        blend(b, *store, store->getArgOperand(kMask));
      }
    for (const MaskedStores& stores :
         find_masked_stores(run_, [](const auto& s) { return variable_of(s) != nullptr; })) {
      for (const IntrinsicInst* store : stores) note_reach(*store);
      ask_and_blend(stores);
    }
    for (auto [variable, reach] : reaches_) make_room(*variable, reach);
    return !reaches_.empty();
  }

 private:
  static bool is_by_constant(const IntrinsicInst& store) {
    if (store.getIntrinsicID() != Intrinsic::masked_store || !isa<Constant>(store.getArgOperand(kMask))) return false;
    return pieces_of(store) > divideCeil(reach_of(store), kRegister) && variable_of(store);
  }

  void note_reach(const IntrinsicInst& store) {
    uint64_t& reach = reaches_[variable_of(store)];
    reach = std::max(reach, reach_of(store));
  }

  Function& run_;
  MapVector<AllocaInst*, uint64_t> reaches_;
};

}  // namespace

bool blend_local_stores(Function& run, const TargetTransformInfo& host) {
  if (has_native_masks(host)) return false;
  return LocalStores(run).blend_all();
}

}  // namespace lanza::compiler
