#include "compiler/passes/vector/run/share_loads.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "compiler/passes/note_lanes.hpp"
#include "compiler/passes/retarget.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

// Writes nothing, and waits for nobody.
bool is_silent(const Instruction& i) {
  auto* call = dyn_cast<IntrinsicInst>(&i);
  return !i.mayWriteToMemory() ||
         (call && (call->getIntrinsicID() == Intrinsic::prefetch || call->isAssumeLikeIntrinsic()));
}

/// Addresses that the loop itself writes to. What is there goes on changing from group to group (a greatest value,
/// raised where a lane has more), and who knows an old value only does in vain what others have done.
SmallPtrSet<const Value*, 8> written_in(const Loop& loop) {
  SmallPtrSet<const Value*, 8> written;
  for (const BasicBlock* block : loop.blocks())
    for (const Instruction& i : *block) {
      if (auto* store = dyn_cast<StoreInst>(&i)) written.insert(store->getPointerOperand());
      if (auto* operation = dyn_cast<AtomicRMWInst>(&i)) written.insert(operation->getPointerOperand());
      if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&i)) written.insert(exchange->getPointerOperand());
      if (auto* call = dyn_cast<IntrinsicInst>(&i); call && call->getIntrinsicID() == Intrinsic::masked_store)
        written.insert(call->getArgOperand(1));
    }
  return written;
}

bool can_leave(const Instruction& i, const Loop& loop, const SmallPtrSet<const Value*, 8>& written) {
  if (!loop.hasLoopInvariantOperands(&i) || isa<PHINode>(i) || i.isTerminator()) return false;
  if (auto* load = dyn_cast<LoadInst>(&i))
    return load->isSimple() && !load->hasMetadata(kFound) && !written.contains(load->getPointerOperand());
  return !i.mayReadOrWriteMemory() && isSafeToSpeculativelyExecute(&i);
}

bool share(Loop& loop, unsigned most, LoopInfo& loops, DominatorTree& dominators) {
  BasicBlock* before = loop.getLoopPreheader();
  if (!before) before = InsertPreheaderForLoop(&loop, &dominators, &loops, nullptr, /*PreserveLCSSA=*/false);
  if (!before) return false;
  const auto written = written_in(loop);
  bool changed = false;
  unsigned loads = 0;
  // The blocks that each turn begins with.
  for (BasicBlock* block = loop.getHeader(); block && loop.contains(block); block = block->getSingleSuccessor()) {
    if (block != loop.getHeader() && !block->getSinglePredecessor()) break;
    for (Instruction& i : make_early_inc_range(*block)) {
      if (!is_silent(i)) return changed;
      if (!can_leave(i, loop, written)) continue;
      if (isa<LoadInst>(i) && ++loads > most) return changed;
      i.moveBefore(before->getTerminator());
      changed = true;
    }
    if (block == loop.getLoopLatch()) break;
  }
  return changed;
}

}  // namespace

bool share_loads(LoopInfo& loops, DominatorTree& dominators, const TargetTransformInfo& host) {
  const unsigned vectors = host.getNumberOfRegisters(host.getRegisterClassForType(/*Vector=*/true));
  bool changed = false;
  for (Loop* loop : loops.getLoopsInPreorder())
    if (is_lane_loop(*loop)) changed |= share(*loop, vectors / 2, loops, dominators);
  return changed;
}

}  // namespace lanza::compiler
