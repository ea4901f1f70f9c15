#include "compiler/passes/vector/scalars/unroll_row_loops.hpp"

#include <functional>
#include <map>

#include <llvm/ADT/bit.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/analysis/turn_steps.hpp"
#include "compiler/passes/vector/scalars/version_row_stores.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostRegisters = 16;  // of rows that are transposed at once: half of AVX-512's
constexpr unsigned kFewestTurns = 4;
// Of a loop that loads words and writes nothing: sixteen take as many shuffles for each element, and twice the code, in
// each copy. What registers are left sixteen groups have their sums in, which share the rows (x W^T + b of 100 x 192 x
// 230, AVX-512, by eight groups 142 us, by sixteen 117). Between barriers groups go one by one: rows of tiles 219 us by
// sixteen turns, 281 by eight.
constexpr unsigned kMostOfReading = 8;
constexpr unsigned kMostInstructions = 600;
constexpr unsigned kDeepestAddress = 10;
constexpr unsigned kShortBody = 24;  // instructions
constexpr unsigned kFewPlaces = 4;

/// One block that loads, and writes nothing.
bool only_reads(const Loop& loop) {
  if (loop.getNumBlocks() != 1 || !loop.getLoopPreheader() || !loop.getExitBlock()) return false;
  BasicBlock* body = loop.getHeader();
  return any_of(*body, [](Instruction& i) { return isa<LoadInst>(i); }) && none_of(*body, [](Instruction& i) {
           auto* load = dyn_cast<LoadInst>(&i);
           return i.mayWriteToMemory() || (load && !load->isSimple()) || (isa<CallInst>(i) && !isa<IntrinsicInst>(i));
         });
}

bool turns_lie_apart(const Loop& loop) {
  return findOptionMDForLoopID(loop.getLoopID(), kTurnsApart) && loop.getNumBlocks() == 1 && loop.getLoopPreheader() &&
         loop.getExitBlock();
}

/// Whether the lanes share few places, or lie side by side but for steps: `weights[i % 3 * taps + k]`, `x[i / 3 + k]`.
/// near_gathers and few_places know those.
bool is_dense(const Value* v, const Shapes& shapes, bool is_scaled, unsigned depth = kDeepestAddress) {
  if (!shapes[v].is_varying()) return shapes.is_uniform(v);
  auto* i = dyn_cast<Instruction>(v);
  if (!i || depth == 0) return false;
  if (isa<CastInst>(i)) return is_dense(i->getOperand(0), shapes, is_scaled, depth - 1);
  if (!isa<BinaryOperator>(i)) return false;
  auto* number = dyn_cast<ConstantInt>(i->getOperand(1));
  switch (i->getOpcode()) {
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::LShr:
      return number && !is_scaled && shapes[i->getOperand(0)].is_strided();
    case Instruction::URem:
    case Instruction::SRem:
      return number && number->getValue().ule(kFewPlaces);
    case Instruction::Mul:
    case Instruction::Shl:
      return is_dense(i->getOperand(0), shapes, true, depth - 1) && shapes.is_uniform(i->getOperand(1));
    case Instruction::Add:
    case Instruction::Sub:
      return is_dense(i->getOperand(0), shapes, is_scaled, depth - 1) &&
             is_dense(i->getOperand(1), shapes, is_scaled, depth - 1);
    default:
      return false;
  }
}

bool is_dense(const Instruction& access, const Shapes& shapes) {
  auto* address = dyn_cast<GetElementPtrInst>(getLoadStorePointerOperand(&access));
  return isa<LoadInst>(access) && address && address->getNumIndices() == 1 &&
         shapes.is_uniform(address->getPointerOperand()) && is_dense(address->getOperand(1), shapes, false);
}

/// How many turns at once; 0: as it is.
unsigned turns_of(const Loop& loop, const Shapes& shapes, ScalarEvolution& evolution) {
  BasicBlock* body = loop.getHeader();
  if (shapes.is_left_apart(body)) return 0;
  if (isa<SCEVCouldNotCompute>(evolution.getBackedgeTakenCount(&loop))) return 0;
  const TurnSteps steps(loop, evolution);
  unsigned loaded = 0, stored = 0;  // registers a turn
  bool has_words = true;
  for (Instruction& i : *body) {
    if (!steps.is_in_row(i, shapes) || is_dense(i, shapes)) continue;
    Type* type = getLoadStoreType(&i);
    const uint64_t size = i.getDataLayout().getTypeStoreSize(type);
    has_words &= size >= 4;
    if (!type->isPointerTy()) (isa<LoadInst>(i) ? loaded : stored) += size > 4 ? 2 : 1;
  }
  const unsigned rows = std::max(loaded, stored);  // what is loaded is gone before all is stored
  if (rows == 0) return 0;
  unsigned turns = bit_floor(std::min(kMostRegisters, shapes.group().lanes) / rows);
  if (stored == 0 && has_words && !has_sync(*body->getParent())) turns = std::min(turns, kMostOfReading);
  turns = std::min<unsigned>(turns, bit_floor(kMostInstructions / body->size()));
  const unsigned known = evolution.getSmallConstantMaxTripCount(&loop);
  if (known != 0 && known != turns && known < 2 * turns) return 0;
  return turns < kFewestTurns ? 0 : turns;
}

/// Whether what is left of the turns goes by several, too: little code, of which nothing is gathered but the rows. In
/// another loop it would take registers that the others want (distances of points to all centers: 1.08 of the time).
bool is_short(const Loop& loop, const Shapes& shapes, ScalarEvolution& evolution) {
  if (!loop.isOutermost()) return false;
  BasicBlock* body = loop.getHeader();
  const TurnSteps steps(loop, evolution);
  return body->size() <= kShortBody && none_of(*body, [&](Instruction& i) {
           auto* load = dyn_cast<LoadInst>(&i);
           return load && shapes[load->getPointerOperand()].is_varying() && !steps.is_in_row(i, shapes);
         });
}

/// Of a marked loop that does several turns at once: loads come first, stores last, those of one row side by side.
void part_accesses(BasicBlock& body) {
  auto* first = new FreezeInst(PoisonValue::get(Type::getInt1Ty(body.getContext())), "", body.getFirstNonPHIIt());
  SmallPtrSet<Instruction*, 32> done;
  // What is not computed from phis and from outside alone stays.
  const std::function<bool(Instruction&, unsigned)> can = [&](Instruction& i, unsigned depth) {
    if (isa<PHINode>(i) || done.contains(&i) || i.getParent() != &body) return true;
    if (depth == 0 || (i.mayReadOrWriteMemory() && !isa<LoadInst>(i)) || isa<CallInst>(i)) return false;
    return all_of(i.operands(), [&](Use& use) {
      auto* operand = dyn_cast<Instruction>(use);
      return !operand || (!isa<LoadInst>(operand) && can(*operand, depth - 1));
    });
  };
  const std::function<void(Instruction&)> raise = [&](Instruction& i) {
    if (isa<PHINode>(i) || i.getParent() != &body || !done.insert(&i).second) return;
    for (Use& use : i.operands())
      if (auto* operand = dyn_cast<Instruction>(use)) raise(*operand);
    i.moveBefore(first);
  };
  SmallVector<Instruction*, 32> loads;
  std::map<uint64_t, SmallVector<Instruction*, 16>> stores;
  for (Instruction& i : body) {
    if (isa<LoadInst>(i)) loads.push_back(&i);
    if (MDNode* number = i.getMetadata(kRowStore))
      stores[mdconst::extract<ConstantInt>(number->getOperand(0))->getZExtValue()].push_back(&i);
  }
  for (Instruction* load : loads)
    if (can(*load, kDeepestAddress)) raise(*load);
  for (auto& [number, row] : stores)
    for (Instruction* store : row) store->moveBefore(body.getTerminator());
  first->eraseFromParent();
}

}  // namespace

bool unroll_row_loops(Function& kernel, const GroupShape& group, FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<LoopAnalysis>(kernel);
  SmallVector<Loop*, 4> reading;
  for (Loop* loop : loops.getLoopsInPreorder())
    if (only_reads(*loop) || turns_lie_apart(*loop)) reading.push_back(loop);
  if (reading.empty() || group.lanes < kFewestTurns) return false;
  auto& evolution = analyses.getResult<ScalarEvolutionAnalysis>(kernel);
  const Shapes shapes(kernel, group);
  SmallVector<std::pair<Loop*, unsigned>, 4> chosen;
  for (Loop* loop : reading)
    if (const unsigned turns = turns_of(*loop, shapes, evolution)) chosen.push_back({loop, turns});
  OptimizationRemarkEmitter remarks(&kernel);
  const auto unroll = [&](Loop& loop, unsigned turns, Loop** rest) {
    UnrollLoopOptions options{};
    options.Count = turns;
    options.Runtime = options.Force = options.AllowExpensiveTripCount = true;
    return UnrollLoop(&loop, options, &loops, &evolution, &analyses.getResult<DominatorTreeAnalysis>(kernel),
                      &analyses.getResult<AssumptionAnalysis>(kernel), &analyses.getResult<TargetIRAnalysis>(kernel),
                      &remarks, /*PreserveLCSSA=*/true, rest);
  };
  bool changed = false;
  for (auto [loop, turns] : chosen) {
    const bool lies_apart = turns_lie_apart(*loop);
    const bool goes_on = !lies_apart && turns > kFewestTurns && is_short(*loop, shapes, evolution);
    Loop* rest = nullptr;
    const auto result = unroll(*loop, turns, &rest);
    changed |= result != LoopUnrollResult::Unmodified;
    if (result == LoopUnrollResult::PartiallyUnrolled && lies_apart) part_accesses(*loop->getHeader());
    if (rest && goes_on) unroll(*rest, kFewestTurns, nullptr);
  }
  return changed;
}

}  // namespace lanza::compiler
