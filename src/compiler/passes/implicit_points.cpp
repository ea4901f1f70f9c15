#include "compiler/passes/implicit_points.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/blocking_loops.hpp"
#include "compiler/passes/sync_calls.hpp"

using namespace llvm;

namespace lanza::compiler {

static constexpr unsigned kShared = 3;  // address spaces of nvptx64

static bool is_volatile_shared(const Instruction& i, bool generic) {
  auto concerns = [&](unsigned space) { return space == kShared || (generic && space == 0); };
  if (auto* load = dyn_cast<LoadInst>(&i)) return load->isVolatile() && concerns(load->getPointerAddressSpace());
  if (auto* store = dyn_cast<StoreInst>(&i)) return store->isVolatile() && concerns(store->getPointerAddressSpace());
  return false;
}

// Attributes say of the function what the executor must know.
static bool yield_in_blocking_loops(Function& function, FunctionAnalysisManager& analyses) {
  auto& cycles = analyses.getResult<CycleAnalysis>(function);
  const BlockingLoops loops(analyses.getResult<LoopAnalysis>(function),
                            analyses.getResult<ScalarEvolutionAnalysis>(function));
  bool waits = false, joins = false, endless = false;
  SmallSetVector<std::pair<BasicBlock*, BasicBlock*>, 8> back_edges;
  SmallVector<const Cycle*, 16> work(cycles.toplevel_begin(), cycles.toplevel_end());
  while (!work.empty()) {
    const Cycle* cycle = work.pop_back_val();
    work.append(cycle->child_begin(), cycle->child_end());
    endless |= !loops.is_counted(*cycle);
    const Waiting waiting = loops.classify(*cycle);
    waits |= waiting != Waiting::None;
    joins |= waiting == Waiting::Joins;
    if (waiting != Waiting::Spins) continue;
    for (BasicBlock* entry : cycle->getEntries())
      for (BasicBlock* from : predecessors(entry))
        if (cycle->contains(from)) back_edges.insert({from, entry});
  }
  for (auto [from, to] : back_edges) {
    BasicBlock* block = from->getUniqueSuccessor() ? from : SplitEdge(from, to);
    emit_sync(block->getTerminator(), LANZA_SYNC_YIELD, 0);
  }
  if (waits) function.addFnAttr(kBlockingAttribute, joins ? "joins" : "");
  if (endless) function.addFnAttr(kUnboundedAttribute);
  return !back_edges.empty();
}

static bool number_warp_places(Function& function, bool generic) {
  SmallVector<std::pair<CallInst*, unsigned>, 8> masks;
  unsigned place = 0;
  SmallVector<std::pair<Instruction*, unsigned>, 16> lockstep;
  for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&function))
    for (Instruction& i : *block) {
      if (is_volatile_shared(i, generic)) lockstep.push_back({&i, ++place});
      if (CallInst* point = as_sync(i); point && sync_kind(*point) == LANZA_SYNC_ACTIVEMASK)
        masks.push_back({point, ++place});
    }
  for (auto [access, id] : lockstep) emit_sync(access, LANZA_SYNC_LOCKSTEP, id);
  for (auto [point, id] : masks) {
    point->setArgOperand(kSyncId, ConstantInt::get(point->getArgOperand(kSyncId)->getType(), id & 255));
    point->setArgOperand(kSyncAux, ConstantInt::get(point->getArgOperand(kSyncAux)->getType(), id));
  }
  return place != 0;
}

PreservedAnalyses ImplicitPointsPass::run(Function& function, FunctionAnalysisManager& analyses) {
  const bool blocks = yield_in_blocking_loops(function, analyses);
  const bool places = number_warp_places(function, generic);
  return blocks || places ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace lanza::compiler
