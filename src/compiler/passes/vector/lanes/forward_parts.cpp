#include "compiler/passes/vector/lanes/forward_parts.hpp"

#include <numeric>
#include <optional>

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

/// Bytes of a variable.
struct Place {
  const AllocaInst* variable;
  int64_t begin, end;

  bool overlaps(const Place& other) const {
    return variable == other.variable && begin < other.end && other.begin < end;
  }
  bool holds(const Place& other) const {
    return variable == other.variable && begin <= other.begin && other.end <= end;
  }
};

struct Stored {
  Place place;
  Value* value;
};

class PartForwarder {
 public:
  explicit PartForwarder(const DataLayout& layout) : layout_(layout) {}

  bool run(BasicBlock& block) {
    stored_.clear();
    bool changed = false;
    for (Instruction& i : make_early_inc_range(block)) {
      if (auto* load = dyn_cast<LoadInst>(&i))
        changed |= take(*load);
      else if (i.mayWriteToMemory())
        note(i);
    }
    return changed;
  }

 private:
  std::optional<Place> place_of(const Value* address, Type* type) const {
    APInt offset(layout_.getIndexTypeSizeInBits(address->getType()), 0);
    auto* variable = dyn_cast<AllocaInst>(address->stripAndAccumulateConstantOffsets(layout_, offset, true));
    if (!variable) return std::nullopt;
    const int64_t begin = offset.getSExtValue();
    return Place{variable, begin, begin + static_cast<int64_t>(layout_.getTypeStoreSize(type).getFixedValue())};
  }

  void note(Instruction& write) {
    auto* store = dyn_cast<StoreInst>(&write);
    if (!store) {
      auto* call = dyn_cast<IntrinsicInst>(&write);
      if (!call || (!call->isAssumeLikeIntrinsic() && call->getIntrinsicID() != Intrinsic::prefetch)) stored_.clear();
      return;
    }
    Type* type = store->getValueOperand()->getType();
    const auto place = place_of(store->getPointerOperand(), type);
    auto* variable = dyn_cast<AllocaInst>(getUnderlyingObject(store->getPointerOperand()));
    erase_if(stored_, [&](const Stored& before) {
      return place ? before.place.overlaps(*place) : !variable || before.place.variable == variable;
    });
    if (place && store->isSimple() && is_forwarded(type)) stored_.push_back({*place, store->getValueOperand()});
  }

  // Vectors whose elements lie side by side in memory as in a register.
  bool is_forwarded(Type* type) const {
    if (!isa<FixedVectorType>(type) || type->getScalarType()->isPointerTy()) return false;
    return layout_.getTypeSizeInBits(type->getScalarType()) == layout_.getTypeAllocSizeInBits(type->getScalarType());
  }

  bool take(LoadInst& load) {
    Type *type = load.getType(), *element = type->getScalarType();
    const auto place = load.isSimple() && (is_forwarded(type) || type->isIntegerTy() || type->isFloatingPointTy())
                           ? place_of(load.getPointerOperand(), type)
                           : std::nullopt;
    if (!place) return false;
    const auto from = find_if(stored_, [&](const Stored& before) { return before.place.holds(*place); });
    if (from == stored_.end()) return false;
    auto* whole = cast<FixedVectorType>(from->value->getType());
    const uint64_t size = layout_.getTypeStoreSize(element), distance = uint64_t(place->begin - from->place.begin);
    if (size != layout_.getTypeStoreSize(whole->getElementType()) || distance % size != 0) return false;
    IRBuilder<> b(&load);
    const uint64_t first = distance / size;
    Value* all = b.CreateBitCast(from->value, FixedVectorType::get(element, whole->getNumElements()));
    Value* part = type->isVectorTy() ? lanes_of(b, all, first, cast<FixedVectorType>(type)->getNumElements())
                                     : b.CreateExtractElement(all, first);
    load.replaceAllUsesWith(part);
    load.eraseFromParent();
    return true;
  }

  static Value* lanes_of(IRBuilder<>& b, Value* all, uint64_t first, unsigned lanes) {
    SmallVector<int, 32> mask(lanes);
    std::iota(mask.begin(), mask.end(), static_cast<int>(first));
    return b.CreateShuffleVector(all, mask);
  }

  const DataLayout& layout_;
  SmallVector<Stored, 16> stored_;
};

}  // namespace

bool forward_parts(Function& run) {
  PartForwarder forwarder(run.getDataLayout());
  bool changed = false;
  for (BasicBlock& block : run) changed |= forwarder.run(block);
  return changed;
}

}  // namespace lanza::compiler
