#include "compiler/passes/vector/widen/tabled_accesses.hpp"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/vector/analysis/address_terms.hpp"
#include "compiler/passes/vector/analysis/distinct_memory.hpp"
#include "compiler/passes/vector/widen/interleaved_accesses.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostVectors = 5;

struct Access {
  Instruction* i;
  AddressTerms terms;
  const LaneTable* table;
  int64_t size;
};

class Finder {
 public:
  Finder(const Shapes& shapes, LaneTables& tables, const DataLayout& layout)
      : shapes_(shapes), tables_(tables), layout_(layout) {}

  std::vector<TabledAccesses> run(BasicBlock& block) {
    for (Instruction& i : block) {
      const bool matters = i.mayWriteToMemory() || (!open_.empty() && stores() && i.mayReadFromMemory());
      if (const std::optional<Access> access = access_of(i); access && (open_.empty() || belongs(*access))) {
        open_.push_back(*access);
      } else if (access) {
        close();
        open_.push_back(*access);
      } else if (matters && !is_apart(i)) {
        close();
      }
    }
    close();
    return std::move(found_);
  }

 private:
  // An access to other memory than the group's: that one goes on over it.
  bool is_apart(const Instruction& i) const {
    const Value* address = i.isVolatile() || i.isAtomic() ? nullptr : getLoadStorePointerOperand(&i);
    return address && !open_.empty() && are_distinct(address, getLoadStorePointerOperand(open_.front().i));
  }

  bool stores() const { return isa<StoreInst>(open_.front().i); }

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
                  static_cast<int64_t>(layout_.getTypeStoreSize(type))};
  }

  bool belongs(const Access& access) const {
    const Access& first = open_.front();
    return isa<StoreInst>(access.i) == stores() && access.size == first.size &&
           getLoadStoreType(access.i) == getLoadStoreType(first.i) && access.terms.has_same_terms(first.terms);
  }

  void close() {
    if (TabledAccesses group; !open_.empty() && describe(group)) found_.push_back(std::move(group));
    open_.clear();
  }

  bool describe(TabledAccesses& group) const {
    const int64_t size = open_.front().size;
    int64_t lowest = INT64_MAX, highest = INT64_MIN;
    auto distance = [&](const Access& access, int64_t offset) {
      return static_cast<int64_t>(access.terms.constant - open_.front().terms.constant) + offset;
    };
    for (const Access& access : open_)
      for (const int64_t offset : access.table->offsets) {
        if (distance(access, offset) % size) return false;
        lowest = std::min(lowest, distance(access, offset));
        highest = std::max(highest, distance(access, offset));
      }
    const uint64_t span = static_cast<uint64_t>(highest - lowest) / size + 1;
    if (span > uint64_t{kMostVectors} * shapes_.group().lanes) return false;
    group.span = static_cast<unsigned>(span);
    group.stores = stores();
    for (const Access& access : open_) {
      TabledAccesses::Member& member = group.members.emplace_back(TabledAccesses::Member{access.i, {}});
      for (const int64_t offset : access.table->offsets)
        member.elements.push_back(static_cast<unsigned>((distance(access, offset) - lowest) / size));
    }
    group.origin = lowest - distance(group.stores ? open_.back() : open_.front(), 0);
    return true;
  }

  const Shapes& shapes_;
  LaneTables& tables_;
  const DataLayout& layout_;
  SmallVector<Access, 4> open_;  ///< a group under way
  std::vector<TabledAccesses> found_;
};

}  // namespace

std::vector<TabledAccesses> find_tabled_accesses(BasicBlock& block, const Shapes& shapes, LaneTables& tables) {
  return Finder(shapes, tables, block.getModule()->getDataLayout()).run(block);
}

}  // namespace lanza::compiler
