#include "compiler/passes/vector/groups/gather_bound.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/scalars/version_guards.hpp"
#include "compiler/passes/vector/widen/serial_loops.hpp"

using namespace llvm;

namespace lanza::compiler {

// Measured on sparse rows (3 gathers, 1 multiplication: 2.4 times as slow as one lane at a time).
static constexpr unsigned kWorthAGather = 4;

static bool computes(const Instruction& i) {
  return !isa<PHINode, GetElementPtrInst, CastInst, LoadInst>(i) && !i.isTerminator() && !i.isDebugOrPseudoInst();
}

Reason why_gathers_bind(Function& kernel, const GroupShape& group) {
  DominatorTree dominators(kernel);
  LoopInfo loops(dominators);
  const Shapes shapes(kernel, group);
  for (Loop* loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost() || !shapes.is_left_apart(loop->getHeader()) || goes_by_swaps(*loop)) continue;
    unsigned gathers = 0, work = 0;
    for (BasicBlock* block : loop->blocks())
      for (Instruction& i : *block) {
        auto* load = dyn_cast<LoadInst>(&i);
        gathers += load && !load->hasMetadata(kAtEdge) && shapes[load->getPointerOperand()].is_varying();
        work += computes(i);
      }
    if (work < gathers * kWorthAGather)
      return {"a loop of it does little but gather", source_line(*loop->getHeader()->getTerminator())};
  }
  return {};
}

}  // namespace lanza::compiler
