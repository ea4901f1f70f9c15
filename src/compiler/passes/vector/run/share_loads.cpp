#include "compiler/passes/vector/run/share_loads.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "compiler/passes/note_lanes.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

// Writes nothing, and waits for nobody.
bool is_silent(const Instruction& i) {
  auto* call = dyn_cast<IntrinsicInst>(&i);
  return !i.mayWriteToMemory() ||
         (call && (call->getIntrinsicID() == Intrinsic::prefetch || call->isAssumeLikeIntrinsic()));
}

bool can_leave(const Instruction& i, const Loop& loop) {
  if (!loop.hasLoopInvariantOperands(&i) || isa<PHINode>(i) || i.isTerminator()) return false;
  if (auto* load = dyn_cast<LoadInst>(&i)) return load->isSimple();
  return !i.mayReadOrWriteMemory() && isSafeToSpeculativelyExecute(&i);
}

bool share(Loop& loop, unsigned most, LoopInfo& loops, DominatorTree& dominators) {
  BasicBlock* before = loop.getLoopPreheader();
  if (!before) before = InsertPreheaderForLoop(&loop, &dominators, &loops, nullptr, /*PreserveLCSSA=*/false);
  if (!before) return false;
  bool changed = false;
  unsigned loads = 0;
  // The blocks that each turn begins with.
  for (BasicBlock* block = loop.getHeader(); block && loop.contains(block); block = block->getSingleSuccessor()) {
    if (block != loop.getHeader() && !block->getSinglePredecessor()) break;
    for (Instruction& i : make_early_inc_range(*block)) {
      if (!is_silent(i)) return changed;
      if (!can_leave(i, loop)) continue;
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
