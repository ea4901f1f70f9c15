#include "compiler/passes/vector/scalars/promote_sums.hpp"

#include <optional>

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/vector/analysis/address_ranges.hpp"
#include "compiler/passes/vector/analysis/distinct_memory.hpp"
#include "compiler/passes/vector/analysis/extensions.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/scalars/keep_in_register.hpp"
#include "compiler/passes/vector/scalars/loop_copy.hpp"
#include "compiler/passes/vector/scalars/version_guards.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostPlaces = 4;
constexpr unsigned kMostRanges = 8;
constexpr unsigned kMostInstructions = 200;
constexpr unsigned kFewestTurns = 4;

/// A loop, the places that it writes, and where else it reads.
struct Sums {
  Loop* loop;
  MapVector<Value*, Type*> places;  // by address
  SmallVector<AddressRange, kMostRanges> places_ranges, others;
  SmallVector<LoadInst*, kMostRanges> in_rows;  // that go from element to element
};

class SumFinder {
 public:
  SumFinder(ScalarEvolution& evolution, const DataLayout& layout) : evolution_(evolution), layout_(layout) {}

  std::optional<Sums> find(Loop& loop) {
    if (!LoopCopy::can(loop, kMostInstructions)) return {};
    Sums sums{&loop, {}, {}, {}, {}};
    if (!take_places(loop, sums) || sums.places.empty() || sums.places.size() > kMostPlaces) return {};
    const unsigned known = evolution_.getSmallConstantMaxTripCount(&loop);
    if (known != 0 && known < kFewestTurns) return {};
    return take_loads(loop, sums) ? std::optional(std::move(sums)) : std::nullopt;
  }

 private:
  // Simple loads and stores only, these at addresses that stay the same.
  bool take_places(const Loop& loop, Sums& sums) const {
    for (Instruction& i : *loop.getHeader()) {
      if (i.hasMetadata(kAtEdge)) return false;
      if (auto* store = dyn_cast<StoreInst>(&i)) {
        Value* address = store->getPointerOperand();
        Type* type = store->getValueOperand()->getType();
        if (!store->isSimple() || !loop.isLoopInvariant(address)) return false;
        if (auto [place, is_new] = sums.places.insert({address, type}); !is_new && place->second != type) return false;
      } else if (auto* load = dyn_cast<LoadInst>(&i)) {
        if (!load->isSimple()) return false;
      } else if (i.mayReadOrWriteMemory() || (isa<CallInst>(i) && !isa<IntrinsicInst>(i))) {
        return false;
      }
    }
    return true;
  }

  bool take_loads(const Loop& loop, Sums& sums) {
    const SCEV* turns = evolution_.getBackedgeTakenCount(&loop);
    if (isa<SCEVCouldNotCompute>(turns)) return false;
    for (Instruction& i : *loop.getHeader()) {
      auto* load = dyn_cast<LoadInst>(&i);
      if (!load) continue;
      if (auto place = sums.places.find(load->getPointerOperand()); place != sums.places.end()) {
        if (place->second != load->getType()) return false;
      } else if (all_of(sums.places,
                        [&](const auto& place) { return are_distinct(load->getPointerOperand(), place.first); })) {
        continue;  // from a tile in shared memory, say
      } else if (!take_range(*load, loop, turns, sums)) {
        return false;
      }
    }
    for (const auto& [address, type] : sums.places) {
      const SCEV* at = evolution_.getSCEV(address);
      sums.places_ranges.push_back({at, at, layout_.getTypeStoreSize(type)});
    }
    return true;
  }

  bool take_range(LoadInst& load, const Loop& loop, const SCEV* turns, Sums& sums) {
    const SCEV* address = evolution_.getSCEV(load.getPointerOperand());
    const uint64_t size = layout_.getTypeStoreSize(load.getType());
    AddressRange range{address, address, size};
    if (!evolution_.isLoopInvariant(address, &loop)) {
      const SCEV* step = nullptr;
      if (!take_walk(*load.getPointerOperand(), loop, turns, range, step) &&
          !take_narrow_walk(*load.getPointerOperand(), loop, turns, range, step))
        return false;
      auto* known = dyn_cast<SCEVConstant>(step);
      if (known && known->getAPInt() == size) sums.in_rows.push_back(&load);
    }
    if (!is_contained(sums.others, range)) sums.others.push_back(range);
    return sums.others.size() <= kMostRanges;
  }

  // The walk's first value, and its last one.
  bool take_ends(const SCEV* value, const Loop& loop, const SCEV* turns, AddressRange& range, const SCEV*& step) {
    auto* walk = dyn_cast<SCEVAddRecExpr>(value);
    if (!walk || walk->getLoop() != &loop || !walk->isAffine()) return false;
    const SCEV* count = evolution_.getTruncateOrZeroExtend(turns, evolution_.getEffectiveSCEVType(value->getType()));
    range.first = walk->getStart();
    range.last = walk->evaluateAtIteration(count, evolution_);
    step = walk->getStepRecurrence(evolution_);
    return true;
  }

  bool take_walk(Value& address, const Loop& loop, const SCEV* turns, AddressRange& range, const SCEV*& step) {
    return take_ends(evolution_.getSCEV(&address), loop, turns, range, step);
  }

  // An index of 32 bits (`i * m + j`), which wraps in no turn: nothing says that the sum of its steps does not.
  bool take_narrow_walk(Value& address, const Loop& loop, const SCEV* turns, AddressRange& range, const SCEV*& step) {
    auto* element = dyn_cast<GetElementPtrInst>(&address);
    if (!element || element->getNumIndices() != 1 || !loop.isLoopInvariant(element->getPointerOperand())) return false;
    auto* wide = dyn_cast<CastInst>(element->getOperand(1));
    if (!wide || !extends_sign(*wide) || !is_exact(*wide->getOperand(0), loop)) return false;
    if (!take_ends(evolution_.getSCEV(wide->getOperand(0)), loop, turns, range, step)) return false;
    const uint64_t stride = layout_.getTypeAllocSize(element->getSourceElementType());
    Type* word = evolution_.getEffectiveSCEVType(address.getType());
    auto place = [&](const SCEV* index) {
      return evolution_.getAddExpr(
          evolution_.getSCEV(element->getPointerOperand()),
          evolution_.getMulExpr(evolution_.getConstant(word, stride), evolution_.getSignExtendExpr(index, word)));
    };
    range.first = place(range.first);
    range.last = place(range.last);
    step = evolution_.getMulExpr(step, evolution_.getConstant(step->getType(), stride));
    return true;
  }

  // Sums and products that do not wrap, of what the loop counts.
  static bool is_exact(const Value& value, const Loop& loop) {
    if (loop.isLoopInvariant(&value)) return true;
    if (auto* phi = dyn_cast<PHINode>(&value)) {
      auto* next = dyn_cast<OverflowingBinaryOperator>(phi->getIncomingValueForBlock(loop.getLoopLatch()));
      return next && next->hasNoSignedWrap() && next->getOperand(0) == phi && loop.isLoopInvariant(next->getOperand(1));
    }
    auto* sum = dyn_cast<PossiblyDisjointInst>(&value);
    if (sum && sum->isDisjoint()) return is_exact(*sum->getOperand(0), loop) && is_exact(*sum->getOperand(1), loop);
    auto* i = dyn_cast<OverflowingBinaryOperator>(&value);
    return i && i->hasNoSignedWrap() && is_exact(*i->getOperand(0), loop) && is_exact(*i->getOperand(1), loop);
  }

  ScalarEvolution& evolution_;
  const DataLayout& layout_;
};

bool may_sum(const Loop& loop) {
  return loop.getNumBlocks() == 1 && any_of(*loop.getHeader(), [&](Instruction& i) {
           auto* store = dyn_cast<StoreInst>(&i);
           return store && loop.isLoopInvariant(store->getPointerOperand());
         });
}

/// The question in front of a loop; null: the addresses are not known there.
Value* ask_apart(const Sums& sums, ScalarEvolution& evolution) {
  ApartQuestion question(*sums.loop->getLoopPreheader()->getTerminator(), evolution);
  for (const auto* ranges : {&sums.places_ranges, &sums.others})
    if (!all_of(*ranges, [&](const AddressRange& range) { return question.can(range); })) return nullptr;
  const auto& places = sums.places_ranges;
  for (size_t i = 0; i < places.size(); ++i)
    for (size_t k = 0; k < i; ++k) question.ask(places[i], places[k]);
  for (const AddressRange& other : sums.others)
    for (const AddressRange& place : places) question.ask(place, other);
  return question.all();
}

void promote(const Sums& sums, Value* apart) {
  LoopCopy copy(*sums.loop, "sums");
  for (const auto& [address, type] : sums.places)
    keep_in_register(address, type, copy.begin(), copy.body(), copy.end());
  copy.choose(apart);
}

}  // namespace

// Behind a mask a processor hands none of what was stored on to a load of one element that all lanes share, though it
// is another one: `if (t > i) for (j = 0; j <= i; ++j) a[i + 1][t] -= a[i + 1][j] * a[j][t]`.
static bool stores_before_shared_loads(const Sums& sums, const Shapes& shapes) {
  const BasicBlock& body = *sums.loop->getHeader();
  return shapes.runs_some_lanes(&body) && any_of(body, [&](const Instruction& i) {
           auto* load = dyn_cast<LoadInst>(&i);
           return load && shapes.is_uniform(load->getPointerOperand()) && none_of(sums.places, [&](const auto& place) {
                    return place.first == load->getPointerOperand() ||
                           are_distinct(load->getPointerOperand(), place.first);
                  });
         });
}

// Rows of their own: then unroll_row_loops() gains far more than what the question costs. Places far from each other:
// each turn would gather and scatter. Members of records: each turn would take them apart and put them together. Else
// sink_sums() asks for nothing.
static bool is_worth_asking(const Sums& sums, const Shapes& shapes, const DataLayout& layout) {
  auto is_scattered = [&](const Value* address, Type* type) {
    const uint64_t size = layout.getTypeStoreSize(type);
    // A row of as many elements as whole vectors might be loaded for: of one element each they are not.
    return shapes[address].is_scattered(size) ||
           std::abs(shapes[address].stride) == kMostInterleaved * static_cast<int64_t>(size);
  };
  auto is_member = [&](const Value* address, Type* type) {
    const Shape shape = shapes[address];
    return shape.is_strided() && static_cast<uint64_t>(std::abs(shape.stride)) != layout.getTypeStoreSize(type);
  };
  return any_of(sums.in_rows,
                [&](LoadInst* load) { return is_scattered(load->getPointerOperand(), load->getType()); }) ||
         any_of(sums.places, [&](const auto& place) { return is_scattered(place.first, place.second); }) ||
         stores_before_shared_loads(sums, shapes) ||
         (sums.others.empty() &&
          any_of(sums.places, [&](const auto& place) { return is_member(place.first, place.second); }));
}

// Groups that would walk together ask this first (ask_together): their way to the loop begins where the kernel does.
static bool is_on_first_way(const Loop& loop, const DominatorTree& dominators) {
  if (loop.getLoopDepth() != 1) return false;
  BasicBlock *block = &loop.getHeader()->getParent()->getEntryBlock(), *before = loop.getLoopPreheader();
  while (block != before) {
    BasicBlock* following = nullptr;
    for (BasicBlock* b : successors(block))
      if (b->getSinglePredecessor() && dominators.dominates(b, before)) following = b;
    if (!following) return false;
    block = following;
  }
  return true;
}

bool promote_sums(Function& kernel, const GroupShape& group, PassRunner& runner) {
  const bool may_join = group.block[1] != 1 || group.block[2] != 1;
  const DataLayout& layout = kernel.getParent()->getDataLayout();
  return version_loops(kernel, runner, [&](Loop& loop, FunctionAnalysisManager& analyses) {
    if (!may_sum(loop)) return false;
    if (may_join && !is_on_first_way(loop, analyses.getResult<DominatorTreeAnalysis>(kernel))) return false;
    auto& evolution = analyses.getResult<ScalarEvolutionAnalysis>(kernel);
    const std::optional<Sums> sums = SumFinder(evolution, layout).find(loop);
    if (!sums || !is_worth_asking(*sums, Shapes(kernel, group), layout)) return false;
    Value* apart = ask_apart(*sums, evolution);
    if (!apart) return false;
    promote(*sums, apart);
    return true;
  });
}

}  // namespace lanza::compiler
