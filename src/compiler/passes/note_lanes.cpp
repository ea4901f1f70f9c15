#include "compiler/passes/note_lanes.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "compiler/passes/abi_types.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

/// What counts the lanes of a loop: 0 at its first, or where the vector loop before it stopped.
struct Counter {
  PHINode* value = nullptr;
  uint64_t step = 0;
};

bool starts_at_zero(const Value* start) {
  if (match(start, m_Zero())) return true;
  auto* phi = dyn_cast<PHINode>(start);
  return phi && any_of(phi->incoming_values(), [](const Value* v) { return match(v, m_Zero()); });
}

Counter find_counter(const Loop& loop) {
  for (PHINode& phi : loop.getHeader()->phis()) {
    ConstantInt* step = nullptr;
    if (!phi.getType()->isIntegerTy() || phi.getNumIncomingValues() != 2) continue;
    if (!starts_at_zero(phi.getIncomingValueForBlock(loop.getLoopPreheader()))) continue;
    if (!match(phi.getIncomingValueForBlock(loop.getLoopLatch()), m_Add(m_Specific(&phi), m_ConstantInt(step))))
      continue;
    if (step->getValue().isStrictlyPositive() && step->getValue().isIntN(32)) return {&phi, step->getZExtValue()};
  }
  return {};
}

/// Of what can fault there: not the block's own variables.
bool touches_memory(const Loop& loop) {
  for (const BasicBlock* block : loop.blocks())
    for (const Instruction& i : *block) {
      const Value* address = getLoadStorePointerOperand(&i);
      if (address ? !isa<AllocaInst>(getUnderlyingObject(address)) : i.mayReadOrWriteMemory()) return true;
    }
  return false;
}

void note(Function& run, const Loop& loop) {
  if (!loop.getLoopPreheader() || !loop.getLoopLatch()) return;
  const Counter counter = find_counter(loop);
  if (!counter.value || !touches_memory(loop)) return;
  const AbiTypes types(run.getContext());
  IRBuilder<> b(loop.getLoopPreheader()->getTerminator());
  auto keep = [&](Value* value, unsigned field) {
    b.CreateStore(value, b.CreateStructGEP(types.block, run.getArg(2), field), /*isVolatile=*/true);
  };
  keep(b.getInt32(static_cast<uint32_t>(counter.step)), block_field::lane_count);
  b.SetInsertPoint(&*loop.getHeader()->getFirstInsertionPt());
  keep(b.CreateZExt(counter.value, b.getInt64Ty()), block_field::lane);
}

}  // namespace

void note_lanes(Function& run) {
  DominatorTree dominators(run);
  LoopInfo loops(dominators);
  for (Loop* loop : loops.getLoopsInPreorder())
    if (MDNode* id = loop->getLoopID(); id && findOptionMDForLoopID(id, kLaneLoop)) {
      if (!loop->getLoopPreheader()) InsertPreheaderForLoop(loop, &dominators, &loops, nullptr, false);
      note(run, *loop);
    }
}

}  // namespace lanza::compiler
