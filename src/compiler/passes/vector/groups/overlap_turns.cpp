#include "compiler/passes/vector/groups/overlap_turns.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/LoopIterator.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/DataLayout.h>

#include "compiler/passes/vector/analysis/operation_times.hpp"
#include "compiler/passes/vector/analysis/processors.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/analysis/turn_steps.hpp"
#include "compiler/passes/vector/groups/whole_rows.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostLanes = 32;
constexpr unsigned kMostHandedOn = 16;  // values; more leave no registers for several lanes each
constexpr OperationTime kGather{26, 16}, kScatter{0, 32}, kLoad{7, 1}, kStore{0, 2};  // of what the first cache has
constexpr OperationTime kOfRow{7, 4};  // a load of each lane's own row on a wide core: four shuffles, two a cycle

/// An innermost loop, lane after lane.
class Turns {
 public:
  Turns(const Loop& loop, const Shapes& shapes, FunctionAnalysisManager& analyses, const TargetMachine& host)
      : loop_(loop),
        shapes_(shapes),
        steps_(loop, analyses.getResult<ScalarEvolutionAnalysis>(*loop.getHeader()->getParent())),
        is_wide_(is_wide_core(host)) {
    const auto& loops = analyses.getResult<LoopAnalysis>(*loop.getHeader()->getParent());
    LoopBlocksRPO order(const_cast<Loop*>(&loop));
    order.perform(&loops);
    for (BasicBlock* block : order)
      for (Instruction& i : *block) inside_.push_back(&i);
    for (PHINode& phi : loop.getHeader()->phis())
      if (shapes_[&phi].is_varying()) handed_on_.push_back(&phi);
  }

  /// Its effects are loads and stores at most.
  bool is_plain() const {
    return loop_.getLoopLatch() && handed_on_.size() <= kMostHandedOn && none_of(inside_, [](const Instruction* i) {
             if (auto* load = dyn_cast<LoadInst>(i)) return !load->isSimple();
             if (auto* store = dyn_cast<StoreInst>(i)) return !store->isSimple();
             return i->mayReadOrWriteMemory() || i->mayHaveSideEffects();
           });
  }

  /// Of each lane's own: what all of them load is one load, however many they are.
  bool touches_memory() const {
    return any_of(inside_, [&](const Instruction* i) {
      return isa<StoreInst>(i) || (isa<LoadInst>(i) && !shapes_.is_uniform(getLoadStorePointerOperand(i)));
    });
  }

  /// It only loads, of neighbours or the same for all lanes, and it or a loop around is one that lanes leave one by one
  /// (`for (i = threadIdx.x; i < n; i += blockDim.x)`), which keeps groups from walking through it together.
  bool strides_alone() const {
    const bool only_loads = none_of(inside_, [&](const Instruction* i) {
      return isa<StoreInst>(i) || (isa<LoadInst>(i) && time(*i).latency == kGather.latency);
    });
    if (!only_loads) return false;
    for (const Loop* loop = &loop_; loop; loop = loop->getParentLoop())
      if (shapes_.is_left_apart(loop->getHeader())) return true;
    return false;
  }

  /// All that lanes do not share they load element by element from rows of their own, which are transposed in registers
  /// (unroll_row_loops()). Elements of 64 bits have two registers that wait for each other as it is.
  bool walks_rows() const {
    return is_wide_ && !thins_out() && loop_.getNumBlocks() == 1 && all_of(inside_, [&](Instruction* i) {
             const Value* address = getLoadStorePointerOperand(i);
             if (!address) return true;
             const bool is_narrow = i->getDataLayout().getTypeStoreSize(getLoadStoreType(i)) <= 4;
             return isa<LoadInst>(i) && (shapes_.is_uniform(address) || (is_narrow && is_in_row(*i)));
           });
  }

  /// Lanes leave it one by one.
  bool thins_out() const { return shapes_.is_left_apart(loop_.getHeader()); }

  /// Half cycles of a register of lanes.
  unsigned work() const {
    unsigned work = 0;
    for (Instruction* i : inside_)
      if ((shapes_[i].is_varying() && !leads_along_row(*i)) || isa<StoreInst>(i)) work += time(*i).work;
    return work;
  }

  /// Cycles from a turn's beginning to the next one's, whatever the work: the longest way from what is handed on to
  /// itself, in one turn or in two.
  unsigned wait() const { return wait(/*for_memory=*/true); }

  /// A turn goes by what the one before has gathered.
  bool goes_by_gathers() const {
    const unsigned all = wait();
    return all >= kGather.latency && all > wait(/*for_memory=*/false);
  }

  /// Registers that it needs for each one of a group: what is handed on, comes in or goes out.
  unsigned registers() const {
    SmallPtrSet<const Value*, 16> kept(handed_on_.begin(), handed_on_.end());
    for (const Instruction* i : inside_) {
      for (const Value* operand : i->operand_values())
        if (auto* value = dyn_cast<Instruction>(operand); value && !loop_.contains(value) && needs_register(*value))
          kept.insert(value);
      const bool goes_out =
          any_of(i->users(), [&](const User* user) { return !loop_.contains(cast<Instruction>(user)); });
      if (goes_out) kept.insert(i);
    }
    return kept.size();
  }

 private:
  OperationTime time(const Instruction& i) const {
    const Value* address = getLoadStorePointerOperand(&i);
    if (!address) return time_of(i);
    const uint64_t size = i.getDataLayout().getTypeStoreSize(getLoadStoreType(const_cast<Instruction*>(&i)));
    const bool is_scattered = shapes_[address].is_scattered(size);
    if (isa<StoreInst>(i)) return is_scattered ? kScatter : kStore;
    if (is_wide_ && is_in_row(i)) return kOfRow;
    return is_scattered ? kGather : kLoad;
  }

  // Of what goes up by a constant each turn only the first lane's is computed, if that, where it leads to rows.
  bool leads_along_row(Instruction& i) const {
    return is_wide_ && !i.getType()->isFloatingPointTy() && !isa<PHINode>(i) && steps_.of(&i) &&
           all_of(i.users(), [&](User* user) {
             auto* next = cast<Instruction>(user);
             return isa<LoadInst>(next) ? is_in_row(*next) : loop_.contains(next) && leads_along_row(*next);
           });
  }

  bool is_in_row(const Instruction& access) const {
    return steps_.is_in_row(const_cast<Instruction&>(access), shapes_);
  }

  unsigned wait(bool for_memory) const {
    SmallVector<SmallVector<unsigned, 8>, 8> ways;
    for (const PHINode* from : handed_on_) ways.push_back(ways_from(*from, for_memory));
    unsigned longest = 0;
    for (unsigned a = 0; a < ways.size(); ++a)
      for (unsigned b = 0; b <= a; ++b)
        if (ways[a][b] != 0 && ways[b][a] != 0) longest = std::max(longest, (ways[a][b] + ways[b][a]) / 2);
    return longest;
  }

  // Cycles to what each of the values is handed on as; 0: it does not depend on it. What lanes choose by ways depends
  // on which way each goes.
  SmallVector<unsigned, 8> ways_from(const PHINode& from, bool for_memory) const {
    DenseMap<const Value*, unsigned> there{{&from, 0}};
    for (const Instruction* i : inside_) {
      if (isa<PHINode>(i) && i->getParent() == loop_.getHeader()) continue;
      auto waits_for = [&](const Value* operand) {
        if (auto before = there.find(operand); before != there.end())
          there[i] =
              std::max(there.lookup(i), before->second + (for_memory || !isa<LoadInst>(i) ? time(*i).latency : 0));
      };
      for (const Value* operand : i->operand_values()) waits_for(operand);
      if (auto* phi = dyn_cast<PHINode>(i))
        for (const BasicBlock* way : phi->blocks()) waits_for(question_of(*way));
    }
    SmallVector<unsigned, 8> ways;
    for (const PHINode* to : handed_on_)
      ways.push_back(there.lookup(to->getIncomingValueForBlock(loop_.getLoopLatch())));
    return ways;
  }

  // What lanes go that way by, which choose then what they go on with. Null: all of them go there.
  const Value* question_of(const BasicBlock& way) const {
    const BasicBlock* from = way.getSingleSuccessor() ? way.getSinglePredecessor() : &way;
    if (!from || !shapes_.is_divergent(from->getTerminator())) return nullptr;
    const Instruction* end = from->getTerminator();
    return isa<BranchInst, SwitchInst>(end) ? end->getOperand(0) : nullptr;
  }

  bool needs_register(const Instruction& value) const {
    return shapes_[&value].is_varying() && !value.getType()->isIntegerTy(1);
  }

  const Loop& loop_;
  const Shapes& shapes_;
  const TurnSteps steps_;
  const bool is_wide_;
  SmallVector<Instruction*, 32> inside_;
  SmallVector<const PHINode*, 8> handed_on_;
};

}  // namespace

// A register's work takes half of its sum. Where lanes leave one by one a third of the gain may be lost again. Memory
// is looked at only where a turn goes by what the one before has gathered (a search, a table's next state), or where no
// groups could walk together and share what it loads, or where rows are summed up: others do not wait.
static bool waits(const Turns& turns) {
  if (!turns.is_plain()) return false;
  const unsigned work = turns.work(), wait = turns.wait();
  if (turns.touches_memory() && !turns.goes_by_gathers() && !turns.strides_alone() && !turns.walks_rows()) return false;
  return turns.thins_out() ? 4 * wait >= 3 * work : 8 * wait >= 5 * work;
}

static bool fits(const GroupShape& group, unsigned lanes, bool in_rows) {
  if (in_rows) return true;
  const unsigned x = group.block[0];
  return x % lanes == 0 || (lanes % x == 0 && group.block[1] % (lanes / x) == 0);
}

GroupShape overlap_turns(Function& kernel, const GroupShape& group, FunctionAnalysisManager& analyses,
                         const TargetMachine& host) {
  const auto& loops = analyses.getResult<LoopAnalysis>(kernel);
  if (loops.empty()) return group;
  const bool in_rows = may_run_in_rows(kernel, group);
  const Shapes shapes(kernel, in_rows ? GroupShape::of_rows(group.lanes, group.block) : group);
  unsigned registers = 1;
  for (const Loop* loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost()) continue;
    const Turns turns(*loop, shapes, analyses, host);
    if (!waits(turns)) return group;
    registers = std::max(registers, turns.registers());
  }
  const TargetTransformInfo costs = host.getTargetTransformInfo(kernel);
  const unsigned room = costs.getNumberOfRegisters(costs.getRegisterClassForType(/*Vector=*/true)) / registers;
  for (unsigned lanes = kMostLanes; lanes > group.lanes; lanes /= 2)
    if (lanes <= group.lanes * room && fits(group, lanes, in_rows)) return group.with_lanes(lanes);
  return group;
}

}  // namespace lanza::compiler
