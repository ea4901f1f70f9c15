// Before divergent control flow becomes masks: one exit, reducible loops, no switches.
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/vector/widen/linearise.hpp"
#include "compiler/passes/vector/widen/turn_questions.hpp"
#include "compiler/passes/vector/widen/unify_exits.hpp"

using namespace llvm;

namespace lanza::compiler {

// A block that ends in `unreachable`: each predecessor gets its own.
static void copy_for_predecessors(BasicBlock& block) {
  SmallSetVector<BasicBlock*, 4> before(pred_begin(&block), pred_end(&block));
  if (before.size() < 2) return;
  for (BasicBlock* p : drop_begin(before)) {
    ValueToValueMapTy map;
    BasicBlock* copy = CloneBasicBlock(&block, map, "", block.getParent());
    for (PHINode& phi : block.phis()) {
      auto* other = cast<PHINode>(map[&phi]);
      map[&phi] = phi.getIncomingValueForBlock(p);
      other->eraseFromParent();
    }
    remapInstructionsInBlocks(copy, map);
    for (auto edges = count(successors(p), &block); edges > 0; --edges)
      block.removePredecessor(p, /*KeepOneInputPHIs=*/true);
    p->getTerminator()->replaceSuccessorWith(&block, copy);
  }
}

static SmallPtrSet<BasicBlock*, 16> blocks_without_way_out(Function& function) {
  SmallPtrSet<BasicBlock*, 16> result;
  for (BasicBlock* block : post_order(&function))
    if (!isa<ReturnInst>(block->getTerminator()) &&
        all_of(successors(block), [&](BasicBlock* next) { return result.contains(next); }))
      result.insert(block);
  return result;
}

// A thread does not come out of a trap. Its lane goes where the others of the branch go that led there, so that the
// rest of the group sees no second way.
static void continue_unreachable_ends(Function& function) {
  SmallVector<BasicBlock*, 8> ends;
  auto find_ends = [&] {
    ends.clear();
    for (BasicBlock& block : function)
      if (isa<UnreachableInst>(block.getTerminator())) ends.push_back(&block);
  };
  find_ends();
  for (BasicBlock* end : ends) copy_for_predecessors(*end);
  find_ends();
  const auto lost = blocks_without_way_out(function);
  for (BasicBlock* end : ends) {
    const DebugLoc where = end->getTerminator()->getDebugLoc();
    end->getTerminator()->eraseFromParent();
    BasicBlock *before = end, *others = nullptr;
    while (!others && (before = before->getSinglePredecessor())) {
      auto ways = make_filter_range(successors(before), [&](BasicBlock* next) { return !lost.contains(next); });
      if (!ways.empty()) others = *ways.begin();
    }
    if (!others) {
      IRBuilder<>(end).CreateRetVoid();
      continue;
    }
    for (PHINode& phi : others->phis()) phi.addIncoming(PoisonValue::get(phi.getType()), end);
    IRBuilder<> b(end);
    b.SetCurrentDebugLocation(where);
    b.CreateBr(others);
  }
}

void make_reducible(Function& function) {
  const DominatorTree dominators(function);
  const LoopInfo loops(dominators);
  const ReversePostOrderTraversal<const Function*> order(&function);
  if (!containsIrreducibleCFG<const BasicBlock*>(order, loops)) return;
  PassRunner(nullptr).run(function, "lower-switch,fix-irreducible");
}

bool prepare_control(Function& function, const GroupShape& group) {
  PassRunner runner(nullptr);
  runner.run(function, "lower-switch");
  continue_unreachable_ends(function);
  runner.clear();
  runner.run(function, "fix-irreducible,mergereturn,loop-simplify,lcssa");
  runner.clear();
  if (ask_before_turns(function, group)) runner.run(function, "loop-simplify,lcssa");
  return unify_exits(function, group);
}

}  // namespace lanza::compiler
