#include "compiler/passes/vector/scalars/hoist_invariants.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/LoopIterator.h>
#include <llvm/IR/Instructions.h>

using namespace llvm;

namespace lanza::compiler {

static bool is_index_arithmetic(const Instruction& i) {
  if (auto* call = dyn_cast<CallInst>(&i))
    return call->arg_empty() && call->doesNotAccessMemory() && call->willReturn() && !call->isConvergent();
  return isa<BinaryOperator, CastInst, GetElementPtrInst>(i) && i.getType()->isIntOrPtrTy();
}

bool hoist_invariants(Function& kernel, LoopInfo& loops) {
  bool changed = false;
  const auto outer_first = loops.getLoopsInPreorder();
  for (Loop* loop : reverse(outer_first)) {
    if (!loop->getLoopPreheader()) continue;
    LoopBlocksRPO order(loop);
    order.perform(&loops);
    for (BasicBlock* block : order)
      for (Instruction& i : make_early_inc_range(*block)) {
        if (!is_index_arithmetic(i) || !loop->hasLoopInvariantOperands(&i)) continue;
        if (isa<CallInst>(i)) {
          i.moveBefore(kernel.getEntryBlock().getTerminator());
          changed = true;
        } else {
          loop->makeLoopInvariant(&i, changed);
        }
      }
  }
  return changed;
}

}  // namespace lanza::compiler
