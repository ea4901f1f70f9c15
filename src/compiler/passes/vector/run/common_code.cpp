#include "compiler/passes/vector/run/common_code.hpp"

#include <optional>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/block_uniformity.hpp"
#include "compiler/passes/vector/analysis/uniform_barriers.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kLeast = 100;  // instructions that are spared: some 3 ms
constexpr unsigned kIdle = 16;    // of a loop's counters between its last barrier and the next turn
constexpr size_t kKnown = 4;      // a first turn is better by itself where more than such a part of it is known

using Blocks = SmallSetVector<BasicBlock*, 16>;

bool has_point(const BasicBlock* block) { return as_block_sync(const_cast<Instruction&>(block->front())); }

// The blocks on all ways from `begin` to the next points, those included.
Blocks region_from(BasicBlock* begin) {
  Blocks blocks;
  blocks.insert(begin);
  for (size_t i = 0; i < blocks.size(); ++i)
    if (BasicBlock* block = blocks[i]; !has_point(block)) blocks.insert(succ_begin(block), succ_end(block));
  return blocks;
}

bool does_nothing(const BasicBlock& block) {
  return none_of(block, [](const Instruction& i) {
    return i.mayReadOrWriteMemory() || (i.mayHaveSideEffects() && !i.isTerminator());
  });
}

/// Finds such code, and parts it.
class CommonCode {
 public:
  explicit CommonCode(Function& kernel) : kernel_(kernel) {}

  bool run() {
    SmallVector<BasicBlock*, 32> order;
    for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&kernel_)) order.push_back(block);
    bool changed = false;
    count_regions();
    for (BasicBlock* block : order) {
      if (pred_size(block) < 2 || has_point(block) || spared_by(block) < kLeast || !may_begin(block)) continue;
      if (!begin_region(block)) continue;
      changed = true;
      count_regions();
    }
    if (changed) drop_idle_points();
    return changed;
  }

 private:
  void count_regions() {
    regions_.clear();
    auto count = [&](BasicBlock* begin) {
      for (BasicBlock* block : region_from(begin)) ++regions_[block];
    };
    count(&kernel_.getEntryBlock());
    for (BasicBlock& block : kernel_)
      if (has_point(&block)) count(block.getSingleSuccessor());
  }

  // Instructions in regions that go through `block`, but for one.
  unsigned spared_by(BasicBlock* block) const {
    const unsigned through = regions_.lookup(block);
    if (through < 2) return 0;
    unsigned size = 0;
    for (BasicBlock* behind : region_from(block)) size += static_cast<unsigned>(behind->sizeWithoutDebug());
    return (through - 1) * size;
  }

  // In a loop over barriers only where a turn's end does nothing: its last barrier moves to the next turn's beginning.
  // Elsewhere it costs one more walk over the groups for all turns of a loop in front of it, or behind.
  static bool may_begin(BasicBlock* block) {
    DominatorTree dominators(*block->getParent());
    const LoopInfo loops(dominators);
    const Loop* loop = loops.getLoopFor(block);
    if (!loop) return true;
    if (!has_sync(*loop)) return false;
    if (loop->getHeader() != block) return any_of(*loop, [](const Loop* inner) { return has_sync(*inner); });
    return all_of(predecessors(block),
                  [&](BasicBlock* from) { return !loop->contains(from) || is_idle(from, *loop); }) &&
           !knows_first_turn(*loop);
  }

  // `for (s = 1; s < n; s *= 2)`: what is computed of `s - 1` is nothing in the first turn.
  static bool knows_first_turn(const Loop& loop) {
    const BasicBlock* before = loop.getLoopPredecessor();
    if (!before) return false;
    BasicBlock* header = loop.getHeader();
    const SimplifyQuery query(header->getDataLayout());
    DenseMap<Value*, Value*> known;
    for (PHINode& phi : header->phis())
      if (auto* constant = dyn_cast<Constant>(phi.getIncomingValueForBlock(before))) known[&phi] = constant;
    size_t size = 0, settled = 0;
    for (BasicBlock* block : region_from(header))
      for (Instruction& i : *block) {
        if (isa<PHINode>(i) || i.isTerminator()) continue;
        ++size;
        SmallVector<Value*, 4> operands;
        for (Value* operand : i.operands()) operands.push_back(known.contains(operand) ? known[operand] : operand);
        if (!any_of(i.operands(), [&](Value* operand) { return known.contains(operand); })) continue;
        if (Value* value = simplifyInstructionWithOperands(&i, operands, query)) known[&i] = value, ++settled;
      }
    return settled * kKnown > size;
  }

  // From the last point to the end of the turn.
  static bool is_idle(BasicBlock* latch, const Loop& loop) {
    Blocks blocks;
    blocks.insert(latch);
    size_t size = 0;
    for (size_t i = 0; i < blocks.size(); ++i) {
      BasicBlock* block = blocks[i];
      if (has_point(block)) continue;
      size += block->sizeWithoutDebug() - range_size(block->phis());
      if (block == loop.getHeader() || !does_nothing(*block) || size > kIdle) return false;
      blocks.insert(pred_begin(block), pred_end(block));
    }
    return true;
  }

  bool begin_region(BasicBlock* block) {
    if (!uniformity_) {
      uniformity_.emplace(kernel_);
      early_exits_ = blocks_with_early_exits(kernel_, *uniformity_).size();
    }
    CallInst* point = emit_own_barrier(&*block->getFirstInsertionPt());
    BasicBlock* at = SplitBlock(block, point);
    BasicBlock* behind = SplitBlock(at, point->getNextNode());
    if (why_barriers_diverge(kernel_, *uniformity_).words.empty() &&
        blocks_with_early_exits(kernel_, *uniformity_).size() == early_exits_)
      return true;
    point->eraseFromParent();
    MergeBlockIntoPredecessor(behind);
    MergeBlockIntoPredecessor(at);
    return false;
  }

  void drop_idle_points() {
    for (BasicBlock& block : kernel_) {
      if (!has_point(&block)) continue;
      auto& point = cast<CallInst>(block.front());
      if (sync_kind(point) == LANZA_SYNC_BARRIER && !point.hasMetadata(kSeldom) && is_idle_behind(block))
        point.eraseFromParent();
    }
  }

  static bool is_idle_behind(BasicBlock& at) {
    return all_of(region_from(at.getSingleSuccessor()), [](BasicBlock* block) {
      return has_point(block) || (does_nothing(*block) && !isa<ReturnInst>(block->getTerminator()));
    });
  }

  Function& kernel_;
  DenseMap<const BasicBlock*, unsigned> regions_;  ///< of how many a block is part
  std::optional<BlockUniformity> uniformity_;      ///< points change nothing about it
  size_t early_exits_ = 0;
};

}  // namespace

bool part_common_code(Function& kernel) {
  if (!has_sync(kernel)) return false;
  isolate_points(kernel);
  return CommonCode(kernel).run();
}

}  // namespace lanza::compiler
