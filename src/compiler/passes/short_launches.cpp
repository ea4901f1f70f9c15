#include "compiler/passes/short_launches.hpp"

#include <algorithm>
#include <cmath>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/lane_functions.hpp"
#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/scalars/launch_test.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

// Of a block: some 10 ms of the thread engine; in long kernels 20 us for each instruction, of the 30 to 300 that the
// vector engine takes to compile it.
static constexpr double kMostSteps = 2e7, kStepsOfInstruction = 40000;
static constexpr double kStepsOfASync = 10;  // what a thread's wait takes, as instructions
// Of points that the thread engine splits a kernel at: 960 barriers take it 0.7 s to compile, and the vector
// engine 1.6. Warps wait for nobody there: 120 shuffles take it 0.05 s, and the thread engine 0.19; between as many
// barriers each has loops over groups of its own.
static constexpr unsigned kMostPoints = 1500, kPointOfWarp = 12;
static constexpr unsigned kFewBits = 8;        // numbers of which nothing more is asked
static constexpr double kMostKnown = 1 << 20;  // that numbers of which nothing else is known may be

namespace {

/// Formulas of a LaunchTest; without: nothing is known.
struct Bounds {
  Value *low = nullptr, *high = nullptr;
  explicit operator bool() const { return low; }
};

class LaunchSteps {
 public:
  LaunchSteps(Function& kernel, const std::array<uint32_t, 3>& block, FunctionAnalysisManager& analyses)
      : kernel_(kernel),
        block_(block),
        loops_(analyses.getResult<LoopAnalysis>(kernel)),
        evolution_(analyses.getResult<ScalarEvolutionAnalysis>(kernel)),
        test_(kernel) {}

  std::unique_ptr<Module> ask() {
    Value* steps = of_thread();
    const double threads = double{1} * block_[0] * block_[1] * block_[2];
    // Nobody knows, or it takes too long to compile: no launch is.
    const double most = std::max(kMostSteps, kStepsOfInstruction * kernel_.getInstructionCount());
    test_.require(steps ? test_.is_below(steps, most / threads) : test_.is_below(test_.number(1), 0));
    return test_.take();
  }

 private:
  // Null: nobody knows. So for the others.
  Value* of_thread() {
    if (points() > kMostPoints) return nullptr;
    Value* sum = test_.number(0);
    for (BasicBlock& block : kernel_) {
      Value* times = test_.number(1);
      for (Loop* loop = loops_.getLoopFor(&block); loop && times; loop = loop->getParentLoop()) {
        Value* turns = turns_of(*loop);
        times = turns ? test_.product(times, turns) : nullptr;
      }
      const double steps = steps_of(block);
      if (!times || steps < 0) return nullptr;
      sum = test_.sum(sum, test_.product(times, test_.number(steps)));
    }
    return sum;
  }

  unsigned points() {
    unsigned of_warps = 0, others = 0;
    for (Instruction& i : instructions(kernel_))
      if (CallInst* point = as_sync(i)) ++(is_of_warp(sync_kind(*point)) ? of_warps : others);
    return others + (of_warps > others ? kPointOfWarp * (of_warps - others) : 0);
  }

  // Negative: nobody knows.
  static double steps_of(BasicBlock& block) {
    double steps = 0;
    for (Instruction& i : block) {
      if (auto* call = dyn_cast<CallInst>(&i); call && !as_sync(i)) {
        Function* called = call->getCalledFunction();
        if (!called || !called->isDeclaration()) return -1;
        steps += noted_steps(*call);
      }
      steps += as_sync(i) ? kStepsOfASync : 1;
    }
    return steps;
  }

  Value* turns_of(Loop& loop) {
    const auto [known, is_new] = turns_.try_emplace(&loop, nullptr);
    if (!is_new) return known->second;  // null also for one within itself
    Value* turns = nullptr;
    const auto tests = tests_of(loop);
    // Before ScalarEvolution holds the loop's end against all guards in front of it, hundreds in a long kernel.
    if (tests.size() == 1) turns = turns_until(loop, *tests.front());
    if (!turns)
      if (const Bounds count = bounds(evolution_.getSymbolicMaxBackedgeTakenCount(&loop))) turns = one_more(count.high);
    for (ICmpInst* test : tests) {
      if (!turns) turns = turns_until(loop, *test);
      if (!turns && any_of(loop.getHeader()->phis(), [&](PHINode& phi) { return counts_in_powers(loop, *test, phi); }))
        turns = test_.number(64);
    }
    return turns_[&loop] = turns;
  }

  Value* one_more(Value* count) { return test_.sum(test_.greatest(count, test_.number(0)), test_.number(1)); }

  // Comparisons each of which can end the loop.
  static SmallVector<ICmpInst*, 4> tests_of(const Loop& loop) {
    SmallVector<ICmpInst*, 4> tests;
    SmallVector<BasicBlock*, 4> exiting;
    loop.getExitingBlocks(exiting);
    for (BasicBlock* block : exiting) {
      auto* branch = dyn_cast<BranchInst>(block->getTerminator());
      if (!branch || !branch->isConditional()) continue;
      const bool stays_on_true = loop.contains(branch->getSuccessor(0));
      SmallVector<Value*, 4> parts{branch->getCondition()};
      while (!parts.empty()) {
        Value *part = parts.pop_back_val(), *a, *b;
        if (auto* test = dyn_cast<ICmpInst>(part)) tests.push_back(test);
        if (stays_on_true ? match(part, m_LogicalAnd(m_Value(a), m_Value(b)))
                          : match(part, m_LogicalOr(m_Value(a), m_Value(b))))
          parts.append({a, b});
      }
    }
    return tests;
  }

  // Of a counter with a step that has one sign, as if it did not wrap: LLVM says nothing where it might.
  Value* turns_until(Loop& loop, ICmpInst& test) {
    for (const unsigned side : {0, 1}) {
      if (!evolution_.isSCEVable(test.getOperand(side)->getType())) return nullptr;
      auto* counter = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(test.getOperand(side)));
      const SCEV* end = evolution_.getSCEV(test.getOperand(1 - side));
      if (!counter || counter->getLoop() != &loop || !counter->isAffine() || !evolution_.isLoopInvariant(end, &loop))
        continue;
      const Bounds start = bounds(counter->getStart()), step = bounds(counter->getStepRecurrence(evolution_));
      const Bounds last = bounds(end);
      if (!start || !step || !last) continue;
      const auto number = constant_of(step.high);
      const bool is_down = number && *number < 0;
      if (!is_down && !test_.is_never_negative(step.low)) continue;
      Value* way = is_down ? test_.difference(start.high, last.low) : test_.difference(last.high, start.low);
      Value* least = is_down ? test_.number(-*number) : test_.greatest(step.low, test_.number(1));
      return one_more(test_.quotient(way, least));
    }
    return nullptr;
  }

  // A number that each turn multiplies or divides.
  static bool counts_in_powers(const Loop& loop, const ICmpInst& test, const PHINode& counter) {
    const BasicBlock* latch = loop.getLoopLatch();
    Value* next = latch ? counter.getIncomingValueForBlock(latch) : nullptr;
    return next && is_power_step(*next, counter) &&
           any_of(test.operands(), [&](const Use& asked) { return asked == &counter || asked == next; });
  }

  static bool is_power_step(Value& next, const PHINode& counter) {
    auto* step = dyn_cast<BinaryOperator>(&next);
    if (!step || step->getOperand(0) != &counter) return false;
    if (step->getOpcode() == Instruction::Add) return step->getOperand(1) == &counter;
    auto* by = dyn_cast<ConstantInt>(step->getOperand(1));
    if (!by || !by->getValue().isStrictlyPositive()) return false;
    if (step->isShift()) return true;
    const auto code = step->getOpcode();
    return !by->isOne() && (code == Instruction::Mul || code == Instruction::UDiv || code == Instruction::SDiv);
  }

  // ---- between which numbers an expression lies, as if nothing wrapped

  Bounds bounds(const SCEV* s) {
    switch (s->getSCEVType()) {
      case scConstant:
        return exactly(test_.number(cast<SCEVConstant>(s)->getAPInt().roundToDouble(true)));
      case scTruncate:
        if (const unsigned bits = s->getType()->getIntegerBitWidth(); bits <= kFewBits)  // `t & 7`
          return {test_.number(-(1 << (bits - 1))), test_.number((1 << bits) - 1)};      // extended either way
        [[fallthrough]];
      case scSignExtend:
      case scZeroExtend:
        return bounds(cast<SCEVCastExpr>(s)->getOperand());
      case scAddExpr:
        return of_sum(*cast<SCEVAddExpr>(s));
      case scMulExpr:
        return of_product(*cast<SCEVMulExpr>(s));
      case scUDivExpr:
        return of_quotient(*cast<SCEVUDivExpr>(s));
      case scAddRecExpr:
        return of_counter(*cast<SCEVAddRecExpr>(s));
      case scUMaxExpr:
      case scSMaxExpr:
      case scUMinExpr:
      case scSMinExpr:
      case scSequentialUMinExpr:
        return of_extremum(*cast<SCEVNAryExpr>(s));
      case scUnknown:
        return of_value(*cast<SCEVUnknown>(s));
      default:
        return {};
    }
  }

  static Bounds exactly(Value* formula) { return {formula, formula}; }

  Bounds of_sum(const SCEVAddExpr& s) {
    Bounds sum = exactly(test_.number(0));
    for (const SCEV* part : s.operands()) {
      const Bounds b = bounds(part);
      if (!b) return {};
      sum = {test_.sum(sum.low, b.low), test_.sum(sum.high, b.high)};
    }
    return sum;
  }

  Bounds times(const Bounds& a, const Bounds& b) {
    Value* ends[] = {test_.product(a.low, b.low), test_.product(a.low, b.high), test_.product(a.high, b.low),
                     test_.product(a.high, b.high)};
    return {test_.least(test_.least(ends[0], ends[1]), test_.least(ends[2], ends[3])),
            test_.greatest(test_.greatest(ends[0], ends[1]), test_.greatest(ends[2], ends[3]))};
  }

  Bounds of_product(const SCEVMulExpr& s) {
    Bounds product = exactly(test_.number(1));
    for (const SCEV* part : s.operands()) {
      const Bounds b = bounds(part);
      if (!b) return {};
      product = times(product, b);
    }
    return product;
  }

  // Of numbers without sign: by one at least.
  Bounds of_quotient(const SCEVUDivExpr& s) {
    const Bounds a = bounds(s.getLHS()), b = bounds(s.getRHS());
    if (!a || !b) return {};
    return {test_.number(0), test_.quotient(a.high, test_.greatest(b.low, test_.number(1)))};
  }

  // Of a loop around: in its last turn at most.
  Bounds of_counter(const SCEVAddRecExpr& s) {
    if (!s.isAffine()) return {};
    Value* turns = turns_of(*const_cast<Loop*>(s.getLoop()));
    const Bounds start = bounds(s.getStart()), step = bounds(s.getStepRecurrence(evolution_));
    if (!turns || !start || !step) return {};
    const Bounds way = times(step, {test_.number(0), turns});
    return {test_.sum(start.low, way.low), test_.sum(start.high, way.high)};
  }

  Bounds of_extremum(const SCEVNAryExpr& s) {
    const bool is_max = isa<SCEVSMaxExpr, SCEVUMaxExpr>(s);
    Bounds result;
    for (const SCEV* part : s.operands()) {
      const Bounds b = bounds(part);
      if (!b && is_max) return {};
      if (!b) continue;  // the least is no greater than those that are known
      if (!result)
        result = b;
      else if (is_max)
        result = {test_.greatest(result.low, b.low), test_.greatest(result.high, b.high)};
      else
        result = {test_.least(result.low, b.low), test_.least(result.high, b.high)};
    }
    return result;
  }

  Bounds of_value(const SCEVUnknown& s) {
    Value* value = s.getValue();
    if (auto* parameter = dyn_cast<Argument>(value); parameter && value->getType()->isIntegerTy())
      return exactly(test_.argument(*parameter, value->getType()));
    if (auto* call = dyn_cast<IntrinsicInst>(value))
      if (const Bounds b = of_register(call->getIntrinsicID())) return b;
    const ConstantRange range = evolution_.getSignedRange(&s);
    const double low = range.getSignedMin().roundToDouble(true), high = range.getSignedMax().roundToDouble(true);
    if (std::abs(low) > kMostKnown || std::abs(high) > kMostKnown) return {};
    return {test_.number(low), test_.number(high)};
  }

  Bounds of_register(Intrinsic::ID id) {
    const auto below = [&](Value* size) { return Bounds{test_.number(0), size}; };
    switch (id) {
      case Intrinsic::nvvm_read_ptx_sreg_ntid_x:
      case Intrinsic::nvvm_read_ptx_sreg_ntid_y:
      case Intrinsic::nvvm_read_ptx_sreg_ntid_z:
        return exactly(test_.number(block_[id - Intrinsic::nvvm_read_ptx_sreg_ntid_x]));
      case Intrinsic::nvvm_read_ptx_sreg_tid_x:
      case Intrinsic::nvvm_read_ptx_sreg_tid_y:
      case Intrinsic::nvvm_read_ptx_sreg_tid_z:
        return below(test_.number(block_[id - Intrinsic::nvvm_read_ptx_sreg_tid_x]));
      case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
      case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
      case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
        return exactly(test_.grid_size(id - Intrinsic::nvvm_read_ptx_sreg_nctaid_x));
      case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
      case Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
      case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
        return below(test_.grid_size(id - Intrinsic::nvvm_read_ptx_sreg_ctaid_x));
      default:
        return {};
    }
  }

  Function& kernel_;
  const std::array<uint32_t, 3> block_;
  LoopInfo& loops_;
  ScalarEvolution& evolution_;
  LaunchTest test_;
  DenseMap<Loop*, Value*> turns_;
};

}  // namespace

std::unique_ptr<Module> ask_short_launches(Function& kernel, const std::array<uint32_t, 3>& block,
                                           FunctionAnalysisManager& analyses) {
  return LaunchSteps(kernel, block, analyses).ask();
}

bool serve_none(const Module& fits) {
  const auto* answer = dyn_cast<ReturnInst>(fits.getFunction(kFits)->getEntryBlock().getTerminator());
  return answer && match(answer->getReturnValue(), m_Zero());
}

}  // namespace lanza::compiler
