#include "compiler/passes/vector/scalars/ask_in_front.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>

#include "compiler/passes/many_loops.hpp"
#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/scalars/copied_blocks.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostTurns = 8, kMostInstructions = 200, kMostLoops = 4;

bool may_be_copied(const Loop& loop) {
  unsigned size = 0;
  for (BasicBlock* block : loop.blocks()) {
    size += block->sizeWithoutDebug();
    for (Instruction& i : *block) {
      auto* call = dyn_cast<CallBase>(&i);
      if (as_sync(i) || (call && call->cannotDuplicate())) return false;
    }
  }
  return size <= kMostInstructions;
}

// Else the way would become a choice of values.
bool works_on_memory(const Loop& loop, BasicBlock& way, const DominatorTree& dominators) {
  if (!way.getSinglePredecessor()) return false;
  return any_of(loop.blocks(), [&](BasicBlock* block) {
    return dominators.dominates(&way, block) &&
           any_of(*block, [](const Instruction& i) { return i.mayReadOrWriteMemory(); });
  });
}

// One that each turn comes to; null: there is none.
BranchInst* question_of_all_turns(const Loop& loop, const LoopInfo& loops, const DominatorTree& dominators) {
  for (BasicBlock* block : loop.blocks()) {
    auto* branch = dyn_cast<BranchInst>(block->getTerminator());
    if (!branch || !branch->isConditional() || loops.getLoopFor(block) != &loop || loop.isLoopExiting(block)) continue;
    if (!loop.getLoopLatch() || !dominators.dominates(block, loop.getLoopLatch())) continue;
    if (isa<Constant>(branch->getCondition()) || !loop.isLoopInvariant(branch->getCondition())) continue;
    if (all_of(branch->successors(), [&](BasicBlock* way) { return works_on_memory(loop, *way, dominators); }))
      return branch;
  }
  return nullptr;
}

// The loop stays for those who answer with yes.
void ask_before(Loop& loop, Value& condition) {
  LLVMContext& context = condition.getContext();
  BasicBlock* before = loop.getLoopPreheader();
  CopiedBlocks copied(loop.getBlocks(), ".no");
  copied.join_exits();
  copied.replace(&condition, ConstantInt::getFalse(context));
  condition.replaceUsesWithIf(ConstantInt::getTrue(context), [&](const Use& use) {
    auto* user = dyn_cast<Instruction>(use.getUser());
    return user && loop.contains(user);
  });
  before->getTerminator()->eraseFromParent();
  IRBuilder<>(before).CreateCondBr(&condition, loop.getHeader(), copied.of(loop.getHeader()));
}

// Whether a loop became two.
bool part_one(Function& function, FunctionAnalysisManager& analyses) {
  const auto& loops = analyses.getResult<LoopAnalysis>(function);
  if (loops.empty() || has_many_loops(loops)) return false;
  const auto& dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  for (Loop* loop : loops.getLoopsInPreorder()) {
    if (!loop->getLoopPreheader() || !may_be_copied(*loop)) continue;
    BranchInst* question = question_of_all_turns(*loop, loops, dominators);
    if (!question || !loop->isLCSSAForm(dominators)) continue;
    const unsigned turns = analyses.getResult<ScalarEvolutionAnalysis>(function).getSmallConstantTripCount(loop);
    if (turns < 2 || turns > kMostTurns) continue;
    ask_before(*loop, *question->getCondition());
    return true;
  }
  return false;
}

}  // namespace

PreservedAnalyses AskInFrontPass::run(Function& function, FunctionAnalysisManager& analyses) {
  unsigned parted = 0;
  while (parted < kMostLoops && part_one(function, analyses)) {
    ++parted;
    analyses.invalidate(function, PreservedAnalyses::none());
  }
  return parted ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace lanza::compiler
