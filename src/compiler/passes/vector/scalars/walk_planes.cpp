#include "compiler/passes/vector/scalars/walk_planes.hpp"

#include <optional>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Operator.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/block_uniformity.hpp"
#include "compiler/passes/vector/analysis/uniform_barriers.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr int64_t kShortestStep = 2048;  // bytes: lines nearer than that the processor fetches by itself
constexpr int64_t kFurthestRow = 8;      // as far as a neighbour is looked for
constexpr int64_t kWholeLines = 128;     // bytes of a block's row: two lines, which processors fetch in pairs
constexpr size_t kMostLoads = 40;        // of a loop that are compared
constexpr size_t kMostCarried = 16;      // values that each group keeps in memory from turn to turn

/// An element of global memory: `constant` bytes and `size` times `index` behind `base`.
struct Place {
  const Value* base;
  int64_t constant, size;
  const SCEV* index;
};

class PlaneWalks {
 public:
  PlaneWalks(Function& kernel, const GroupShape& group, ScalarEvolution& evolution)
      : kernel_(kernel),
        whole_rows_(group.whole_rows),
        block_(group.block),
        evolution_(evolution),
        uniformity_(kernel) {}

  bool is_walk(const Loop& loop) {
    return loop.isLoopSimplifyForm() && leave_together(loop) && range_size(loop.getHeader()->phis()) <= kMostCarried &&
           collect(loop) && (whole_rows_ || block_[0] * places_.front().size >= kWholeLines) && reads_of_neighbours();
  }

 private:
  bool leave_together(const Loop& loop) const {
    SmallVector<BasicBlock*, 4> exiting;
    loop.getExitingBlocks(exiting);
    return all_of(exiting, [&](const BasicBlock* block) { return uniformity_.ends_uniformly(*block); });
  }

  // Loads that step through memory. False: there is something that an order may matter to, or private memory, which
  // would lie in memory from turn to turn, as would sums: where nothing is stored groups rather walk together.
  bool collect(const Loop& loop) {
    places_.clear();
    bool stores = false;
    for (BasicBlock* block : loop.blocks())
      for (Instruction& i : *block) {
        const Value* address = getLoadStorePointerOperand(&i);
        if (address) {
          if (i.isVolatile() || i.isAtomic() || isa<AllocaInst>(getUnderlyingObject(address))) return false;
          stores |= isa<StoreInst>(i);
          auto* load = dyn_cast<LoadInst>(&i);
          const auto place = load && places_.size() < kMostLoads ? place_of(*load, loop) : std::nullopt;
          if (place) places_.push_back(*place);
        } else if (i.mayReadOrWriteMemory() && !isa<AssumeInst>(i) && !i.isLifetimeStartOrEnd()) {
          return false;
        }
      }
    return stores && places_.size() > 1;
  }

  std::optional<Place> place_of(const LoadInst& load, const Loop& loop) {
    auto* address = dyn_cast<GEPOperator>(load.getPointerOperand());
    if (!address || address->getNumIndices() != 1) return std::nullopt;
    const DataLayout& layout = load.getDataLayout();
    APInt constant(64, 0);
    const Value* base = address->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, constant, true);
    Value* index = address->getOperand(1);
    if (isa<SExtInst, ZExtInst>(index)) index = cast<CastInst>(index)->getOperand(0);
    const auto size = static_cast<int64_t>(layout.getTypeAllocSize(address->getSourceElementType()).getFixedValue());
    const SCEV* steps = evolution_.getSCEV(index);
    auto* walk = dyn_cast<SCEVAddRecExpr>(steps);
    if (!isa<Argument>(base) || !walk || walk->getLoop() != &loop || !walk->isAffine()) return std::nullopt;
    auto* known = dyn_cast<SCEVConstant>(walk->getStepRecurrence(evolution_));
    if (known && known->getAPInt().abs().ult(static_cast<uint64_t>(divideCeil(kShortestStep, size))))
      return std::nullopt;
    return Place{base, constant.getSExtValue(), size, steps};
  }

  bool reads_of_neighbours() {
    return reads_of_neighbours(Intrinsic::nvvm_read_ptx_sreg_tid_y, block_[1]) ||
           reads_of_neighbours(Intrinsic::nvvm_read_ptx_sreg_tid_z, block_[2]);
  }

  // Whether a load is as far from another one as threads are apart along the axis, or a few times as far.
  bool reads_of_neighbours(Intrinsic::ID axis, unsigned threads) {
    if (threads < 2) return false;
    ValueToSCEVMapTy next;
    for (Instruction& i : instructions(kernel_))
      if (auto* call = dyn_cast<IntrinsicInst>(&i); call && call->getIntrinsicID() == axis)
        next[call] = evolution_.getAddExpr(evolution_.getSCEV(call), evolution_.getOne(call->getType()));
    for (const Place& a : places_) {
      const SCEV* thread = evolution_.getMinusSCEV(SCEVParameterRewriter::rewrite(a.index, evolution_, next), a.index);
      if (thread->isZero()) continue;
      for (int64_t times = 1; times <= kFurthestRow; ++times) {
        const SCEV* apart =
            evolution_.getMulExpr(thread, evolution_.getConstant(thread->getType(), static_cast<uint64_t>(times)));
        for (const Place& b : places_)
          if (lie_apart(a, b, apart)) return true;
      }
    }
    return false;
  }

  bool lie_apart(const Place& a, const Place& b, const SCEV* apart) {
    return a.base == b.base && a.constant == b.constant && a.size == b.size &&
           a.index->getType() == b.index->getType() && evolution_.getMinusSCEV(b.index, a.index) == apart;
  }

  Function& kernel_;
  const bool whole_rows_;
  const std::array<unsigned, 3>& block_;
  ScalarEvolution& evolution_;
  const BlockUniformity uniformity_;
  SmallVector<Place, 16> places_;
};

}  // namespace

bool walk_planes(Function& kernel, const GroupShape& group, PassRunner& runner) {
  if (has_sync(kernel) || group.block[1] * group.block[2] < 2) return false;
  SmallVector<BasicBlock*, 2> headers;
  {
    const LoopInfo& loops = runner.functions().getResult<LoopAnalysis>(kernel);
    if (loops.empty()) return false;
    PlaneWalks walks(kernel, group, runner.functions().getResult<ScalarEvolutionAnalysis>(kernel));
    for (const Loop* loop : loops)
      if (walks.is_walk(*loop)) headers.push_back(loop->getHeader());
  }
  if (headers.empty()) return false;
  SmallVector<CallInst*, 2> barriers;
  for (BasicBlock* header : headers) barriers.push_back(emit_own_barrier(&*header->getFirstInsertionPt()));
  isolate_points(kernel);
  const BlockUniformity uniformity(kernel);
  const bool all_meet =
      why_barriers_diverge(kernel, uniformity).words.empty() && why_leaving_matters(kernel, uniformity).words.empty();
  if (!all_meet)
    for (CallInst* barrier : barriers) barrier->eraseFromParent();
  runner.clear();
  return all_meet;
}

}  // namespace lanza::compiler
