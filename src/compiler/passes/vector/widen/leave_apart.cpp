#include "compiler/passes/vector/widen/leave_apart.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IRBuilder.h>

#include "compiler/passes/vector/group_form.hpp"

using namespace llvm;

namespace lanza::compiler {

// Phis of the exit to which a value from in front of the loop comes on every way. Masks may name phis, which therefore
// stay.
static SmallPtrSet<PHINode*, 8> let_pass(PHINode& live, BasicBlock& before, BasicBlock& exit) {
  SmallPtrSet<Value*, 8> passing;
  SmallPtrSet<PHINode*, 8> passed;
  for (PHINode& phi : live.getParent()->phis()) {
    const int entry = phi.getBasicBlockIndex(&before);
    if (&phi == &live || entry < 0) continue;
    Value* first = phi.getIncomingValue(entry);
    if (phi.hasConstantValue() != first) continue;
    passing.insert(first);
    phi.replaceAllUsesWith(first);
  }
  for (PHINode& phi : exit.phis()) {
    Value* same = phi.hasConstantValue();
    if (!same || !passing.contains(same)) continue;
    passed.insert(&phi);
    phi.replaceAllUsesWith(same);
  }
  return passed;
}

static void keep(PHINode& phi, PHINode& live, BasicBlock& before, BasicBlock& latch) {
  IRBuilder<> b(&live.getParent()->front());
  PHINode* kept = b.CreatePHI(phi.getType(), 2, "kept");
  kept->addIncoming(PoisonValue::get(phi.getType()), &before);
  for (unsigned k = 0; k < phi.getNumIncomingValues(); ++k) {
    BasicBlock* from = phi.getIncomingBlock(k);
    b.SetInsertPoint(from->getTerminator());
    Value* value = phi.getIncomingValue(k);
    value = isa<UndefValue>(value) ? kept : b.CreateSelect(&live, value, kept);
    phi.setIncomingValue(k, value);
    if (from == &latch) kept->addIncoming(value, &latch);
  }
}

void leave_apart(PHINode& live, BasicBlock& latch, BasicBlock& exit) {
  BasicBlock &header = *live.getParent(), &before = *live.getIncomingBlock(0u);
  const auto passed = let_pass(live, before, exit);
  for (PHINode& phi : exit.phis())
    if (!passed.contains(&phi)) keep(phi, live, before, latch);
  auto* end = cast<BranchInst>(latch.getTerminator());
  IRBuilder<> b(end);
  Value* stays = end->getCondition();
  if (end->getSuccessor(0) != &header) {
    stays = b.CreateNot(stays);
    end->swapSuccessors();
  }
  Value* next = b.CreateLogicalAnd(&live, stays, "live.next");
  live.addIncoming(next, &latch);
  end->setCondition(emit_collective(b, kAny, next));
}

}  // namespace lanza::compiler
