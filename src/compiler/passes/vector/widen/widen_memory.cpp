// Loads and stores of all lanes at once.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/vector/cost_notes.hpp"
#include "compiler/passes/vector/lanes/lane_accesses.hpp"
#include "compiler/passes/vector/scalars/version_guards.hpp"
#include "compiler/passes/vector/widen/lane_distances.hpp"
#include "compiler/passes/vector/widen/transpose_private.hpp"
#include "compiler/passes/vector/widen/widener.hpp"

using namespace llvm;

namespace lanza::compiler {

void mark_edge(Instruction& wide, const Instruction& access) {
  if (MDNode* mark = access.getMetadata(kAtEdge)) wide.setMetadata(kLanesAtEdge, mark);
}

Value* Widener::reversed(Value* vector) { return b_.CreateVectorReverse(vector); }

// Each element of a vector that is a word of its own comes from memory at once.
static bool are_lanes_atomic(const LoadInst& load, const Shape& shape) {
  const unsigned bits = load.getType()->getPrimitiveSizeInBits();
  return load.getOrdering() == AtomicOrdering::Monotonic && !load.isVolatile() && (bits == 32 || bits == 64) &&
         load.getAlign().value() * 8 >= bits && shape.stride == static_cast<int64_t>(bits / 8);
}

// An element of all lanes of a private array: it is there as a whole, whichever lanes are active. One is: linearise()
// sees to that.
static bool is_of_group(const Value* address) {
  auto* array = dyn_cast<AllocaInst>(getUnderlyingObject(address));
  return array && array->hasMetadata(kOfGroup);
}

// Volatile accesses too are made at once: threads that wait for what others write are not widened.
// Idle lanes get zeros, not poison: LLVM 19 may give a gather whose addresses are undefined (poison, in a register of
// idle lanes alone) one register for them and for the result, which the processor refuses.
void Widener::widen_load(LoadInst& load) {
  Value* address = load.getPointerOperand();
  if (shapes_.is_uniform(&load)) return void(clone_scalar(load));
  const Shape shape = shapes_[address];
  if (load.isAtomic() && !are_lanes_atomic(load, shape)) return serialise(load);
  if (!has_lanes_in_memory(layout_, load.getType())) return serialise(load);
  if (shape.is_uniform() && load.isVolatile()) {
    Instruction* copy = b_.Insert(load.clone());
    copy->setOperand(0, scalar(address));
    return set(load, splat(copy));
  }
  const int64_t size = layout_.getTypeStoreSize(load.getType());
  Type* type = wide(load.getType());
  Value *active = is_of_group(address) ? nullptr : mask(), *nothing = Constant::getNullValue(type), *result;
  auto copy_metadata = [&](Value* wide) {
    cast<Instruction>(wide)->copyMetadata(
        load, {LLVMContext::MD_invariant_load, LLVMContext::MD_alias_scope, LLVMContext::MD_noalias});
    copy_cost_note(*cast<Instruction>(wide), load);
  };
  if (shape.is_strided() && (shape.stride == size || shape.stride == -size)) {
    Value* base = scalar(address);
    const bool backwards = shape.stride < 0;
    if (backwards) {
      base = b_.CreateConstGEP1_64(b_.getInt8Ty(), base, shape.stride * (lanes_ - 1));
      if (active) active = reversed(active);
    }
    result = active ? static_cast<Value*>(b_.CreateMaskedLoad(type, base, load.getAlign(), active, nothing))
                    : b_.CreateAlignedLoad(type, base, load.getAlign(), load.isVolatile());
    copy_metadata(result);
    return set(load, backwards ? reversed(result) : result);
  }
  if (Value* rows = load.isSimple() ? load_rows(load) : nullptr) return set(load, rows);
  if (Value* ring = load_ring(load)) return set(load, ring);
  ++result_.gathers;
  result = b_.CreateMaskedGather(type, vector(address), load.getAlign(), mask_or_all(), nothing);
  copy_metadata(result);
  mark_edge(*cast<Instruction>(result), load);
  note_cost(*cast<Instruction>(result), kGatherCost, why_apart(shapes_, address));
  set(load, result);
}

void Widener::widen_store(StoreInst& store) {
  Value *address = store.getPointerOperand(), *value = store.getValueOperand();
  const Shape shape = shapes_[address];
  if (store.isAtomic()) return serialise(store);
  if (shape.is_uniform() && shapes_.is_uniform(value)) return void(clone_scalar(store));
  if (shape.is_uniform()) {  // the last of the active lanes has the last word
    Value* idle = b_.CreateBinaryIntrinsic(Intrinsic::ctlz, mask_bits(), b_.getTrue());
    Value* last = b_.CreateSub(ConstantInt::get(bits_type(), lanes_ - 1), idle);
    b_.CreateAlignedStore(lane_of(value, last), scalar(address), store.getAlign(), store.isVolatile());
    return;
  }
  if (!has_lanes_in_memory(layout_, value->getType())) return serialise(store);
  const int64_t size = layout_.getTypeStoreSize(value->getType());
  Value *active = mask(), *lanes = vector(value);
  if (shape.is_strided() && (shape.stride == size || shape.stride == -size)) {
    Value* base = scalar(address);
    if (shape.stride < 0) {
      base = b_.CreateConstGEP1_64(b_.getInt8Ty(), base, shape.stride * (lanes_ - 1));
      lanes = reversed(lanes);
      if (active) active = reversed(active);
    }
    if (active && is_of_group(address)) {
      // Not a masked store: the next load from there would wait until it has come to the cache.
      Value* before = b_.CreateAlignedLoad(lanes->getType(), base, store.getAlign());
      b_.CreateAlignedStore(b_.CreateSelect(active, lanes, before), base, store.getAlign());
    } else if (active)
      b_.CreateMaskedStore(lanes, base, store.getAlign(), active);
    else
      b_.CreateAlignedStore(lanes, base, store.getAlign(), store.isVolatile());
    return;
  }
  if (store.isSimple() && store_rows(store)) return;
  if (store_ring(store)) return;
  ++result_.scatters;
  CallInst* scatter = b_.CreateMaskedScatter(lanes, vector(address), store.getAlign(), mask_or_all());
  mark_edge(*scatter, store);
  note_cost(*scatter, kScatterCost, why_apart(shapes_, address));
  if (!store.isVolatile()) scatter->setMetadata(kPlainScatter, MDNode::get(store.getContext(), {}));
}

// A line of the cache is asked for once.
void Widener::widen_prefetch(CallInst& call) {
  constexpr int64_t kLine = 64;
  const Shape shape = shapes_[call.getArgOperand(0)];
  if (shape.is_varying()) return;
  Value* base = scalar(call.getArgOperand(0));
  const int64_t bytes = shape.stride * lanes_;
  auto ask = [&](int64_t at) {
    Instruction* copy = call.clone();
    copy->setOperand(0, at ? b_.CreateConstGEP1_64(b_.getInt8Ty(), base, at) : base);
    b_.Insert(copy);
  };
  for (int64_t at = 0; at == 0 || at < bytes; at += kLine) ask(at);
  if (mask() && bytes > shape.stride) ask(bytes - shape.stride);  // it may be the last lane's alone
}

// One after the other, each lane's own.
void Widener::widen_alloca(AllocaInst& alloca) {
  Type* one = alloca.getAllocatedType();
  Type* all = alloca.hasMetadata(kOfGroup) ? one : ArrayType::get(one, lanes_);
  BasicBlock& entry = group_function_->getEntryBlock();
  auto* memory = new AllocaInst(all, alloca.getAddressSpace(), alloca.getArraySize(), alloca.getAlign(),
                                alloca.getName(), entry.begin());
  memory->copyMetadata(alloca);
  scalars_[&alloca] = memory;
}

}  // namespace lanza::compiler
