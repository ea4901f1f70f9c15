#include "compiler/passes/vector/run/order_groups.hpp"

#include <array>
#include <optional>

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/address_terms.hpp"
#include "compiler/passes/vector/analysis/distinct_memory.hpp"
#include "compiler/passes/vector/analysis/uniform_barriers.hpp"
#include "compiler/passes/vector/group_form.hpp"
#include "compiler/passes/vector/widen/lone_updates.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostGroups = 64, kMostAccesses = 32;  // a block of 1024 by 16; of code that is looked at

enum Orders : unsigned { kNeither = 0, kFirstFirst = 1, kLastFirst = 2, kBoth = 3 };  // which group goes first

bool calls(const Value& value, StringRef name) {
  auto* call = dyn_cast<CallInst>(&value);
  return call && call->getCalledFunction() && call->getCalledFunction()->getName() == name;
}

/// What an instruction loads or stores.
struct Place {
  const Instruction* access;
  bool writes;
  const Value* address;  ///< of lanes that go their own ways: the memory that they go to; null: any
  bool is_known = false;
  AddressTerms rest;                 ///< of the address, but for the group's indices
  std::array<int64_t, 3> factors{};  ///< of these
  int64_t size = 0;

  bool is_same(const Place& other) const {
    return factors == other.factors && size == other.size && rest.constant == other.rest.constant;
  }
};

/// The code between a barrier and those before and behind it.
struct Surroundings {
  SetVector<BasicBlock*> before, behind;
  SetVector<CallInst*> starts;  ///< of regions that come to the barrier; null: the kernel's own
  const BasicBlock* barrier;

  bool contains(const BasicBlock* block) const {
    auto* key = const_cast<BasicBlock*>(block);
    return block == barrier || before.contains(key) || behind.contains(key);
  }
};

class GroupOrder {
 public:
  GroupOrder(Function& kernel, const GroupShape& group)
      : kernel_(kernel),
        layout_(kernel.getDataLayout()),
        group_(group),
        uniformity_(kernel),
        may_turn_(noted_updates(kernel) == Updates::None) {
    for (unsigned z = 0; z < group.groups(2); ++z)
      for (unsigned y = 0; y < group.groups(1); ++y)
        for (unsigned x = 0; x < group.groups(0); ++x)
          groups_.push_back({x * group.extent[0], y * group.extent[1], z * group.extent[2]});
  }

  bool run() {
    for (CallInst* point : points())
      if (can_drop(*point)) gone_.insert(point);
    for (CallInst* point : gone_) point->eraseFromParent();  // not before: uniformity_ is of the kernel as it was
    return !gone_.empty();
  }

 private:
  SmallVector<CallInst*, 16> points() const {
    SmallVector<CallInst*, 16> found;
    for (BasicBlock& block : kernel_)
      if (CallInst* point = point_of(block)) found.push_back(point);
    return found;
  }

  bool is_of_source(const CallInst& point) const {
    return point.getDebugLoc() || !kernel_.getSubprogram();  // see emit_own_barrier()
  }

  // That ends a region.
  CallInst* point_of(BasicBlock& block) const {
    CallInst* point = as_block_sync(block.front());
    return point && !gone_.contains(point) ? point : nullptr;
  }

  bool can_drop(CallInst& point) {
    if (sync_kind(point) != LANZA_SYNC_BARRIER || !point.use_empty() || !is_of_source(point)) return false;
    const Surroundings around = surroundings(point);
    unsigned orders = allowed_from(&point);
    for (CallInst* start : around.starts) orders &= allowed_from(start);
    if (orders) orders &= legal_orders(around);
    if (!orders) return false;
    for (CallInst* start : around.starts) allowed_[start] = orders;
    if (!(orders & kFirstFirst)) mark(point);
    return true;
  }

  unsigned allowed_from(CallInst* start) const {
    const auto known = allowed_.find(start);
    return known == allowed_.end() ? kBoth : known->second;
  }

  void mark(CallInst& point) const {
    auto* type = FunctionType::get(Type::getVoidTy(kernel_.getContext()), false);
    FunctionCallee callee = kernel_.getParent()->getOrInsertFunction(kDownwards, type);
    auto* function = cast<Function>(callee.getCallee());
    function->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
    function->setDoesNotThrow();
    function->setWillReturn();
    IRBuilder<>(&point).CreateCall(callee);
  }

  Surroundings surroundings(CallInst& point) const {
    BasicBlock* barrier = point.getParent();
    Surroundings around{{}, {}, {}, barrier};
    if (barrier->isEntryBlock()) around.starts.insert(nullptr);
    SmallVector<BasicBlock*, 16> work(predecessors(barrier));
    while (!work.empty()) {
      BasicBlock* block = work.pop_back_val();
      if (CallInst* start = point_of(*block)) {
        around.starts.insert(start);
      } else if (around.before.insert(block)) {
        append_range(work, predecessors(block));
        if (block->isEntryBlock()) around.starts.insert(nullptr);
      }
    }
    append_range(work, successors(barrier));
    while (!work.empty()) {
      BasicBlock* block = work.pop_back_val();
      if (!point_of(*block) && around.behind.insert(block)) append_range(work, successors(block));
    }
    return around;
  }

  unsigned legal_orders(const Surroundings& around) {
    SmallVector<Place, 16> before, behind;
    if (!add_places(around.before, before) || !add_places(around.behind, behind)) return kNeither;
    // Where one side only decides which way the block goes, that is better done once than by each group.
    if (before.empty() || behind.empty()) return kNeither;
    unsigned orders = may_turn_ ? kBoth : kFirstFirst;
    for (const Place& a : before)
      for (const Place& b : behind) {
        if ((a.writes || b.writes) && orders) orders &= orders_of(a, b, around);
      }
    return orders;
  }

  // False: something else is done there that others may notice.
  bool add_places(const SetVector<BasicBlock*>& blocks, SmallVectorImpl<Place>& places) const {
    for (BasicBlock* block : blocks)
      for (Instruction& i : *block) {
        if (!i.mayReadOrWriteMemory() && !i.mayHaveSideEffects()) continue;
        if (isa<IntrinsicInst>(i) && cast<IntrinsicInst>(i).isAssumeLikeIntrinsic()) continue;
        if (marks_downwards(i) || as_block_sync(i)) continue;
        std::optional<Place> place = place_of(i);
        if (!place || places.size() == kMostAccesses) return false;
        if (!place->address ||
            !isa<AllocaInst>(getUnderlyingObject(place->address)))  // of which each group has its own
          places.push_back(std::move(*place));
      }
    return true;
  }

  std::optional<Place> place_of(const Instruction& i) const {
    if (auto* load = dyn_cast<LoadInst>(&i); load && load->isSimple())
      return known_place(i, *load->getPointerOperand(), load->getType(), false);
    if (auto* store = dyn_cast<StoreInst>(&i); store && store->isSimple())
      return known_place(i, *store->getPointerOperand(), store->getValueOperand()->getType(), true);
    auto* call = dyn_cast<IntrinsicInst>(&i);
    switch (call ? call->getIntrinsicID() : Intrinsic::not_intrinsic) {
      case Intrinsic::masked_load:
        return known_place(i, *call->getArgOperand(0), call->getType(), false);
      case Intrinsic::masked_store:
        return known_place(i, *call->getArgOperand(1), call->getArgOperand(0)->getType(), true);
      case Intrinsic::masked_gather:
        return Place{&i, false, memory_of(*call->getArgOperand(0))};
      case Intrinsic::masked_scatter:
        return Place{&i, true, memory_of(*call->getArgOperand(1))};
      default:
        return std::nullopt;
    }
  }

  static const Value* memory_of(const Value& addresses) {
    auto* element = dyn_cast<GetElementPtrInst>(&addresses);
    return element && !element->getPointerOperandType()->isVectorTy() ? element->getPointerOperand() : nullptr;
  }

  Place known_place(const Instruction& access, const Value& address, Type* type, bool writes) const {
    Place place{&access, writes, &address, /*is_known=*/true};
    place.size = static_cast<int64_t>(layout_.getTypeStoreSize(type).getFixedValue());
    const AddressTerms terms = terms_of(&address, layout_);
    place.rest.constant = terms.constant;
    for (const AddressTerms::Term& term : terms.terms) {
      if (const std::optional<unsigned> axis = axis_of(*term.value))
        place.factors[*axis] += static_cast<int64_t>(term.factor);
      else
        place.rest.terms.push_back(term);
    }
    return place;
  }

  // Of lanza.group, which is never negative.
  static std::optional<unsigned> axis_of(const Value& value) {
    if (!calls(value, kGroup)) return std::nullopt;
    return cast<ConstantInt>(cast<CallInst>(value).getArgOperand(0))->getZExtValue();
  }

  int64_t begin_of(const Place& place, size_t group) const {
    auto begin = static_cast<int64_t>(place.rest.constant);
    for (unsigned axis = 0; axis < 3; ++axis) begin += place.factors[axis] * int64_t{groups_[group][axis]};
    return begin;
  }

  unsigned orders_of(const Place& before, const Place& behind, const Surroundings& around) const {
    if (before.address && behind.address && are_distinct(before.address, behind.address)) return kBoth;
    if (!before.is_known || !behind.is_known || !before.rest.has_same_terms(behind.rest)) return kNeither;
    for (const AddressTerms::Term& term : before.rest.terms)
      if (!stays(*term.value, *before.access, *behind.access, around)) return kNeither;
    const bool should_wait = before.writes && !behind.writes && !before.is_same(behind);
    unsigned orders = kBoth;
    for (size_t i = 0; i < groups_.size() && orders; ++i)
      for (size_t j = 0; j < groups_.size(); ++j) {
        if ((i == j && !should_wait) || !meet(before, i, behind, j)) continue;
        // What group j does behind the barrier comes before what group i does in front of it, if it goes first.
        if (should_wait) return kNeither;
        orders &= ~(j < i ? kFirstFirst : kLastFirst);
      }
    return orders;
  }

  bool meet(const Place& a, size_t group, const Place& b, size_t other) const {
    const int64_t from = begin_of(a, group), to = begin_of(b, other);
    return from < to + b.size && to < from + a.size;
  }

  // For all groups, and for both accesses: it is not made again between them, nor behind one of them.
  bool stays(const Value& value, const Instruction& a, const Instruction& b, const Surroundings& around) const {
    if (!uniformity_.is_uniform(value)) return false;
    auto* made = dyn_cast<Instruction>(&value);
    if (!made || !around.contains(made->getParent())) return true;
    return !is_followed_by(*a.getParent(), *made->getParent(), around) &&
           !is_followed_by(*b.getParent(), *made->getParent(), around);
  }

  static bool is_followed_by(const BasicBlock& from, const BasicBlock& to, const Surroundings& around) {
    SmallSetVector<const BasicBlock*, 16> seen;
    auto add_next = [&](const BasicBlock* block) {
      for (const BasicBlock* next : successors(block))
        if (around.contains(next)) seen.insert(next);
    };
    add_next(&from);
    for (size_t k = 0; k < seen.size(); ++k) add_next(seen[k]);
    return seen.contains(&to);
  }

  Function& kernel_;
  const DataLayout& layout_;
  const GroupShape group_;
  const BlockUniformity uniformity_;
  SmallVector<std::array<unsigned, 3>, 64> groups_;
  DenseMap<CallInst*, unsigned> allowed_;  ///< orders of what begins at a barrier; null: at the kernel itself
  SmallSetVector<CallInst*, 16> gone_;
  bool may_turn_;
};

// Sums of a group's index and a small number: behind a guard (`t >= 16`) LLVM has forgotten that they do not wrap.
void note_sums_of_indices(Function& kernel) {
  constexpr int64_t kSmall = 1 << 30;
  for (Instruction& i : instructions(kernel)) {
    auto* number = i.getOpcode() == Instruction::Add ? dyn_cast<ConstantInt>(i.getOperand(1)) : nullptr;
    if (number && calls(*i.getOperand(0), kGroup) && std::abs(number->getSExtValue()) < kSmall) i.setHasNoSignedWrap();
  }
}

}  // namespace

bool marks_downwards(const Instruction& i) { return calls(i, kDownwards); }

bool goes_downwards(ArrayRef<BasicBlock*> region) {
  return any_of(region, [](BasicBlock* block) { return any_of(*block, marks_downwards); });
}

bool order_groups(Function& kernel, const GroupShape& group) {
  const unsigned groups = group.groups(0) * group.groups(1) * group.groups(2);
  if (group.lanes == 1 || group.whole_rows || group.blocks > 1 || groups == 1 || groups > kMostGroups) return false;
  if (!has_sync(kernel, LANZA_SYNC_BARRIER)) return false;
  isolate_points(kernel);
  note_sums_of_indices(kernel);
  return GroupOrder(kernel, group).run();
}

}  // namespace lanza::compiler
