#include "compiler/passes/carry_stored.hpp"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

class StoredTurns {
 public:
  StoredTurns(Loop& loop, FunctionAnalysisManager& analyses)
      : loop_(loop),
        function_(*loop.getHeader()->getParent()),
        evolution_(analyses.getResult<ScalarEvolutionAnalysis>(function_)),
        dominators_(analyses.getResult<DominatorTreeAnalysis>(function_)),
        aliases_(analyses.getResult<AAManager>(function_)) {}

  bool carry() {
    if (!loop_.isInnermost() || !loop_.getLoopPreheader() || !loop_.getLoopLatch() || !find_writes()) return false;
    SmallVector<LoadInst*, 8> loads;
    for (Instruction& i : *loop_.getHeader())
      if (auto* load = dyn_cast<LoadInst>(&i); load && load->isSimple()) loads.push_back(load);
    bool changed = false;
    for (LoadInst* load : loads) {
      StoreInst* store = store_before(*load);
      changed |= store && replace(*load, *store);
    }
    return changed;
  }

 private:
  // False: there are too many for a question of each, or none.
  bool find_writes() {
    constexpr size_t kMost = 16;
    for (BasicBlock* block : loop_.blocks())
      for (Instruction& i : *block)
        if (i.mayWriteToMemory()) {
          if (writes_.size() == kMost) return false;
          writes_.push_back(&i);
        }
    return !writes_.empty();
  }

  const SCEVAddRecExpr* steps_of(Value* address) {
    auto* steps = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(address));
    return steps && steps->getLoop() == &loop_ && steps->isAffine() ? steps : nullptr;
  }

  // By which each turn stores, behind the load, what the next one loads; null: there is none.
  StoreInst* store_before(LoadInst& load) {
    const SCEVAddRecExpr* from = steps_of(load.getPointerOperand());
    if (!from) return nullptr;
    const SCEV* next = from->getPostIncExpr(evolution_);
    const MemoryLocation all_around(load.getPointerOperand(), LocationSize::beforeOrAfterPointer(),
                                    load.getAAMetadata());
    StoreInst* found = nullptr;
    for (Instruction* write : writes_) {
      auto* store = dyn_cast<StoreInst>(write);
      const bool is_meant = store && store->isSimple() && store->getValueOperand()->getType() == load.getType() &&
                            evolution_.getMinusSCEV(evolution_.getSCEV(store->getPointerOperand()), next)->isZero();
      if (!is_meant && isModSet(aliases_.getModRefInfo(write, all_around))) return nullptr;
      if (!is_meant) continue;
      if (found) return nullptr;
      found = store;
    }
    const bool is_each_turn = found && dominators_.dominates(found->getParent(), loop_.getLoopLatch());
    return is_each_turn && dominators_.dominates(&load, found) ? found : nullptr;
  }

  bool replace(LoadInst& load, StoreInst& store) {
    Instruction* before = loop_.getLoopPreheader()->getTerminator();
    SCEVExpander expander(evolution_, load.getDataLayout(), "first");
    const SCEV* start = steps_of(load.getPointerOperand())->getStart();
    if (!expander.isSafeToExpandAt(start, before)) return false;
    auto* first = cast<LoadInst>(load.clone());
    first->setOperand(0, expander.expandCodeFor(start, load.getPointerOperandType(), before));
    first->insertBefore(before);
    evolution_.forgetValue(&load);
    PHINode* value = PHINode::Create(load.getType(), 2, "carried", loop_.getHeader()->begin());
    value->addIncoming(first, loop_.getLoopPreheader());
    value->addIncoming(store.getValueOperand() == &load ? value : store.getValueOperand(), loop_.getLoopLatch());
    load.replaceAllUsesWith(value);
    load.eraseFromParent();
    return true;
  }

  Loop& loop_;
  Function& function_;
  ScalarEvolution& evolution_;
  DominatorTree& dominators_;
  AAResults& aliases_;
  SmallVector<Instruction*, 8> writes_;
};

}  // namespace

PreservedAnalyses CarryStoredPass::run(Function& function, FunctionAnalysisManager& analyses) {
  bool changed = false;
  for (Loop* loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    changed |= StoredTurns(*loop, analyses).carry();
  if (!changed) return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

}  // namespace lanza::compiler
