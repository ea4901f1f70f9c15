#include "compiler/passes/vector/lanes/spanning_loads.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostParts = 3;  // a vector's rest, one, and the next's beginning; or elements of an edge
// At which each stored vector is read: left and right, or a scan's step; a filter's taps.
constexpr unsigned kMostDistances = 2, kMostOnWideCore = 16;

unsigned lanes_of(const Type* type) {
  auto* vector = dyn_cast<FixedVectorType>(type);
  return vector ? vector->getNumElements() : 1;
}

/// One access of the variable, and the bytes that its lanes would cover without a mask.
struct Access {
  Instruction* i;
  int64_t begin, end;
  unsigned element;  // bytes

  bool is_store() const { return isa<StoreInst>(i) || (masked() && i->getType()->isVoidTy()); }
  IntrinsicInst* masked() const { return dyn_cast<IntrinsicInst>(i); }
  Value* mask() const { return masked() ? masked()->getArgOperand(is_store() ? 3 : 2) : nullptr; }
  Type* type() const { return is_store() ? i->getOperand(0)->getType() : i->getType(); }
  /// False where the mask is constant and leaves the lane out.
  bool may_access(unsigned lane) const {
    auto* constant = dyn_cast_or_null<Constant>(mask());
    Constant* bit = constant ? constant->getAggregateElement(lane) : nullptr;
    return !bit || !bit->isNullValue();
  }
};

/// Bytes that are stored as a whole by somebody.
struct Part {
  int64_t begin, end;
  Type* type;
  unsigned element;
};

class Variable {
 public:
  Variable(AllocaInst& memory, unsigned most_distances)
      : memory_(memory), layout_(memory.getDataLayout()), most_distances_(most_distances) {}

  bool split() {
    const std::optional<TypeSize> size = memory_.getAllocationSize(layout_);
    if (!memory_.isStaticAlloca() || !size || !find_accesses(&memory_, 0)) return false;
    size_ = static_cast<int64_t>(size->getFixedValue());
    if (!find_parts() || !pays()) return false;
    for (const Access& access : accesses_) access.is_store() ? rewrite_store(access) : rewrite_load(access);
    return true;
  }

 private:
  bool find_accesses(Value* address, int64_t at) {
    return all_of(address->uses(), [&](Use& use) {
      auto* user = cast<Instruction>(use.getUser());
      if (user->isLifetimeStartOrEnd()) return true;
      if (auto* next = dyn_cast<GEPOperator>(user)) {
        APInt distance(layout_.getIndexTypeSizeInBits(next->getType()), 0);
        return !next->getType()->isVectorTy() && next->accumulateConstantOffset(layout_, distance) &&
               find_accesses(user, at + distance.getSExtValue());
      }
      return is_plain(use) && add(*user, at);
    });
  }

  static bool is_plain(const Use& use) {
    auto* user = use.getUser();
    if (auto* load = dyn_cast<LoadInst>(user)) return load->isSimple();
    if (auto* store = dyn_cast<StoreInst>(user))
      return store->isSimple() && use.getOperandNo() == StoreInst::getPointerOperandIndex();
    auto* call = dyn_cast<IntrinsicInst>(user);
    if (!call) return false;
    if (call->getIntrinsicID() == Intrinsic::masked_load) return use.getOperandNo() == 0;
    return call->getIntrinsicID() == Intrinsic::masked_store && use.getOperandNo() == 1;
  }

  bool add(Instruction& i, int64_t at) {
    Access access{&i, at, at, 0};
    Type* type = access.type();
    const TypeSize bits = layout_.getTypeSizeInBits(type->getScalarType());
    if (!type->getScalarType()->isSingleValueType() || bits.isScalable() || !isPowerOf2_64(bits.getFixedValue()) ||
        bits.getFixedValue() < 8)
      return false;
    access.element = static_cast<unsigned>(bits.getFixedValue() / 8);
    access.end += int64_t{access.element} * lanes_of(type);
    accesses_.push_back(access);
    return true;
  }

  // Stores, the longest of those that begin at one place first. One that leaves others in part is not understood.
  bool find_parts() {
    SmallVector<const Access*, 32> stores;
    for (const Access& access : accesses_)
      if (access.is_store()) stores.push_back(&access);
    llvm::sort(stores, [](const Access* a, const Access* b) {
      return std::pair(a->begin, -a->end) < std::pair(b->begin, -b->end);
    });
    for (const Access* store : stores) {
      if (store->begin < 0 || store->end > size_) return false;
      if (parts_.empty() || store->begin >= parts_.back().end)
        parts_.push_back({store->begin, store->end, store->type(), store->element});
      else if (store->end > parts_.back().end)
        return false;
    }
    return !parts_.empty();
  }

  // Where lane `lane` of a load lies: a part and the lane of it. None: not where lanes of a part lie.
  std::optional<std::pair<unsigned, unsigned>> place(const Access& load, unsigned lane) const {
    const int64_t at = load.begin + int64_t{load.element} * lane;
    auto behind = upper_bound(parts_, at, [](int64_t place, const Part& part) { return place < part.begin; });
    if (behind == parts_.begin()) return std::nullopt;
    const Part& part = *std::prev(behind);
    if (at >= part.end || part.element != load.element || (at - part.begin) % load.element != 0) return std::nullopt;
    return std::pair(static_cast<unsigned>(std::distance(parts_.begin(), behind)) - 1,
                     static_cast<unsigned>(at - part.begin) / load.element);
  }

  bool lies_within_one(const Access& access) const {
    return any_of(parts_, [&](const Part& p) { return p.begin <= access.begin && access.end <= p.end; });
  }

  /// The parts of which a load takes lanes; none where that is not known.
  SmallVector<unsigned, 4> parts_of(const Access& load) const {
    SmallVector<unsigned, 4> found;
    for (unsigned lane = 0; lane < lanes_of(load.type()); ++lane) {
      if (!load.may_access(lane)) continue;
      const auto at = place(load, lane);
      if (!at) {
        // Lanes beyond the variable are not read.
        const int64_t begin = load.begin + int64_t{load.element} * lane;
        if (load.mask() && (begin < 0 || begin >= size_)) continue;
        return {};
      }
      if (found.empty() || found.back() != at->first) found.push_back(at->first);
    }
    return found;
  }

  bool pays() const {
    unsigned spanning = 0, vectors = 0;
    for (const Access& access : accesses_) {
      if (access.is_store()) {
        vectors += lanes_of(access.type()) > 1;
      } else if (access.mask() || !lies_within_one(access)) {
        const auto parts = parts_of(access);
        if (parts.empty() || parts.size() > kMostParts) return false;
        spanning += parts.size() > 1;
      }
    }
    return spanning > 0 && spanning <= most_distances_ * vectors;
  }

  Value* address(IRBuilder<>& b, int64_t at) {
    return at == 0 ? &memory_ : b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), &memory_, static_cast<uint64_t>(at));
  }

  Value* whole(IRBuilder<>& b, const Part& part, Type* element) {
    Value* value = b.CreateAlignedLoad(part.type, address(b, part.begin),
                                       commonAlignment(memory_.getAlign(), static_cast<uint64_t>(part.begin)));
    Type* type = FixedVectorType::get(element, lanes_of(part.type));
    if (!part.type->isVectorTy())
      return b.CreateInsertElement(PoisonValue::get(type), b.CreateBitOrPointerCast(value, element), uint64_t{0});
    return b.CreateBitOrPointerCast(value, type);
  }

  // Lanes of the load's own that lie in `part`, in the places that they have in the load.
  void take_lanes(const Access& load, unsigned part, SmallVectorImpl<int>& lanes, int first) const {
    for (unsigned lane = 0; lane < lanes.size(); ++lane)
      if (load.may_access(lane))
        if (const auto at = place(load, lane); at && at->first == part)
          lanes[lane] = first + static_cast<int>(at->second);
  }

  Value* joined(IRBuilder<>& b, const Access& load, ArrayRef<unsigned> parts) {
    const unsigned count = lanes_of(load.type());
    Type* element = load.type()->getScalarType();
    SmallVector<int, 32> lanes(count, PoisonMaskElem);
    if (parts.size() == 2 && lanes_of(parts_[parts[0]].type) == lanes_of(parts_[parts[1]].type)) {
      take_lanes(load, parts[0], lanes, 0);
      take_lanes(load, parts[1], lanes, static_cast<int>(lanes_of(parts_[parts[0]].type)));
      return b.CreateShuffleVector(whole(b, parts_[parts[0]], element), whole(b, parts_[parts[1]], element), lanes);
    }
    Value* all = nullptr;
    SmallVector<int, 32> so_far(count, PoisonMaskElem);
    for (const unsigned part : parts) {
      lanes.assign(count, PoisonMaskElem);
      take_lanes(load, part, lanes, 0);
      Value* some = b.CreateShuffleVector(whole(b, parts_[part], element), lanes);
      for (unsigned lane = 0; lane < count; ++lane)
        if (lanes[lane] != PoisonMaskElem) so_far[lane] = static_cast<int>(all ? count + lane : lane);
      all = all ? b.CreateShuffleVector(all, some, so_far) : some;
      for (unsigned lane = 0; lane < count; ++lane)
        if (so_far[lane] != PoisonMaskElem) so_far[lane] = static_cast<int>(lane);
    }
    return all;
  }

  void rewrite_load(const Access& load) {
    if (!load.mask() && lies_within_one(load)) return;
    IRBuilder<> b(load.i);
    Value* all = joined(b, load, parts_of(load));
    if (load.mask()) all = b.CreateSelect(load.mask(), all, load.masked()->getArgOperand(3));
    load.i->replaceAllUsesWith(all);
    load.i->eraseFromParent();
  }

  void rewrite_store(const Access& store) {
    if (!store.mask()) return;
    IRBuilder<> b(store.i);
    Value* place = store.masked()->getArgOperand(1);
    const Align align = cast<ConstantInt>(store.masked()->getArgOperand(2))->getAlignValue();
    Value* old = b.CreateAlignedLoad(store.type(), place, align);
    b.CreateAlignedStore(b.CreateSelect(store.mask(), store.i->getOperand(0), old), place, align);
    store.i->eraseFromParent();
  }

  AllocaInst& memory_;
  const DataLayout& layout_;
  const unsigned most_distances_;
  int64_t size_ = 0;
  SmallVector<Access, 32> accesses_;
  SmallVector<Part, 32> parts_;  // in the order of places
};

}  // namespace

bool split_spanning_loads(Function& function, bool on_wide_core) {
  SmallVector<AllocaInst*, 16> variables;
  for (Instruction& i : instructions(function))
    if (auto* variable = dyn_cast<AllocaInst>(&i)) variables.push_back(variable);
  bool changed = false;
  for (AllocaInst* variable : variables)
    changed |= Variable(*variable, on_wide_core ? kMostOnWideCore : kMostDistances).split();
  return changed;
}

}  // namespace lanza::compiler
