#include "compiler/passes/vector/unroll_row_loops.hpp"

#include <llvm/ADT/bit.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>

#include "compiler/passes/vector/shapes.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostRegisters = 16;  // of rows that are transposed at once: half of AVX-512's
constexpr unsigned kFewestTurns = 4;
constexpr unsigned kMostInstructions = 600;
constexpr int64_t kInterleaved = 16;  // elements: up to this stride whole vectors are loaded anyway

/// What a turn of the loop adds to a value, as if nothing wrapped: transpose_gathers() looks closer.
class Steps {
 public:
  Steps(const Loop& loop, ScalarEvolution& evolution) : loop_(loop), evolution_(evolution) {}

  std::optional<int64_t> of(Value* v, unsigned depth = 0) const {
    if (loop_.isLoopInvariant(v)) return 0;
    if (depth == kDeepest) return {};
    auto inner = [&](Value* operand) { return of(operand, depth + 1); };
    Value *x, *y;
    if (isa<PHINode>(v)) return of_counter(v);
    if (match(v, m_ZExtOrSExt(m_Value(x)))) return inner(x);
    if (match(v, m_Add(m_Value(x), m_Value(y))) || match(v, m_DisjointOr(m_Value(x), m_Value(y)))) {
      const auto left = inner(x), right = inner(y);
      return left && right ? std::optional(*left + *right) : std::nullopt;
    }
    auto* address = dyn_cast<GetElementPtrInst>(v);
    return address ? of_address(*address, depth) : std::nullopt;
  }

 private:
  static constexpr unsigned kDeepest = 8;

  std::optional<int64_t> of_address(GetElementPtrInst& address, unsigned depth) const {
    auto bytes = of(address.getPointerOperand(), depth + 1);
    for (auto type = gep_type_begin(address); bytes && type != gep_type_end(address); ++type) {
      if (loop_.isLoopInvariant(type.getOperand())) continue;
      const auto index = of(type.getOperand(), depth + 1);
      if (!index || type.isStruct()) return {};
      const TypeSize size = type.getSequentialElementStride(address.getDataLayout());
      *bytes += *index * static_cast<int64_t>(size.getFixedValue());
    }
    return bytes;
  }

  std::optional<int64_t> of_counter(Value* v) const {
    if (!evolution_.isSCEVable(v->getType())) return {};
    auto* counter = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(v));
    if (!counter || counter->getLoop() != &loop_ || !counter->isAffine()) return {};
    auto* step = dyn_cast<SCEVConstant>(counter->getStepRecurrence(evolution_));
    return step ? std::optional(step->getAPInt().getSExtValue()) : std::nullopt;
  }

  const Loop& loop_;
  ScalarEvolution& evolution_;
};

/// One block that loads, and writes nothing.
bool only_reads(const Loop& loop) {
  if (loop.getNumBlocks() != 1 || !loop.getLoopPreheader() || !loop.getExitBlock()) return false;
  BasicBlock* body = loop.getHeader();
  return any_of(*body, [](Instruction& i) { return isa<LoadInst>(i); }) && none_of(*body, [](Instruction& i) {
           auto* load = dyn_cast<LoadInst>(&i);
           return i.mayWriteToMemory() || (load && !load->isSimple()) || (isa<CallInst>(i) && !isa<IntrinsicInst>(i));
         });
}

/// How many turns at once; 0: as it is.
unsigned turns_of(const Loop& loop, const Shapes& shapes, ScalarEvolution& evolution) {
  BasicBlock* body = loop.getHeader();
  if (shapes.runs_some_lanes(body) || shapes.is_left_apart(body)) return 0;
  if (isa<SCEVCouldNotCompute>(evolution.getBackedgeTakenCount(&loop))) return 0;
  const Steps steps(loop, evolution);
  unsigned rows = 0;
  for (Instruction& i : *body) {
    auto* load = dyn_cast<LoadInst>(&i);
    if (!load) continue;
    const Shape shape = shapes[load->getPointerOperand()];
    const auto size = static_cast<int64_t>(load->getDataLayout().getTypeStoreSize(load->getType()));
    const bool is_far = shape.is_varying() || std::abs(shape.stride) > kInterleaved * size;
    if (is_far && steps.of(load->getPointerOperand()) == size && !load->getType()->isPointerTy())
      rows += size > 4 ? 2 : 1;  // registers a turn
  }
  if (rows == 0) return 0;
  unsigned turns = bit_floor(std::min(kMostRegisters, shapes.group().lanes) / rows);
  turns = std::min<unsigned>(turns, bit_floor(kMostInstructions / body->size()));
  const unsigned known = evolution.getSmallConstantMaxTripCount(&loop);
  if (known != 0 && known < 2 * turns) return 0;
  return turns < kFewestTurns ? 0 : turns;
}

}  // namespace

bool unroll_row_loops(Function& kernel, const GroupShape& group, FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<LoopAnalysis>(kernel);
  SmallVector<Loop*, 4> reading;
  for (Loop* loop : loops.getLoopsInPreorder())
    if (only_reads(*loop)) reading.push_back(loop);
  if (reading.empty() || group.lanes < kFewestTurns) return false;
  auto& evolution = analyses.getResult<ScalarEvolutionAnalysis>(kernel);
  const Shapes shapes(kernel, group);
  SmallVector<std::pair<Loop*, unsigned>, 4> chosen;
  for (Loop* loop : reading)
    if (const unsigned turns = turns_of(*loop, shapes, evolution)) chosen.push_back({loop, turns});
  OptimizationRemarkEmitter remarks(&kernel);
  bool changed = false;
  for (auto [loop, turns] : chosen) {
    UnrollLoopOptions options{};
    options.Count = turns;
    options.Runtime = options.Force = options.AllowExpensiveTripCount = true;
    changed |= UnrollLoop(loop, options, &loops, &evolution, &analyses.getResult<DominatorTreeAnalysis>(kernel),
                          &analyses.getResult<AssumptionAnalysis>(kernel),
                          &analyses.getResult<TargetIRAnalysis>(kernel), &remarks,
                          /*PreserveLCSSA=*/true) != LoopUnrollResult::Unmodified;
  }
  return changed;
}

}  // namespace lanza::compiler
