#include "compiler/passes/vector/lanes/pack_scalars.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Vectorize/SLPVectorizer.h>

using namespace llvm;

namespace lanza::compiler {

// Two groups' exponentials are 30 and more.
static constexpr unsigned kFewest = 24;

bool is_scalar_arithmetic(const Instruction& i) {
  if (!i.getType()->isFloatTy() && !i.getType()->isDoubleTy()) return false;
  if (any_of(i.operands(), [](const Use& operand) { return isa<LoadInst>(operand); })) return false;
  return isa<BinaryOperator, UnaryOperator>(i) || (isa<IntrinsicInst>(i) && !i.mayReadOrWriteMemory());
}

bool pack_scalars(Function& run, FunctionAnalysisManager& analyses) {
  const auto& loops = analyses.getResult<LoopAnalysis>(run);
  const bool many = any_of(run, [&](const BasicBlock& block) {
    const Loop* loop = loops.getLoopFor(&block);
    return loop && loop->isInnermost() && count_if(block, is_scalar_arithmetic) >= kFewest;
  });
  if (!many) return false;
  const PreservedAnalyses kept = SLPVectorizerPass().run(run, analyses);
  if (kept.areAllPreserved()) return false;
  analyses.invalidate(run, kept);
  return true;
}

}  // namespace lanza::compiler
