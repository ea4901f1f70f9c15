#include "compiler/passes/vector/scalars/keep_rows.hpp"

#include <functional>

#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/analysis/turn_steps.hpp"
#include "compiler/passes/vector/group_form.hpp"
#include "compiler/passes/vector/scalars/loop_copy.hpp"
#include "compiler/passes/vector/scalars/step_sums.hpp"
#include "compiler/passes/vector/scalars/version_guards.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostElements = 128;             // of a row: 8 KiB of 16 lanes, a part of the first cache
constexpr unsigned kMostRows = 2, kMostStores = 4;  // each pair is asked
constexpr unsigned kFewestTurns = 4;                // of the outer loop, which pay for the copy
constexpr unsigned kMostInstructions = 200;
constexpr uint32_t kOften = 1000;

/// An inner loop and the loads of it that each turn of the outer one repeats.
struct Rows {
  Loop *inner, *outer;
  SmallVector<std::pair<Value*, bool>, 2> guards;  ///< with which truth the first turn comes to the inner loop
  SmallVector<LoadInst*, kMostRows> loads;
  SmallVector<StoreInst*, kMostStores> stores;  ///< of the outer loop, which might be to a row
};

/// What the inner loop computes of its own counters and of what the outer one shares alone.
class Slice {
 public:
  explicit Slice(const Rows& rows) : rows_(rows) {}

  bool can(Value* value) {
    auto* i = dyn_cast<Instruction>(value);
    if (!i || !rows_.outer->contains(i) || !seen_.insert(i).second) return true;
    if (!rows_.inner->contains(i)) return false;
    if (auto* phi = dyn_cast<PHINode>(i)) return is_outside(start_of(*phi)) && can(next_of(*phi));
    return isSafeToSpeculativelyExecute(i) && !i->mayReadOrWriteMemory() &&
           all_of(i->operands(), [&](Use& operand) { return can(operand); });
  }

  /// Into a loop of one block, entered from `before`; phis_done() when all is copied.
  void copy_to(BasicBlock& body, BasicBlock& before) { body_ = &body, before_ = &before; }
  Value* copy(Value* value) {
    auto* i = dyn_cast<Instruction>(value);
    if (!i || !rows_.outer->contains(i)) return value;
    if (Value* known = copies_.lookup(i)) return known;
    if (auto* phi = dyn_cast<PHINode>(i)) {
      PHINode* copied = PHINode::Create(phi->getType(), 2, phi->getName(), body_->begin());
      copied->addIncoming(start_of(*phi), before_);
      phis_.push_back({phi, copied});
      return copies_[i] = copied;
    }
    Instruction* copied = i->clone();
    for (Use& operand : copied->operands()) operand.set(copy(operand));
    copied->insertInto(body_, body_->end());
    return copies_[i] = copied;
  }
  void phis_done() {
    for (unsigned k = 0; k < phis_.size(); ++k) {
      Value* next = copy(next_of(*phis_[k].first));
      phis_[k].second->addIncoming(next, body_);
    }
  }

 private:
  Value* start_of(PHINode& phi) const { return phi.getIncomingValueForBlock(rows_.inner->getLoopPreheader()); }
  Value* next_of(PHINode& phi) const { return phi.getIncomingValueForBlock(rows_.inner->getHeader()); }
  bool is_outside(const Value* value) const {
    auto* i = dyn_cast<Instruction>(value);
    return !i || !rows_.outer->contains(i);
  }

  const Rows& rows_;
  SmallPtrSet<const Instruction*, 16> seen_;
  DenseMap<const Instruction*, Value*> copies_;
  SmallVector<std::pair<PHINode*, PHINode*>, 4> phis_;
  BasicBlock *body_ = nullptr, *before_ = nullptr;
};

bool is_private(const Value* address) {
  const Value* object = getUnderlyingObject(address);
  return isa<AllocaInst>(object) && !PointerMayBeCaptured(object, /*ReturnCaptures=*/true, /*StoreCaptures=*/true);
}

const SCEV* known_in_front(const Loop& counted, const Rows& rows, ScalarEvolution& evolution) {
  const SCEV* turns = evolution.getBackedgeTakenCount(&counted);
  const BasicBlock* before = rows.outer->getLoopPreheader();
  const bool known = can_count(turns, *before, evolution) && evolution.isLoopInvariant(turns, rows.outer);
  return known ? turns : nullptr;
}

// What is written that is not private: nothing that another thread waits for, and in each turn, at places that can be
// asked about.
bool find_stores(Rows& rows, ScalarEvolution& evolution, const DominatorTree& dominators) {
  const BasicBlock* outer = rows.outer->getHeader();
  for (BasicBlock* block : rows.outer->blocks())
    for (Instruction& i : *block) {
      if (i.isLifetimeStartOrEnd() || isa<AssumeInst>(i)) continue;
      if (isa<CallInst>(i) && !isa<IntrinsicInst>(i)) return false;
      if (!i.mayWriteToMemory()) continue;
      auto* store = dyn_cast<StoreInst>(&i);
      if (!store || !store->isSimple()) return false;
      if (is_private(store->getPointerOperand())) continue;
      rows.stores.push_back(store);
      if (rows.stores.size() > kMostStores || !dominators.dominates(block, rows.outer->getLoopLatch()) ||
          !is_sum_of_steps(*store->getPointerOperand(), *rows.outer, outer))
        return false;
    }
  if (rows.stores.empty()) return true;
  return known_in_front(*rows.outer, rows, evolution) && all_of(rows.loads, [&](LoadInst* load) {
           return is_sum_of_steps(*load->getPointerOperand(), *rows.outer, rows.inner->getHeader());
         });
}

// The way from the outer loop's header to the inner loop: only what is known in front of both decides.
bool find_guards(Rows& rows, const Shapes& shapes) {
  BasicBlock* block = rows.inner->getLoopPreheader();
  while (block != rows.outer->getHeader()) {
    BasicBlock* before = block->getSinglePredecessor();
    auto* branch = before ? dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
    if (!branch || !rows.outer->contains(before)) return false;
    if (branch->isConditional()) {
      Value* condition = branch->getCondition();
      if (!rows.outer->isLoopInvariant(condition) || !shapes.is_uniform(condition)) return false;
      rows.guards.push_back({condition, branch->getSuccessor(0) == block});
    }
    block = before;
  }
  return true;
}

bool is_kept(LoadInst& load, const Rows& rows, const Shapes& shapes) {
  Type* type = load.getType();
  const unsigned bits = type->getPrimitiveSizeInBits();
  Value* address = load.getPointerOperand();
  return load.isSimple() && !load.hasMetadata(kAtEdge) && (type->isIntegerTy() || type->isFloatingPointTy()) &&
         (bits == 32 || bits == 64) && !rows.inner->isLoopInvariant(address) &&
         shapes[address].is_scattered(bits / 8) && !is_private(address);
}

bool find(Loop& inner, const Shapes& shapes, FunctionAnalysisManager& analyses, Rows& rows) {
  Function& kernel = *inner.getHeader()->getParent();
  auto& evolution = analyses.getResult<ScalarEvolutionAnalysis>(kernel);
  rows = {&inner, inner.getParentLoop(), {}, {}, {}};
  if (!rows.outer || !rows.outer->getLoopPreheader() || !LoopCopy::can(inner, kMostInstructions)) return false;
  BasicBlock* body = inner.getHeader();
  if (shapes.runs_some_lanes(body) || shapes.is_left_apart(body)) return false;
  for (Instruction& i : *body)
    if (auto* load = dyn_cast<LoadInst>(&i); load && is_kept(*load, rows, shapes)) rows.loads.push_back(load);
  if (rows.loads.empty() || rows.loads.size() > kMostRows) return false;
  if (!known_in_front(inner, rows, evolution) || !find_guards(rows, shapes) ||
      !find_stores(rows, evolution, analyses.getResult<DominatorTreeAnalysis>(kernel)))
    return false;
  Slice slice(rows);
  return slice.can(cast<BranchInst>(body->getTerminator())->getCondition()) &&
         all_of(rows.loads, [&](LoadInst* load) { return slice.can(load->getPointerOperand()); });
}

/// From the first byte that an access touches in all turns of its loop to the one behind the last.
std::pair<Value*, Value*> ends(IRBuilder<>& b, Instruction& access, const Rows& rows, ScalarEvolution& evolution) {
  const Loop& loop = isa<LoadInst>(access) ? *rows.inner : *rows.outer;
  const SCEV* turns = known_in_front(loop, rows, evolution);
  SCEVExpander expander(evolution, access.getDataLayout(), "turns");
  KnownValues first, last;
  for (PHINode& phi : loop.getHeader()->phis()) {
    const BinaryOperator* step = step_of_counter(phi);
    if (!step) continue;
    Value* start = phi.getIncomingValueForBlock(loop.getLoopPreheader());
    Value* count = expander.expandCodeFor(evolution.getTruncateOrZeroExtend(turns, phi.getType()), phi.getType(),
                                          b.GetInsertPoint());
    first[&phi] = start;
    last[&phi] = b.CreateAdd(start, b.CreateMul(count, step->getOperand(1)));
  }
  auto place = [&](KnownValues& known) {
    Value* address = computed_at(getLoadStorePointerOperand(&access), *rows.outer, known, b);
    return b.CreatePtrToInt(address, b.getInt64Ty());
  };
  Value *one = place(first), *other = place(last);
  const uint64_t size = access.getDataLayout().getTypeStoreSize(getLoadStoreType(&access));
  return {b.CreateBinaryIntrinsic(Intrinsic::umin, one, other),
          b.CreateAdd(b.CreateBinaryIntrinsic(Intrinsic::umax, one, other), b.getInt64(size))};
}

/// Whether no lane writes to a row of its own. To those of others none does, as nobody waits for it.
Value* ask_apart(IRBuilder<>& b, const Rows& rows, ScalarEvolution& evolution) {
  Value* apart = b.getTrue();
  for (StoreInst* store : rows.stores)
    for (LoadInst* load : rows.loads) {
      const auto [low, high] = ends(b, *store, rows, evolution);
      const auto [row, row_end] = ends(b, *load, rows, evolution);
      apart = b.CreateAnd(apart, b.CreateOr(b.CreateICmpULE(high, row), b.CreateICmpULE(row_end, low)));
    }
  return emit_collective(b, kAll, apart);
}

Value* ask(const Rows& rows, ScalarEvolution& evolution) {
  Instruction* at = rows.outer->getLoopPreheader()->getTerminator();
  IRBuilder<> b(at);
  SCEVExpander expander(evolution, at->getDataLayout(), "turns");
  auto count = [&](const SCEV* turns) { return expander.expandCodeFor(turns, turns->getType(), at); };
  auto number = [](Value* like, unsigned n) { return ConstantInt::get(like->getType(), n); };
  Value* elements = count(known_in_front(*rows.inner, rows, evolution));
  Value* all = b.CreateICmpULT(elements, number(elements, kMostElements));
  if (const SCEV* turns = known_in_front(*rows.outer, rows, evolution)) {
    Value* repeats = count(turns);
    all = b.CreateAnd(all, b.CreateICmpUGE(repeats, number(repeats, kFewestTurns - 1)));
  }
  for (auto [condition, truth] : rows.guards) all = b.CreateAnd(all, truth ? condition : b.CreateNot(condition));
  return rows.stores.empty() ? all : b.CreateAnd(all, ask_apart(b, rows, evolution));
}

SmallVector<AllocaInst*, kMostRows> make_arrays(const Rows& rows) {
  SmallVector<AllocaInst*, kMostRows> arrays;
  IRBuilder<> b(&*rows.inner->getHeader()->getParent()->getEntryBlock().getFirstInsertionPt());
  for (LoadInst* load : rows.loads) {
    arrays.push_back(b.CreateAlloca(ArrayType::get(load->getType(), kMostElements), nullptr, "row"));
    arrays.back()->setMetadata(kSeldomFull, MDNode::get(b.getContext(), {}));
  }
  return arrays;
}

Value* element(IRBuilder<>& b, AllocaInst& array, Value* index) {
  return b.CreateInBoundsGEP(array.getAllocatedType(), &array, {b.getInt32(0), index});
}

PHINode* make_counter(BasicBlock& body, BasicBlock& before) {
  IRBuilder<> b(&body, body.begin());
  PHINode* index = b.CreatePHI(b.getInt32Ty(), 2, "element");
  b.SetInsertPoint(body.getTerminator());
  index->addIncoming(b.getInt32(0), &before);
  index->addIncoming(b.CreateNUWAdd(index, b.getInt32(1)), &body);
  return index;
}

// before: asked? fill, or else to the outer loop; fill: loads and stores; then to the outer loop.
void fill(const Rows& rows, ArrayRef<AllocaInst*> arrays, Value* asked) {
  BasicBlock *before = rows.outer->getLoopPreheader(), *header = rows.outer->getHeader();
  Function* kernel = header->getParent();
  BasicBlock* filling = BasicBlock::Create(kernel->getContext(), "row", kernel, header);
  BasicBlock* enter = BasicBlock::Create(kernel->getContext(), "row.end", kernel, header);
  BasicBlock* start = BasicBlock::Create(kernel->getContext(), "row.start", kernel, filling);
  auto* repeats = cast<BranchInst>(rows.inner->getHeader()->getTerminator());

  Slice slice(rows);
  slice.copy_to(*filling, *start);
  SmallVector<Value*, kMostRows> loaded;
  for (LoadInst* load : rows.loads) {
    Value* address = slice.copy(load->getPointerOperand());
    Instruction* copy = load->clone();
    copy->setOperand(0, address);
    copy->insertInto(filling, filling->end());
    loaded.push_back(copy);
  }
  Value* condition = slice.copy(repeats->getCondition());
  slice.phis_done();
  IRBuilder<> b(filling);
  const bool stays = repeats->getSuccessor(0) == rows.inner->getHeader();
  b.CreateCondBr(condition, stays ? filling : enter, stays ? enter : filling);
  PHINode* index = make_counter(*filling, *start);
  b.SetInsertPoint(filling->getTerminator());
  for (auto [array, value] : zip_equal(arrays, loaded)) b.CreateStore(value, element(b, *array, index));

  IRBuilder<>(start).CreateBr(filling);
  header->replacePhiUsesWith(before, enter);
  IRBuilder<>(enter).CreateBr(header);
  before->getTerminator()->eraseFromParent();
  IRBuilder<>(before).CreateCondBr(asked, start, enter);
}

void keep(const Rows& rows, ScalarEvolution& evolution) {
  Value* asked = ask(rows, evolution);
  const auto arrays = make_arrays(rows);
  fill(rows, arrays, asked);
  LoopCopy copy(*rows.inner, "kept");
  PHINode* index = make_counter(copy.body(), copy.begin());
  for (auto [array, load] : zip_equal(arrays, rows.loads)) {
    auto* copied = cast<LoadInst>(copy.of(load));
    IRBuilder<> b(copied);
    copied->replaceAllUsesWith(b.CreateLoad(copied->getType(), element(b, *array, index)));
    copied->eraseFromParent();
  }
  BasicBlock* before = rows.inner->getLoopPreheader();
  copy.choose(asked);
  // Whether groups walk together is a matter of the copy alone.
  before->getTerminator()->setMetadata(LLVMContext::MD_prof,
                                       MDBuilder(index->getContext()).createBranchWeights(kOften, 1));
}

}  // namespace

bool keep_rows(Function& kernel, const GroupShape& group, PassRunner& runner) {
  return version_loops(kernel, runner, [&](Loop& loop, FunctionAnalysisManager& analyses) {
    if (!loop.getParentLoop() || loop.getNumBlocks() != 1) return false;
    Rows rows;
    if (!find(loop, Shapes(kernel, group), analyses, rows)) return false;
    keep(rows, analyses.getResult<ScalarEvolutionAnalysis>(kernel));
    return true;
  });
}

}  // namespace lanza::compiler
