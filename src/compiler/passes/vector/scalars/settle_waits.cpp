#include "compiler/passes/vector/scalars/settle_waits.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/retarget.hpp"
#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/thread_context.hpp"
#include "compiler/passes/vector/analysis/block_uniformity.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/analysis/thread_values.hpp"
#include "compiler/passes/vector/analysis/uniform_barriers.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr uint64_t kMostPrivate = 8192;  // bytes of a thread's own memory: a group's lie on the stack

bool calls(const Value* value, StringRef name) {
  auto* call = dyn_cast<CallInst>(value);
  return call && call->getCalledFunction() && call->getCalledFunction()->getName() == name;
}

bool is_yield(Instruction& i) {
  CallInst* point = as_sync(i);
  return point && sync_kind(*point) == LANZA_SYNC_YIELD;
}

bool is_barrier(const Instruction& i) {
  CallInst* point = as_block_sync(const_cast<Instruction&>(i));
  return point && sync_kind(*point) != LANZA_SYNC_YIELD;
}

bool is_of_block(const Value* address) {
  const Value* object = getUnderlyingObject(address, 0);
  return isa<AllocaInst>(object) || calls(object, kSharedBase);
}

// Not the block's own, wherever that may lie.
bool is_global(const Value* address) {
  const Value* object = getUnderlyingObject(address, 0);
  if (isa<Argument>(object) || calls(object, kGlobalsBase)) return true;
  auto* load = dyn_cast<LoadInst>(object);
  return load && isa<Argument>(getUnderlyingObject(load->getPointerOperand(), 0));
}

/// What a thread does that another one may wait for.
bool hands_on(Instruction& i, bool in_block) {
  if (isa<LoadInst, FenceInst>(i) || i.isLifetimeStartOrEnd() || i.isDebugOrPseudoInst() || as_sync(i)) return false;
  if (auto* known = dyn_cast<IntrinsicInst>(&i)) {
    const Intrinsic::ID id = known->getIntrinsicID();
    if (id == Intrinsic::nvvm_membar_cta || id == Intrinsic::nvvm_membar_gl || id == Intrinsic::nvvm_membar_sys)
      return false;
  }
  if (!i.mayWriteToMemory() && !(isa<CallBase>(i) && i.mayHaveSideEffects())) return false;
  const Value* address = getLoadStorePointerOperand(&i);
  if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&i)) address = exchange->getPointerOperand();
  if (auto* operation = dyn_cast<AtomicRMWInst>(&i)) address = operation->getPointerOperand();
  return !address || in_block || !is_of_block(address);
}

/// One kernel's loops that wait.
class Waits {
 public:
  Waits(Function& kernel, const GroupShape& group)
      : kernel_(kernel),
        group_(group),
        uniformity_(kernel),
        shapes_(kernel, group),
        values_(group.block),
        dominators_(kernel),
        meetings_(kernel),
        loops_(dominators_) {}

  Reason settle() {
    for (Instruction& i : instructions(kernel_))
      if (is_yield(i)) points_.push_back(cast<CallInst>(&i));
    for (CallInst* point : points_)
      if (const char* why = why_not(*point)) return {why, source_line(*point)};
    for (Instruction* place : barriers_) emit_sync(place, LANZA_SYNC_BARRIER, 0);
    for (CallInst* point : points_) lower(*point);
    return {};
  }

 private:
  using Threads = std::vector<bool>;

  void lower(CallInst& point) {
    if (loops_.getLoopFor(point.getParent())) {
      IRBuilder<> b(&point);
      FunctionCallee wait = point.getModule()->getOrInsertFunction(kWait, b.getVoidTy());
      cast<Function>(wait.getCallee())->setDoesNotThrow();
      b.CreateCall(wait);
    }
    point.eraseFromParent();
  }

  const char* why_not(CallInst& point) {
    const Loop* loop = loops_.getLoopFor(point.getParent());
    if (!loop) return nullptr;  // it only sleeps
    const bool in_block = may_watch_block(*loop);
    BasicBlock* parting = first_parting(loop->getHeader());
    BasicBlock* from = parting ? parting : loop->getLoopPreheader();
    const Threads waiting = threads_at(loop->getHeader());
    const char* why = nullptr;
    for (BasicBlock* block : until_barriers(from, /*forwards=*/true))
      if (!why && block != from && hands_on(*block, in_block)) why = why_matters(*block, *loop, waiting, in_block);
    if (!why) put_barrier(from, in_block);
    return why;
  }

  // What `block` writes, while threads are in the loop, or are to come to it.
  const char* why_matters(BasicBlock& block, const Loop& loop, const Threads& waiting, bool in_block) {
    if (!is_within(threads_at(&block), waiting))
      return "a loop waits for other threads, and others of the block write meanwhile";
    if (llvm::count(waiting, true) == 1) return nullptr;
    if (!group_.is_warp() || !are_of_one_warp(waiting))
      return "several threads of the block may be in a loop that waits for others, and write";
    if (!leaves_together(loop, in_block))
      return "lanes that leave a loop which waits for others write before their warp meets";
    return nullptr;
  }

  bool may_watch_block(const Loop& loop) const {
    for (BasicBlock* block : loop.blocks())
      for (Instruction& i : *block) {
        const Value* address = getLoadStorePointerOperand(&i);
        if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&i)) address = exchange->getPointerOperand();
        if (auto* operation = dyn_cast<AtomicRMWInst>(&i)) address = operation->getPointerOperand();
        if (address && i.mayReadFromMemory() && !is_global(address)) return true;
      }
    return false;
  }

  bool hands_on(BasicBlock& block, bool in_block) const {
    return any_of(block, [&](Instruction& i) { return lanza::compiler::hands_on(i, in_block); });
  }

  // The first branch at which threads of the block part, not to meet again before `block`.
  BasicBlock* first_parting(BasicBlock* block) const {
    BasicBlock* first = nullptr;
    for (auto* node = dominators_.getNode(block)->getIDom(); node; node = node->getIDom())
      if (!uniformity_.ends_uniformly(*node->getBlock()) && !meet_before(block, node->getBlock()))
        first = node->getBlock();
    return first;
  }

  bool meet_before(BasicBlock* block, BasicBlock* parting) const {
    const auto* node = meetings_.getNode(parting);
    BasicBlock* meeting = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
    return meeting && dominators_.dominates(meeting, block);
  }

  // Who may come to `block`.
  Threads threads_at(BasicBlock* block) {
    Threads threads(size_t{group_.block[0]} * group_.block[1] * group_.block[2], true);
    for (auto* node = dominators_.getNode(block)->getIDom(); node; node = node->getIDom()) {
      auto* branch = dyn_cast<BranchInst>(node->getBlock()->getTerminator());
      if (!branch || branch->isUnconditional()) continue;
      for (const bool otherwise : {false, true}) {
        const BasicBlockEdge edge(branch->getParent(), branch->getSuccessor(otherwise));
        if (!edge.isSingleEdge() || !dominators_.dominates(edge, block)) continue;
        if (const auto* is = values_.of(branch->getCondition()))
          for (size_t k = 0; k < threads.size(); ++k) threads[k] = threads[k] && (*is)[k].isOne() != otherwise;
      }
    }
    return threads;
  }

  static bool are_of_one_warp(const Threads& threads) {
    const auto first = std::find(threads.begin(), threads.end(), true) - threads.begin();
    const auto behind = std::min<size_t>(threads.size(), static_cast<size_t>(first) / 32 * 32 + 32);
    return std::find(threads.begin() + static_cast<std::ptrdiff_t>(behind), threads.end(), true) == threads.end();
  }

  static bool is_within(const Threads& some, const Threads& all) {
    for (size_t k = 0; k < some.size(); ++k)
      if (some[k] && !all[k]) return false;
    return true;
  }

  // Or those who leave first do nothing before all lanes of the warp meet.
  bool leaves_together(const Loop& loop, bool in_block) const {
    bool apart = false;
    for (const Loop* l = &loop; l; l = l->getParentLoop()) apart |= shapes_.is_left_apart(l->getHeader());
    if (!apart) return true;
    SmallVector<BasicBlock*, 4> exits;
    loop.getExitBlocks(exits);
    SmallSetVector<BasicBlock*, 16> reached(exits.begin(), exits.end());
    for (size_t k = 0; k < reached.size(); ++k) {
      bool meet = false;
      for (Instruction& i : *reached[k]) {
        if (!meet && lanza::compiler::hands_on(i, in_block)) return false;
        meet |= is_barrier(i) || is_meeting(i);
      }
      if (!meet) reached.insert(succ_begin(reached[k]), succ_end(reached[k]));
    }
    return true;
  }

  static bool is_meeting(Instruction& i) {
    CallInst* point = as_sync(i);
    if (!point || sync_kind(*point) < LANZA_SYNC_WARP || sync_kind(*point) > LANZA_SYNC_REDUCE) return false;
    auto* mask = dyn_cast<ConstantInt>(point->getArgOperand(kSyncMask));
    return mask && mask->getZExtValue() == 0xffffffffu;
  }

  // Blocks that a thread runs, at least in part, between the end of `from` and a barrier.
  static SmallSetVector<BasicBlock*, 32> until_barriers(BasicBlock* from, bool forwards) {
    SmallSetVector<BasicBlock*, 32> reached;
    auto go_on = [&](BasicBlock* block) {
      forwards ? reached.insert(succ_begin(block), succ_end(block))
               : reached.insert(pred_begin(block), pred_end(block));
    };
    if (forwards || none_of(*from, is_barrier)) go_on(from);
    for (size_t k = 0; k < reached.size(); ++k)
      if (none_of(*reached[k], is_barrier)) go_on(reached[k]);
    return reached;
  }

  // Where the block may have written what others of it are about to wait for.
  void put_barrier(BasicBlock* at, bool in_block) {
    const auto before = until_barriers(at, /*forwards=*/false);
    const bool needs_one =
        hands_on(*at, in_block) || any_of(before, [&](BasicBlock* block) { return hands_on(*block, in_block); });
    if (needs_one && !is_contained(barriers_, at->getTerminator())) barriers_.push_back(at->getTerminator());
  }

  Function& kernel_;
  const GroupShape group_;
  const BlockUniformity uniformity_;
  const Shapes shapes_;
  ThreadValues values_;
  DominatorTree dominators_;
  PostDominatorTree meetings_;
  LoopInfo loops_;
  SmallVector<CallInst*, 4> points_;
  SmallVector<Instruction*, 4> barriers_;
};

}  // namespace

Reason settle_waits(Function& kernel, const GroupShape& group) {
  if (none_of(instructions(kernel), is_yield)) return {};
  uint64_t bytes = 0;
  for (Instruction& i : instructions(kernel))
    if (auto* array = dyn_cast<AllocaInst>(&i)) {
      const auto size = array->getAllocationSize(kernel.getParent()->getDataLayout());
      bytes += size ? size->getFixedValue() : kMostPrivate + 1;
    }
  if (bytes > kMostPrivate) return {"a loop waits for other threads, and they have much memory of their own"};
  PassRunner(nullptr).run(kernel, "lower-switch,fix-irreducible,loop-simplify,lcssa");
  isolate_points(kernel);
  return Waits(kernel, group).settle();
}

bool has_waits(Function& kernel) {
  const Function* wait = kernel.getParent()->getFunction(kWait);
  return wait && !wait->use_empty();
}

}  // namespace lanza::compiler
