#include "compiler/passes/vector/run/unroll_groups.hpp"

#include <optional>
#include <vector>

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>

#include "compiler/passes/note_lanes.hpp"
#include "compiler/passes/vector/analysis/seldom_code.hpp"
#include "compiler/passes/vector/lanes/lane_accesses.hpp"
#include "compiler/passes/vector/run/shared_gaps.hpp"
#include "compiler/passes/vector/run/straighten_loop.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

// Instructions: of one loop, of one over few groups, of all loops.
constexpr unsigned kMostOfLoop = 2000, kMostOfFew = 1400, kMostOfAll = 6000, kMostOfTiny = 100;
// Of one that makes nothing registers: that spares little but the loop's own counter; of one over two groups, which are
// worked on side by side. Of one, and of one of its turns, whose places in the block's variables are constants then: so
// does it spare the arithmetic of its addresses.
constexpr unsigned kMostOfPlain = 320, kMostOfTwo = 640, kMostOfPlaces = 700, kMostOfPlace = 48;
// Of a turn of a loop over more than two groups that a block comes to once, and of all such: where nothing becomes
// registers, straight code spares what the counter takes. A radix-4 FFT compiles in 51 ms, for 67 with more of it, one
// that computes its sines in 85 for 198; they run as fast.
constexpr unsigned kMostOfOnce = 12, kMostOfAllOnce = 250;
constexpr unsigned kFewTurns = 4;
constexpr unsigned kFewGroups = 16, kFewThreads = 256;
constexpr unsigned kManyGroups = 128;  // of 8 lanes, in a block of 1024
// Instructions for each access to a block's variable that is spared: a tree has 6 to 8, its loading included, and takes
// half the time; warps that sum up by shuffles have 16 to 20, and take what they did, compiled in 100 ms for 25.
constexpr unsigned kMostOfAccess = 10;

struct Candidate {
  Loop* loop;
  unsigned groups;
  unsigned size;  // when unrolled
  bool of_rows;   // in a block of short rows
};

// Without instructions for it the code generator loads, or stores, one lane after the other, behind a branch each.
unsigned size_of(const Instruction& i, const TargetTransformInfo& host) {
  constexpr unsigned kLane = 4;
  auto* call = dyn_cast<IntrinsicInst>(&i);
  if (!call) return 1;
  const bool loads = call->getIntrinsicID() == Intrinsic::masked_gather;
  if (!loads && call->getIntrinsicID() != Intrinsic::masked_scatter) return 1;
  auto* lanes = cast<FixedVectorType>(loads ? call->getType() : call->getArgOperand(0)->getType());
  return has_lane_instruction(*call, host) ? 1 : kLane * lanes->getNumElements();
}

/// What is made of a loop's counter alone: numbers, once it is unrolled.
class Numbers {
 public:
  Numbers(const Loop& loop, ScalarEvolution& evolution) : loop_(loop), evolution_(evolution) {}

  bool contain(const Instruction& i) {
    const auto known = known_.find(&i);
    if (known != known_.end()) return known->second;
    known_[&i] = false;
    return known_[&i] = find(i);
  }

 private:
  bool find(const Instruction& i) {
    if (auto* phi = dyn_cast<PHINode>(&i)) return phi->getParent() == loop_.getHeader() && is_counter(*phi);
    if (auto* branch = dyn_cast<BranchInst>(&i)) return branch->isUnconditional() || is_number(*branch->getCondition());
    if (i.mayReadOrWriteMemory() || i.isTerminator() || isa<CallInst>(i)) return false;
    return all_of(i.operand_values(), [&](const Value* v) { return is_number(*v); });
  }

  bool is_number(const Value& v) {
    auto* i = dyn_cast<Instruction>(&v);
    return isa<Constant>(v) || (i && loop_.contains(i) && contain(*i));
  }

  bool is_counter(const PHINode& phi) const {
    if (!evolution_.isSCEVable(phi.getType())) return false;
    auto* counts = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(const_cast<PHINode*>(&phi)));
    return counts && isa<SCEVConstant>(counts->getStart()) && isa<SCEVConstant>(counts->getStepRecurrence(evolution_));
  }

  const Loop& loop_;
  ScalarEvolution& evolution_;
  DenseMap<const Instruction*, bool> known_;
};

// Of a turn, without what is in loops inside.
unsigned size_of(const Loop& loop, const LoopInfo& loops, const TargetTransformInfo& host,
                 function_ref<bool(const Instruction&)> counts) {
  unsigned size = 0;
  for (const BasicBlock* block : loop.blocks())
    if (loops.getLoopFor(block) == &loop)
      for (const Instruction& i : *block) size += counts(i) ? size_of(i, host) : 0;
  return size;
}

/// How many turns the inner loops of a loop over groups take, all in all, where each group's number tells: for (w = 0;
/// w < warp; ++w). Nothing where one is of another kind.
std::optional<unsigned> turns_inside(const Loop& inner, const Loop& groups, unsigned count,
                                     ScalarEvolution& evolution) {
  constexpr unsigned kMostTurns = 64;
  if (!inner.isInnermost() || inner.getExitingBlock() != inner.getLoopLatch()) return {};
  const SCEV* again = evolution.getBackedgeTakenCount(&inner);
  if (isa<SCEVCouldNotCompute>(again) || evolution.isLoopInvariant(again, &groups)) return {};
  unsigned all = 0;
  for (unsigned k = 0; k < count; ++k) {
    LoopToScevMapT turn{{&groups, evolution.getConstant(again->getType(), k)}};
    auto* known = dyn_cast<SCEVConstant>(SCEVLoopAddRecRewriter::rewrite(again, turn, evolution));
    if (!known) return {};
    const APInt turns = known->getAPInt() + 1;  // 0: a question before the loop keeps others out
    if (turns.ugt(kMostTurns)) return {};
    all += static_cast<unsigned>(turns.getZExtValue());
  }
  return all;
}

// Of a turn of an inner loop, without what counts the turns.
unsigned size_of_turn(const Loop& inner, ScalarEvolution& evolution, const TargetTransformInfo& host) {
  auto counts = [&](Instruction& i) {
    if (isa<PHINode>(i) || i.isTerminator() || (i.hasOneUse() && i.user_back()->isTerminator())) return true;
    auto* number = evolution.isSCEVable(i.getType()) ? dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(&i)) : nullptr;
    return number && number->getLoop() == &inner;
  };
  unsigned size = 0;
  for (BasicBlock* block : inner.blocks())
    for (Instruction& i : *block) size += counts(i) ? 0 : size_of(i, host);
  return size;
}

/// Unrolled, `turn` and inner loops. Nothing where those cannot be.
std::optional<unsigned> unrolled_size(const Loop& loop, unsigned turn, unsigned groups, ScalarEvolution& evolution,
                                      const TargetTransformInfo& host) {
  unsigned size = groups * turn;
  for (const Loop* inner : loop.getSubLoops()) {
    const auto turns = turns_inside(*inner, loop, groups, evolution);
    if (!turns) return {};
    size += *turns * size_of_turn(*inner, evolution, host);
  }
  return size;
}

// By a loop of the kernel with barriers in it: over planes, or over tiles.
bool is_repeated(const Loop& loop) {
  const Loop* around = loop.getParentLoop();
  while (around && is_row_loop(*around)) around = around->getParentLoop();
  return around && around->getParentLoop();
}

enum class Which { Frequent, Tiny };

std::vector<Candidate> candidates(const LoopInfo& loops, ScalarEvolution& evolution, const SeldomCode& seldom,
                                  const TargetTransformInfo& host, unsigned few, Which which) {
  std::vector<Candidate> found;
  for (Loop* loop : loops.getLoopsInPreorder()) {
    const bool of_rows = is_row_loop(*loop);
    if (!of_rows && !is_lane_loop(*loop)) continue;
    const unsigned groups = evolution.getSmallConstantTripCount(loop);
    if (groups == 0 || groups > kManyGroups) continue;
    const bool stays_short = seldom.contains(loop->getHeader()) && (groups > kFewTurns || !is_repeated(*loop));
    const bool is_tiny = which == Which::Tiny || stays_short;
    Numbers numbers(*loop, evolution);
    const unsigned turn =
        size_of(*loop, loops, host, [&](const Instruction& i) { return is_tiny || !numbers.contain(i); });
    const auto size = unrolled_size(*loop, turn, groups, evolution, host);
    const unsigned most = is_tiny ? kMostOfTiny : groups <= few ? kMostOfFew : kMostOfLoop;
    if (size && *size <= most) found.push_back({loop, groups, *size, of_rows});
  }
  return found;
}

/// Of groups that go from the last one to the first: sees through `zext(240 - counter)`, and through
/// `(240 - counter) / 16`, a slot's number. Both are constants in each turn, and where the first one would be negative
/// nobody comes there.
class CountedDown : public SCEVRewriteVisitor<CountedDown> {
 public:
  using SCEVRewriteVisitor::SCEVRewriteVisitor;

  const SCEV* visitZeroExtendExpr(const SCEVZeroExtendExpr* wide) {
    return in_turn(wide, wide->getOperand(),
                   [&](const SCEVConstant& part) { return SE.getSignExtendExpr(&part, wide->getType()); });
  }

  const SCEV* visitUDivExpr(const SCEVUDivExpr* quotient) {
    auto* divisor = dyn_cast<SCEVConstant>(quotient->getRHS());
    if (!divisor || divisor->isZero()) return quotient;
    return in_turn(quotient, quotient->getLHS(), [&](const SCEVConstant& part) -> const SCEV* {
      if (part.getAPInt().srem(divisor->getAPInt()) != 0) return nullptr;
      return SE.getConstant(part.getAPInt().sdiv(divisor->getAPInt()));
    });
  }

 private:
  // `whole`, or what `each` makes of the start and the step of a counter that it is made of.
  const SCEV* in_turn(const SCEV* whole, const SCEV* counter, function_ref<const SCEV*(const SCEVConstant&)> each) {
    auto* counts = dyn_cast<SCEVAddRecExpr>(counter);
    if (!counts || !counts->isAffine()) return whole;
    auto *start = dyn_cast<SCEVConstant>(counts->getStart()),
         *step = dyn_cast<SCEVConstant>(counts->getStepRecurrence(SE));
    if (!start || !step) return whole;
    const SCEV *from = each(*start), *by = each(*step);
    return from && by ? SE.getAddRecExpr(from, by, counts->getLoop(), SCEV::FlagAnyWrap) : whole;
  }
};

/// Which variables of the blocks are at constant places once loops are unrolled, so that registers can hold them; and
/// which loops those are.
class Registers {
 public:
  using Loops = SmallPtrSet<const Loop*, 16>;

  explicit Registers(ScalarEvolution& evolution) : evolution_(evolution) {}

  // Whether all of them, where `can_unroll` are all the loops that can be: a variable that one of the others goes
  // through stays in memory.
  bool take(Function& run, const Loops& can_unroll) {
    bool all = true;
    for (Instruction& i : run.getEntryBlock()) {
      auto* variable = dyn_cast<AllocaInst>(&i);
      if (!variable) continue;
      through_.clear();
      const bool is_settled = take(*variable);
      if (is_settled) settled_.insert(through_.begin(), through_.end());
      if (is_settled && all_of(through_, [&](const Loop* loop) { return can_unroll.contains(loop); }))
        loops_.insert(through_.begin(), through_.end());
      else
        all = false;
    }
    return all;
  }

  bool wants(const Loop* loop) const { return loops_.contains(loop); }
  /// Whether places in a variable are constants when the loop is unrolled.
  bool settles(const Loop* loop) const { return settled_.contains(loop); }
  /// In one turn of a loop that is wanted.
  unsigned accesses(const Loop* loop) const { return accesses_.lookup(loop); }

 private:
  bool take(AllocaInst& variable) {
    layout_ = &variable.getDataLayout();
    base_ = evolution_.getSCEV(&variable);
    return all_of(variable.uses(), [&](const Use& use) { return takes(use); });
  }

  bool takes(const Use& use) {
    auto* user = cast<Instruction>(use.getUser());
    if (user->isLifetimeStartOrEnd() || user->hasMetadata(kClearsGap)) return true;
    if (isa<GetElementPtrInst>(user))
      return !user->getType()->isVectorTy() && all_of(user->uses(), [&](const Use& of) { return takes(of); });
    if (auto* store = dyn_cast<StoreInst>(user))
      return store->getPointerOperand() == use && store->isSimple() && is_place(use, *store->getValueOperand());
    if (auto* load = dyn_cast<LoadInst>(user)) return load->isSimple() && is_place(use, *load);
    auto* call = dyn_cast<IntrinsicInst>(user);
    if (call && call->getIntrinsicID() == Intrinsic::masked_load) return is_place(use, *call);
    return call && call->getIntrinsicID() == Intrinsic::masked_store && call->getArgOperand(1) == use &&
           is_place(use, *call->getArgOperand(0));
  }

  // Whole elements of it in each turn: split_spanning_loads() finds those across two registers.
  bool is_place(Value* address, const Value& value) {
    const SCEV* place = CountedDown(evolution_).visit(evolution_.getMinusSCEV(evolution_.getSCEV(address), base_));
    if (isa<SCEVConstant>(place)) return true;
    auto* in_turn = dyn_cast<SCEVAddRecExpr>(place);
    if (!in_turn) return false;
    if (evolution_.getSmallConstantTripCount(in_turn->getLoop()) == 1) return isa<SCEVConstant>(in_turn->getStart());
    through_.insert(in_turn->getLoop());
    ++accesses_[in_turn->getLoop()];
    auto *start = dyn_cast<SCEVConstant>(in_turn->getStart()),
         *step = dyn_cast<SCEVConstant>(in_turn->getStepRecurrence(evolution_));
    if (!start || !step) return false;
    const uint64_t bytes = layout_->getTypeStoreSize(value.getType()->getScalarType()).getFixedValue();
    return start->getAPInt().urem(bytes) == 0 && step->getAPInt().urem(bytes) == 0;
  }

  ScalarEvolution& evolution_;
  const SCEV* base_ = nullptr;
  const DataLayout* layout_ = nullptr;
  Loops loops_, settled_;
  Loops through_;  // of the variable that is looked at
  DenseMap<const Loop*, unsigned> accesses_;
};

// Groups' folds over lanes are done together where their code is straight (join_trees()): block-wide sums by shuffles
// take 1.2 of the time in a loop.
bool folds_lanes(const Loop& loop) {
  return any_of(loop.blocks(), [](const BasicBlock* block) {
    return any_of(*block, [](const Instruction& i) {
      auto* shuffle = dyn_cast<ShuffleVectorInst>(&i);
      return shuffle && shuffle->isSingleSource() && !shuffle->isZeroEltSplat() && !shuffle->changesLength();
    });
  });
}

std::vector<Candidate> chosen(std::vector<Candidate> loops, Function& run, ScalarEvolution& evolution, unsigned few) {
  Registers registers(evolution);
  auto is_wanted = [&](const Candidate& c) { return registers.wants(c.loop); };
  auto gains_little = [&](const Candidate& c) {
    return c.groups > 2 && !is_wanted(c) && !is_repeated(*c.loop) && !folds_lanes(*c.loop);
  };
  auto is_worth_it = [&](const Candidate& c) {
    return c.size <= kMostOfPlaces || c.size <= kMostOfAccess * c.groups * registers.accesses(c.loop);
  };
  auto is_settled = [&](const Candidate& c) {
    return registers.settles(c.loop) && c.size <= kMostOfPlaces && c.size <= kMostOfPlace * c.groups;
  };
  auto is_short = [&](const Candidate& c) {
    if (c.groups > few || c.of_rows) return false;
    if (gains_little(c) && c.size > kMostOfOnce * c.groups) return false;
    if (c.size <= (c.groups <= 2 ? kMostOfTwo : kMostOfPlain)) return true;
    return (is_wanted(c) && is_worth_it(c)) || is_settled(c);
  };
  Registers::Loops can_unroll;
  for (const Candidate& c : loops) can_unroll.insert(c.loop);
  const bool become_registers = registers.take(run, can_unroll);
  unsigned all = 0, of_wanted = 0, accesses = 0;
  for (const Candidate& c : loops) {
    all += is_short(c) || is_wanted(c) ? c.size : 0;
    if (!is_wanted(c)) continue;
    of_wanted += c.size;
    accesses += c.groups * registers.accesses(c.loop);
  }
  const bool takes_many = become_registers && all <= kMostOfAll && of_wanted <= kMostOfAccess * accesses;
  unsigned size = 0, once = 0;
  erase_if(loops, [&](const Candidate& c) {
    if (!is_short(c) && !(takes_many && is_wanted(c))) return true;
    if (gains_little(c)) once += c.size;
    if (gains_little(c) && once > kMostOfAllOnce) return true;
    size += c.size;
    return size > kMostOfAll;
  });
  return loops;
}

}  // namespace

static void unroll(Loop* loop, unsigned turns, Function& run, FunctionAnalysisManager& analyses) {
  OptimizationRemarkEmitter remarks(&run);
  UnrollLoopOptions fully{};
  fully.Count = turns;
  UnrollLoop(loop, fully, &analyses.getResult<LoopAnalysis>(run), &analyses.getResult<ScalarEvolutionAnalysis>(run),
             &analyses.getResult<DominatorTreeAnalysis>(run), &analyses.getResult<AssumptionAnalysis>(run),
             &analyses.getResult<TargetIRAnalysis>(run), &remarks,
             /*PreserveLCSSA=*/true);
}

/// A loop, and its turns.
using Counted = std::pair<Loop*, unsigned>;

// None of them lies in another one. What analyses know is gone then.
static void unroll(ArrayRef<Counted> loops, Function& run, FunctionAnalysisManager& analyses) {
  SmallVector<Counted, 16> straight;
  for (const Counted& counted : loops)
    if (can_straighten(*counted.first))
      straight.push_back(counted);
    else
      unroll(counted.first, counted.second, run, analyses);  // the loop is no more
  for (const auto& [loop, turns] : straight) straighten_loop(*loop, turns);
  analyses.clear(run, run.getName());
}

static bool unroll(ArrayRef<Candidate> candidates, Function& run, FunctionAnalysisManager& analyses) {
  constexpr char kInside[] = "lanza.inside.groups";
  SmallVector<Counted, 16> loops, inside;
  bool has_inner = false;
  for (const Candidate& c : candidates) {
    for (Loop* inner : c.loop->getSubLoops()) {
      addStringMetadataToLoop(inner, kInside);
      has_inner = true;
    }
    loops.push_back({c.loop, c.groups});
  }
  unroll(loops, run, analyses);
  if (!has_inner) return !loops.empty();
  auto& all = analyses.getResult<LoopAnalysis>(run);
  auto& evolution = analyses.getResult<ScalarEvolutionAnalysis>(run);
  for (Loop* loop : all.getLoopsInPreorder()) {
    if (!findOptionMDForLoop(loop, kInside)) continue;
    formLCSSA(*loop, analyses.getResult<DominatorTreeAnalysis>(run), &all, &evolution);
    // None: what no group comes to.
    if (const unsigned turns = evolution.getSmallConstantTripCount(loop)) inside.push_back({loop, turns});
  }
  unroll(inside, run, analyses);
  return true;
}

static std::vector<Candidate> candidates(Function& run, unsigned few, FunctionAnalysisManager& analyses, Which which) {
  return candidates(analyses.getResult<LoopAnalysis>(run), analyses.getResult<ScalarEvolutionAnalysis>(run),
                    SeldomCode(run), analyses.getResult<TargetIRAnalysis>(run), few, which);
}

bool unroll_tiny_groups(Function& run, FunctionAnalysisManager& analyses) {
  return unroll(candidates(run, kFewGroups, analyses, Which::Tiny), run, analyses);
}

bool unroll_groups(Function& run, unsigned lanes, FunctionAnalysisManager& analyses) {
  const unsigned few = std::max(kFewGroups, kFewThreads / lanes);
  return unroll(chosen(candidates(run, few, analyses, Which::Frequent), run,
                       analyses.getResult<ScalarEvolutionAnalysis>(run), few),
                run, analyses);
}

}  // namespace lanza::compiler
