#include "compiler/passes/vector/groups/overlap_groups.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/passes/retarget.hpp"
#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/operation_times.hpp"
#include "compiler/passes/vector/analysis/processors.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/groups/pair_blocks.hpp"
#include "compiler/passes/vector/groups/whole_rows.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

// Operations that wait for operands at the same time: Sapphire Rapids' scheduler has 97 places, Zen 4's two and the
// queue before them 128.
constexpr unsigned kLookAhead = 100;
constexpr unsigned kRegisters = 32;  // of AVX-512: elsewhere 16 lanes are two
constexpr unsigned kShort = 32;      // instructions of a lane, with its indices: there are others
constexpr unsigned kLong = 6000;     // such take seconds to compile, of two registers twice as long
constexpr unsigned kSpilled = 8;     // registers that a wide core may load again, rather than wait
constexpr unsigned kDivision = 3;    // half cycles of the units that do all else
constexpr unsigned kLoad = 7;        // cycles, of what the first cache has

/// What leads to a kernel's stores. What only some lanes do in between, as for the rare arguments of functions, is left
/// out, but for what it loads.
class StraightCode {
 public:
  StraightCode(Function& kernel, const Shapes& shapes, bool is_wide) : shapes_(shapes), is_wide_(is_wide) {
    const DominatorTree dominators(kernel);
    SmallSetVector<BasicBlock*, 4> stores;
    for (Instruction& i : instructions(kernel))
      if (isa<StoreInst, MemIntrinsic>(i)) stores.insert(i.getParent());
    for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&kernel))
      if (any_of(stores, [&](const BasicBlock* store) { return dominators.dominates(block, store); }))
        for (Instruction& i : *block) inside_.push_back(&i);
      else
        for (Instruction& i : *block)
          if (auto* load = dyn_cast<LoadInst>(&i); load && !is_of_table(*load)) loads_beside_.push_back(load);
  }

  /// On numbers of 32 bits or less, each beside its neighbour. A wide core is not kept waiting by what is scattered.
  bool is_plain() const {
    auto plain = [&](const Instruction* i) { return is_plain(*i); };
    return all_of(inside_, plain) && all_of(loads_beside_, plain);
  }

  /// Comparisons of neighbours' indices: where a row has two edges, twice as many threads are in a group with one, in
  /// which some stay out.
  unsigned edges() const {
    unsigned count = 0;
    for (const Instruction* i : inside_)
      if (auto* compare = dyn_cast<ICmpInst>(i); compare)
        count += is_index_of_lanes(*compare->getOperand(0)) || is_index_of_lanes(*compare->getOperand(1));
    return count;
  }

  /// Registers of lanes that are worked on.
  unsigned operations() const {
    return count_if(inside_, [&](const Instruction* i) { return is_vector(*i) && time_of(*i).work != 0; });
  }

  /// Half cycles. Divisions and roots have a unit of their own.
  unsigned work() const {
    unsigned work = 0, division = 0;
    for (const Instruction* i : inside_) {
      if (!is_vector(*i)) continue;
      const unsigned time = time_of(*i).work;
      work += std::min(time, kDivision);
      division += time > kDivision ? time : 0;
    }
    return std::max(work, division);
  }

  /// Cycles of the longest chain.
  unsigned wait() const {
    DenseMap<const Value*, unsigned> there;
    unsigned longest = 0;
    for (const Instruction* i : inside_) {
      if (!is_vector(*i)) continue;
      unsigned start = 0;
      for (const Value* operand : i->operand_values()) start = std::max(start, there.lookup(operand));
      const unsigned end = start + (isa<LoadInst>(i) ? kLoad : time_of(*i).latency);
      there[i] = end;
      longest = std::max(longest, end);
    }
    return longest;
  }

  /// The most that are alive at once, in the order of the code.
  unsigned registers() const {
    DenseMap<const Value*, unsigned> last;
    for (unsigned at = 0; at < inside_.size(); ++at)
      for (const Value* operand : inside_[at]->operand_values()) last[operand] = at;
    SmallVector<int> change(inside_.size() + 1);
    for (unsigned at = 0; at < inside_.size(); ++at)
      if (last.contains(inside_[at]) && is_vector(*inside_[at]) && !inside_[at]->getType()->isIntegerTy(1)) {
        ++change[at];
        --change[last[inside_[at]]];
      }
    int now = 0, most = 0;
    for (const int step : change) most = std::max(most, now += step);
    return most;
  }

 private:
  bool is_vector(const Instruction& i) const { return shapes_[&i].is_varying(); }

  static bool is_barrier(const Instruction& i) { return as_sync(const_cast<Instruction&>(i)) != nullptr; }

  // Of a function of the prelude.
  static bool is_of_table(const LoadInst& load) {
    auto* variable = dyn_cast<GlobalVariable>(getUnderlyingObject(load.getPointerOperand()));
    return variable && variable->isConstant();
  }

  // Of all lanes, as the address of variables is.
  bool is_constant(const Instruction& i) const {
    return shapes_.is_uniform(&i) && !i.mayReadOrWriteMemory() && !i.mayHaveSideEffects();
  }

  // Where another number says; what goes down columns is better transposed (column_accesses).
  static bool is_scatter(const Instruction& i) {
    auto* atomic = dyn_cast<AtomicRMWInst>(&i);
    const Value* pointer = isa<StoreInst>(i) ? getLoadStorePointerOperand(&i)
                           : atomic          ? atomic->getPointerOperand()
                                             : nullptr;
    auto* element = dyn_cast_or_null<GetElementPtrInst>(pointer);
    if (!element) return false;
    const Value* index = *std::prev(element->idx_end());
    while (auto* cast = dyn_cast<CastInst>(index)) index = cast->getOperand(0);
    return isa<LoadInst>(index);
  }

  bool is_index_of_lanes(const Value& value) const { return shapes_[&value].is_strided(); }

  static bool is_index(const Instruction& i) {
    return !i.mayReadOrWriteMemory() && i.getType()->isIntegerTy() &&
           all_of(i.users(), [](const User* user) { return isa<GetElementPtrInst>(user); });
  }

  bool is_plain(const Instruction& i) const {
    if (is_wide_ && (is_scatter(i) || is_index(i) || is_constant(i))) return true;
    if (const Value* pointer = getLoadStorePointerOperand(&i)) {
      const Shape shape = shapes_[pointer];
      const unsigned bits = getLoadStoreType(const_cast<Instruction*>(&i))->getScalarSizeInBits();
      if (shape.is_uniform() || (shape.is_strided() && shape.stride * 8 == bits)) return true;
      // The block's columns are loaded as rows and transposed in registers (transpose_gathers), where no lane is left
      // out.
      return is_wide_ && shape.is_strided() && isa<LoadInst>(i) && is_shared_memory(pointer) && edges() == 0;
    }
    if (i.mayReadOrWriteMemory() || (isa<CallBase>(i) && !isa<IntrinsicInst>(i)))
      return isa<AssumeInst>(i) || is_barrier(i);
    return !is_vector(i) || i.getType()->isVoidTy() || i.getType()->getScalarSizeInBits() <= 32;
  }

  const Shapes& shapes_;
  const bool is_wide_;
  SmallVector<const Instruction*, 128> inside_;
  SmallVector<const LoadInst*, 16> loads_beside_;  ///< behind guards, as of a window at an edge
};

}  // namespace

// A group's chain is waited for by itself where it is much longer than what is looked ahead; else others fill it. A
// quarter is not worth code twice as long.
static bool waits(const StraightCode& code) {
  const unsigned operations = code.operations();
  const unsigned wait = code.wait() * operations / (operations + kLookAhead);
  return 8 * wait >= 5 * code.work();
}

// Whether whatever is loaded is stored as it is; of wider elements a group has two lines anyway.
static bool only_moves(Function& kernel) {
  return all_of(instructions(kernel), [](const Instruction& i) {
    return !isa<LoadInst>(i) || (i.getType()->getScalarSizeInBits() <= 32 &&
                                 all_of(i.users(), [](const User* user) { return isa<StoreInst>(user); }));
  });
}

// Code that goes from barrier to barrier by neighbours: a group has its line of memory and the next one, and there are
// half as many groups for a region that is soon at its end. On other cores what does nothing but move memory gains (a
// transposition of 1024^2 on Zen 4: 0.8 of the time), and what goes by planes (a 3-D stencil of 128^3 there: 0.95).
// What loops between barriers share is join_groups' choice.
static bool wants_long_rows(Function& kernel, const GroupShape& group, unsigned registers, bool is_wide) {
  if (group.block[0] % (2 * group.lanes) != 0 || !(is_wide || only_moves(kernel) || goes_by_planes(kernel)))
    return false;
  const DominatorTree dominators(kernel);
  const LoopInfo loops(dominators);
  for (const Loop* loop : loops.getLoopsInPreorder())
    if (none_of(loop->blocks(), [](BasicBlock* block) { return any_of(*block, as_sync); })) return false;
  const Shapes shapes(kernel, group.with_lanes(2 * group.lanes));  // neighbours of half as many may be none of theirs
  const StraightCode code(kernel, shapes, /*is_wide=*/true);
  return code.is_plain() && 2 * code.registers() <= registers + kSpilled;
}

GroupShape overlap_groups(Function& kernel, const GroupShape& group, const TargetMachine& host) {
  const TargetTransformInfo costs = host.getTargetTransformInfo(kernel);
  const unsigned registers = costs.getNumberOfRegisters(costs.getRegisterClassForType(/*Vector=*/true));
  const bool wide = is_wide_core(host);
  if (registers < kRegisters) return group;
  if (has_sync(kernel))
    return wants_long_rows(kernel, group, registers, wide) ? group.with_lanes(2 * group.lanes) : group;
  const unsigned count = kernel.getInstructionCount();
  if ((!wide && count < kShort) || count > kLong) return group;
  if (const LoopInfo loops{DominatorTree(kernel)}; !loops.empty() || !can_take_whole_rows(kernel, group)) return group;
  const Shapes shapes(kernel, GroupShape::of_rows(2 * group.lanes, group.block));
  const StraightCode code(kernel, shapes, wide);
  if (wide && code.edges() > 1) return group;
  const unsigned room = wide ? registers + kSpilled : registers;
  if (!code.is_plain() || 2 * code.registers() > room) return group;
  return wide || waits(code) ? group.with_lanes(2 * group.lanes) : group;
}

}  // namespace lanza::compiler
