#include "compiler/passes/vector/lane_accesses.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

#include <optional>

#include "compiler/passes/vector/hidden_values.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr size_t kMany = 16;    // accesses: the code generator would look into vectors for what it knows of each lane
constexpr unsigned kMost = 64;  // of those that the target has an instruction for

/// The lanes of a vector of addresses, as scalars.
class LaneAddresses {
 public:
  /// `hides`: nobody is to look from a lane's index into the vector, if there is a host.
  LaneAddresses(IRBuilder<>& b, Value* all, const TargetTransformInfo* hides) : b_(b), hides_(hides), all_(all) {
    is_stepped_ = find_steps(all);
    if (is_stepped_) first_ = address(all, 0);
  }

  Value* operator[](unsigned lane) {
    if (!is_stepped_) return address(all_, lane);
    const int64_t bytes = steps_.empty() ? 0 : steps_[lane] - steps_[0];
    return bytes ? b_.CreateConstGEP1_64(b_.getInt8Ty(), first_, static_cast<uint64_t>(bytes)) : first_;
  }

 private:
  // Bytes of each lane that are constant, where all else is the same in all lanes.
  bool find_steps(Value* address) {
    auto* step = dyn_cast<GetElementPtrInst>(address);
    if (!address->getType()->isVectorTy() || getSplatValue(address)) return true;
    if (!step || !find_steps(step->getPointerOperand())) return false;
    for (auto type = gep_type_begin(step); type != gep_type_end(step); ++type) {
      Value* index = type.getOperand();
      if (!index->getType()->isVectorTy() || getSplatValue(index)) continue;
      auto* constant = dyn_cast<ConstantDataVector>(index);
      if (!constant || type.isStruct()) return false;
      const auto size = static_cast<int64_t>(type.getSequentialElementStride(step->getDataLayout()).getFixedValue());
      steps_.resize(constant->getNumElements());
      for (unsigned lane = 0; lane < steps_.size(); ++lane)
        steps_[lane] += size * constant->getElementAsAPInt(lane).getSExtValue();
    }
    return true;
  }

  Value* address(Value* all, unsigned lane) {
    auto* step = dyn_cast<GetElementPtrInst>(all);
    if (!step || !all->getType()->isVectorTy()) return value(all, lane);
    SmallVector<Value*, 4> indices;
    for (Value* index : step->indices()) indices.push_back(value(index, lane));
    return b_.CreateGEP(step->getSourceElementType(), address(step->getPointerOperand(), lane), indices, "",
                        step->getNoWrapFlags());
  }

  Value* value(Value* all, unsigned lane) {
    if (!all->getType()->isVectorTy()) return all;
    if (is_computed(all)) return compute(all, lane);
    auto* cast = dyn_cast<CastInst>(all);
    if (cast && isa<SExtInst, ZExtInst>(cast))  // what leaves the vector is short
      return b_.CreateCast(cast->getOpcode(), value(cast->getOperand(0), lane), all->getType()->getScalarType());
    if (!hides_) return b_.CreateExtractElement(all, lane);
    Value*& hidden = hidden_[all];
    if (!hidden) hidden = hide(b_, all, *hides_);
    return b_.CreateExtractElement(hidden, lane);
  }

  // Of what is the same for all lanes and of constants, as `thread + lane`.
  static bool is_computed(Value* all) {
    if (isa<Constant>(all) || getSplatValue(all)) return true;
    auto* operation = dyn_cast<BinaryOperator>(all);
    return operation && is_computed(operation->getOperand(0)) && is_computed(operation->getOperand(1));
  }

  Value* compute(Value* all, unsigned lane) {
    if (Value* same = getSplatValue(all)) return same;
    // An address may be a constant expression, which has no elements.
    if (auto* constant = dyn_cast<Constant>(all)) {
      Value* element = constant->getAggregateElement(lane);
      return element ? element : b_.CreateExtractElement(all, lane);
    }
    auto* operation = cast<BinaryOperator>(all);
    Value *left = compute(operation->getOperand(0), lane), *right = compute(operation->getOperand(1), lane);
    Value* result = b_.CreateBinOp(operation->getOpcode(), left, right);
    if (auto* made = dyn_cast<BinaryOperator>(result)) made->copyIRFlags(operation);
    return result;
  }

  IRBuilder<>& b_;
  const TargetTransformInfo* hides_;
  Value *const all_, *first_ = nullptr;
  SmallVector<int64_t, 16> steps_;
  SmallDenseMap<Value*, Value*, 4> hidden_;
  bool is_stepped_;
};

bool is_load(const IntrinsicInst& access) { return access.getIntrinsicID() == Intrinsic::masked_gather; }

bool is_of_all_lanes(const IntrinsicInst& access) {
  return match(access.getArgOperand(is_load(access) ? 2 : 3), m_AllOnes());
}

bool is_legal(const IntrinsicInst& access, const TargetTransformInfo& host) {
  const Align align = cast<ConstantInt>(access.getArgOperand(is_load(access) ? 1 : 2))->getAlignValue();
  return is_load(access) ? host.isLegalMaskedGather(access.getType(), align)
                         : host.isLegalMaskedScatter(access.getArgOperand(0)->getType(), align);
}

// Zen 4 takes some 20 cycles for a gather of 16 lanes, and 13 to 17 for their loads.
bool is_slow(const IntrinsicInst& access) {
  const StringRef cpu = access.getFunction()->getFnAttribute("target-cpu").getValueAsString();
  return is_load(access) && is_of_all_lanes(access) && cpu.starts_with("znver");
}

// Of neighbouring lanes one load after the other, as in the vector.
void expand_gather(IntrinsicInst& gather, const TargetTransformInfo* hides) {
  IRBuilder<> b(&gather);
  LaneAddresses addresses(b, gather.getArgOperand(0), hides);
  auto* type = cast<FixedVectorType>(gather.getType());
  const Align align = cast<ConstantInt>(gather.getArgOperand(1))->getAlignValue();
  Value* result = PoisonValue::get(type);
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    LoadInst* load = b.CreateAlignedLoad(type->getElementType(), addresses[lane], align);
    load->copyMetadata(gather, {LLVMContext::MD_invariant_load, LLVMContext::MD_alias_scope, LLVMContext::MD_noalias});
    result = b.CreateInsertElement(result, load, lane);
  }
  gather.replaceAllUsesWith(result);
}

void expand_scatter(IntrinsicInst& scatter, const TargetTransformInfo* hides) {
  IRBuilder<> b(&scatter);
  LaneAddresses addresses(b, scatter.getArgOperand(1), hides);
  Value* values = scatter.getArgOperand(0);
  const Align align = cast<ConstantInt>(scatter.getArgOperand(2))->getAlignValue();
  for (unsigned lane = 0; lane < cast<FixedVectorType>(values->getType())->getNumElements(); ++lane) {
    StoreInst* store = b.CreateAlignedStore(b.CreateExtractElement(values, lane), addresses[lane], align);
    store->copyMetadata(scatter, {LLVMContext::MD_alias_scope, LLVMContext::MD_noalias});
  }
}

/// values[place] = values[place] op what is the same for all lanes.
struct Update {
  IntrinsicInst *gather, *scatter;
  BinaryOperator* operation;
};

bool may_be_written_between(const Instruction& first, const Instruction& last) {
  for (const Instruction* i = first.getNextNode(); i != &last; i = i->getNextNode())
    if (i->mayWriteToMemory()) return true;
  return false;
}

std::optional<Update> find_update(IntrinsicInst& scatter, ArrayRef<IntrinsicInst*> accesses) {
  auto* operation = dyn_cast<BinaryOperator>(scatter.getArgOperand(0));
  if (!operation || !operation->hasOneUse() || !scatter.hasMetadata(kPlainScatter)) return {};
  auto* gather = dyn_cast<IntrinsicInst>(operation->getOperand(0));
  if (!gather || !is_contained(accesses, gather) || !gather->hasOneUse() || !getSplatValue(operation->getOperand(1)))
    return {};
  if (gather->getArgOperand(0) != scatter.getArgOperand(1) || gather->getParent() != scatter.getParent()) return {};
  return may_be_written_between(*gather, scatter) ? std::nullopt : std::optional(Update{gather, &scatter, operation});
}

// They leave `accesses`.
SmallVector<Update, 4> take_updates(SmallVectorImpl<IntrinsicInst*>& accesses) {
  SmallVector<Update, 4> updates;
  for (IntrinsicInst* access : accesses)
    if (!is_load(*access))
      if (const auto update = find_update(*access, accesses)) updates.push_back(*update);
  for (const Update& update : updates)
    erase_if(accesses, [&](IntrinsicInst* access) { return access == update.gather || access == update.scatter; });
  return updates;
}

void erase(IntrinsicInst* access) {
  WeakVH addresses = access->getArgOperand(is_load(*access) ? 0 : 1);
  access->eraseFromParent();
  if (addresses) RecursivelyDeleteTriviallyDeadInstructions(addresses);
}

// A processor adds to memory in one instruction; the values need not be put together and taken apart again.
void expand_update(const Update& update, const TargetTransformInfo* hides) {
  const auto& [gather, scatter, operation] = update;
  IRBuilder<> b(scatter);
  LaneAddresses addresses(b, scatter->getArgOperand(1), hides);
  auto* type = cast<FixedVectorType>(gather->getType());
  const Align align = cast<ConstantInt>(scatter->getArgOperand(2))->getAlignValue();
  Value* by = getSplatValue(operation->getOperand(1));
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    Value* place = addresses[lane];
    Value* old = b.CreateAlignedLoad(type->getElementType(), place, align);
    Value* changed = b.CreateBinOp(operation->getOpcode(), old, by);
    if (auto* made = dyn_cast<BinaryOperator>(changed)) made->copyIRFlags(operation);
    b.CreateAlignedStore(changed, place, align);
  }
  erase(scatter);
  operation->eraseFromParent();
  erase(gather);
}

}  // namespace

bool has_lane_instruction(const IntrinsicInst& access, const TargetTransformInfo& host) {
  return is_legal(access, host) && !is_slow(access);
}

bool expand_lane_accesses(Function& run, const TargetTransformInfo& host) {
  SmallVector<IntrinsicInst*, 16> accesses;
  unsigned slow = 0;
  for (Instruction& i : instructions(run)) {
    auto* access = dyn_cast<IntrinsicInst>(&i);
    const Intrinsic::ID id = access ? access->getIntrinsicID() : Intrinsic::not_intrinsic;
    if (id != Intrinsic::masked_gather && id != Intrinsic::masked_scatter) continue;
    if (!is_of_all_lanes(*access)) continue;
    if (!is_legal(*access, host) || (is_slow(*access) && slow++ < kMost)) accesses.push_back(access);
  }
  const TargetTransformInfo* hides = accesses.size() > kMany ? &host : nullptr;
  const bool changed = !accesses.empty();
  for (const Update& update : take_updates(accesses)) expand_update(update, hides);
  for (IntrinsicInst* access : accesses) {
    is_load(*access) ? expand_gather(*access, hides) : expand_scatter(*access, hides);
    erase(access);
  }
  return changed;
}

}  // namespace lanza::compiler
