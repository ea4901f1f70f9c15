#include "compiler/passes/rotate_loops.hpp"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Transforms/Utils/LoopRotationUtils.h>

using namespace llvm;

namespace lanza::compiler {

PreservedAnalyses RotateLoopsPass::run(Function& function, FunctionAnalysisManager& analyses) {
  constexpr unsigned kMostCopied = 16;  // instructions of a header, as loop-rotate has it
  LoopInfo& loops = analyses.getResult<LoopAnalysis>(function);
  const TargetTransformInfo& costs = analyses.getResult<TargetIRAnalysis>(function);
  AssumptionCache& assumptions = analyses.getResult<AssumptionAnalysis>(function);
  const SimplifyQuery query(function.getDataLayout(), &analyses.getResult<TargetLibraryAnalysis>(function), nullptr,
                            &assumptions);
  bool changed = false;
  const auto outermost_first = loops.getLoopsInPreorder();
  for (Loop* loop : reverse(outermost_first))
    changed |= LoopRotation(loop, &loops, &costs, &assumptions, /*DT=*/nullptr, /*SE=*/nullptr, /*MSSAU=*/nullptr,
                            query, /*RotationOnly=*/false, kMostCopied, /*IsUtilMode=*/false);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace lanza::compiler
