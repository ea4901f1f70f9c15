#include "compiler/passes/vector/scalars/prefetch_steps.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include "compiler/passes/retarget.hpp"
#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/processors.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostAccesses = 8;  // of a loop
constexpr int64_t kShortest = 2048;    // bytes: what is nearer the processor finds by itself
constexpr unsigned kBlocksOfRow = 4;   // side by side: enough of a row to be followed

class Steps {
 public:
  Steps(Function& kernel, const GroupShape& group, const DominatorTree& dominators, ScalarEvolution& evolution,
        const TargetMachine& host)
      : ahead_(turns_to_memory(host)),
        reads_come_(follows_rows(host) && group.blocks >= kBlocksOfRow),
        to_second_cache_(fetches_to_second_cache(host)),
        shapes_(kernel, group),
        dominators_(dominators),
        evolution_(evolution),
        expander_(evolution, kernel.getParent()->getDataLayout(), "step") {}

  bool prefetch(const Loop& loop) {
    BasicBlock *before = loop.getLoopPreheader(), *latch = loop.getLoopLatch();
    if (!before || !latch) return false;
    SmallPtrSet<const SCEV*, 8> asked;
    for (BasicBlock* block : loop.blocks()) {
      if (!comes_each_turn(*block, loop)) continue;
      for (Instruction& i : make_early_inc_range(*block)) {
        Value* address = getLoadStorePointerOperand(&i);
        if (!address || asked.size() == kMostAccesses || (reads_come_ && isa<LoadInst>(i))) continue;
        const SCEV* step = step_of(address, loop);
        if (!step || !asked.insert(evolution_.getSCEV(address)).second) continue;
        IRBuilder<> b(&i);
        const SCEV* ahead = evolution_.getMulExpr(step, evolution_.getConstant(step->getType(), ahead_));
        Value* bytes = expander_.expandCodeFor(ahead, b.getInt64Ty(), before->getTerminator());
        Value* to_own = b.getInt32(isa<StoreInst>(i) && !to_second_cache_);
        b.CreateIntrinsic(
            Intrinsic::prefetch, {address->getType()},
            {b.CreateGEP(b.getInt8Ty(), address, bytes), to_own, b.getInt32(to_second_cache_ ? 2 : 3), b.getInt32(1)});
      }
    }
    return !asked.empty();
  }

 private:
  // Whether the threads that run it do so in each turn.
  bool comes_each_turn(const BasicBlock& block, const Loop& loop) const {
    const BasicBlock* at = &block;
    while (!dominators_.dominates(at, loop.getLoopLatch())) {
      at = at->getSinglePredecessor();
      if (!at || !loop.contains(at) || !chooses_by_thread(*at->getTerminator(), loop)) return false;
    }
    return true;
  }

  // `if (threadIdx.x == 0)`, or a switch over that.
  static bool chooses_by_thread(const Instruction& terminator, const Loop& loop) {
    if (auto* choice = dyn_cast<SwitchInst>(&terminator)) return loop.isLoopInvariant(choice->getCondition());
    auto* branch = dyn_cast<BranchInst>(&terminator);
    return branch && (branch->isUnconditional() || loop.isLoopInvariant(branch->getCondition()));
  }

  // Null: none, or a short one, or one that lanes do not share.
  const SCEV* step_of(Value* address, const Loop& loop) {
    if (is_shared_memory(address)) return nullptr;
    auto* steps = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(address));
    if (!steps || steps->getLoop() != &loop || !steps->isAffine() || shapes_[address].is_varying()) return nullptr;
    const SCEV* step = steps->getStepRecurrence(evolution_);
    if (auto* known = dyn_cast<SCEVConstant>(step)) return known->getAPInt().abs().ult(kShortest) ? nullptr : step;
    const bool shared = !SCEVExprContains(step, [&](const SCEV* part) {
      auto* value = dyn_cast<SCEVUnknown>(part);
      return value && !shapes_.is_uniform(value->getValue());
    });
    return shared && expander_.isSafeToExpandAt(step, loop.getLoopPreheader()->getTerminator()) ? step : nullptr;
  }

  const unsigned ahead_;   // steps
  const bool reads_come_;  // by the processor's own requests
  const bool to_second_cache_;
  const Shapes shapes_;
  const DominatorTree& dominators_;
  ScalarEvolution& evolution_;
  SCEVExpander expander_;
};

}  // namespace

bool prefetch_steps(Function& kernel, const GroupShape& group, const LoopInfo& loops, const DominatorTree& dominators,
                    ScalarEvolution& evolution, const TargetMachine& host) {
  SmallVector<const Loop*, 4> waiting;
  for (const Loop* loop : loops.getLoopsInPreorder())
    if (has_sync(*loop)) waiting.push_back(loop);
  if (waiting.empty() || group.whole_rows) return false;
  bool changed = false;
  Steps steps(kernel, group, dominators, evolution, host);
  for (const Loop* loop : waiting) changed |= steps.prefetch(*loop);
  return changed;
}

}  // namespace lanza::compiler
