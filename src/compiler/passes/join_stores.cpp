#include "compiler/passes/join_stores.hpp"

#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/join_equals.hpp"
#include "compiler/passes/kept_analyses.hpp"

using namespace llvm;

namespace lanza::compiler {

// The last thing that is done on a way to `join` alone.
static StoreInst* last_store(BasicBlock& way, const BasicBlock& join) {
  if (way.getSingleSuccessor() != &join) return nullptr;
  auto* store = dyn_cast_or_null<StoreInst>(way.getTerminator()->getPrevNonDebugInstruction());
  return store && store->isSimple() ? store : nullptr;
}

static bool can_join(const StoreInst& a, const StoreInst& b) {
  return a.getValueOperand()->getType() == b.getValueOperand()->getType() &&
         same_value(a.getPointerOperand(), b.getPointerOperand());
}

static bool join_stores(BasicBlock& join) {
  const SmallVector<BasicBlock*, 2> ways(predecessors(&join));
  if (ways.size() != 2 || ways[0] == ways[1]) return false;
  StoreInst *a = last_store(*ways[0], join), *b = last_store(*ways[1], join);
  if (!a || !b || !can_join(*a, *b)) return false;
  Instruction* at = &*join.getFirstInsertionPt();
  auto* value = PHINode::Create(a->getValueOperand()->getType(), 2, "", join.begin());
  value->addIncoming(a->getValueOperand(), ways[0]);
  value->addIncoming(b->getValueOperand(), ways[1]);
  Value* address = compute_at(at, {a->getPointerOperand(), b->getPointerOperand()});
  StoreInst* store = IRBuilder<>(at).CreateAlignedStore(value, address, std::min(a->getAlign(), b->getAlign()));
  store->setDebugLoc(DILocation::getMergedLocation(a->getDebugLoc(), b->getDebugLoc()));
  value->setDebugLoc(store->getDebugLoc());
  a->eraseFromParent();
  b->eraseFromParent();
  return true;
}

// Where others come to the same place: the first two ways that end so have a place of their own before it.
static bool part_ways(BasicBlock& join) {
  SmallVector<BasicBlock*, 8> ways;
  for (BasicBlock* way : predecessors(&join))
    if (last_store(*way, join)) ways.push_back(way);
  if (ways.size() < 2 || join.hasNPredecessors(2)) return false;
  for (auto a = ways.begin(); a != ways.end(); ++a)
    for (auto b = std::next(a); b != ways.end(); ++b) {
      if (!can_join(*last_store(**a, join), *last_store(**b, join))) continue;
      return SplitBlockPredecessors(&join, {*a, *b}, ".stores") != nullptr;
    }
  return false;
}

PreservedAnalyses JoinStoresPass::run(Function& function, FunctionAnalysisManager&) {
  bool changed = false, parted = false;
  for (BasicBlock& block : function)
    while (part_ways(block)) parted = true;
  for (BasicBlock& block : function)
    while (join_stores(block)) changed = true;
  return parted ? PreservedAnalyses::none() : keeps_control_flow(changed);
}

}  // namespace lanza::compiler
