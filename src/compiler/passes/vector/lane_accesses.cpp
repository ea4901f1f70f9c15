#include "compiler/passes/vector/lane_accesses.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

/// The lanes of a vector of addresses, as scalars.
class LaneAddresses {
 public:
  LaneAddresses(IRBuilder<>& b, Value* all) : b_(b), all_(all) {
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
    if (Value* same = getSplatValue(all)) return same;
    if (auto* constant = dyn_cast<Constant>(all)) return constant->getAggregateElement(lane);
    auto* cast = dyn_cast<CastInst>(all);
    if (cast && isa<SExtInst, ZExtInst>(cast))  // what leaves the vector is short
      return b_.CreateCast(cast->getOpcode(), value(cast->getOperand(0), lane), all->getType()->getScalarType());
    return b_.CreateExtractElement(all, lane);
  }

  IRBuilder<>& b_;
  Value *const all_, *first_ = nullptr;
  SmallVector<int64_t, 16> steps_;
  bool is_stepped_;
};

bool has_instruction(const IntrinsicInst& access, const TargetTransformInfo& host) {
  const bool loads = access.getIntrinsicID() == Intrinsic::masked_gather;
  const Align align = cast<ConstantInt>(access.getArgOperand(loads ? 1 : 2))->getAlignValue();
  return loads ? host.isLegalMaskedGather(access.getType(), align)
               : host.isLegalMaskedScatter(access.getArgOperand(0)->getType(), align);
}

// Of neighbouring lanes one load after the other, as in the vector.
void expand_gather(IntrinsicInst& gather) {
  IRBuilder<> b(&gather);
  LaneAddresses addresses(b, gather.getArgOperand(0));
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

void expand_scatter(IntrinsicInst& scatter) {
  IRBuilder<> b(&scatter);
  LaneAddresses addresses(b, scatter.getArgOperand(1));
  Value* values = scatter.getArgOperand(0);
  const Align align = cast<ConstantInt>(scatter.getArgOperand(2))->getAlignValue();
  for (unsigned lane = 0; lane < cast<FixedVectorType>(values->getType())->getNumElements(); ++lane) {
    StoreInst* store = b.CreateAlignedStore(b.CreateExtractElement(values, lane), addresses[lane], align);
    store->copyMetadata(scatter, {LLVMContext::MD_alias_scope, LLVMContext::MD_noalias});
  }
}

}  // namespace

bool expand_lane_accesses(Function& run, const TargetTransformInfo& host) {
  SmallVector<IntrinsicInst*, 16> accesses;
  for (Instruction& i : instructions(run)) {
    auto* access = dyn_cast<IntrinsicInst>(&i);
    const Intrinsic::ID id = access ? access->getIntrinsicID() : Intrinsic::not_intrinsic;
    if (id != Intrinsic::masked_gather && id != Intrinsic::masked_scatter) continue;
    const bool all = match(access->getArgOperand(id == Intrinsic::masked_gather ? 2 : 3), m_AllOnes());
    if (all && !has_instruction(*access, host)) accesses.push_back(access);
  }
  for (IntrinsicInst* access : accesses) {
    const bool loads = access->getIntrinsicID() == Intrinsic::masked_gather;
    WeakVH addresses = access->getArgOperand(loads ? 0 : 1);
    loads ? expand_gather(*access) : expand_scatter(*access);
    access->eraseFromParent();
    if (addresses) RecursivelyDeleteTriviallyDeadInstructions(addresses);
  }
  return !accesses.empty();
}

}  // namespace lanza::compiler
