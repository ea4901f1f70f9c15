// Which groups walk together: as many as registers hold, where that saves enough.
#include <map>
#include <optional>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ProfDataUtils.h>

#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/group_ways.hpp"
#include "compiler/passes/vector/analysis/processors.hpp"
#include "compiler/passes/vector/analysis/turn_times.hpp"
#include "compiler/passes/vector/lanes/near_gathers.hpp"
#include "compiler/passes/vector/lanes/pack_scalars.hpp"
#include "compiler/passes/vector/run/column_accesses.hpp"
#include "compiler/passes/vector/run/join_groups.hpp"
#include "compiler/passes/vector/run/live_vectors.hpp"
#include "compiler/passes/vector/run/place_loads.hpp"
#include "compiler/passes/vector/run/transpose_gathers.hpp"
#include "compiler/passes/vector/scalars/keep_rows.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostTimes = 16;
// Where rows are walked down again in each turn of a loop around, and so a strip of as many groups has to stay in a
// cache: a product of 256 rows, a column a thread, takes 980 us by 16, 810 by 8, 580 by 4; of 512 9.7 ms, 7.6 and 4.9.
constexpr unsigned kMostAgain = 4;
constexpr unsigned kMostCode = 3000;  // instructions of all groups together
// Bytes of private arrays: a first cache. 128 floats a thread, each changed in each turn: 0.11 ns by eight groups, 0.04
// by four.
constexpr uint64_t kMostPrivate = 48 << 10;
constexpr unsigned kSpareRegisters = 2;  // for what the code generator makes
constexpr uint64_t kGather = 16;         // instructions that one costs: a load a lane
constexpr uint64_t kDenseGather = 4;     // where a vector or two are permuted
constexpr uint64_t kRowLoad = 3;         // a vector that lies in another row each turn: a line that nothing else shares
// One beside it, which the processor fetches along: sums of columns of 1024 x 512, four groups 37 us, eight 25 (Zen 4).
// Sixteen take no less, and narrow matrices have none; and what is left of a row by them goes group by group: products
// of 1000 x 1000 by a vector take 73 us by sixteen, 61 by eight.
constexpr uint64_t kNextLoad = 1;
constexpr unsigned kMostBeside = 8;
constexpr int64_t kLongStep = 256;  // bytes from turn to turn, and more: another row
constexpr uint64_t kRare = 100;     // times more often the other way is taken
constexpr uint64_t kTurns = 8;      // that a loop is taken to make
constexpr unsigned kMostDepth = 5;
constexpr uint64_t kHot = 32;       // where less than such a part of the work is done it may spill
constexpr uint64_t kLeastGain = 7;  // percent
constexpr uint64_t kBothAxes = 5;   // percent more than along one
// And where registers are few, and a group fills two: loads of two more vectors for two broadcasts spared are no gain.
// A product in tiles of 16, 528 x 528, two by two groups: 6.5 ms, four rows 5.2; eight sums of one register gain 13.
constexpr uint64_t kBothAxesOfFew = 10;
constexpr unsigned kPacked = 8;    // numbers of groups that are computed as one vector (pack_scalars.hpp)
constexpr uint64_t kOverlap = 10;  // percent that a wide core gains by another group's work
// Groups of which none waits for itself any more; more of them are twice the code, and should save more than a percent.
constexpr unsigned kEnough = 8;
constexpr uint64_t kWorthMore = 2;  // percent
constexpr uint64_t kWorthCode = 8;  // percent more, for twice the code that each block runs once

// A broadcast comes with its load, or its use; a barrier is where regions are cut; conditions are bits, and what only
// has another type is nothing.
bool is_costly(Instruction& i) {
  if (isa<InsertElementInst, PHINode, BitCastInst>(i) || as_sync(i) || i.getType()->isIntOrIntVectorTy(1)) return false;
  if (auto* shuffle = dyn_cast<ShuffleVectorInst>(&i); shuffle && shuffle->isZeroEltSplat()) return false;
  return (i.getType()->isVectorTy() && !i.getType()->getScalarType()->isPointerTy()) || i.mayReadOrWriteMemory();
}

unsigned product(const JoinTimes& times) { return times[0] * times[1] * times[2]; }

/// What joining groups along some axes saves, and what it takes.
class JoinEstimate {
 public:
  JoinEstimate(Function& kernel, ArrayRef<unsigned> axes, const TargetMachine& host, bool is_wide, unsigned beside)
      : kernel_(kernel), host_(host), is_wide_(is_wide), beside_(beside) {
    const TargetTransformInfo costs = host.getTargetTransformInfo(kernel);
    register_bits_ = costs.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
    registers_ = costs.getNumberOfRegisters(costs.getRegisterClassForType(/*Vector=*/true));
    for (unsigned axis : axes) along_[axis].emplace(kernel, axis);
    weigh();
    for (unsigned axis : axes) {
      JoinTimes most{1, 1, 1};
      most[axis] = kMostTimes;
      if (gain(most) < kLeastGain || !along_[axis]->ways.find_detours()) along_[axis].reset();
    }
    weigh();
    for (unsigned axis : axes)
      if (along_[axis]) place_loads(kernel_, along_[axis]->ways);
    number_runs();
  }

  unsigned most_times() const { return walks_again_ ? kMostAgain : kMostTimes; }
  bool has_many_registers() const { return registers_ >= 32; }
  bool is_known(unsigned axis) const { return along_[axis].has_value(); }

  /// Time that a group saves, in percent of its work: where it waited more than a hundred.
  uint64_t gain(const JoinTimes& times) const {
    const uint64_t alone = time({1, 1, 1}), together = time(times) / product(times);
    if (all_ == 0) return 0;
    uint64_t saved = alone - std::min(alone, together);
    for (unsigned axis = 0; axis < 3; ++axis) saved += columns_[axis] * (times[axis] - 1) / times[axis];
    if (const unsigned beside = std::min(times[0], beside_)) saved += rows_ * (beside - 1) / beside;
    const bool overlaps = is_wide_ && walks_ && 2 * gathers_ < all_;  // loads of single lanes are at their limit
    return 100 * saved / all_ + (overlaps && product(times) > 1 ? kOverlap : 0);
  }

  /// Whether the last doubling saves enough for the code that it takes to compile and to fetch.
  bool is_worth_its_code(const JoinTimes& times) const {
    if (product(times) <= 2 || straight_ * 2 < all_) return true;
    for (unsigned axis = 0; axis < 3; ++axis) {
      if (lines_[axis] * 2 > all_) continue;
      JoinTimes half = times;
      half[axis] = std::max(1U, times[axis] / 2);
      if (times[axis] > 1 && gain(times) < gain(half) + kWorthCode) return false;
    }
    return true;
  }

  bool fits(const JoinTimes& times) {
    uint64_t code = 0;
    for (const auto& [differs, instructions] : code_) code += instructions * copies(differs, times);
    if (code > kMostCode || private_bytes() * product(times) > kMostPrivate) return false;
    if (!live_) live_.emplace(kernel_);
    auto registers = [&](const Instruction& value) { return registers_of(value, times); };
    // Where numbers are packed, sums that go to memory and back are the lesser work: attention, a warp a row, eight
    // warps in 2900 us by two, 1180 by four (whose vectors take 38 registers), 1040 by eight.
    const uint64_t most = scalars_ * 4 > all_ ? 2 * registers_ : registers_;
    for (BasicBlock& block : kernel_) {
      const bool hot = cost_.lookup(&block) * kHot >= all_;
      if (hot && live_->most(block, registers) + kSpareRegisters > most) return false;
    }
    return true;
  }

 private:
  struct Along {
    Along(Function& kernel, unsigned axis) : ways(kernel, axis) {}
    GroupWays ways;
    DenseMap<const Instruction*, unsigned> run;
  };
  /// An innermost loop, or all that is in none: the cost of instructions that differ along the same axes, which are
  /// bits, and what a turn takes at least, once for all groups that do not go there one after the other (`apart`).
  struct Part {
    std::map<unsigned, uint64_t> costs;
    std::map<unsigned, uint64_t> streams;  ///< half cycles that lines take to come
    uint64_t scalars = 0;  ///< what is computed with numbers, one for a group, and by several as one vector
    uint64_t wait = 0;
    unsigned apart = 0;
  };

  unsigned differs_along(const Value& value) const {
    unsigned axes = 0;
    for (unsigned axis = 0; axis < 3; ++axis)
      if (along_[axis] && along_[axis]->ways.differs(value)) axes |= 1U << axis;
    return axes;
  }

  bool runs_in_turn(const BasicBlock& block) const {
    return any_of(along_, [&](const auto& along) { return along && along->ways.is_in_loop(&block); });
  }

  // Of a group's private arrays.
  uint64_t private_bytes() const {
    uint64_t bytes = 0;
    for (Instruction& i : kernel_.getEntryBlock())
      if (auto* array = dyn_cast<AllocaInst>(&i); array && !array->hasMetadata(kSeldomFull))
        if (auto size = array->getAllocationSize(kernel_.getDataLayout())) bytes += size->getFixedValue();
    return bytes;
  }

  static unsigned copies(unsigned axes, const JoinTimes& times) {
    unsigned result = 1;
    for (unsigned axis = 0; axis < 3; ++axis)
      if (axes >> axis & 1) result *= times[axis];
    return result;
  }

  // Of all groups together.
  uint64_t time(const JoinTimes& times) const {
    uint64_t result = 0;
    for (const auto& [header, part] : parts_) {
      auto all_of = [&](const std::map<unsigned, uint64_t>& costs) {
        uint64_t sum = 0;
        for (const auto& [differs, cost] : costs) sum += cost * copies(differs, times);
        return sum;
      };
      const uint64_t work = all_of(part.costs) + part.scalars * divideCeil(product(times), kPacked);
      result += std::max({work, all_of(part.streams), part.wait * copies(part.apart, times)});
    }
    return result;
  }

  unsigned detours_along(const BasicBlock* block) const {
    unsigned axes = 0;
    for (unsigned axis = 0; axis < 3; ++axis)
      if (along_[axis] && along_[axis]->ways.is_on_detour(block)) axes |= 1U << axis;
    return axes;
  }

  void weigh() {
    all_ = straight_ = gathers_ = rows_ = scalars_ = 0;
    parts_.clear();
    code_.clear();
    columns_ = lines_ = {};
    cost_.clear();
    PassRunner runner(nullptr);
    auto& analyses = runner.functions();
    const DominatorTree& dominators = analyses.getResult<DominatorTreeAnalysis>(kernel_);
    const LoopInfo& loops = analyses.getResult<LoopAnalysis>(kernel_);
    auto& evolution = analyses.getResult<ScalarEvolutionAnalysis>(kernel_);
    depths_.clear();
    const SmallPtrSet<const BasicBlock*, 16> rare = rare_blocks(dominators);
    for (BasicBlock& block : kernel_) {
      const bool is_rare = rare.contains(&block);
      const Loop* loop = loops.getLoopFor(&block);
      if (loop && !loop->isInnermost()) loop = nullptr;
      Part& part = parts_[loop ? loop->getHeader() : nullptr];
      if (loop && loop->getHeader() == &block && !is_rare && !has_barrier(*loop)) {
        auto counts = [&](const Value& value) { return differs_along(value) != 0; };
        part.wait =
            wait_of_turn(*loop, loops, evolution, counts) * weight_of(std::min(loop->getLoopDepth(), kMostDepth));
        part.apart = detours_along(&block);
      }
      for (Instruction& i : block) {
        const unsigned differs = differs_along(i);
        walks_ = walks_ || (!is_rare && walks_through_memory(i, loops, evolution));
        code_[runs_in_turn(block) ? 0 : differs]++;
        if (is_rare) continue;
        const uint64_t weight = weight_of(std::min(depth_of(i, loops), kMostDepth));
        if (loop && differs && is_scalar_arithmetic(i)) {
          part.scalars += weight;
          all_ += weight;
          scalars_ += weight;
        }
        if (!is_costly(i)) continue;
        const std::optional<unsigned> column = column_axis(i);
        const bool is_dense = !column && is_full_gather(i) && is_dense_gather(i, host_);
        const bool is_row = loads_rows(i, loops, evolution);
        const uint64_t cost = (is_dense                      ? kDenseGather
                               : column || is_full_gather(i) ? kGather
                               : is_row                      ? kRowLoad
                                                             : 1) *
                              weight;
        all_ += cost;
        if (is_row && (differs & 1)) rows_ += (kRowLoad - kNextLoad) * weight;
        walks_again_ = walks_again_ || walks_again(i, loops, evolution);
        if (is_full_gather(i) && !is_dense) gathers_ += cost;
        if (weight == 1) straight_ += cost;
        cost_[&block] += cost;
        part.costs[differs] += cost;
        part.streams[differs] += time_of_stream(i, loops, evolution) * weight;
        if (column) columns_[*column] += cost - weight;
        if (column && stride_of_gather(i) == 0) lines_[*column] += cost;
      }
    }
  }

  // All groups of the block go from barrier to barrier in each turn: none waits where others could run.
  static bool has_barrier(const Loop& loop) {
    return any_of(loop.blocks(), [](BasicBlock* block) {
      return any_of(*block, [](Instruction& i) { return as_sync(i) != nullptr; });
    });
  }

  // Whether an access goes elsewhere in each turn of a loop. Where none does, what threads share may become registers,
  // which several groups in a call would keep it from (keep_in_memory()).
  static bool walks_through_memory(Instruction& i, const LoopInfo& loops, ScalarEvolution& evolution) {
    const Loop* loop = loops.getLoopFor(i.getParent());
    if (!loop) return false;
    const Value* pointer = getLoadStorePointerOperand(&i);
    auto* call = dyn_cast<IntrinsicInst>(&i);
    if (call && call->getIntrinsicID() == Intrinsic::masked_load) pointer = call->getArgOperand(0);
    if (call && call->getIntrinsicID() == Intrinsic::masked_store) pointer = call->getArgOperand(1);
    return pointer && !evolution.isLoopInvariant(evolution.getSCEV(const_cast<Value*>(pointer)), loop);
  }

  // Measured with AVX-512.
  bool loads_rows(Instruction& i, const LoopInfo& loops, ScalarEvolution& evolution) const {
    const Loop* loop = loops.getLoopFor(i.getParent());
    if (!has_many_registers() || !loop || !isa<LoadInst>(i) || !i.getType()->isVectorTy()) return false;
    const SCEV* address = evolution.getSCEV(getLoadStorePointerOperand(&i));
    if (evolution.isLoopInvariant(address, loop)) return false;
    auto* steps = dyn_cast<SCEVAddRecExpr>(address);
    if (!steps || steps->getLoop() != loop) return true;
    auto* step = dyn_cast<SCEVConstant>(steps->getStepRecurrence(evolution));
    return !step || step->getAPInt().abs().sge(kLongStep);
  }

  // Down the same rows of global memory in each turn of the loop around.
  bool walks_again(Instruction& i, const LoopInfo& loops, ScalarEvolution& evolution) const {
    if (!loads_rows(i, loops, evolution)) return false;
    const Loop* loop = loops.getLoopFor(i.getParent());
    auto* steps = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(getLoadStorePointerOperand(&i)));
    const Loop* around = loop->getParentLoop();
    if (!steps || !around || has_barrier(*around) || isa<CallBase>(getUnderlyingObject(getLoadStorePointerOperand(&i))))
      return false;
    return evolution.isLoopInvariant(steps->getStart(), around) &&
           evolution.isLoopInvariant(steps->getStepRecurrence(evolution), around);
  }

  static uint64_t weight_of(unsigned depth) {
    uint64_t weight = 1;
    for (; depth; --depth) weight *= kTurns;
    return weight;
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

  std::optional<unsigned> column_axis(const Instruction& gather) const {
    for (unsigned axis = 0; axis < 3; ++axis)
      if (along_[axis] && is_next_column(gather, axis)) return axis;
    return std::nullopt;
  }

  // Whether the next group gathers what lies next to it: together they make a tile to transpose, which needs shuffles
  // of any two registers (AVX-512): measured, on AVX2 gathers are faster.
  bool is_next_column(const Instruction& gather, unsigned axis) const {
    const GroupWays& ways = along_[axis]->ways;
    if (registers_ < 32 || !ways.differs(gather) || ways.is_on_detour(gather.getParent())) return false;
    if (is_column_along(gather, axis)) return true;
    if (stride_of_gather(gather) == 0) return false;
    auto* lanes = cast<GetElementPtrInst>(cast<CallInst>(gather).getArgOperand(0));
    auto* element = dyn_cast<GetElementPtrInst>(lanes->getPointerOperand());
    if (!element || ways.differs(*element->getPointerOperand())) return false;
    const DataLayout& layout = kernel_.getParent()->getDataLayout();
    if (layout.getTypeAllocSize(element->getResultElementType()) !=
        layout.getTypeAllocSize(gather.getType()->getScalarType()))
      return false;
    for (const Use& index : drop_end(element->indices()))
      if (ways.differs(*index)) return false;
    const Value* last = *std::prev(element->idx_end());
    for (auto* i = dyn_cast<Instruction>(last); i; i = dyn_cast<Instruction>(i->getOperand(0))) {
      if (group_axis(*i) == axis) return true;
      if (!isa<CastInst>(i) && i->getOpcode() != Instruction::Add && i->getOpcode() != Instruction::Or) return false;
    }
    return false;
  }

  // As the instructions will be ordered: within a run one group follows the other.
  void number_runs() {
    for (auto& along : along_) {
      if (!along) continue;
      unsigned run = 0;
      for (BasicBlock& block : kernel_) {
        ++run;
        for (Instruction& i : block) {
          if (ends_run(along->ways, i)) ++run;
          along->run[&i] = run;
        }
      }
    }
  }

  static bool stays_in_run(const Along& along, const Instruction& value) {
    return all_of(value.users(), [&](const User* user) {
      return !isa<PHINode>(user) && along.run.lookup(cast<Instruction>(user)) == along.run.lookup(&value);
    });
  }

  // Vectors of conditions have registers of their own.
  unsigned registers_of(const Instruction& value, const JoinTimes& times) const {
    auto* type = dyn_cast<FixedVectorType>(value.getType());
    if (!type || type->getElementType()->isIntegerTy(1) || addresses_columns(value)) return 0;
    const uint64_t bits = kernel_.getParent()->getDataLayout().getTypeSizeInBits(type).getFixedValue();
    auto registers = static_cast<unsigned>(divideCeil(bits, register_bits_));
    for (unsigned axis = 0; axis < 3; ++axis)
      if (times[axis] > 1 && along_[axis]->ways.differs(value) && !stays_in_run(*along_[axis], value))
        registers *= times[axis];
    return registers;
  }

  // Rows are addressed by scalars.
  bool addresses_columns(const Instruction& value, unsigned depth = 0) const {
    if (value.use_empty() || depth == kMostDepth || isa<PHINode>(value)) return false;
    return all_of(value.users(), [&](const User* user) {
      auto* i = cast<Instruction>(user);
      if (is_full_gather(*i)) return column_axis(*i).has_value();
      if (is_full_scatter(*i)) return cast<CallInst>(i)->getArgOperand(0) != &value && column_axis(*i);
      return i->getType()->isVectorTy() && !i->mayReadOrWriteMemory() && addresses_columns(*i, depth + 1);
    });
  }

  Function& kernel_;
  const TargetMachine& host_;
  const bool is_wide_;
  const unsigned beside_;  // groups of a block that go down columns; 0: others come for the same rows
  bool walks_ = false, walks_again_ = false;
  std::array<std::optional<Along>, 3> along_;
  uint64_t register_bits_ = 0, registers_ = 0;
  DenseMap<const Instruction*, unsigned> depths_;
  std::optional<LiveVectors> live_;
  DenseMap<const BasicBlock*, uint64_t> cost_;
  uint64_t all_ = 0, straight_ = 0, gathers_ = 0, rows_ = 0, scalars_ = 0;
  std::map<const BasicBlock*, Part> parts_;  ///< by the loop's header
  std::map<unsigned, uint64_t> code_;        ///< instructions that differ along the same axes
  std::array<uint64_t, 3> columns_{};
  std::array<uint64_t, 3> lines_{};  ///< of memory, that neighbours along the axis share
};

}  // namespace

// Along two axes only where that saves more by far: both operands of a product are shared then.
JoinTimes choose_join(Function& kernel, const GroupShape& group, SmallVector<unsigned, 3> axes,
                      const TargetMachine& host) {
  // Then nobody else comes for the rows that threads side by side walk down.
  const bool is_one_row = group.whole_rows && axes.size() == 1 && axes[0] == 0;
  JoinEstimate estimate(kernel, axes, host, is_wide_core(host) && !group.is_warp(),
                        is_one_row ? std::min(group.block[0] / group.lanes, kMostBeside) : 0);
  erase_if(axes, [&](unsigned axis) { return !estimate.is_known(axis); });
  // Nobody knows how long a row is.
  if (group.whole_rows) stable_sort(axes, [](unsigned a, unsigned b) { return (a == 0) < (b == 0); });
  JoinTimes best{1, 1, 1};
  uint64_t most = kLeastGain - 1;
  auto consider = [&](const JoinTimes& times) {
    for (unsigned axis = 0; axis < 3; ++axis) {
      const bool in_rows = axis == 0 && group.whole_rows;
      if (in_rows && (!isPowerOf2_32(times[axis]) || times[axis] > kMostBeside)) return;
      if (!in_rows && group.groups(axis) % times[axis] != 0) return;
    }
    const uint64_t least = most + (product(times) > kEnough ? kWorthMore : 0);
    if (estimate.gain(times) <= least || !estimate.is_worth_its_code(times) || !estimate.fits(times)) return;
    best = times;
    most = estimate.gain(times);
  };
  for (unsigned axis : axes)
    for (JoinTimes times{1, 1, 1}; ++times[axis] <= estimate.most_times();) consider(times);
  if (product(best) == 1) return best;
  most += (estimate.has_many_registers() ? kBothAxes : kBothAxesOfFew) - 1;
  for (unsigned first : axes)
    for (unsigned second : axes) {
      if (first == second) continue;
      JoinTimes times{1, 1, 1};
      for (times[first] = kMostTimes / 2; times[first] > 1; --times[first])
        for (times[second] = times[first]; times[second] > 1; --times[second])
          if (product(times) <= estimate.most_times()) consider(times);
    }
  return best;
}

}  // namespace lanza::compiler
