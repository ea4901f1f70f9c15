#include "compiler/passes/vector/run/hoist_divisions.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>

using namespace llvm;

namespace lanza::compiler {

static bool may_fault(const Instruction& division) {
  const Value* by = division.getOperand(1);
  const SimplifyQuery query(division.getDataLayout());
  const bool is_unsigned = division.getOpcode() == Instruction::UDiv || division.getOpcode() == Instruction::URem;
  const bool is_defined = isGuaranteedNotToBePoison(by);
  return !is_defined || !(is_unsigned ? isKnownNonZero(by, query) : isKnownPositive(by, query));
}

bool hoist_divisions(const LoopInfo& loops) {
  bool changed = false;
  const SmallVector<Loop*, 4> outer_first = loops.getLoopsInPreorder();
  for (Loop* loop : reverse(outer_first)) {
    BasicBlock* front = loop->getLoopPreheader();
    if (!front) continue;
    for (BasicBlock* block : loop->blocks())
      for (Instruction& i : make_early_inc_range(*block)) {
        if (!i.isIntDivRem() || i.getType()->isVectorTy() || !loop->hasLoopInvariantOperands(&i) || may_fault(i))
          continue;
        i.dropUBImplyingAttrsAndMetadata();
        i.moveBefore(front->getTerminator());
        changed = true;
      }
  }
  return changed;
}

}  // namespace lanza::compiler
