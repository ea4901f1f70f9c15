#include "compiler/passes/vector/lanes/blend_local_stores.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/vector/lanes/masked_stores.hpp"
#include "compiler/passes/vector/lanes/split_masked_stores.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr uint64_t kRegister = 32, kLine = 64;  // bytes
// Runs of stores that ask: 480 of them between barriers were two thirds of what it takes to emit a kernel.
constexpr size_t kMostAsked = 64;

AllocaInst* variable_of(const IntrinsicInst& store) {
  auto* variable = dyn_cast<AllocaInst>(getUnderlyingObject(stored_at(store), /*MaxLookup=*/0));
  return variable && variable->isStaticAlloca() ? const_cast<AllocaInst*>(variable) : nullptr;
}

// No lane lies outside of the variable by more than this.
uint64_t reach_of(const IntrinsicInst& store) {
  return store.getDataLayout().getTypeStoreSize(stored_value(store)->getType()).getFixedValue();
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
  Value *value = stored_value(store), *address = stored_at(store);
  const Align align = store_align(store);
  b.SetCurrentDebugLocation(store.getDebugLoc());
  Value* before = b.CreateAlignedLoad(value->getType(), address, align);
  b.CreateAlignedStore(b.CreateSelect(lanes, value, before), address, align);
  store.eraseFromParent();
}

/// Up to three lanes of masked stores, one by one, by way of the stack: what is loaded for a blend would wait for the
/// stores of the rest of its row, as those at the end of a tile's rows do (a step of Jacobi in tiles: 1.4 of the time).
class FewLanes {
 public:
  static constexpr unsigned kMost = 3;

  FewLanes(IRBuilder<>& b, Value* bits) : b_(b), bits_(bits) {}

  Value* are_all() { return b_.CreateICmpULE(b_.CreateUnaryIntrinsic(Intrinsic::ctpop, bits_), b_.getInt64(kMost)); }

  void store(ArrayRef<IntrinsicInst*> stores) {
    Value* rest = b_.CreateAnd(bits_, b_.CreateSub(bits_, b_.getInt64(1)));
    Value *first = lowest(bits_), *last = b_.CreateSub(b_.getInt64(63), zeros(Intrinsic::ctlz, bits_));
    Value* second = b_.CreateSelect(b_.CreateIsNull(rest), first, lowest(rest));
    for (IntrinsicInst* store : stores) copy(*store, {first, second, last});
  }

 private:
  Value* zeros(Intrinsic::ID which, Value* bits) { return b_.CreateBinaryIntrinsic(which, bits, b_.getFalse()); }
  Value* lowest(Value* bits) { return zeros(Intrinsic::cttz, bits); }

  void copy(const IntrinsicInst& store, std::initializer_list<Value*> lanes) {
    Value* value = stored_value(store);
    Type* element = value->getType()->getScalarType();
    const Align own = store.getDataLayout().getABITypeAlign(element), align = std::min(own, store_align(store));
    Function& f = *b_.GetInsertBlock()->getParent();
    auto* kept = new AllocaInst(value->getType(), 0, nullptr, Align(kRegister), "kept", f.getEntryBlock().begin());
    b_.SetCurrentDebugLocation(store.getDebugLoc());
    b_.CreateAlignedStore(value, kept, Align(kRegister));
    for (Value* lane : lanes) {
      Value* part = b_.CreateAlignedLoad(element, b_.CreateInBoundsGEP(element, kept, lane), own);
      b_.CreateAlignedStore(part, b_.CreateGEP(element, stored_at(store), lane), align);
    }
  }

  IRBuilder<>& b_;
  Value* bits_;
};

void ask_and_blend(ArrayRef<IntrinsicInst*> stores) {
  Value* mask = store_mask(*stores[0]);
  IRBuilder<> b(stores.back());
  b.SetCurrentDebugLocation(stores.back()->getDebugLoc());
  const unsigned lanes = cast<FixedVectorType>(mask->getType())->getNumElements();
  Value* bits = b.CreateZExtOrTrunc(b.CreateBitCast(mask, b.getIntNTy(lanes)), b.getInt64Ty());
  Value* numbers = spread_mask(b, mask, stored_value(*stores.back())->getType());
  Instruction* some = SplitBlockAndInsertIfThen(b.CreateIsNotNull(bits), stores.back(), /*Unreachable=*/false);
  b.SetInsertPoint(some);
  FewLanes few(b, bits);
  Instruction *then = nullptr, *otherwise = nullptr;
  SplitBlockAndInsertIfThenElse(few.are_all(), some, &then, &otherwise);
  b.SetInsertPoint(then);
  few.store(stores);
  b.SetInsertPoint(otherwise);
  Value* are_all = b.CreateICmpEQ(bits, b.getInt64(maskTrailingOnes<uint64_t>(lanes)));
  SplitBlockAndInsertIfThenElse(are_all, otherwise, &then, &otherwise);
  b.SetInsertPoint(then);
  for (const IntrinsicInst* store : stores) store_all_lanes(b, *store);
  b.SetInsertPoint(otherwise);
  Value* meant = b.CreateIsNeg(numbers);
  for (IntrinsicInst* store : stores) blend(b, *store, meant);
}

/// Masked stores to variables, which are given room.
class LocalStores {
 public:
  explicit LocalStores(Function& run) : run_(run) {}

  bool blend_all() {
    for (Instruction& i : make_early_inc_range(instructions(run_)))
      if (IntrinsicInst* store = as_masked_store(i); store && is_by_constant(*store)) {
        note_reach(*store);
        blend_unasked(*store);
      }
    const auto runs = find_masked_stores(run_, [](const auto& s) { return variable_of(s) != nullptr; });
    for (const MaskedStores& stores : runs) {
      for (const IntrinsicInst* store : stores) note_reach(*store);
      if (runs.size() <= kMostAsked)
        ask_and_blend(stores);
      else
        for (IntrinsicInst* store : stores) blend_unasked(*store);
    }
    for (auto [variable, reach] : reaches_) make_room(*variable, reach);
    return !reaches_.empty();
  }

 private:
  static void blend_unasked(IntrinsicInst& store) {
    IRBuilder<> b(&store);
    blend(b, store, store_mask(store));
  }

  static bool is_by_constant(const IntrinsicInst& store) {
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
