#include "compiler/passes/vector/scalars/exit_values.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include "compiler/passes/vector/analysis/shapes.hpp"

using namespace llvm;

namespace lanza::compiler {

bool compute_exit_values(Function& kernel, const GroupShape& group, PassRunner& runner, const TargetMachine& host) {
  auto& analyses = runner.functions();
  auto& loops = analyses.getResult<LoopAnalysis>(kernel);
  if (loops.empty()) return false;
  auto& evolution = analyses.getResult<ScalarEvolutionAnalysis>(kernel);
  const Shapes shapes(kernel, group);
  const TargetTransformInfo costs = host.getTargetTransformInfo(kernel);
  SCEVExpander expander(evolution, kernel.getDataLayout(), "exit");
  SmallVector<WeakTrackingVH, 16> dead;
  int changed = 0;
  for (Loop* loop : loops.getLoopsInPreorder())
    if (shapes.is_left_apart(loop->getHeader()))
      changed +=
          rewriteLoopExitValues(loop, &loops, &analyses.getResult<TargetLibraryAnalysis>(kernel), &evolution, &costs,
                                expander, &analyses.getResult<DominatorTreeAnalysis>(kernel), OnlyCheapRepl, dead);
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(dead);
  return changed != 0;
}

}  // namespace lanza::compiler
