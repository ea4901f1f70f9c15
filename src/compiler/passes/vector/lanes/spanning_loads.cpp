#include "compiler/passes/vector/lanes/spanning_loads.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/vector/run/shared_gaps.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr int64_t kNowhere = INT64_MIN;
constexpr unsigned kMostParts = 3;       // a vector's rest, one, and the next's beginning; or elements of an edge
constexpr unsigned kMostScattered = 16;  // a gather's elements, each of another one
// At which each stored vector is read: left and right, or a scan's step; a filter's taps.
constexpr unsigned kMostDistances = 2, kMostIfSlow = 16;

unsigned lanes_of(const Type* type) {
  auto* vector = dyn_cast<FixedVectorType>(type);
  return vector ? vector->getNumElements() : 1;
}

// False where a lane of the mask is known to be off.
bool may_be_set(const Value* mask, unsigned lane) {
  if (auto* constant = dyn_cast<Constant>(mask)) {
    Constant* bit = constant->getAggregateElement(lane);
    return !bit || !bit->isNullValue();
  }
  if (auto* shuffle = dyn_cast<ShuffleVectorInst>(mask)) {
    const int lanes = static_cast<int>(cast<FixedVectorType>(shuffle->getOperand(0)->getType())->getNumElements());
    const int from = shuffle->getMaskValue(lane);
    return from >= 0 && may_be_set(shuffle->getOperand(from < lanes ? 0 : 1), static_cast<unsigned>(from % lanes));
  }
  const Value *a, *b;
  return !match(mask, m_LogicalAnd(m_Value(a), m_Value(b))) || (may_be_set(a, lane) && may_be_set(b, lane));
}

using Places = SmallVector<int64_t, 32>;

/// One access of the variable, and the bytes that its lanes would cover without a mask.
struct Access {
  Instruction* i;
  int64_t begin, end;
  bool is_store;       // also when `i` is gone
  unsigned element;    // bytes
  Places places = {};  // of a gather's lanes, or a scatter's; empty: they are neighbours

  IntrinsicInst* masked() const { return dyn_cast<IntrinsicInst>(i); }
  Value* mask() const { return masked() ? masked()->getArgOperand(is_store ? 3 : 2) : nullptr; }
  Type* type() const { return is_store ? i->getOperand(0)->getType() : i->getType(); }
  int64_t place(unsigned lane) const { return places.empty() ? begin + int64_t{element} * lane : places[lane]; }
  bool may_access(unsigned lane) const { return !mask() || may_be_set(mask(), lane); }
};

struct Bytes {
  int64_t begin, end;
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
    for (const Access& access : accesses_) access.is_store ? rewrite_store(access) : rewrite_load(access);
    for (Instruction* fill : fills_) fill->eraseFromParent();  // loads of a gap get nothing that is defined
    return true;
  }

 private:
  bool find_accesses(Value* address, int64_t at) {
    return all_of(address->uses(), [&](Use& use) {
      auto* user = cast<Instruction>(use.getUser());
      if (user->isLifetimeStartOrEnd()) return true;
      if (user->hasMetadata(kClearsGap)) {
        fills_.push_back(user);
        return true;
      }
      if (auto* next = dyn_cast<GEPOperator>(user)) {
        if (next->getType()->isVectorTy()) return find_scattered(*next, Places(lanes_of(next->getType()), at));
        APInt distance(layout_.getIndexTypeSizeInBits(next->getType()), 0);
        return next->accumulateConstantOffset(layout_, distance) && find_accesses(user, at + distance.getSExtValue());
      }
      return is_plain(use) && add(*user, at);
    });
  }

  // Lanes at constant places, each its own, from what the lanes of the base are.
  bool find_scattered(GEPOperator& addresses, Places places) {
    for (auto type = gep_type_begin(addresses); type != gep_type_end(addresses); ++type) {
      auto* index = dyn_cast<Constant>(type.getOperand());
      if (!index || type.isStruct()) return false;
      const auto size = static_cast<int64_t>(type.getSequentialElementStride(layout_).getFixedValue());
      for (unsigned lane = 0; lane < places.size(); ++lane) {
        Constant* own = index->getType()->isVectorTy() ? index->getAggregateElement(lane) : index;
        auto* number = dyn_cast_or_null<ConstantInt>(own);
        if (!number && !isa_and_nonnull<UndefValue>(own)) return false;  // of lanes that are off
        if (places[lane] != kNowhere) places[lane] = number ? places[lane] + size * number->getSExtValue() : kNowhere;
      }
    }
    return all_of(addresses.uses(), [&](Use& use) {
      if (auto* next = dyn_cast<GEPOperator>(use.getUser())) return find_scattered(*next, places);
      auto* call = dyn_cast<IntrinsicInst>(use.getUser());
      const Intrinsic::ID id = call ? call->getIntrinsicID() : Intrinsic::not_intrinsic;
      const bool is_access = (id == Intrinsic::masked_gather && use.getOperandNo() == 0) ||
                             (id == Intrinsic::masked_scatter && use.getOperandNo() == 1);
      return is_access && add_scattered(*call, places);
    });
  }

  bool add_scattered(IntrinsicInst& call, const Places& places) {
    if (!add(call, 0)) return false;
    Access& access = accesses_.back();
    access.places = places;
    access.begin = INT64_MAX;
    access.end = INT64_MIN;
    SmallDenseSet<int64_t, 32> known;
    for (unsigned lane = 0; lane < places.size(); ++lane) {
      if (!access.may_access(lane)) continue;
      if (!known.insert(places[lane]).second) return false;
      access.begin = std::min(access.begin, places[lane]);
      access.end = std::max(access.end, places[lane] + access.element);
    }
    return true;
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
    Access access{&i, at, at, i.getType()->isVoidTy(), 0};
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

  // Of stores, the longest of those that begin at one place first; others lie within them, or across several.
  bool find_parts() {
    SmallVector<const Access*, 32> stores;
    for (const Access& access : accesses_) {
      if (!access.is_store) continue;
      stored_.push_back(bytes_of(access));
      if (access.places.empty()) stores.push_back(&access);
    }
    llvm::sort(stores, [](const Access* a, const Access* b) {
      return std::pair(a->begin, -a->end) < std::pair(b->begin, -b->end);
    });
    for (const Access* store : stores) {
      const Part part = stored_by(*store, stores);
      if (part.begin >= 0 && part.end <= size_ && (parts_.empty() || part.begin >= parts_.back().end))
        parts_.push_back(part);
    }
    return !parts_.empty();
  }

  // All of its lanes; or those alone that its mask may have on, where the others lie beyond the variable, or in what
  // another one stores (the rest of a row of 250, in front of the next row).
  Part stored_by(const Access& store, ArrayRef<const Access*> stores) const {
    const Part all{store.begin, store.end, store.type(), store.element};
    const Bytes some = bytes_of(store);
    const bool has_room = all.begin >= 0 && all.end <= size_ && none_of(stores, [&](const Access* other) {
                            return (other->begin >= some.end && other->begin < all.end) ||
                                   (other->end <= some.begin && other->end > all.begin);
                          });
    if (has_room || some.begin == some.end) return all;
    const auto lanes = static_cast<unsigned>(some.end - some.begin) / store.element;
    Type* element = store.type()->getScalarType();
    return {some.begin, some.end, lanes == 1 ? element : FixedVectorType::get(element, lanes), store.element};
  }

  // From the first to the last lane that its mask may have on.
  static Bytes bytes_of(const Access& store) {
    if (!store.places.empty()) return {store.begin, store.end};
    unsigned first = 0, end = lanes_of(store.type());
    while (end > 0 && !store.may_access(end - 1)) --end;
    while (first < end && !store.may_access(first)) ++first;
    return {store.place(first), store.place(end)};
  }

  // Where lane `lane` of an access lies: a part and the lane of it. None: not where lanes of a part lie.
  std::optional<std::pair<unsigned, unsigned>> place(const Access& access, unsigned lane) const {
    const int64_t at = access.place(lane);
    auto behind = upper_bound(parts_, at, [](int64_t place, const Part& part) { return place < part.begin; });
    if (behind == parts_.begin()) return std::nullopt;
    const Part& part = *std::prev(behind);
    if (at >= part.end || part.element != access.element || (at - part.begin) % access.element != 0)
      return std::nullopt;
    return std::pair(static_cast<unsigned>(std::distance(parts_.begin(), behind)) - 1,
                     static_cast<unsigned>(at - part.begin) / access.element);
  }

  bool lies_within_one(const Access& access) const {
    return access.places.empty() &&
           any_of(parts_, [&](const Part& p) { return p.begin <= access.begin && access.end <= p.end; });
  }

  /// The parts in which an access has lanes; none where that is not known.
  SmallVector<unsigned, 4> parts_of(const Access& access) const {
    SmallVector<unsigned, 4> found;
    for (unsigned lane = 0; lane < lanes_of(access.type()); ++lane) {
      if (!access.may_access(lane)) continue;
      const auto at = place(access, lane);
      if (!at) {
        // Lanes beyond the variable are off.
        const int64_t begin = access.place(lane);
        if (access.mask() && (begin < 0 || begin >= size_)) continue;
        if (!access.is_store && !is_ever_stored(begin, begin + access.element)) continue;
        return {};
      }
      if (!is_contained(found, at->first)) found.push_back(at->first);
    }
    return found;
  }

  // As what a tree's last thread would add is not, in memory of a size that only the indices tell.
  bool is_ever_stored(int64_t begin, int64_t end) const {
    return any_of(stored_, [&](const Bytes& bytes) { return bytes.begin < end && begin < bytes.end; });
  }

  bool pays() const {
    unsigned spanning = 0, vectors = 0, stores_across = 0;
    bool some_masked = false;
    for (const Access& access : accesses_) {
      const bool is_within = lies_within_one(access);
      if (access.is_store) {
        vectors += lanes_of(access.type()) > 1;
        stores_across += !is_within;
      }
      some_masked |= access.mask() != nullptr;
      if (is_within && (access.is_store || !access.mask())) continue;
      const auto parts = parts_of(access);
      if (parts.empty() || parts.size() > (access.places.empty() ? kMostParts : kMostScattered)) return false;
      spanning += access.places.empty() ? parts.size() > 1 : parts.size();
    }
    return (spanning > 0 || some_masked) && spanning <= most_distances_ * vectors && 2 * stores_across <= vectors;
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
    Value* all = nullptr;
    SmallVector<int, 32> so_far(count, PoisonMaskElem);
    for (size_t n = 0; n < parts.size(); ++n) {
      lanes.assign(count, PoisonMaskElem);
      Value* first = whole(b, parts_[parts[n]], element);
      Value* second = PoisonValue::get(first->getType());
      take_lanes(load, parts[n], lanes, 0);
      const unsigned first_lanes = lanes_of(first->getType());
      if (n + 1 < parts.size() && lanes_of(parts_[parts[n + 1]].type) == first_lanes) {
        second = whole(b, parts_[parts[++n]], element);
        take_lanes(load, parts[n], lanes, static_cast<int>(first_lanes));
      }
      Value* some = b.CreateShuffleVector(first, second, lanes);
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
    if (!lies_within_one(store)) return rewrite_store_across(store);
    if (!store.mask()) return;
    IRBuilder<> b(store.i);
    Value* place = store.masked()->getArgOperand(1);
    const Align align = cast<ConstantInt>(store.masked()->getArgOperand(2))->getAlignValue();
    Value* old = b.CreateAlignedLoad(store.type(), place, align);
    b.CreateAlignedStore(b.CreateSelect(store.mask(), store.i->getOperand(0), old), place, align);
    store.i->eraseFromParent();
  }

  // Each part is stored as a whole: what it was, and the lanes that the store has in it.
  void rewrite_store_across(const Access& store) {
    IRBuilder<> b(store.i);
    const SmallVector<unsigned, 4> parts = parts_of(store);
    Value* lanes = store.i->getOperand(0);
    if (store.mask() && !isa<Constant>(store.mask()))
      lanes = b.CreateSelect(store.mask(), lanes, joined(b, store, parts));
    for (const unsigned part : parts) store_lanes(b, store, lanes, part);
    store.i->eraseFromParent();
  }

  void store_lanes(IRBuilder<>& b, const Access& store, Value* lanes, unsigned number) {
    const Part& part = parts_[number];
    const unsigned count = lanes_of(part.type);
    SmallVector<int, 32> own(count, PoisonMaskElem), all(count);
    std::iota(all.begin(), all.end(), 0);
    for (unsigned lane = 0; lane < lanes_of(store.type()); ++lane) {
      const auto at = store.may_access(lane) ? place(store, lane) : std::nullopt;
      if (!at || at->first != number) continue;
      own[at->second] = static_cast<int>(lane);
      all[at->second] = static_cast<int>(count + at->second);
    }
    Value* before = whole(b, part, store.type()->getScalarType());
    Value* value = b.CreateShuffleVector(before, b.CreateShuffleVector(lanes, own), all);
    if (!part.type->isVectorTy()) value = b.CreateExtractElement(value, uint64_t{0});
    b.CreateAlignedStore(b.CreateBitOrPointerCast(value, part.type), address(b, part.begin),
                         commonAlignment(memory_.getAlign(), static_cast<uint64_t>(part.begin)));
  }

  AllocaInst& memory_;
  const DataLayout& layout_;
  const unsigned most_distances_;
  int64_t size_ = 0;
  SmallVector<Access, 32> accesses_;
  SmallVector<Instruction*, 4> fills_;  // of gaps, see clear_gaps()
  SmallVector<Bytes, 32> stored_;       // known when the stores are gone
  SmallVector<Part, 32> parts_;         // in the order of places
};

}  // namespace

bool split_spanning_loads(Function& function, bool loads_lines_slowly) {
  SmallVector<AllocaInst*, 16> variables;
  for (Instruction& i : instructions(function))
    if (auto* variable = dyn_cast<AllocaInst>(&i)) variables.push_back(variable);
  bool changed = false;
  for (AllocaInst* variable : variables)
    changed |= Variable(*variable, loads_lines_slowly ? kMostIfSlow : kMostDistances).split();
  return changed;
}

}  // namespace lanza::compiler
