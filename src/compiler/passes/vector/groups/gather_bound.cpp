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

// Whether lanes that lie in one row, or in few, have neighbouring addresses: made of quotients and remainders of an
// index that goes with the lanes (`i / width`, `i % width`), of which version_quotients() makes copies.
static bool goes_by_rows(const Value* v, const Shapes& shapes, unsigned depth = 0) {
  constexpr unsigned kDeepest = 10;
  if (!shapes[v].is_varying()) return true;
  auto* i = dyn_cast<Instruction>(v);
  if (!i || depth == kDeepest) return false;
  if (i->isIntDivRem() && shapes[i->getOperand(0)].is_strided()) return shapes.is_uniform(i->getOperand(1));
  const bool is_sum = isa<BinaryOperator, CastInst, SelectInst, GetElementPtrInst>(i);
  return is_sum && all_of(i->operands(), [&](const Value* from) { return goes_by_rows(from, shapes, depth + 1); });
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
        gathers += load && !load->hasMetadata(kAtEdge) && !goes_by_rows(load->getPointerOperand(), shapes);
        work += computes(i);
      }
    if (work < gathers * kWorthAGather)
      return {"a loop of it does little but gather", source_line(*loop->getHeader()->getTerminator())};
  }
  return {};
}

}  // namespace lanza::compiler
