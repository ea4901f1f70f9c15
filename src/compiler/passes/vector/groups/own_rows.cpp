#include "compiler/passes/vector/groups/own_rows.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>

#include "compiler/passes/retarget.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/analysis/turn_steps.hpp"

using namespace llvm;

namespace lanza::compiler {

static constexpr unsigned kElement = 32, kFewRegisters = 256;  // bits, the second of each of those that there are 16 of

// What a turn hands to the next is sums. What is computed in several steps (a filter's state) would wait for itself in
// one register.
static bool only_sums(const Loop& loop) {
  const BasicBlock* latch = loop.getLoopLatch();
  unsigned sums = 0;
  for (const PHINode& phi : loop.getHeader()->phis()) {
    if (!phi.getType()->isFloatingPointTy()) continue;
    auto* next = latch ? dyn_cast<Instruction>(phi.getIncomingValueForBlock(latch)) : nullptr;
    if (!next || !is_contained(next->operands(), &phi)) return false;
    ++sums;
  }
  return sums != 0;
}

static bool reads_rows(const Loop& loop, const Shapes& shapes, ScalarEvolution& evolution) {
  const TurnSteps steps(loop, evolution);
  for (BasicBlock* block : loop.blocks())
    for (Instruction& i : *block) {
      auto* load = dyn_cast<LoadInst>(&i);
      if (!load || load->getType()->getScalarSizeInBits() < kElement) continue;
      const Value* memory = getUnderlyingObject(load->getPointerOperand());
      if (!isa<AllocaInst>(memory) && !is_shared_memory(memory) && steps.is_in_row(*load, shapes)) return true;
    }
  return false;
}

GroupShape fit_own_rows(Function& kernel, const GroupShape& group, FunctionAnalysisManager& analyses, unsigned bits) {
  const unsigned lanes = bits / kElement;
  if (bits != kFewRegisters || group.lanes != 2 * lanes) return group;
  const auto& loops = analyses.getResult<LoopAnalysis>(kernel);
  if (loops.empty()) return group;
  auto& evolution = analyses.getResult<ScalarEvolutionAnalysis>(kernel);
  const Shapes shapes(kernel, group);
  for (const Loop* loop : loops.getLoopsInPreorder())
    if (loop->isInnermost() && only_sums(*loop) && reads_rows(*loop, shapes, evolution)) return group.with_lanes(lanes);
  return group;
}

}  // namespace lanza::compiler
