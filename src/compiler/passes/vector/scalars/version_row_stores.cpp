#include "compiler/passes/vector/scalars/version_row_stores.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/vector/analysis/address_ranges.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/scalars/loop_copy.hpp"
#include "compiler/passes/vector/scalars/version_guards.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostInstructions = 80;
constexpr unsigned kMostStores = 3;
constexpr unsigned kMostAsked = 10;
constexpr unsigned kFewestTurns = 8;
constexpr unsigned kMostPredicates = 6;  // that indices do not wrap

/// A load or a store, and where it goes from turn to turn.
struct Access {
  Instruction* instruction;
  const SCEV* address;
  StoreInst* carries = nullptr;  ///< of a load: this store of the turn before has written it

  const SCEVAddRecExpr* walk() const { return dyn_cast<SCEVAddRecExpr>(address); }
  uint64_t size() const { return instruction->getDataLayout().getTypeStoreSize(getLoadStoreType(instruction)); }
  std::optional<int64_t> step(ScalarEvolution& evolution) const {
    auto* step = walk() ? dyn_cast<SCEVConstant>(walk()->getStepRecurrence(evolution)) : nullptr;
    return step ? std::optional(step->getAPInt().getSExtValue()) : std::nullopt;
  }
};

struct Rows {
  SmallVector<Access, 8> accesses;
  SmallVector<std::pair<AddressRange, AddressRange>, kMostAsked> asked;
};

class RowFinder {
 public:
  RowFinder(Loop& loop, PredicatedScalarEvolution& predicated)
      : loop_(loop), predicated_(predicated), evolution_(*predicated.getSE()) {}

  std::optional<Rows> find() {
    const SCEV* turns = evolution_.getBackedgeTakenCount(&loop_);
    if (isa<SCEVCouldNotCompute>(turns) || !take_accesses()) return {};
    const unsigned known = evolution_.getSmallConstantMaxTripCount(&loop_);
    if (known != 0 && known < kFewestTurns) return {};
    for (Access& store : rows_.accesses) {
      if (!isa<StoreInst>(store.instruction)) continue;
      for (Access& other : rows_.accesses)
        if (&other != &store && !take_pair(store, other, turns)) return {};
    }
    return rows_.asked.size() <= kMostAsked ? std::optional(std::move(rows_)) : std::nullopt;
  }

 private:
  bool take_accesses() {
    unsigned stores = 0;
    for (Instruction& i : *loop_.getHeader()) {
      if (i.hasMetadata(kAtEdge)) return false;
      auto* load = dyn_cast<LoadInst>(&i);
      auto* store = dyn_cast<StoreInst>(&i);
      if (!load && !store) {
        if (i.mayReadOrWriteMemory() || (isa<CallInst>(i) && !isa<IntrinsicInst>(i))) return false;
        continue;
      }
      if (load ? !load->isSimple() : !store->isSimple()) return false;
      const std::optional<Access> access = access_of(i);
      if (!access || (store && access->step(evolution_) != access->size())) return false;
      stores += store != nullptr;
      rows_.accesses.push_back(*access);
    }
    return stores != 0 && stores <= kMostStores && predicated_.getPredicate().getComplexity() <= kMostPredicates;
  }

  std::optional<Access> access_of(Instruction& i) {
    Value* pointer = getLoadStorePointerOperand(&i);
    if (isa<AllocaInst>(getUnderlyingObject(pointer))) return {};  // to lie [index][lane]: it has no address to ask for
    if (loop_.isLoopInvariant(pointer)) return Access{&i, evolution_.getSCEV(pointer)};
    const SCEVAddRecExpr* walk = predicated_.getAsAddRec(pointer);
    return walk && walk->getLoop() == &loop_ && walk->isAffine() ? std::optional(Access{&i, walk}) : std::nullopt;
  }

  /// Bytes from `other` to the store, if they are known; also by indices of 32 bits, one of which is extended as what
  /// is not negative and the other one as a number with a sign.
  std::optional<int64_t> distance_of(const Access& store, const Access& other) const {
    if (auto* known = dyn_cast<SCEVConstant>(evolution_.getMinusSCEV(store.address, other.address)))
      return known->getAPInt().getSExtValue();
    Value *base, *to, *from;
    const APInt* step;
    auto index_of = [](Value*& index) { return m_CombineOr(m_SExt(m_Value(index)), m_NNegZExt(m_Value(index))); };
    auto* here = dyn_cast<GetElementPtrInst>(getLoadStorePointerOperand(store.instruction));
    auto* there = dyn_cast<GetElementPtrInst>(getLoadStorePointerOperand(other.instruction));
    if (!here || !there || here->getSourceElementType() != there->getSourceElementType()) return {};
    if (!match(here, m_GEP(m_Value(base), index_of(to))) || !match(there, m_GEP(m_Specific(base), index_of(from))))
      return {};
    const auto size =
        static_cast<int64_t>(here->getDataLayout().getTypeAllocSize(here->getSourceElementType()).getFixedValue());
    if (match(from, m_NSWAdd(m_Specific(to), m_APInt(step)))) return -step->getSExtValue() * size;
    if (match(to, m_NSWAdd(m_Specific(from), m_APInt(step)))) return step->getSExtValue() * size;
    return {};
  }

  bool take_pair(const Access& store, Access& other, const SCEV* turns) {
    auto* load = dyn_cast<LoadInst>(other.instruction);
    if (const std::optional<int64_t> distance = distance_of(store, other)) {
      if (!load || getLoadStoreType(load) != getLoadStoreType(store.instruction)) return false;
      if (*distance == 0) return load->comesBefore(store.instruction);
      if (other.carries || *distance != static_cast<int64_t>(store.size())) return false;
      other.carries = cast<StoreInst>(store.instruction);
      return true;
    }
    if (!load && other.instruction->comesBefore(store.instruction)) return true;  // asked already
    const auto a = range_of(store.address, store.size(), loop_, turns, evolution_),
               c = range_of(other.address, other.size(), loop_, turns, evolution_);
    if (!a || !c) return false;
    if (!is_contained(rows_.asked, std::pair(*a, *c))) rows_.asked.push_back({*a, *c});
    return true;
  }

  Loop& loop_;
  PredicatedScalarEvolution& predicated_;
  ScalarEvolution& evolution_;
  Rows rows_;
};

bool is_of_lane(const Access& access, const Shapes& shapes) {
  return shapes[getLoadStorePointerOperand(access.instruction)].is_scattered(access.size());
}

void mark(BasicBlock& body, const Loop& loop) {
  LLVMContext& c = body.getContext();
  unsigned number = 0;
  for (Instruction& i : body)
    if (isa<StoreInst>(i))
      i.setMetadata(kRowStore,
                    MDNode::get(c, ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(c), number++))));
  SmallVector<Metadata*, 4> properties{nullptr};
  if (MDNode* known = loop.getLoopID()) append_range(properties, drop_begin(known->operands()));
  properties.push_back(MDNode::get(c, MDString::get(c, kTurnsApart)));
  MDNode* id = MDNode::getDistinct(c, properties);
  id->replaceOperandWith(0, id);
  body.getTerminator()->setMetadata(LLVMContext::MD_loop, id);
}

/// What the copy of a loop does otherwise.
class RowCopy {
 public:
  RowCopy(const Loop& loop, const Rows& rows, ScalarEvolution& evolution, ApartQuestion& question)
      : loop_(loop), rows_(rows), evolution_(evolution), question_(question), copy_(loop, "rows") {}

  void choose(const SCEVPredicate& predicate) {
    for (const auto& [a, b] : rows_.asked) question_.ask(a, b);
    question_.ask(predicate);
    walk_by_counter();
    carry();
    mark(copy_.body(), loop_);
    copy_.choose(question_.all());
  }

 private:
  // Addresses count from where they begin: no index of 32 bits stands between two turns' elements.
  void walk_by_counter() {
    BasicBlock& body = copy_.body();
    IRBuilder<> b(&body, body.begin());
    PHINode* turn = b.CreatePHI(b.getInt64Ty(), 2, "turn");
    b.SetInsertPoint(body.getTerminator());
    turn->addIncoming(b.getInt64(0), &copy_.begin());
    turn->addIncoming(b.CreateAdd(turn, b.getInt64(1), "", /*HasNUW=*/true, /*HasNSW=*/true), &body);
    for (const Access& access : rows_.accesses) {
      if (access.step(evolution_) != access.size()) continue;
      auto* i = cast<Instruction>(copy_.of(access.instruction));
      b.SetInsertPoint(i);
      Value* address = b.CreateGEP(getLoadStoreType(i), question_.value_of(access.walk()->getStart()), turn);
      i->setOperand(isa<LoadInst>(i) ? LoadInst::getPointerOperandIndex() : StoreInst::getPointerOperandIndex(),
                    address);
    }
  }

  // What the turn before has written stays in a register.
  void carry() {
    for (const Access& access : rows_.accesses) {
      if (!access.carries) continue;
      auto* load = cast<LoadInst>(copy_.of(access.instruction));
      Instruction* before = load->clone();
      before->insertBefore(copy_.begin().getTerminator());
      before->setOperand(LoadInst::getPointerOperandIndex(), question_.value_of(access.walk()->getStart()));
      PHINode* value = PHINode::Create(load->getType(), 2, "carried", copy_.body().begin());
      value->addIncoming(before, &copy_.begin());
      value->addIncoming(cast<StoreInst>(copy_.of(access.carries))->getValueOperand(), &copy_.body());
      load->replaceAllUsesWith(value);
      load->eraseFromParent();
    }
  }

  const Loop& loop_;
  const Rows& rows_;
  ScalarEvolution& evolution_;
  ApartQuestion& question_;
  LoopCopy copy_;
};

bool version(Loop& loop, ScalarEvolution& evolution, const GroupShape& group) {
  PredicatedScalarEvolution predicated(evolution, loop);
  const std::optional<Rows> rows = RowFinder(loop, predicated).find();
  if (!rows) return false;
  const Shapes shapes(*loop.getHeader()->getParent(), group);
  if (shapes.runs_some_lanes(loop.getHeader()) || shapes.is_left_apart(loop.getHeader())) return false;
  auto is_own = [&](const Access& access) { return !isa<StoreInst>(access.instruction) || is_of_lane(access, shapes); };
  if (!all_of(rows->accesses, is_own)) return false;
  ApartQuestion question(*loop.getLoopPreheader()->getTerminator(), evolution);
  auto is_known = [&](const Access& access) {
    return !access.walk() || question.can({access.walk()->getStart(), access.walk()->getStart(), 1});
  };
  auto can_ask = [&](const auto& pair) { return question.can(pair.first) && question.can(pair.second); };
  if (!all_of(rows->accesses, is_known) || !all_of(rows->asked, can_ask)) return false;
  RowCopy(loop, *rows, evolution, question).choose(predicated.getPredicate());
  return true;
}

}  // namespace

bool version_row_stores(Function& kernel, const GroupShape& group, PassRunner& runner) {
  for (unsigned axis = 0; axis < 3; ++axis)
    if (axis != group.lane_axis && group.block[axis] != 1) return false;
  if (group.lanes == 1) return false;
  return version_loops(kernel, runner, [&](Loop& loop, FunctionAnalysisManager& analyses) {
    if (!LoopCopy::can(loop, kMostInstructions) || findOptionMDForLoopID(loop.getLoopID(), kTurnsApart)) return false;
    if (none_of(*loop.getHeader(), [](Instruction& i) { return isa<StoreInst>(i); })) return false;
    return version(loop, analyses.getResult<ScalarEvolutionAnalysis>(kernel), group);
  });
}

}  // namespace lanza::compiler
