#include "compiler/passes/vector/analysis/shared_reach.hpp"

#include <llvm/Analysis/LazyValueInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/retarget.hpp"
#include "compiler/passes/vector/group_form.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kAddressBits = 64;

/// Follows an address to all its uses.
class Reach {
 public:
  Reach(const DataLayout& layout, ScalarEvolution& evolution, LazyValueInfo& guards)
      : layout_(layout), evolution_(evolution), guards_(guards) {}

  /// False: not all is known. `offset`: of the pointer, or of all of a vector's, from the base.
  bool follow(Value& pointer, const ConstantRange& offset) {
    return all_of(pointer.uses(), [&](Use& use) { return follow_use(use, offset); });
  }

  /// Accesses in front of the base are what guards forbid.
  std::optional<uint64_t> end() const {
    if (end_.isNegative() || end_.getActiveBits() > 32) return {};
    return end_.getZExtValue();
  }

 private:
  bool follow_use(Use& use, const ConstantRange& offset) {
    auto* user = cast<Instruction>(use.getUser());
    if (auto* address = dyn_cast<GetElementPtrInst>(user))
      return use.getOperandNo() == 0 && follow(*address, offset_of(*address, offset));
    if (auto* load = dyn_cast<LoadInst>(user)) return touch(offset, *load->getType());
    if (auto* store = dyn_cast<StoreInst>(user))
      return use.getOperandNo() == StoreInst::getPointerOperandIndex() &&
             touch(offset, *store->getValueOperand()->getType());
    if (auto* update = dyn_cast<AtomicRMWInst>(user))
      return use.getOperandNo() == AtomicRMWInst::getPointerOperandIndex() &&
             touch(offset, *update->getValOperand()->getType());
    auto* call = dyn_cast<IntrinsicInst>(user);
    switch (call ? call->getIntrinsicID() : Intrinsic::not_intrinsic) {
      case Intrinsic::masked_load:
        return touch(offset, *call->getType());
      case Intrinsic::masked_store:
        return use.getOperandNo() == 1 && touch(offset, *call->getArgOperand(0)->getType());
      case Intrinsic::masked_gather:
        return touch(offset, *call->getType()->getScalarType());
      case Intrinsic::masked_scatter:
        return use.getOperandNo() == 1 && touch(offset, *call->getArgOperand(0)->getType()->getScalarType());
      default:
        return false;
    }
  }

  ConstantRange offset_of(GetElementPtrInst& address, ConstantRange offset) const {
    for (auto index = gep_type_begin(address); index != gep_type_end(address); ++index) {
      if (StructType* record = index.getStructTypeOrNull()) {
        const auto* number = cast<Constant>(index.getOperand())->getUniqueInteger().getRawData();
        const auto member = static_cast<unsigned>(*number);
        offset = offset.add(bytes(layout_.getStructLayout(record)->getElementOffset(member)));
      } else {
        const uint64_t stride = index.getSequentialElementStride(layout_).getFixedValue();
        offset = offset.add(range_of(*index.getOperand(), address).smul_sat(bytes(stride)));
      }
      if (offset.isFullSet()) break;
    }
    return offset;
  }

  // Also by the guards that `at` stands behind: a tree's few threads go far (`if (t < 4) s[64 * t] += ...`).
  ConstantRange range_of(Value& index, Instruction& at) const {
    if (index.getType()->isVectorTy())
      return computeConstantRange(&index, /*ForSigned=*/true).sextOrTrunc(kAddressBits);
    const ConstantRange range = evolution_.getSignedRange(evolution_.getSCEV(&index));
    const ConstantRange guarded = guards_.getConstantRange(&index, &at, /*UndefAllowed=*/false);
    return range.intersectWith(guarded, ConstantRange::Signed).sextOrTrunc(kAddressBits);
  }

  bool touch(const ConstantRange& offset, Type& type) {
    const APInt last = offset.getSignedMax();
    bool overflows = false;
    const APInt behind = last.sadd_ov(APInt(kAddressBits, layout_.getTypeStoreSize(&type).getFixedValue()), overflows);
    if (overflows || behind.getSignificantBits() > 32) return false;
    if (behind.sgt(end_)) end_ = behind;
    return true;
  }

  static ConstantRange bytes(uint64_t count) { return ConstantRange(APInt(kAddressBits, count)); }

  const DataLayout& layout_;
  ScalarEvolution& evolution_;
  LazyValueInfo& guards_;
  APInt end_ = APInt::getZero(kAddressBits);
};

}  // namespace

void note_group_ranges(Function& kernel, const GroupShape& group) {
  MDBuilder ranges(kernel.getContext());
  for (Instruction& i : instructions(kernel)) {
    auto* call = dyn_cast<CallInst>(&i);
    if (!call || !call->getCalledFunction() || call->getCalledFunction()->getName() != kGroup) continue;
    const auto axis = static_cast<unsigned>(cast<ConstantInt>(call->getArgOperand(0))->getZExtValue());
    if (axis == 0 && group.whole_rows) continue;
    const unsigned last = (group.groups(axis) - 1) * group.extent[axis];
    call->setMetadata(LLVMContext::MD_range, ranges.createRange(APInt(32, 0), APInt(32, last + 1)));
  }
}

std::optional<uint64_t> shared_reach(Function& kernel, const GroupShape& group) {
  Function* base = kernel.getParent()->getFunction(kSharedBase);
  if (!base || group.block[0] == 0) return {};
  note_group_ranges(kernel, group);
  PassRunner runner(nullptr);
  Reach reach(kernel.getDataLayout(), runner.functions().getResult<ScalarEvolutionAnalysis>(kernel),
              runner.functions().getResult<LazyValueAnalysis>(kernel));
  const bool known = all_of(base->users(), [&](User* user) {
    auto* call = dyn_cast<CallInst>(user);
    return call && call->getFunction() == &kernel && call->getCalledFunction() == base &&
           reach.follow(*call, ConstantRange(APInt::getZero(kAddressBits)));
  });
  return known ? reach.end() : std::nullopt;
}

}  // namespace lanza::compiler
