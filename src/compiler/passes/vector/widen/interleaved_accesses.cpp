#include "compiler/passes/vector/widen/interleaved_accesses.hpp"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/fold_reflect.hpp"
#include "compiler/passes/record_writes.hpp"
#include "compiler/passes/vector/analysis/address_terms.hpp"
#include "compiler/passes/vector/analysis/distinct_memory.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostUnits = 16, kWord = 4;
constexpr unsigned kMostWords = 16;

/// A simple load or store.
struct Access {
  Instruction* i = nullptr;
  AddressTerms terms;
  Shape shape;
  int64_t size = 0;
  bool writes = false, has_lanes = false;
  MemorySpan span{nullptr, ConstantRange::getFull(64)};

  const Value* address() const { return getLoadStorePointerOperand(i); }
};

/// A group under way.
struct Group {
  SmallVector<Access, 8> members;
  SmallVector<Access, 4> between;     ///< accesses to other members of the same records
  SmallVector<MemorySpan, 4> passed;  ///< of others, in other memory
  SmallVector<Access, 4> read;        ///< in front of stores, of the same records
  bool open = true;

  const Access& first() const { return members.front(); }
  int64_t distance(const Access& other) const {
    return static_cast<int64_t>(other.terms.constant - first().terms.constant);
  }
  // Of records that begin at the lowest of all accesses known, none reaches into the next.
  bool is_same_record(const Access& other) const {
    if (!(other.shape == first().shape) || !other.terms.has_same_terms(first().terms)) return false;
    int64_t low = distance(other), high = low + other.size;
    for (const Access& known : concat<const Access>(members, between)) {
      low = std::min(low, distance(known));
      high = std::max(high, distance(known) + known.size);
    }
    return high - low <= std::abs(first().shape.stride);
  }
  bool is_apart(const Access& other) const {
    return all_of(members, [&](const Access& known) { return are_distinct(known.span, other.span); });
  }
  bool has_passed(const Access& other) const {
    return any_of(passed, [&](const MemorySpan& span) { return !are_distinct(span, other.span); });
  }
  bool overlaps(ArrayRef<Access> list, const Access& other, bool only_writes) const {
    return any_of(list, [&](const Access& known) {
      return (!only_writes || known.writes) && distance(known) < distance(other) + other.size &&
             distance(other) < distance(known) + known.size;
    });
  }
};

// A half, or its bits with what NaN becomes.
bool is_half(const Value* v, unsigned depth = 3) {
  if (v->getType()->isHalfTy()) return true;
  if (any_of(v->users(), [](const User* user) { return isa<BitCastInst>(user) && user->getType()->isHalfTy(); }))
    return true;
  if (auto* bits = dyn_cast<BitCastInst>(v)) return bits->getSrcTy()->isHalfTy();
  auto* choice = dyn_cast<SelectInst>(v);
  return choice && depth && (is_half(choice->getTrueValue(), depth - 1) || is_half(choice->getFalseValue(), depth - 1));
}

bool moves_half(const Instruction* access) {
  auto* store = dyn_cast<StoreInst>(access);
  return is_half(store ? store->getValueOperand() : access);
}

class Finder {
 public:
  Finder(const Shapes& shapes, const Module& module, const DenseSet<const Instruction*>& alike)
      : shapes_(shapes),
        alike_(alike),
        layout_(module.getDataLayout()),
        loads_parts_(module_flag(module, kRoundsEachWay, 0) != 0 && shapes.group().lanes <= kMostWords) {}

  std::vector<InterleavedAccesses> run(BasicBlock& block) {
    for (Instruction& i : block) {
      if (!i.mayReadOrWriteMemory() || i.isLifetimeStartOrEnd() || isa<AssumeInst>(i)) continue;
      if (const Access access = access_of(i); access.i)
        add(access);
      else
        for (Group& group : groups_) group.open = false;
    }
    std::vector<InterleavedAccesses> result;
    for (const Group& group : groups_)
      if (InterleavedAccesses found; describe(group, found)) result.push_back(std::move(found));
    return result;
  }

 private:
  Access access_of(Instruction& i) const {
    auto* load = dyn_cast<LoadInst>(&i);
    auto* store = dyn_cast<StoreInst>(&i);
    Access access;
    if (load ? !load->isSimple() : !store || !store->isSimple()) return access;
    access.i = &i;
    access.writes = store;
    access.terms = terms_of(access.address(), layout_);
    access.shape = shapes_[access.address()];
    access.size = layout_.getTypeStoreSize(getLoadStoreType(&i));
    access.span = span_of(i);
    access.has_lanes = has_lanes_in_memory(layout_, getLoadStoreType(&i));
    return access;
  }

  void add(const Access& access) {
    bool taken = false;
    for (Group& group : groups_)
      if (group.open) taken |= meet(group, access, taken);
    const int64_t stride = std::abs(access.shape.stride);
    if (access.writes) stores_.push_back(access.span);
    if (taken || !access.shape.is_strided() || !access.has_lanes || stride <= access.size || stride % access.size)
      return;
    Group group{{access}, {}, {}, {}};
    if (!access.writes) group.passed = may_come_behind(access.span, stores_);
    for (const Group& other : groups_) {
      if (other.first().writes == access.writes || !group.is_same_record(other.first())) continue;
      if (access.writes)
        group.read.append(other.members);
      else if (other.open)
        group.between.append(other.members);
    }
    groups_.push_back(std::move(group));
  }

  // Whether the access becomes a member. A load is done earlier then, the stores known so far later.
  bool meet(Group& group, const Access& access, bool taken) {
    const bool loads = !group.first().writes;
    if (!loads && access.i->hasMetadata(LLVMContext::MD_invariant_load)) return false;  // no store changes it
    if (group.is_same_record(access)) {
      const bool alike = access.has_lanes && access.writes == !loads && access.size == group.first().size;
      const bool clashes =
          loads ? !access.writes && (group.overlaps(group.between, access, true) || group.has_passed(access))
                : group.overlaps(group.members, access, false);
      if (alike && !clashes && !taken) {
        group.members.push_back(access);
        return true;
      }
      if (clashes)
        group.open = false;
      else if (access.writes || !loads)  // loads of a window's other records hinder none
        group.between.push_back(access);
      return false;
    }
    if (!access.writes && loads) return false;
    group.open = group.is_apart(access);
    group.passed.push_back(access.span);
    return false;
  }

  bool describe(const Group& group, InterleavedAccesses& found) const {
    int64_t low = 0, high = 0;
    for (const Access& member : group.members) {
      low = std::min(low, group.distance(member));
      high = std::max(high, group.distance(member) + member.size);
    }
    find_kept(group, low, high, found);
    if (found.kept.empty()) begin_as_read(group, low, high);
    found.stores = group.first().writes;
    found.backwards = group.first().shape.stride < 0;
    for (const Access& member : group.members) found.members.push_back({member.i, group.distance(member) - low});
    found.unit = group.first().size;
    const int64_t bytes = high - low;
    if (found.unit < kWord && group.first().shape.stride % kWord == 0 && !are_halves(found, group.first()) &&
        !alike_.contains(group.first().i) && use_words(found, bytes))
      found.unit = kWord;
    else if (any_of(found.members, [&](auto& member) { return member.offset % found.unit; }))
      return false;
    found.records = static_cast<unsigned>(std::abs(group.first().shape.stride)) / found.unit;
    found.span = divideCeil(bytes - found.origin, found.unit);
    return found.span <= found.records && is_worth_it(found);
  }

  // What the source writes beside the members, where that is not more than a record.
  static void find_kept(const Group& group, int64_t& low, int64_t& high, InterleavedAccesses& found) {
    if (!group.first().writes) return;
    int64_t first = low, last = high;
    SmallVector<InterleavedAccesses::Kept, 1> all;
    for (const Access& member : group.members) {
      const std::optional<RecordWrite> write = record_write(*member.i);
      if (!write) continue;
      const int64_t begin = group.distance(member) - write->offset, end = begin + write->bytes;
      if (none_of(all, [&](const auto& known) { return known.begin == begin && known.end == end; }))
        all.push_back({begin, end});
      first = std::min(first, begin);
      last = std::max(last, end);
    }
    if (last - first > std::abs(group.first().shape.stride)) return;
    low = first;
    high = last;
    for (const auto& kept : all) found.kept.push_back({kept.begin - low, kept.end - low});
  }

  // Records begin where they did when they were read (`s[x] += s[x - 1]`, each second x): vectors that begin elsewhere
  // would overlap with what the next group reads, which then waits until they are written.
  static void begin_as_read(const Group& group, int64_t& low, int64_t high) {
    for (const Access& read : group.read) {
      const int64_t begin = group.distance(read);
      const bool is_whole = high - begin <= std::abs(group.first().shape.stride) && (low - begin) % read.size == 0;
      if (is_whole && read.size == group.first().size) low = std::min(low, begin);
    }
  }

  // All members of pairs of halves and their like: mostly the same is done with each, so that records can be computed
  // with as they lie in memory (keep_records()). Words would have to be taken apart.
  static bool are_halves(const InterleavedAccesses& found, const Access& first) {
    const auto members = static_cast<uint64_t>(std::abs(first.shape.stride) / first.size);
    return found.members.size() == members && all_of(found.members, [](auto& m) { return moves_half(m.access); });
  }

  // Bytes and shorts as parts of words: no shuffles are cheaper than masks and shifts. Of words stores may write parts,
  // and loads read parts where masks are as cheap as with AVX-512, and lanes no more than a register has words: more
  // are there to work on bytes.
  bool use_words(InterleavedAccesses& found, int64_t bytes) const {
    int64_t origin = 0;
    bool aligned = false;
    for (const auto& member : found.members)
      if (getLoadStoreAlignment(member.access) >= kWord) {
        aligned = true;
        origin = -((kWord - member.offset % kWord) % kWord);
      }
    auto word = [&](int64_t offset) { return (offset - origin) / kWord; };
    for (const auto& member : found.members)
      if (word(member.offset) != word(member.offset + found.unit - 1)) return false;
    const bool ends_early = !found.stores && !aligned && bytes % kWord != 0;
    if (found.stores ? origin != 0 : ends_early && !loads_parts_) return false;
    found.origin = origin;
    found.ends_early = ends_early;
    return true;
  }

  // A gather costs what as many loads as there are lanes cost, about; so does a scatter. Masks of bytes are cheap with
  // AVX-512 only.
  bool is_worth_it(const InterleavedAccesses& found) const {
    if (found.records == 1) return true;  // of words
    if (found.records > kMostUnits) return false;
    SmallDenseSet<unsigned, 16> units;
    for (const auto& member : found.members) units.insert(found.unit_of(member));
    if (!found.stores) return found.records <= 8 || units.size() * 4 >= found.records;
    if (units.size() == found.records) return true;
    return (found.unit >= kWord || loads_parts_) && units.size() * 4 >= found.records;
  }

  const Shapes& shapes_;
  const DenseSet<const Instruction*>& alike_;
  const DataLayout& layout_;
  const bool loads_parts_;
  SmallVector<Group, 8> groups_;
  std::vector<MemorySpan> stores_;  ///< so far
};

}  // namespace

bool has_lanes_in_memory(const DataLayout& layout, Type* type) {
  return (type->isIntegerTy() || type->isFloatingPointTy() || type->isPointerTy()) &&
         layout.getTypeSizeInBits(type) == layout.getTypeAllocSizeInBits(type);
}

std::vector<InterleavedAccesses> find_interleaved_accesses(BasicBlock& block, const Shapes& shapes,
                                                           const DenseSet<const Instruction*>& alike) {
  return Finder(shapes, *block.getModule(), alike).run(block);
}

}  // namespace lanza::compiler
