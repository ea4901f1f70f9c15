#include "compiler/passes/implicit_points.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

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

static bool comes_from(const Value* v, const AtomicCmpXchgInst& exchange, unsigned depth = 4) {
  while (auto* cast = dyn_cast<CastInst>(v)) v = cast->getOperand(0);
  if (auto* extract = dyn_cast<ExtractValueInst>(v))
    return extract->getAggregateOperand() == &exchange && extract->getIndices()[0] == 0;
  if (depth == 0 || !(isa<PHINode>(v) || isa<SelectInst>(v))) return false;
  return any_of(cast<User>(v)->operands(), [&](const Value* x) { return comes_from(x, exchange, depth - 1); });
}

// A compare-and-swap that expects its own last result fails only when another thread succeeded: somebody makes progress
// without a yield.
static bool retries_own_result(const AtomicCmpXchgInst& exchange) {
  return comes_from(exchange.getCompareOperand(), exchange);
}

static bool watches_others(const Instruction& i) {
  if (auto* load = dyn_cast<LoadInst>(&i)) return load->isVolatile() || load->isAtomic();
  if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&i)) return !retries_own_result(*exchange);
  return isa<AtomicRMWInst>(i) && !i.use_empty();
}

static bool is_blocking(const Cycle& cycle, LoopInfo& loops, ScalarEvolution& evolution) {
  Loop* loop = cycle.isReducible() ? loops.getLoopFor(cycle.getHeader()) : nullptr;
  if (loop && !isa<SCEVCouldNotCompute>(evolution.getBackedgeTakenCount(loop))) return false;
  return any_of(cycle.blocks(), [](BasicBlock* block) { return any_of(*block, watches_others); });
}

static bool yield_in_blocking_loops(Function& function, FunctionAnalysisManager& analyses) {
  auto& cycles = analyses.getResult<CycleAnalysis>(function);
  auto& loops = analyses.getResult<LoopAnalysis>(function);
  auto& evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  SmallSetVector<std::pair<BasicBlock*, BasicBlock*>, 8> back_edges;
  SmallVector<const Cycle*, 16> work(cycles.toplevel_begin(), cycles.toplevel_end());
  while (!work.empty()) {
    const Cycle* cycle = work.pop_back_val();
    work.append(cycle->child_begin(), cycle->child_end());
    if (!is_blocking(*cycle, loops, evolution)) continue;
    for (BasicBlock* entry : cycle->getEntries())
      for (BasicBlock* from : predecessors(entry))
        if (cycle->contains(from)) back_edges.insert({from, entry});
  }
  for (auto [from, to] : back_edges) {
    BasicBlock* block = from->getUniqueSuccessor() ? from : SplitEdge(from, to);
    emit_sync(block->getTerminator(), LANZA_SYNC_YIELD, 0);
  }
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
  if (blocks) function.addFnAttr(kBlockingAttribute);
  const bool places = number_warp_places(function, generic);
  return blocks || places ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace lanza::compiler
