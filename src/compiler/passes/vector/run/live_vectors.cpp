#include "compiler/passes/vector/run/live_vectors.hpp"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>

#include "compiler/passes/sync_calls.hpp"

using namespace llvm;

namespace lanza::compiler {

LiveVectors::LiveVectors(Function& kernel) {
  for (bool changed = true; changed;) {
    changed = false;
    for (BasicBlock& block : reverse(kernel)) changed |= find_live_out(block);
  }
}

// True when more were found.
bool LiveVectors::find_live_out(BasicBlock& block) {
  Values live;
  for (BasicBlock* next : successors(&block)) {
    Values there = live_in(*next);
    for (PHINode& phi : next->phis()) {
      there.erase(&phi);
      if (auto* value = dyn_cast<Instruction>(phi.getIncomingValueForBlock(&block))) there.insert(value);
    }
    live.insert(there.begin(), there.end());
  }
  Values& before = live_out_[&block];
  const bool changed = live.size() != before.size();
  before = std::move(live);
  return changed;
}

LiveVectors::Values LiveVectors::live_in(BasicBlock& block) const {
  Values live = live_out_.lookup(&block);
  for (Instruction& i : reverse(block)) step_before(i, live);
  return live;
}

void LiveVectors::step_before(Instruction& i, Values& live) {
  if (isa<PHINode>(i)) return;
  if (as_sync(i)) return live.clear();
  live.erase(&i);
  for (Value* operand : i.operands())
    if (auto* value = dyn_cast<Instruction>(operand); value && value->getType()->isVectorTy()) live.insert(value);
}

unsigned LiveVectors::most(BasicBlock& block, function_ref<unsigned(const Instruction&)> registers) const {
  Values live = live_out_.lookup(&block);
  unsigned most = 0;
  for (Instruction& i : reverse(block)) {
    step_before(i, live);
    unsigned now = 0;
    for (const Instruction* value : live) now += registers(*value);
    most = std::max(most, now);
  }
  return most;
}

}  // namespace lanza::compiler
