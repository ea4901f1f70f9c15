#include "compiler/passes/vector/lanes/order_loads.hpp"

#include <queue>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/vector/analysis/address_terms.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr size_t kLeastLoads = 8, kMostCode = 4000;
constexpr size_t kMostWrites = 64;
constexpr int64_t kMuch = 1024;  // bytes that the processor's prefetcher does not follow to and fro
constexpr int64_t kLine = 64;

bool is_simple_load(const Instruction& i) { return isa<LoadInst>(i) && cast<LoadInst>(i).isSimple(); }

bool is_vector_load(const Instruction& i) { return is_simple_load(i) && i.getType()->isVectorTy(); }

// The code generator reads it as the operand of its user.
bool is_broadcast(const Instruction& i) {
  if (isa<InsertElementInst>(i)) return true;
  auto* shuffle = dyn_cast<ShuffleVectorInst>(&i);
  return shuffle && shuffle->isZeroEltSplat();
}

/// Which accesses of a block may meet: those of one array by their offsets, others by what is known of the arrays.
class Meetings {
 public:
  explicit Meetings(AAResults& aliases) : aliases_(aliases) {}

  /// Whether `write` may change what the load reads.
  bool may_meet(const Instruction& write, const LoadInst& load) {
    auto* store = dyn_cast<StoreInst>(&write);
    if (!store || !store->isSimple()) return isModSet(aliases_.getModRefInfo(&write, MemoryLocation::get(&load)));
    const Place to = place(*store), from = place(load);
    if (to.address == from.address)
      return to.begin < from.begin + size_of(load.getType()) &&
             from.begin < to.begin + size_of(store->getValueOperand()->getType());
    const auto [known, is_new] = known_.try_emplace({to.array, from.array}, false);
    if (is_new)
      known->second = aliases_.alias(MemoryLocation::get(store).getWithNewSize(kAnywhere),
                                     MemoryLocation::get(&load).getWithNewSize(kAnywhere)) != AliasResult::NoAlias;
    return known->second;
  }

 private:
  static constexpr LocationSize kAnywhere = LocationSize::beforeOrAfterPointer();

  struct Place {
    size_t address, array;  ///< the sum that is no constant; that, and what is known of it
    int64_t begin;
  };

  Place place(const Instruction& access) {
    const auto known = places_.find(&access);
    if (known != places_.end()) return known->second;
    layout_ = &access.getDataLayout();
    AddressTerms terms = terms_of(const_cast<Value*>(getLoadStorePointerOperand(&access)), *layout_);
    const auto begin = static_cast<int64_t>(terms.constant);
    const auto same = find_if(addresses_, [&](const AddressTerms& a) { return a.has_same_terms(terms); });
    const auto address = static_cast<size_t>(same - addresses_.begin());
    if (same == addresses_.end()) addresses_.push_back(std::move(terms));
    const Array array{address, access.getAAMetadata()};
    const auto listed = find(arrays_, array);
    const Place place{address, static_cast<size_t>(listed - arrays_.begin()), begin};
    if (listed == arrays_.end()) arrays_.push_back(array);
    return places_[&access] = place;
  }

  int64_t size_of(Type* type) const { return static_cast<int64_t>(layout_->getTypeStoreSize(type).getFixedValue()); }

  using Array = std::pair<size_t, AAMDNodes>;

  BatchAAResults aliases_;
  const DataLayout* layout_ = nullptr;
  std::vector<AddressTerms> addresses_;
  std::vector<Array> arrays_;
  DenseMap<const Instruction*, Place> places_;
  DenseMap<std::pair<size_t, size_t>, bool> known_;
};

/// One block, and another order for it.
class BlockOrder {
 public:
  BlockOrder(BasicBlock& block, AAResults& aliases, const TargetTransformInfo& host)
      : block_(block),
        aliases_(aliases),
        register_bits_(host.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue()),
        registers_(host.getNumberOfRegisters(host.getRegisterClassForType(/*Vector=*/true))) {
    for (Instruction& i : block_) {
      if (isa<PHINode>(i) || i.isTerminator()) continue;
      position_[&i] = before_.size();
      before_.push_back(&i);
      if (is_vector_load(i)) loads_.push_back(cast<LoadInst>(&i));
    }
  }

  bool improve() {
    if (loads_.size() < kLeastLoads || before_.size() > kMostCode) return false;
    const unsigned live = most_live(before_);
    const bool fits = live <= registers_;
    if (fits && !goes_back()) return false;
    if (!find_waits() || !arrange()) return false;
    const unsigned live_after = most_live(after_);
    const bool spills = live_after > (fits ? registers_ : live - 1);
    if (spills && !(goes_back() && reads_much() && arrange_by_need())) return false;
    for (Instruction* i : after_) i->moveBefore(block_.getTerminator());
    if (spills) ask_ahead();
    return true;
  }

 private:
  unsigned registers_of(const Value& value) const {
    auto* type = dyn_cast<FixedVectorType>(value.getType());
    if (!type || type->getElementType()->isIntegerTy(1)) return 0;
    const uint64_t bits = block_.getDataLayout().getTypeSizeInBits(type).getFixedValue();
    return static_cast<unsigned>(divideCeil(bits, register_bits_));
  }

  // At any place of the block, of what the block itself defines or uses.
  unsigned most_live(ArrayRef<Instruction*> order) const {
    SmallPtrSet<const Value*, 32> live;
    unsigned now = 0, most = 0;
    auto begin = [&](const Value* v) {
      if (live.insert(v).second) now += registers_of(*v);
    };
    for (const Instruction* i : order)
      if (any_of(i->users(), [&](const User* user) {
            return isa<PHINode>(user) || cast<Instruction>(user)->getParent() != &block_;
          }))
        begin(i);
    for (const Instruction* i : reverse(order)) {
      if (live.erase(i)) now -= registers_of(*i);
      if (is_broadcast(*i)) continue;
      for (const Use& operand : i->operands()) {
        auto* value = dyn_cast<Instruction>(operand);
        if (value && !is_broadcast(*value)) begin(value);
      }
      most = std::max(most, now);
    }
    return most;
  }

  // What is no vector and touches no memory that changes is made where it is needed.
  bool is_made_late(const Instruction& i) const {
    if (waits_for_.contains(&i) || i.mayHaveSideEffects()) return false;
    return is_broadcast(i) || !i.getType()->isVectorTy();
  }

  // Accesses that may meet keep their order. False: there are too many.
  bool find_waits() {
    SmallVector<Instruction*, 16> accesses, writes;
    Meetings meetings(aliases_);
    for (Instruction* i : before_) {
      if (!i->mayReadOrWriteMemory()) continue;
      const bool loads = is_simple_load(*i);
      const ArrayRef<Instruction*> earlier = loads ? writes : accesses;
      for (Instruction* other : earlier) {
        const Instruction* load = loads ? i : is_simple_load(*other) ? other : nullptr;
        const Instruction* write = loads ? other : i;
        if (!load || meetings.may_meet(*write, *cast<LoadInst>(load))) waits_for_[i].push_back(other);
      }
      accesses.push_back(i);
      if (!loads) writes.push_back(i);
      if (writes.size() > kMostWrites) return false;
    }
    return true;
  }

  struct Place {
    size_t array;
    int64_t offset;
    LoadInst* load;
  };

  // Where the loads read, in their order; arrays are numbered as they come.
  std::vector<Place> places() const {
    std::vector<AddressTerms> arrays;
    std::vector<Place> result;
    for (LoadInst* load : loads_) {
      AddressTerms terms = terms_of(load->getPointerOperand(), block_.getDataLayout());
      const auto offset = static_cast<int64_t>(terms.constant);
      auto known = find_if(arrays, [&](const AddressTerms& a) { return a.has_same_terms(terms); });
      const auto array = static_cast<size_t>(known - arrays.begin());
      if (known == arrays.end()) arrays.push_back(std::move(terms));
      result.push_back({array, offset, load});
    }
    return result;
  }

  // Memory that is not read in order is not fetched ahead by the hardware.
  bool goes_back() const {
    DenseMap<size_t, int64_t> last;
    return any_of(places(), [&](const Place& place) {
      auto [at, is_first] = last.try_emplace(place.array, place.offset);
      const bool back = !is_first && place.offset < at->second;
      at->second = place.offset;
      return back;
    });
  }

  // Of one array, without gaps: what comes from far in another order costs more than values that wait in memory.
  bool reads_much() const {
    DenseMap<size_t, std::pair<int64_t, int64_t>> spans;  // where each begins and ends
    DenseMap<size_t, int64_t> read;
    for (const Place& place : places()) {
      if (isa<AllocaInst>(getUnderlyingObject(place.load->getPointerOperand()))) continue;
      const auto bytes = static_cast<int64_t>(block_.getDataLayout().getTypeStoreSize(place.load->getType()));
      auto [span, is_first] = spans.try_emplace(place.array, place.offset, place.offset + bytes);
      auto& [begin, end] = span->second;
      begin = std::min(begin, place.offset), end = std::max(end, place.offset + bytes);
      read[place.array] += bytes;
    }
    return any_of(spans, [&](const auto& s) {
      const auto& [begin, end] = s.second;
      return end - begin >= kMuch && read[s.first] >= end - begin;
    });
  }

  // Those of one array where the first of them stood.
  std::vector<Place> by_address() const {
    std::vector<Place> sorted = places();
    stable_sort(sorted, [](const Place& a, const Place& b) {
      return a.array != b.array ? a.array < b.array : a.offset < b.offset;
    });
    return sorted;
  }

  bool is_here(const Value* v) const { return position_.contains(v); }

  // What stands in front of `i` for its sake: operands, and accesses that it must not overtake.
  SmallVector<Instruction*, 8> needs(Instruction& i) const {
    SmallVector<Instruction*, 8> result;
    for (Use& operand : i.operands())
      if (is_here(operand)) result.push_back(cast<Instruction>(operand));
    if (auto waits = waits_for_.find(&i); waits != waits_for_.end()) append_range(result, waits->second);
    return result;
  }

  // Those that must have been placed before `i` can be, seen through what is made late.
  void count_needs(Instruction& root) {
    SmallSetVector<Instruction*, 16> seen;
    for (Instruction* need : needs(root)) seen.insert(need);
    for (size_t n = 0; n < seen.size(); ++n) {
      Instruction* i = seen[n];
      if (is_made_late(*i)) {
        for (Instruction* need : needs(*i)) seen.insert(need);
        continue;
      }
      ++missing_[&root];
      then_[i].push_back(&root);
    }
  }

  // False: something waits for what comes behind it.
  bool arrange() {
    for (Instruction* i : before_)
      if (!is_made_late(*i)) count_needs(*i);
    for (Instruction* i : before_)
      if (!is_made_late(*i) && !is_vector_load(*i) && missing_.lookup(i) == 0) ready_.push(position_.lookup(i));
    place_ready();
    std::vector<Place> loads = by_address();
    while (!loads.empty()) {
      auto next = find_if(loads, [&](const Place& place) { return missing_.lookup(place.load) == 0; });
      if (next == loads.end()) return false;
      LoadInst* load = next->load;
      loads.erase(next);
      place(*load);
      place_ready();
    }
    for (Instruction* i : before_)
      if (is_made_late(*i)) place_late(*i);
    return after_.size() == before_.size();
  }

  // Each value right in front of its first use: of two operands first the one that takes more registers. False: that
  // takes too many, too.
  bool arrange_by_need() {
    after_.clear(), placed_.clear();
    for (Instruction* i : before_)
      if (i->mayHaveSideEffects() || is_used_behind(*i)) place_by_need(*i);
    return after_.size() == before_.size() && most_live(after_) <= registers_;
  }

  // Each line of memory that the loads read, in order, where the first of them stands that reads the array.
  void ask_ahead() {
    const std::vector<Place> sorted = by_address();
    DenseMap<size_t, std::pair<Instruction*, int64_t>> begins;  // where an array is read first, and at which offset
    for (const Place& place : sorted) {
      auto [first, is_new] = begins.try_emplace(place.array, place.load, place.offset);
      if (!is_new && place.load->comesBefore(first->second.first)) first->second = {place.load, place.offset};
    }
    DenseMap<size_t, int64_t> asked;
    for (const Place& place : sorted) {
      auto [end, is_new] = asked.try_emplace(place.array, place.offset);
      if (!is_new && place.offset < end->second) continue;
      end->second = place.offset + kLine;
      auto [load, offset] = begins.lookup(place.array);
      IRBuilder<> b(load);
      Value* line = b.CreateConstGEP1_64(b.getInt8Ty(), getLoadStorePointerOperand(load), place.offset - offset);
      b.CreateIntrinsic(Intrinsic::prefetch, {line->getType()}, {line, b.getInt32(0), b.getInt32(3), b.getInt32(1)});
    }
  }

  bool is_used_behind(const Instruction& i) const {
    return any_of(i.users(), [&](const User* user) {
      return isa<PHINode>(user) || cast<Instruction>(user)->getParent() != &block_ ||
             cast<Instruction>(user)->isTerminator();
    });
  }

  void place_by_need(Instruction& i) {
    if (!placed_.insert(&i).second) return;
    auto first = needs(i);
    stable_sort(first, [&](Instruction* a, Instruction* b) { return registers_for(*a) > registers_for(*b); });
    for (Instruction* need : first) place_by_need(*need);
    after_.push_back(&i);
  }

  // That hold what leads to `i`, if it is used once.
  unsigned registers_for(Instruction& i) {
    auto [known, is_new] = registers_for_.try_emplace(&i, 0);
    if (!is_new) return known->second;
    SmallVector<unsigned, 4> each;
    for (Use& operand : i.operands())
      if (is_here(operand)) each.push_back(registers_for(*cast<Instruction>(operand)));
    sort(each, std::greater<>());
    unsigned most = registers_of(i);
    for (unsigned k = 0; k < each.size(); ++k) most = std::max(most, each[k] + k * registers_of(i));
    return registers_for_[&i] = most;
  }

  void place_ready() {
    while (!ready_.empty()) {
      Instruction* i = before_[ready_.top()];
      ready_.pop();
      place(*i);
    }
  }

  void place_late(Instruction& i) {
    if (!is_made_late(i) || placed_.contains(&i)) return;
    for (Instruction* need : needs(i)) place_late(*need);
    placed_.insert(&i);
    after_.push_back(&i);
  }

  void place(Instruction& i) {
    for (Instruction* need : needs(i)) place_late(*need);
    placed_.insert(&i);
    after_.push_back(&i);
    for (Instruction* user : then_.lookup(&i))
      if (--missing_[user] == 0 && !is_vector_load(*user)) ready_.push(position_.lookup(user));
  }

  using First = std::priority_queue<size_t, std::vector<size_t>, std::greater<>>;

  BasicBlock& block_;
  AAResults& aliases_;
  const uint64_t register_bits_, registers_;
  std::vector<Instruction*> before_, after_;
  SmallVector<LoadInst*, 32> loads_;
  DenseMap<const Value*, size_t> position_;
  DenseMap<const Instruction*, SmallVector<Instruction*, 4>> waits_for_, then_;
  DenseMap<const Instruction*, unsigned> missing_, registers_for_;
  SmallPtrSet<const Instruction*, 32> placed_;
  First ready_;
};

}  // namespace

bool order_loads(Function& run, AAResults& aliases, const TargetTransformInfo& host) {
  bool changed = false;
  for (BasicBlock& block : run) changed |= BlockOrder(block, aliases, host).improve();
  return changed;
}

}  // namespace lanza::compiler
