#include "compiler/passes/vector/analysis/seldom_code.hpp"

#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/BranchProbabilityInfo.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

using namespace llvm;

namespace lanza::compiler {

SeldomCode::SeldomCode(Function& run) {
  constexpr unsigned kLeastBlocks = 100;  // one block in so many
  if (none_of(run, [](const BasicBlock& b) { return b.getTerminator()->hasMetadata(LLVMContext::MD_prof); })) return;
  const DominatorTree dominators(run);
  const LoopInfo loops(dominators);
  const BranchProbabilityInfo probabilities(run, loops);
  const BlockFrequencyInfo frequencies(run, probabilities, loops);
  for (const BasicBlock& block : run) {
    const Loop* loop = loops.getLoopFor(&block);
    if (!loop) continue;
    const Loop* blocks = loop->getOutermostLoop();
    // A loop's own blocks run in each of its turns: what counts is how often it is entered.
    while (loop->getParentLoop() && loop->getParentLoop() != blocks) loop = loop->getParentLoop();
    const BasicBlock* before = loop == blocks ? nullptr : loop->getLoopPreheader();
    if (frequencies.getBlockFreq(before ? before : &block).getFrequency() <
        frequencies.getBlockFreq(blocks->getHeader()).getFrequency() / kLeastBlocks)
      blocks_.insert(&block);
  }
}

}  // namespace lanza::compiler
