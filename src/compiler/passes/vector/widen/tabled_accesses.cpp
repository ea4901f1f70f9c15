#include "compiler/passes/vector/widen/tabled_accesses.hpp"

#include <memory>

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/vector/analysis/address_terms.hpp"
#include "compiler/passes/vector/analysis/distinct_memory.hpp"
#include "compiler/passes/vector/widen/interleaved_accesses.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostVectors = 5;
constexpr unsigned kMostOpen = 8;  // groups of one block that go on at a time

struct Access {
  Instruction* i;
  AddressTerms terms;
  const LaneTable* table;
  int64_t size;
  MemorySpan span;
};

/// A group under way.
struct Group {
  SmallVector<Access, 4> members;
  SmallVector<MemorySpan, 4> passed;  ///< what was written, or read in between, or will be by then, in other memory
  bool open = true;

  bool stores() const { return isa<StoreInst>(members.front().i); }
};

class Finder {
 public:
  Finder(const Shapes& shapes, LaneTables& tables, const DataLayout& layout)
      : shapes_(shapes), tables_(tables), layout_(layout) {}

  std::vector<TabledAccesses> run(BasicBlock& block) {
    for (Instruction& i : block) {
      const std::optional<Access> access = access_of(i);
      if (!access && !i.mayReadOrWriteMemory()) continue;
      const bool is_taken = access && join(*access);
      for (Group* group : open_) meet(*group, i);
      erase_if(open_, [](const Group* group) { return !group->open; });
      if (access && !is_taken) begin(*access);
      if (isa<StoreInst>(i)) stores_.push_back(span_of(i));
    }
    std::vector<TabledAccesses> found;
    for (const auto& group : groups_)
      if (TabledAccesses accesses; describe(*group, accesses)) found.push_back(std::move(accesses));
    return found;
  }

 private:
  void begin(const Access& access) {
    if (open_.size() == kMostOpen) open_.erase(open_.begin());
    groups_.push_back(std::make_unique<Group>(Group{{access}, {}}));
    if (isa<LoadInst>(access.i)) groups_.back()->passed = may_come_behind(access.span, stores_);
    open_.push_back(groups_.back().get());
  }

  bool join(const Access& access) {
    auto group = find_if(open_, [&](const Group* g) { return belongs(*g, access); });
    if (group == open_.end()) return false;
    (*group)->members.push_back(access);
    return true;
  }

  // An access to other memory than the group's: that one goes on over it.
  static void meet(Group& group, const Instruction& i) {
    const bool matters = i.mayWriteToMemory() || (group.stores() && i.mayReadFromMemory());
    if (!matters || group.members.back().i == &i) return;
    if (i.isVolatile() || i.isAtomic() || !getLoadStorePointerOperand(&i)) {
      group.open = false;
      return;
    }
    const MemorySpan span = span_of(i);
    group.open = all_of(group.members, [&](const Access& member) { return are_distinct(span, member.span); });
    group.passed.push_back(span);
  }

  std::optional<Access> access_of(Instruction& i) const {
    auto* load = dyn_cast<LoadInst>(&i);
    auto* store = dyn_cast<StoreInst>(&i);
    if (load ? !load->isSimple() : !store || !store->isSimple()) return {};
    const Value* address = getLoadStorePointerOperand(&i);
    Type* type = getLoadStoreType(&i);
    if (!shapes_[address].is_varying() || !has_lanes_in_memory(layout_, type)) return {};
    const LaneTable* table = tables_.of(address);
    if (!table) return {};
    return Access{&i, terms_of(address, layout_, [&](const Value* v) { return tables_.keeps_high_bits(v); }), table,
                  static_cast<int64_t>(layout_.getTypeStoreSize(type)), span_of(i)};
  }

  // A load is done earlier then, the stores known so far later.
  bool belongs(const Group& group, const Access& access) const {
    const Access& first = group.members.front();
    return isa<StoreInst>(access.i) == group.stores() && access.size == first.size &&
           getLoadStoreType(access.i) == getLoadStoreType(first.i) && access.terms.has_same_terms(first.terms) &&
           reach(group, &access).elements(access.size) <= most_elements() &&
           (group.stores() ||
            all_of(group.passed, [&](const MemorySpan& span) { return are_distinct(span, access.span); }));
  }

  /// Bytes from the first member's lane 0 to the lowest and the highest element.
  struct Reach {
    int64_t lowest = INT64_MAX, highest = INT64_MIN;
    uint64_t elements(int64_t size) const { return static_cast<uint64_t>(highest - lowest) / size + 1; }
  };

  uint64_t most_elements() const { return uint64_t{kMostVectors} * shapes_.group().lanes; }

  static int64_t distance(const Group& group, const Access& access) {
    return static_cast<int64_t>(access.terms.constant - group.members.front().terms.constant);
  }

  static Reach reach(const Group& group, const Access* another = nullptr) {
    Reach reach;
    auto add = [&](const Access& access) {
      const auto [low, high] = std::ranges::minmax(access.table->offsets);
      reach.lowest = std::min(reach.lowest, distance(group, access) + low);
      reach.highest = std::max(reach.highest, distance(group, access) + high);
    };
    for (const Access& member : group.members) add(member);
    if (another) add(*another);
    return reach;
  }

  bool describe(const Group& found, TabledAccesses& group) const {
    const int64_t size = found.members.front().size;
    const Reach all = reach(found);
    if (all.elements(size) > most_elements()) return false;
    group.span = static_cast<unsigned>(all.elements(size));
    group.stores = found.stores();
    for (const Access& access : found.members) {
      TabledAccesses::Member& member = group.members.emplace_back(TabledAccesses::Member{access.i, {}});
      for (const int64_t offset : access.table->offsets) {
        const int64_t bytes = distance(found, access) + offset - all.lowest;
        if (bytes % size != 0) return false;
        member.elements.push_back(static_cast<unsigned>(bytes / size));
      }
    }
    group.origin = all.lowest - distance(found, group.stores ? found.members.back() : found.members.front());
    return true;
  }

  const Shapes& shapes_;
  LaneTables& tables_;
  const DataLayout& layout_;
  std::vector<MemorySpan> stores_;  ///< so far
  std::vector<std::unique_ptr<Group>> groups_;
  SmallVector<Group*, kMostOpen> open_;  ///< of them, which go on
};

}  // namespace

std::vector<TabledAccesses> find_tabled_accesses(BasicBlock& block, const Shapes& shapes, LaneTables& tables) {
  return Finder(shapes, tables, block.getModule()->getDataLayout()).run(block);
}

}  // namespace lanza::compiler
