// Which groups walk together: as many as registers hold, where that saves enough.
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ProfDataUtils.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/group_ways.hpp"
#include "compiler/passes/vector/join_groups.hpp"
#include "compiler/passes/vector/place_loads.hpp"
#include "compiler/passes/vector/transpose_gathers.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostTimes = 16;
constexpr unsigned kMostCode = 3000;     // instructions of all groups together
constexpr unsigned kSpareRegisters = 2;  // for what the code generator makes
constexpr uint64_t kGather = 8;          // instructions that one costs
constexpr uint64_t kRare = 100;          // times more often the other way is taken
constexpr uint64_t kTurns = 8;           // that a loop is taken to make
constexpr uint64_t kHot = 32;            // where less than such a part of the work is done it may spill
constexpr uint64_t kLeastGain = 10;      // percent
constexpr uint64_t kWorthCode = 8;       // percent more, for twice the code that each block runs once

// A broadcast comes with its load, or its use; a barrier is where regions are cut; conditions are bits.
bool is_costly(Instruction& i) {
  if (isa<InsertElementInst, PHINode>(i) || as_sync(i) || i.getType()->isIntOrIntVectorTy(1)) return false;
  if (auto* shuffle = dyn_cast<ShuffleVectorInst>(&i); shuffle && shuffle->isZeroEltSplat()) return false;
  return (i.getType()->isVectorTy() && !i.getType()->getScalarType()->isPointerTy()) || i.mayReadOrWriteMemory();
}

/// What joining groups along one axis saves, and what it takes.
class JoinEstimate {
 public:
  JoinEstimate(Function& kernel, unsigned axis, const TargetTransformInfo& host)
      : kernel_(kernel),
        axis_(axis),
        ways_(kernel, axis),
        register_bits_(host.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue()),
        registers_(host.getNumberOfRegisters(host.getRegisterClassForType(/*Vector=*/true))) {
    weigh();
    if (gain(kMostTimes) < kLeastGain || !ways_.find_detours()) return;
    weigh();
    place_loads(kernel_, ways_);
    number_runs();
    known_ = true;
  }

  bool is_known() const { return known_; }

  /// Costly instructions that need not be done, in percent of all.
  uint64_t gain(unsigned times) const { return all_ ? 100 * shared_ * (times - 1) / (all_ * times) : 0; }

  /// Whether the last doubling saves enough for the code that it takes to compile and to fetch.
  bool is_worth_its_code(unsigned times) const {
    return times <= 2 || straight_ * 2 < all_ || gain(times) >= gain(times / 2) + kWorthCode;
  }

  bool fits(unsigned times) {
    if (common_ + uint64_t{times} * differing_ > kMostCode) return false;
    if (live_out_.empty()) find_live();
    for (BasicBlock& block : kernel_) {
      const bool hot = cost_.lookup(&block) * kHot >= all_;
      if (hot && most_live(block, times) + kSpareRegisters > registers_) return false;
    }
    return true;
  }

 private:
  using Values = DenseSet<const Instruction*>;

  void weigh() {
    all_ = shared_ = straight_ = common_ = differing_ = 0;
    cost_.clear();
    DominatorTree dominators(kernel_);
    LoopInfo loops(dominators);
    depths_.clear();
    const SmallPtrSet<const BasicBlock*, 16> rare = rare_blocks(dominators);
    for (BasicBlock& block : kernel_) {
      const bool is_rare = rare.contains(&block);
      for (Instruction& i : block) {
        const bool differs = ways_.differs(i);
        ++(differs ? differing_ : common_);
        if (is_rare || !is_costly(i)) continue;
        uint64_t weight = 1;
        for (unsigned depth = std::min(depth_of(i, loops), 5u); depth; --depth) weight *= kTurns;
        const bool column = stride_of_gather(i) != 0 && is_next_column(i);
        const uint64_t cost = column ? kGather * weight : weight;
        all_ += cost;
        if (weight == 1) straight_ += cost;
        cost_[&block] += cost;
        if (ways_.is_on_detour(&block)) continue;  // there each group does it for itself
        if (!differs) shared_ += cost;
        if (differs && column) shared_ += cost - weight;
      }
    }
  }

  // What version_blocks leaves to blocks at the edge.
  SmallPtrSet<const BasicBlock*, 16> rare_blocks(const DominatorTree& dominators) const {
    SmallPtrSet<const BasicBlock*, 16> rare;
    for (BasicBlock& block : kernel_) {
      uint64_t yes, no;
      if (!extractBranchWeights(*block.getTerminator(), yes, no) || yes <= no * kRare) continue;
      SmallVector<BasicBlock*, 16> inside;
      BasicBlock* seldom = block.getTerminator()->getSuccessor(1);
      if (!seldom->getSinglePredecessor()) continue;
      dominators.getDescendants(seldom, inside);
      rare.insert(inside.begin(), inside.end());
    }
    return rare;
  }

  // Of the loops in which an instruction will stand: what does not change in one stands in front of it.
  unsigned depth_of(const Instruction& i, const LoopInfo& loops) {
    const unsigned here = loops.getLoopDepth(i.getParent());
    if (here == 0 || isa<PHINode>(i) || i.mayReadOrWriteMemory() || i.isTerminator()) return here;
    if (auto known = depths_.find(&i); known != depths_.end()) return known->second;
    unsigned depth = 0;
    for (const Value* operand : i.operands())
      if (auto* value = dyn_cast<Instruction>(operand)) depth = std::max(depth, depth_of(*value, loops));
    return depths_[&i] = std::min(depth, here);
  }

  // Whether the next group gathers what lies next to it: together they make a tile to transpose, which needs shuffles
  // of any two registers (AVX-512): measured, on AVX2 gathers are faster.
  bool is_next_column(const Instruction& gather) const {
    if (registers_ < 32) return false;
    auto* lanes = cast<GetElementPtrInst>(cast<CallInst>(gather).getArgOperand(0));
    auto* element = dyn_cast<GetElementPtrInst>(lanes->getPointerOperand());
    if (!element || ways_.differs(*element->getPointerOperand())) return false;
    const DataLayout& layout = kernel_.getParent()->getDataLayout();
    if (layout.getTypeAllocSize(element->getResultElementType()) !=
        layout.getTypeAllocSize(gather.getType()->getScalarType()))
      return false;
    for (const Use& index : drop_end(element->indices()))
      if (ways_.differs(*index)) return false;
    const Value* last = *std::prev(element->idx_end());
    for (auto* i = dyn_cast<Instruction>(last); i; i = dyn_cast<Instruction>(i->getOperand(0))) {
      if (group_axis(*i) == axis_) return true;
      if (!isa<CastInst>(i) && i->getOpcode() != Instruction::Add && i->getOpcode() != Instruction::Or) return false;
    }
    return false;
  }

  // As the instructions will be ordered: within a run one group follows the other.
  void number_runs() {
    unsigned run = 0;
    for (BasicBlock& block : kernel_) {
      ++run;
      for (Instruction& i : block) {
        if (ends_run(ways_, i)) ++run;
        run_[&i] = run;
      }
    }
  }

  bool stays_in_run(const Instruction& value) const {
    return all_of(value.users(), [&](const User* user) {
      return !isa<PHINode>(user) && run_.lookup(cast<Instruction>(user)) == run_.lookup(&value);
    });
  }

  // Vectors of conditions have registers of their own.
  unsigned registers_of(const Instruction& value, unsigned times) const {
    auto* type = dyn_cast<FixedVectorType>(value.getType());
    if (!type || type->getElementType()->isIntegerTy(1)) return 0;
    const uint64_t bits = kernel_.getParent()->getDataLayout().getTypeSizeInBits(type).getFixedValue();
    const auto registers = static_cast<unsigned>(divideCeil(bits, register_bits_));
    return ways_.differs(value) && !stays_in_run(value) ? registers * times : registers;
  }

  void find_live() {
    for (bool changed = true; changed;) {
      changed = false;
      for (BasicBlock* block : reverse_order()) {
        Values live;
        for (BasicBlock* next : successors(block)) {
          Values there = live_in(*next);
          for (PHINode& phi : next->phis()) {
            there.erase(&phi);
            if (auto* value = dyn_cast<Instruction>(phi.getIncomingValueForBlock(block))) there.insert(value);
          }
          live.insert(there.begin(), there.end());
        }
        Values& before = live_out_[block];
        changed |= live.size() != before.size();
        before = std::move(live);
      }
    }
  }

  SmallVector<BasicBlock*, 32> reverse_order() const {
    SmallVector<BasicBlock*, 32> order;
    for (BasicBlock& block : reverse(kernel_)) order.push_back(&block);
    return order;
  }

  Values live_in(BasicBlock& block) const {
    Values live = live_out_.lookup(&block);
    for (Instruction& i : reverse(block)) step(i, live);
    return live;
  }

  // From behind the instruction to before it.
  static void step(Instruction& i, Values& live) {
    if (isa<PHINode>(i)) return;
    if (as_sync(i)) return live.clear();  // what crosses a barrier has slots
    live.erase(&i);
    for (Value* operand : i.operands())
      if (auto* value = dyn_cast<Instruction>(operand); value && value->getType()->isVectorTy()) live.insert(value);
  }

  unsigned most_live(BasicBlock& block, unsigned times) {
    Values live = live_out_.lookup(&block);
    unsigned most = 0;
    for (Instruction& i : reverse(block)) {
      step(i, live);
      unsigned now = 0;
      for (const Instruction* value : live) now += registers_of(*value, times);
      most = std::max(most, now);
    }
    return most;
  }

  Function& kernel_;
  const unsigned axis_;
  GroupWays ways_;
  bool known_ = false;
  const uint64_t register_bits_, registers_;
  DenseMap<const Instruction*, unsigned> run_, depths_;
  DenseMap<const BasicBlock*, Values> live_out_;
  DenseMap<const BasicBlock*, uint64_t> cost_;
  uint64_t all_ = 0, shared_ = 0, straight_ = 0, common_ = 0, differing_ = 0;
};

}  // namespace

JoinChoice choose_join(Function& kernel, const GroupShape& group, const TargetTransformInfo& host) {
  JoinChoice best;
  uint64_t most = kLeastGain - 1;
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (group.groups(axis) < 2 || (axis == 0 && group.whole_rows)) continue;
    JoinEstimate estimate(kernel, axis, host);
    if (!estimate.is_known()) continue;
    for (unsigned times = kMostTimes; times > 1 && estimate.gain(times) > most; times /= 2) {
      if (group.groups(axis) % times != 0 || !estimate.is_worth_its_code(times) || !estimate.fits(times)) continue;
      best = {axis, times};
      most = estimate.gain(times);
    }
  }
  return best;
}

}  // namespace lanza::compiler
