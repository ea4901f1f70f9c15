#include "compiler/passes/vector/scalars/tile_accesses.hpp"

#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/sync_calls.hpp"

using namespace llvm;

namespace lanza::compiler {

static constexpr unsigned kShared = 3;  // the address space
static constexpr size_t kMostAccesses = 512;
static constexpr uint64_t kMostBytes = 1 << 20;

static std::optional<unsigned> axis_of(Intrinsic::ID id, Intrinsic::ID x, Intrinsic::ID y, Intrinsic::ID z) {
  if (id == x) return 0;
  if (id == y) return 1;
  if (id == z) return 2;
  return std::nullopt;
}

std::optional<unsigned> thread_axis(Intrinsic::ID id) {
  return axis_of(id, Intrinsic::nvvm_read_ptx_sreg_tid_x, Intrinsic::nvvm_read_ptx_sreg_tid_y,
                 Intrinsic::nvvm_read_ptx_sreg_tid_z);
}

std::optional<unsigned> block_axis(Intrinsic::ID id) {
  return axis_of(id, Intrinsic::nvvm_read_ptx_sreg_ctaid_x, Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
                 Intrinsic::nvvm_read_ptx_sreg_ctaid_z);
}

std::optional<unsigned> thread_axis(const Value* v) {
  auto* f = dyn_cast<Function>(v);
  return f ? thread_axis(f->getIntrinsicID()) : std::nullopt;
}

const Value* object_of(const Value* address) {
  SmallVector<const Value*, 2> objects;
  getUnderlyingObjects(address, objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  return objects.size() == 1 ? objects[0] : address;
}

static const GlobalVariable* as_shared(const Value* object) {
  auto* variable = dyn_cast<GlobalVariable>(object);
  return variable && variable->getAddressSpace() == kShared ? variable : nullptr;
}

void Origins::add(const Value& value) {
  auto* i = dyn_cast<Instruction>(&value);
  if (!i || !known_.insert(i).second) return;
  if (auto* call = dyn_cast<IntrinsicInst>(i)) {
    const Intrinsic::ID id = call->getIntrinsicID();
    if (const auto axis = thread_axis(id)) threads |= 1U << *axis;
    if (const auto axis = block_axis(id)) blocks |= 1U << *axis;
  }
  for (const Use& operand : i->operands()) add(*operand);
}

TileAccesses::TileAccesses(Function& kernel, std::array<unsigned, 3> block, PassRunner& runner)
    : kernel_(kernel), block_(block), layout_(kernel.getParent()->getDataLayout()), runner_(runner) {}

bool TileAccesses::collect() {
  for (Instruction& i : instructions(kernel_)) {
    if (CallInst* point = as_sync(i)) {
      if (sync_kind(*point) != LANZA_SYNC_BARRIER || !point->use_empty()) return false;
      barriers.push_back(point);
      continue;
    }
    if (isa<LoadInst, StoreInst>(i)) {
      if (i.isVolatile() || i.isAtomic() || !take(i)) return false;
      continue;
    }
    if (auto* fill = dyn_cast<MemSetInst>(&i); fill && isa<AllocaInst>(object_of(fill->getDest()))) continue;
    if (i.mayReadOrWriteMemory() && !i.isLifetimeStartOrEnd() && !isa<AssumeInst>(i)) return false;
  }
  return !barriers.empty();
}

void TileAccesses::drop_barriers(bool last_of_turns_stay) {
  const LoopInfo& loops = runner_.functions().getResult<LoopAnalysis>(kernel_);
  SmallPtrSet<const Loop*, 4> ended;
  for (CallInst* barrier : reverse(barriers)) {
    const Loop* loop = loops.getLoopFor(barrier->getParent());
    const bool stays = last_of_turns_stay && loop && ended.insert(loop).second;
    if (!stays) barrier->eraseFromParent();
  }
}

bool TileAccesses::take(Instruction& i) {
  const Value* object = object_of(getLoadStorePointerOperand(&i));
  if (isa<AllocaInst>(object)) return true;
  if (const GlobalVariable* array = as_shared(object)) {
    std::optional<Access> access = access_of(i, *array);
    if (access) accesses.push_back(*access);
    return access && accesses.size() <= kMostAccesses;
  }
  if (auto* load = dyn_cast<LoadInst>(&i)) return reads.push_back(load), true;
  return writes.push_back(cast<StoreInst>(&i)), isa<Argument>(object);
}

std::optional<Access> TileAccesses::access_of(Instruction& i, const GlobalVariable& array) {
  Access access{.instruction = &i, .array = &array};
  const AddressTerms terms = terms_of(getLoadStorePointerOperand(&i), layout_);
  access.constant = access.begin = access.end = static_cast<int64_t>(terms.constant);
  for (const AddressTerms::Term& term : terms.terms) {
    if (term.factor == 0 || (term.value == &array && term.factor == 1)) continue;
    const std::optional<unsigned> axis = thread_axis(term.value);
    const auto most = axis ? std::optional<uint64_t>(block_[*axis] - 1) : greatest(*term.value);
    if (!most || term.factor > kMostBytes || *most > kMostBytes) return std::nullopt;
    if (axis)
      access.threads[*axis] = term.factor;
    else
      access.others.push_back({const_cast<Value*>(term.value), term.factor, *most});
    access.end += static_cast<int64_t>(*most * term.factor);
  }
  access.end += static_cast<int64_t>(layout_.getTypeStoreSize(getLoadStoreType(&i)).getFixedValue());
  return access;
}

// Of a value that is not negative; nothing: who knows.
std::optional<uint64_t> TileAccesses::greatest(const Value& v) {
  if (!isa<Instruction>(v) || !v.getType()->isIntegerTy()) return std::nullopt;
  auto& evolution = runner_.functions().getResult<ScalarEvolutionAnalysis>(kernel_);
  const ConstantRange range = evolution.getUnsignedRange(evolution.getSCEV(const_cast<Value*>(&v)));
  const APInt most = range.getUnsignedMax();
  if (most.isNegative() || most.ugt(kMostBytes)) return std::nullopt;
  return most.getZExtValue();
}

}  // namespace lanza::compiler
