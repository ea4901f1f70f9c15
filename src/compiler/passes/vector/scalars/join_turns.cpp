#include "compiler/passes/vector/scalars/join_turns.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/group_form.hpp"
#include "compiler/passes/vector/scalars/copied_blocks.hpp"
#include "compiler/passes/vector/scalars/keep_in_register.hpp"
#include "compiler/passes/vector/scalars/loop_copy.hpp"
#include "compiler/passes/vector/scalars/step_sums.hpp"
#include "compiler/passes/vector/scalars/turn_nest.hpp"
#include "compiler/passes/vector/scalars/version_guards.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

// Turns: more than an addition takes cycles, as they share what is loaded, and lines of what lies beside it, too.
constexpr unsigned kWithManyRegisters = 8, kWithFew = 4;
constexpr unsigned kMostSums = 2;

/// The copy of a nest for where its stores lie apart: its guard holds, sums are in registers until the inner loop ends,
/// and all stores stand behind that.
class ApartNest {
 public:
  explicit ApartNest(const TurnNest& nest) : nest_(nest), copied_(nest.blocks(), ".apart") {
    if (nest.guard) settle_guard();
    for (StoreInst* store : reverse(nest.stores))  // each in front of those before
      if (store->getParent() == nest.body) keep(*store);
    sink_stores();
  }

  Value* of(Value* value) const { return copied_.of(value); }
  BasicBlock* of(BasicBlock* block) const { return copied_.of(block); }
  void join_exits() { copied_.join_exits(); }

 private:
  void settle_guard() {
    BasicBlock *head = of(nest_.head), *latch = of(nest_.latch);
    head->getTerminator()->eraseFromParent();
    IRBuilder<>(head).CreateBr(of(nest_.before));
    latch->removePredecessor(head);
  }

  void keep(StoreInst& store) {
    auto* copy = dyn_cast_or_null<StoreInst>(of(&store));
    if (!copy || copy->getParent() != of(nest_.body)) return;  // another one was to the same place
    Type* type = copy->getValueOperand()->getType();
    keep_in_register(copy->getPointerOperand(), type, *of(nest_.before), *of(nest_.body), *of(nest_.end));
  }

  // What is written again behind the inner loop need not be written before.
  void sink_stores() {
    BasicBlock* end = of(nest_.end);
    Instruction* at = &*end->getFirstInsertionPt();
    for (StoreInst* store : nest_.stores) {
      if (store->getParent() != nest_.head && store->getParent() != nest_.before) continue;
      auto* copy = cast<StoreInst>(of(store));
      if (is_written_at(*at, *copy))
        copy->eraseFromParent();
      else
        copy->moveBefore(at);
    }
  }

  static bool is_written_at(Instruction& at, const StoreInst& store) {
    for (Instruction* i = &at; isa<StoreInst>(i); i = i->getNextNode())
      if (auto* again = cast<StoreInst>(i); again->getPointerOperand() == store.getPointerOperand() &&
                                            again->getValueOperand()->getType() == store.getValueOperand()->getType())
        return true;
    return false;
  }

  const TurnNest& nest_;
  CopiedBlocks copied_;
};

/// Several turns of a nest at once, as a loop of its own: `begin`, `body`, `end`.
class JoinedTurns {
 public:
  JoinedTurns(const TurnNest& nest, const ApartNest& apart, unsigned together, BasicBlock& before, Value& count)
      : nest_(nest), apart_(apart), together_(together), made_(together) {
    LLVMContext& c = before.getContext();
    Function* kernel = before.getParent();
    for (BasicBlock** block : {&begin_, &body_, &end_})
      *block = BasicBlock::Create(c, "joined", kernel, apart.of(nest.head));
    begin_turns(before);
    for (BasicBlock* block : {nest.head, nest.before}) add(block, *begin_);
    IRBuilder<>(begin_).CreateBr(body_);
    add_inner();
    for (unsigned turn = 0; turn < together_; ++turn) end_turn(turn);
    go_on(before, count);
  }

  BasicBlock& begin() const { return *begin_; }
  BasicBlock& end() const { return *end_; }
  BranchInst& repeats() const { return *cast<BranchInst>(end_->getTerminator()); }
  /// What stands for a value of the original when the last turn ends.
  Value* last(Value* value) const { return in(together_ - 1, apart_.of(value)); }

 private:
  // By what it is in the nest's copy; what is the same in all turns is the first one's.
  Value* in(unsigned turn, Value* value) const {
    if (Value* own = made_[turn].lookup(value)) return own;
    Value* shared = made_[0].lookup(value);
    return shared ? shared : value;
  }

  void begin_turns(BasicBlock& before) {
    for (PHINode& phi : apart_.of(nest_.head)->phis()) {
      PHINode* first = PHINode::Create(phi.getType(), 2, phi.getName(), begin_);
      made_[0][&phi] = first;
      differs_.insert(&phi);
    }
    IRBuilder<> b(begin_);
    for (PHINode* counter : nest_.counters) {
      Value* copy = apart_.of(counter);
      first(*counter).addIncoming(nest_.start_of(*counter), &before);
      const BinaryOperator* step = step_of_counter(*counter);
      for (unsigned turn = 1; turn < together_; ++turn)
        made_[turn][copy] = b.CreateAdd(in(turn - 1, copy), step->getOperand(1), "", step->hasNoUnsignedWrap(),
                                        step->hasNoSignedWrap());
    }
    for (PHINode& phi : nest_.head->phis())
      if (!is_contained(nest_.counters, &phi)) first(phi).addIncoming(nest_.start_of(phi), &before);
  }

  PHINode& first(PHINode& phi) const { return *cast<PHINode>(in(0, apart_.of(&phi))); }

  bool depends(const Instruction& i) const {
    return any_of(i.operands(), [&](const Use& operand) { return differs_.contains(operand); });
  }

  // Each turn's code, or once what does not depend on the turn.
  void add(BasicBlock* block, BasicBlock& to) {
    for (Instruction& i : *apart_.of(block)) {
      if (isa<PHINode>(i) || i.isTerminator() || made_[0].contains(&i)) continue;
      if (depends(i)) differs_.insert(&i);
      for (unsigned turn = 0; turn < (differs_.contains(&i) ? together_ : 1); ++turn) copy(i, turn, to);
    }
  }

  void copy(Instruction& i, unsigned turn, BasicBlock& to) {
    Instruction* own = i.clone();
    for (Use& operand : own->operands()) operand.set(in(turn, operand));
    own->insertInto(&to, to.end());
    made_[turn][&i] = own;
  }

  void add_inner() {
    BasicBlock* body = apart_.of(nest_.body);
    for (bool grows = true; grows;) {
      grows = false;
      for (Instruction& i : *body)
        if (depends(i)) grows |= differs_.insert(&i).second;
    }
    auto turns_of = [&](Instruction& i) { return differs_.contains(&i) ? together_ : 1; };
    for (PHINode& phi : body->phis())
      for (unsigned turn = 0; turn < turns_of(phi); ++turn)
        made_[turn][&phi] = PHINode::Create(phi.getType(), 2, phi.getName(), body_);
    add(nest_.body, *body_);
    for (PHINode& phi : body->phis())
      for (unsigned turn = 0; turn < turns_of(phi); ++turn) {
        auto* own = cast<PHINode>(made_[turn][&phi]);
        own->addIncoming(in(turn, phi.getIncomingValueForBlock(apart_.of(nest_.before))), begin_);
        own->addIncoming(in(turn, phi.getIncomingValueForBlock(body)), body_);
      }
    auto* branch = cast<BranchInst>(body->getTerminator());
    const bool again = branch->getSuccessor(0) == body;
    IRBuilder<>(body_).CreateCondBr(in(0, branch->getCondition()), again ? body_ : end_, again ? end_ : body_);
  }

  // One turn after the other, as they were.
  void end_turn(unsigned turn) {
    for (BasicBlock* block : {nest_.end, nest_.latch}) {
      for (Instruction& i : *apart_.of(block)) {
        if (i.isTerminator() || made_[turn].contains(&i)) continue;
        if (auto* phi = dyn_cast<PHINode>(&i))
          made_[turn][phi] = in(turn, phi->getIncomingValue(0));
        else
          copy(i, turn, *end_);
      }
    }
    if (turn + 1 == together_) return;
    for (PHINode& phi : nest_.head->phis())
      if (!is_contained(nest_.counters, &phi)) made_[turn + 1][apart_.of(&phi)] = in(turn, next_of(phi));
  }

  Value* next_of(PHINode& phi) const { return apart_.of(phi.getIncomingValueForBlock(nest_.latch)); }

  void go_on(BasicBlock& before, Value& count) {
    for (PHINode& phi : nest_.head->phis()) first(phi).addIncoming(in(together_ - 1, next_of(phi)), end_);
    PHINode* left = PHINode::Create(count.getType(), 2, "left", begin_->begin());
    IRBuilder<> b(end_);
    Value* following = b.CreateSub(left, ConstantInt::get(count.getType(), 1), "", /*HasNUW=*/true);
    left->addIncoming(&count, &before);
    left->addIncoming(following, end_);
    b.CreateCondBr(b.CreateIsNotNull(following), begin_, end_);  // the second way is set by who made it
  }

  const TurnNest& nest_;
  const ApartNest& apart_;
  const unsigned together_;
  BasicBlock *begin_, *body_, *end_;
  SmallVector<DenseMap<const Value*, Value*>, 8> made_;  ///< by turn
  SmallPtrSet<const Value*, 32> differs_;                ///< from turn to turn
};

}  // namespace

// The numbers of turns need not be equal, but the inner loop's end is the same.
static bool ends_together(const TurnNest& nest, const Shapes& shapes) {
  return shapes.is_left_apart(nest.outer->getHeader()) && !shapes.is_left_apart(nest.body);
}

static bool is_sum(const PHINode& phi, const BasicBlock& body) {
  auto* next = dyn_cast<Instruction>(phi.getIncomingValueForBlock(&body));
  return phi.getType()->isFloatingPointTy() && next && is_contained(next->operands(), &phi);
}

static bool has_sums(const TurnNest& nest) {
  const auto sums = count_if(nest.body->phis(), [&](PHINode& phi) { return is_sum(phi, *nest.body); });
  return sums > 0 && sums <= kMostSums;
}

// ahead: apart? enter, else the original; enter: as many turns left? joined, else one by one; joined: some left? one by
// one, else the exit
static BasicBlock* join(const TurnNest& nest, unsigned together, ScalarEvolution& evolution) {
  BasicBlock &ahead = *nest.ahead, *exit = nest.outer->getExitBlock();
  LLVMContext& c = ahead.getContext();
  Function* kernel = ahead.getParent();
  Instruction* at = ahead.getTerminator();
  IRBuilder<> b(at);
  SCEVExpander expander(evolution, ahead.getDataLayout(), "turns");
  Value* turns = b.CreateAdd(expander.expandCodeFor(nest.turns, nest.turns->getType(), at),
                             ConstantInt::get(nest.turns->getType(), 1));
  Value* apart = NestRanges(nest, evolution, b).apart();
  if (nest.guard) apart = b.CreateLogicalAnd(nest.truth ? nest.guard : b.CreateNot(nest.guard), apart);
  auto* enter = BasicBlock::Create(c, "enter", kernel, nest.head);
  auto* rest = BasicBlock::Create(c, "rest", kernel, nest.head);
  auto* left = BasicBlock::Create(c, "left", kernel, nest.head);
  b.CreateCondBr(emit_collective(b, kAll, apart), enter, nest.head);
  at->eraseFromParent();

  ApartNest copy(nest);
  copy.join_exits();
  b.SetInsertPoint(enter);
  Value* count = b.CreateUDiv(turns, ConstantInt::get(turns->getType(), together));
  const JoinedTurns joined(nest, copy, together, *enter, *count);
  b.CreateCondBr(b.CreateIsNotNull(count), &joined.begin(), rest);
  joined.repeats().setSuccessor(1, left);
  b.SetInsertPoint(left);
  Value* some = b.CreateIsNotNull(b.CreateURem(turns, ConstantInt::get(turns->getType(), together)));
  b.CreateCondBr(some, rest, exit);
  for (PHINode& phi : exit->phis()) phi.addIncoming(joined.last(phi.getIncomingValueForBlock(nest.latch)), left);

  b.SetInsertPoint(rest);
  for (PHINode& phi : nest.head->phis()) {
    PHINode* start = b.CreatePHI(phi.getType(), 2);
    start->addIncoming(phi.getIncomingValueForBlock(&ahead), enter);
    start->addIncoming(joined.last(phi.getIncomingValueForBlock(nest.latch)), left);
    auto* one = cast<PHINode>(copy.of(&phi));
    one->addIncoming(start, rest);
    one->removeIncomingValue(&ahead);
  }
  b.CreateBr(copy.of(nest.head));
  for (BasicBlock* block : nest.blocks())
    for (Instruction& i : *block)
      if (isa<LoadInst, StoreInst>(i)) i.setMetadata(kAtEdge, MDNode::get(c, {}));
  return &joined.begin();
}

bool join_turns(Function& kernel, const GroupShape& group, PassRunner& runner, const TargetMachine& host) {
  if (group.lanes == 1 || has_sync(kernel)) return false;
  const unsigned together = host.getMCSubtargetInfo()->checkFeatures("+avx512f") ? kWithManyRegisters : kWithFew;
  SmallPtrSet<const BasicBlock*, 4> made;
  return version_loops(kernel, runner, [&](Loop& loop, FunctionAnalysisManager& analyses) {
    TurnNest nest;
    auto& evolution = analyses.getResult<ScalarEvolutionAnalysis>(kernel);
    if (made.contains(loop.getHeader()) || !find_nest(loop, evolution, nest) || !has_sums(nest)) return false;
    if (!ends_together(nest, Shapes(kernel, group))) return false;
    made.insert(join(nest, together, evolution));
    return true;
  });
}

}  // namespace lanza::compiler
