#include "compiler/passes/vector/analysis/uniform_barriers.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/sync_calls.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

// At one of the grid the block meets first.
bool is_block_barrier(const CallInst& point) {
  const LanzaSyncKind kind = sync_kind(point);
  if (kind != LANZA_SYNC_BARRIER && kind != LANZA_SYNC_BARRIER_COUNT && kind != LANZA_SYNC_GRID) return false;
  auto is_zero = [&](unsigned operand) {
    auto* number = dyn_cast<ConstantInt>(point.getArgOperand(operand));
    return number && number->isZero();
  };
  return is_zero(kSyncId) && is_zero(kSyncAux);
}

bool has_point(BasicBlock& block) {
  return any_of(block, [](Instruction& i) { return as_block_sync(i) != nullptr; });
}

/// The blocks from which a barrier can be reached, as a function of their own in which the thread ends at a barrier.
/// Threads that part at a branch meet again at its immediate post-dominator there.
class WaysToBarriers {
 public:
  explicit WaysToBarriers(Function& kernel)
      : graph_(Function::Create(FunctionType::get(Type::getVoidTy(kernel.getContext()), false),
                                GlobalValue::InternalLinkage, "", kernel.getParent())) {
    SmallVector<BasicBlock*, 16> work;
    for (BasicBlock& block : kernel)
      if (has_point(block)) work.push_back(&block);
    while (!work.empty()) {
      BasicBlock* block = work.pop_back_val();
      if (!mirror_.insert({block, nullptr}).second) continue;
      append_range(work, predecessors(block));
    }
    draw();
    meetings_.recalculate(*graph_);
  }
  ~WaysToBarriers() { graph_->eraseFromParent(); }
  WaysToBarriers(const WaysToBarriers&) = delete;
  WaysToBarriers& operator=(const WaysToBarriers&) = delete;

  bool contains(BasicBlock* block) const { return mirror_.contains(block); }
  /// All threads at the end of `block` that still come to a barrier are together again before or at it.
  bool come_together(BasicBlock* block) const {
    const auto* node = meetings_.getNode(mirror_.lookup(block));
    return node->getIDom()->getBlock() != end_;
  }
  /// What threads that part at the end of `block`, all of them to come to a barrier, may run without each other.
  SmallSetVector<BasicBlock*, 8> run_apart(BasicBlock* block) const {
    const BasicBlock* meeting = meetings_.getNode(mirror_.lookup(block))->getIDom()->getBlock();
    SmallSetVector<BasicBlock*, 8> apart;
    auto add = [&](BasicBlock* from) {
      for (BasicBlock* to : successors(from))
        if (contains(to) && mirror_.lookup(to) != meeting && !has_point(*to)) apart.insert(to);
    };
    if (count_if(successors(block), [&](BasicBlock* to) { return contains(to); }) > 1) add(block);
    for (size_t k = 0; k < apart.size(); ++k) add(apart[k]);
    return apart;
  }

 private:
  void draw() {
    LLVMContext& c = graph_->getContext();
    IRBuilder<> b(c);
    end_ = BasicBlock::Create(c, "", graph_);
    b.SetInsertPoint(end_);
    b.CreateRetVoid();
    for (auto& [block, node] : mirror_) node = BasicBlock::Create(c, "", graph_);
    for (auto& [block, node] : mirror_) {
      SmallVector<BasicBlock*, 4> next;
      if (!has_point(*block))
        for (BasicBlock* to : successors(block))
          if (contains(to)) next.push_back(mirror_.lookup(to));
      if (next.empty()) next.push_back(end_);
      b.SetInsertPoint(node);
      SwitchInst* choice = b.CreateSwitch(b.getInt32(0), next[0]);
      for (unsigned i = 1; i < next.size(); ++i) choice->addCase(b.getInt32(i), next[i]);
    }
  }

  Function* graph_;
  BasicBlock* end_ = nullptr;
  MapVector<BasicBlock*, BasicBlock*> mirror_;
  PostDominatorTree meetings_;
};

}  // namespace

void isolate_points(Function& kernel) {
  SmallVector<CallInst*, 16> points;
  for (Instruction& i : instructions(kernel))
    if (CallInst* point = as_block_sync(i)) points.push_back(point);
  for (CallInst* point : points) {
    SplitBlock(point->getParent(), point);
    SplitBlock(point->getParent(), point->getNextNode());
  }
}

Reason why_barriers_diverge(Function& kernel, const BlockUniformity& uniformity) {
  for (Instruction& i : instructions(kernel))
    if (CallInst* point = as_block_sync(i); point && !is_block_barrier(*point))
      return {"a synchronisation point is not a barrier of the whole block", source_line(i)};
  const WaysToBarriers ways(kernel);
  for (BasicBlock& block : kernel) {
    if (!ways.contains(&block) || uniformity.ends_uniformly(block)) continue;
    const auto staying = count_if(successors(&block), [&](BasicBlock* to) { return ways.contains(to); });
    if (staying > 1 && !ways.come_together(&block))
      return {"threads that part at a branch may come to different barriers", source_line(*block.getTerminator())};
  }
  return {};
}

// The first blocks of those who leave while others come to a barrier: from a branch at which they part, or where they
// have parted before. And where these branches are.
struct EarlyExits {
  SmallSetVector<BasicBlock*, 4> first;
  SmallVector<BasicBlock*, 4> from;
};

static EarlyExits early_exits(Function& kernel, const BlockUniformity& uniformity) {
  const WaysToBarriers ways(kernel);
  EarlyExits exits;
  auto stays = [&](BasicBlock* to) { return ways.contains(to); };
  SmallPtrSet<BasicBlock*, 16> apart;
  for (BasicBlock& block : kernel)
    if (ways.contains(&block) && !uniformity.ends_uniformly(block))
      for (BasicBlock* some : ways.run_apart(&block)) apart.insert(some);
  for (BasicBlock& block : kernel) {
    if (!ways.contains(&block) || none_of(successors(&block), stays)) continue;
    if (uniformity.ends_uniformly(block) && !apart.contains(&block)) continue;
    for (BasicBlock* to : successors(&block))
      if (!stays(to)) exits.first.insert(to);
    if (!all_of(successors(&block), stays)) exits.from.push_back(&block);
  }
  return exits;
}

static bool does_something(const Instruction& i) {
  if (i.isLifetimeStartOrEnd() || i.isDebugOrPseudoInst() || i.isTerminator()) return false;
  return i.mayReadOrWriteMemory() || i.mayHaveSideEffects();
}

Reason why_leaving_matters(Function& kernel, const BlockUniformity& uniformity) {
  SmallSetVector<BasicBlock*, 4> blocks = early_exits(kernel, uniformity).first;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const auto work = find_if(*blocks[i], does_something);
    if (work != blocks[i]->end())
      return {"threads that leave before a barrier have work to do on their way out", source_line(*work)};
    blocks.insert(succ_begin(blocks[i]), succ_end(blocks[i]));
  }
  return {};
}

SmallVector<BasicBlock*, 4> blocks_with_early_exits(Function& kernel, const BlockUniformity& uniformity) {
  return early_exits(kernel, uniformity).from;
}

}  // namespace lanza::compiler
