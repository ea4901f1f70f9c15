#include "compiler/passes/vector/lanes/join_loads.hpp"

#include <map>

#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Local.h>

using namespace llvm;

namespace lanza::compiler {

// Loads of a block: fewer are few rows, more take long to compare.
static constexpr unsigned kLeastLoads = 8, kMostLoads = 400;

static bool is_vector_load(const Instruction& i) {
  return isa<LoadInst>(i) && cast<LoadInst>(i).isSimple() && i.getType()->isVectorTy();
}

static bool writes(const Instruction& i) {
  auto* call = dyn_cast<IntrinsicInst>(&i);
  return i.mayWriteToMemory() &&
         !(call && (call->isAssumeLikeIntrinsic() || call->getIntrinsicID() == Intrinsic::prefetch));
}

static bool join_loads(BasicBlock& block, ScalarEvolution& evolution) {
  const auto loads = count_if(block, is_vector_load);
  if (loads < kLeastLoads || loads > kMostLoads) return false;
  std::map<std::pair<const SCEV*, Type*>, LoadInst*> known;
  bool changed = false;
  for (Instruction& i : make_early_inc_range(block)) {
    if (writes(i)) known.clear();
    if (!is_vector_load(i)) continue;
    auto& load = cast<LoadInst>(i);
    const auto [first, is_new] =
        known.try_emplace({evolution.getSCEV(load.getPointerOperand()), load.getType()}, &load);
    if (is_new) continue;
    combineMetadataForCSE(first->second, &load, /*DoesKMove=*/false);
    load.replaceAllUsesWith(first->second);
    load.eraseFromParent();
    changed = true;
  }
  return changed;
}

bool join_loads(LoopInfo& loops, ScalarEvolution& evolution) {
  bool changed = false;
  for (const Loop* loop : loops.getLoopsInPreorder())
    for (BasicBlock* block : loop->blocks())
      if (loops.getLoopFor(block) == loop) changed |= join_loads(*block, evolution);
  return changed;
}

}  // namespace lanza::compiler
