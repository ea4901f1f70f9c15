#include "compiler/passes/kept_addresses.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

using Blocks = SmallPtrSet<const BasicBlock*, 16>;

Blocks suspending_blocks(const Function& f) {
  Blocks blocks;
  for (const Instruction& i : instructions(f))
    if (auto* call = dyn_cast<IntrinsicInst>(&i); call && call->getIntrinsicID() == Intrinsic::coro_suspend)
      blocks.insert(i.getParent());
  return blocks;
}

// The blocks behind `starts`; on entering `home`, where the value is computed anew, a way ends.
Blocks behind(const Blocks& starts, const BasicBlock* home) {
  Blocks found;
  SmallVector<const BasicBlock*, 16> work(starts.begin(), starts.end());
  while (!work.empty())
    for (const BasicBlock* next : successors(work.pop_back_val()))
      if (found.insert(next).second && next != home) work.push_back(next);
  return found;
}

bool is_used_behind_suspend(const Instruction& value, const Blocks& suspending) {
  const BasicBlock* home = value.getParent();
  Blocks reached = behind({home}, home);
  reached.insert(home);
  Blocks waiting;
  for (const BasicBlock* block : reached)
    if (suspending.contains(block)) waiting.insert(block);
  const Blocks after = behind(waiting, home);
  return any_of(value.users(), [&](const User* user) {
    const auto* use = cast<Instruction>(user);
    const bool is_next_to_it = use->getParent() == home && !isa<PHINode>(use);
    return !is_next_to_it && after.contains(use->getParent());
  });
}

bool has_kept_address(const AllocaInst& variable, const Blocks& suspending) {
  SmallPtrSet<const Instruction*, 8> seen;
  SmallVector<const Instruction*, 8> work = {&variable};
  while (!work.empty())
    for (const User* user : work.pop_back_val()->users()) {
      const auto* address = cast<Instruction>(user);
      if (!isa<GetElementPtrInst, SelectInst, PHINode, CastInst>(address) || !seen.insert(address).second) continue;
      if (is_used_behind_suspend(*address, suspending)) return true;
      work.push_back(address);
    }
  return false;
}

}  // namespace

void keep_addressed_variables(Function& coroutine) {
  const Blocks suspending = suspending_blocks(coroutine);
  SmallVector<IntrinsicInst*, 8> dropped;
  for (Instruction& i : instructions(coroutine)) {
    auto* variable = dyn_cast<AllocaInst>(&i);
    if (!variable || !has_kept_address(*variable, suspending)) continue;
    for (User* user : variable->users())
      if (auto* call = dyn_cast<IntrinsicInst>(user); call && call->isLifetimeStartOrEnd()) dropped.push_back(call);
  }
  for (IntrinsicInst* marker : dropped) marker->eraseFromParent();
}

}  // namespace lanza::compiler
