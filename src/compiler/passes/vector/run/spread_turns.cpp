#include "compiler/passes/vector/run/spread_turns.hpp"

#include <algorithm>

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kFewestTurns = 8;
constexpr unsigned kMostPieces = 8;  // each is code of its own
constexpr unsigned kLeastWork = 8;   // operations: fewer are as fast as to fetch what others have made

/// One loop of one block.
class TurnSpreader {
 public:
  /// `turns`: 0 where only the launch knows how many.
  TurnSpreader(Loop& loop, unsigned turns, ScalarEvolution& evolution, uint64_t register_bits)
      : loop_(loop),
        block_(*loop.getHeader()),
        before_(*loop.getLoopPreheader()->getTerminator()),
        turns_(turns),
        writes_(any_of(block_, [](Instruction& i) { return i.mayWriteToMemory(); })),
        evolution_(evolution),
        register_bits_(register_bits) {}

  bool run() {
    find_counters();
    find_alike();
    find_results();
    if (results_.empty()) return false;
    lanes_ = static_cast<unsigned>(register_bits_ / widest_bits());
    if (lanes_ < 2 || !find_starts()) return false;
    add_turn();
    const bool all_before = turns_ && divideCeil(turns_, lanes_) <= kMostPieces;
    for (Instruction* result : results_) buffers_[result] = make_buffer(*result, all_before ? turns_ : lanes_);
    if (all_before)
      make_before();
    else
      make_in_turns();
    return true;
  }

 private:
  // By what a turn reads at its own place of neighbouring elements.
  const SCEVAddRecExpr* address_of(LoadInst& load) {
    auto* address = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(load.getPointerOperand()));
    if (!address || address->getLoop() != &loop_ || !address->isAffine()) return nullptr;
    auto* step = dyn_cast<SCEVConstant>(address->getStepRecurrence(evolution_));
    const uint64_t size = block_.getDataLayout().getTypeStoreSize(load.getType()).getFixedValue();
    return step && step->getAPInt() == size ? address : nullptr;
  }

  void find_counters() {
    for (PHINode& phi : block_.phis()) {
      if (!phi.getType()->isIntegerTy()) continue;
      auto* counter = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(&phi));
      if (!counter || counter->getLoop() != &loop_ || !counter->isAffine()) continue;
      if (auto* step = dyn_cast<SCEVConstant>(counter->getStepRecurrence(evolution_)))
        steps_.try_emplace(&phi, step->getAPInt());
    }
  }

  bool is_counter(const Value* v) const { return steps_.contains(v); }

  // Not divisions of integers: lanes behind the last turn might divide by 0.
  static bool is_operation(const Instruction& i) {
    if (auto* call = dyn_cast<IntrinsicInst>(&i)) {
      const Intrinsic::ID id = call->getIntrinsicID();
      return (isTriviallyVectorizable(id) || id == Intrinsic::arithmetic_fence) &&
             all_of(call->args(), [&](const Use& a) { return a->getType() == i.getType(); });
    }
    return (isa<BinaryOperator>(i) && !i.isIntDivRem()) || isa<UnaryOperator, CmpInst, SelectInst, CastInst>(i);
  }

  static bool is_number(const Type* type) { return type->isIntegerTy() || type->isFloatTy() || type->isDoubleTy(); }

  // Numbers that depend on the turn alone.
  void find_alike() {
    for (Instruction& i : block_) {
      if (!is_number(i.getType())) continue;
      if (auto* load = dyn_cast<LoadInst>(&i)) {
        if (load->isSimple() && !writes_ && !i.getType()->isIntegerTy(1) && address_of(*load)) alike_.insert(&i);
        continue;
      }
      bool goes_by_turn = false;
      const bool is_alike = is_operation(i) && all_of(operands(i), [&](const Use& operand) {
                              const bool goes = is_counter(operand) || alike_.contains(dyn_cast<Instruction>(operand));
                              goes_by_turn |= goes;
                              return goes || (loop_.isLoopInvariant(operand) && is_number(operand->getType()));
                            });
      if (is_alike && goes_by_turn) alike_.insert(&i);
    }
  }

  static iterator_range<User::op_iterator> operands(Instruction& i) {
    auto* call = dyn_cast<CallInst>(&i);
    return call ? call->args() : make_range(i.op_begin(), i.op_end());
  }

  // Those that others use, and that are much work.
  void find_results() {
    for (Instruction* i : alike_) {
      if (all_of(i->users(), [&](User* user) { return alike_.contains(cast<Instruction>(user)); })) continue;
      SmallSetVector<Instruction*, 32> slice;
      slice.insert(i);
      for (size_t n = 0; n < slice.size(); ++n)
        for (Use& operand : operands(*slice[n]))
          if (auto* inner = dyn_cast<Instruction>(operand); inner && alike_.contains(inner)) slice.insert(inner);
      if (count_if(slice, is_work) < kLeastWork) continue;
      results_.push_back(i);
      made_.insert(slice.begin(), slice.end());
    }
  }

  // Of floats: what is made of a turn's number is mostly an address.
  static bool is_work(const Instruction* i) {
    return !isa<LoadInst>(i) && (i->getType()->isFloatingPointTy() || i->getOperand(0)->getType()->isFloatingPointTy());
  }

  uint64_t widest_bits() const {
    uint64_t bits = 32;
    for (const Instruction* i : made_) bits = std::max<uint64_t>(bits, i->getType()->getPrimitiveSizeInBits());
    return bits;
  }

  // The first turn's addresses, and where turns end in the middle of a piece, how many there are.
  bool find_starts() {
    SCEVExpander expander(evolution_, block_.getDataLayout(), "turns");
    auto expand = [&](const SCEV* value, Type* type) -> Value* {
      if (!expander.isSafeToExpandAt(value, &before_)) return nullptr;
      return expander.expandCodeFor(value, type, before_.getIterator());
    };
    for (Instruction* i : made_) {
      auto* load = dyn_cast<LoadInst>(i);
      if (!load) continue;
      first_[load] = expand(address_of(*load)->getStart(), load->getPointerOperandType());
      if (!first_[load]) return false;
    }
    if (first_.empty()) return true;
    Type* type = Type::getInt64Ty(block_.getContext());
    const SCEV* repeats = evolution_.getBackedgeTakenCount(&loop_);
    if (isa<SCEVCouldNotCompute>(repeats) || evolution_.getTypeSizeInBits(repeats->getType()) > 64) return false;
    last_ = expand(evolution_.getNoopOrZeroExtend(repeats, type), type);
    return last_ != nullptr;
  }

  void add_turn() {
    IRBuilder<> b(&block_, block_.begin());
    turn_ = b.CreatePHI(b.getInt64Ty(), 2, "turn");
    b.SetInsertPoint(block_.getTerminator());
    turn_->addIncoming(b.getInt64(0), before_.getParent());
    turn_->addIncoming(b.CreateNUWAdd(turn_, b.getInt64(1)), &block_);
  }

  AllocaInst* make_buffer(Instruction& result, unsigned turns) {
    Function& function = *block_.getParent();
    IRBuilder<> b(&function.getEntryBlock(), function.getEntryBlock().begin());
    AllocaInst* buffer = b.CreateAlloca(ArrayType::get(result.getType(), alignTo(turns, lanes_)), nullptr, "turns");
    buffer->setAlignment(Align(register_bits_ / 8));
    return buffer;
  }

  void make_before() {
    IRBuilder<> b(&before_);
    for (unsigned turn = 0; turn < turns_; turn += lanes_) make_piece(b, b.getInt64(turn));
    fetch(*turn_);
  }

  // Every so many turns, for these.
  void make_in_turns() {
    BasicBlock* rest = block_.splitBasicBlock(block_.getFirstNonPHIIt(), "rest");
    auto* make = BasicBlock::Create(block_.getContext(), "make", block_.getParent(), rest);
    block_.getTerminator()->eraseFromParent();
    IRBuilder<> b(&block_);
    Value* lane = b.CreateAnd(turn_, b.getInt64(lanes_ - 1));
    b.CreateCondBr(b.CreateIsNull(lane), make, rest);
    IRBuilder<> of_piece(BranchInst::Create(rest, make));
    body_ = rest;
    make_piece(of_piece, turn_);
    fetch(*lane);
  }

  // The turns from `turn` on.
  void make_piece(IRBuilder<>& b, Value* turn) {
    DenseMap<Value*, Value*> vectors;
    auto get = [&](Value* v) -> Value* {
      if (Value* known = vectors.lookup(v)) return known;
      return vectors[v] = is_counter(v) ? count(b, cast<PHINode>(*v), turn) : b.CreateVectorSplat(lanes_, v);
    };
    for (Instruction& i : *body_) {
      if (!made_.contains(&i)) continue;
      b.SetCurrentDebugLocation(i.getDebugLoc());
      SmallVector<Value*, 3> from;
      if (!isa<LoadInst>(i)) append_range(from, map_range(operands(i), get));
      vectors[&i] = isa<LoadInst>(i) ? read(b, cast<LoadInst>(i), turn) : make(b, i, from);
    }
    for (Instruction* result : results_) {
      Value* place = isa<ConstantInt>(turn) ? turn : b.getInt64(0);
      b.CreateStore(vectors[result], b.CreateInBoundsGEP(result->getType(), buffers_[result], place));
    }
  }

  Constant* of_lanes(Type* type, const APInt& step) const {
    SmallVector<Constant*, 16> all;
    for (unsigned lane = 0; lane < lanes_; ++lane) all.push_back(ConstantInt::get(type, step * lane));
    return ConstantVector::get(all);
  }

  Value* count(IRBuilder<>& b, PHINode& counter, Value* turn) {
    const APInt& step = steps_.find(&counter)->second;
    Value* first = &counter;
    if (auto* number = dyn_cast<ConstantInt>(turn)) {
      const APInt by = step * number->getZExtValue();
      first = b.CreateAdd(counter.getIncomingValueForBlock(before_.getParent()), b.getInt(by));
    }
    return b.CreateAdd(b.CreateVectorSplat(lanes_, first), of_lanes(counter.getType(), step));
  }

  Value* read(IRBuilder<>& b, LoadInst& load, Value* turn) {
    auto* type = FixedVectorType::get(load.getType(), lanes_);
    Value* from = b.CreateInBoundsGEP(load.getType(), first_[&load], turn);
    auto* number = dyn_cast<ConstantInt>(turn);
    if (number && number->getZExtValue() + lanes_ <= turns_) return b.CreateAlignedLoad(type, from, load.getAlign());
    Value* turns = b.CreateAdd(b.CreateVectorSplat(lanes_, turn), of_lanes(turn->getType(), APInt(64, 1)));
    Value* mask = b.CreateICmpULE(turns, b.CreateVectorSplat(lanes_, last_));
    return b.CreateMaskedLoad(type, from, load.getAlign(), mask, Constant::getNullValue(type));
  }

  Value* make(IRBuilder<>& b, Instruction& i, ArrayRef<Value*> from) const {
    Value* made = nullptr;
    if (auto* cast = dyn_cast<CastInst>(&i))
      made = b.CreateCast(cast->getOpcode(), from[0], FixedVectorType::get(i.getType(), lanes_));
    else if (auto* compare = dyn_cast<CmpInst>(&i))
      made = b.CreateCmp(compare->getPredicate(), from[0], from[1]);
    else if (isa<SelectInst>(i))
      made = b.CreateSelect(from[0], from[1], from[2]);
    else if (auto* call = dyn_cast<IntrinsicInst>(&i))
      made = b.CreateIntrinsic(call->getIntrinsicID(), {from[0]->getType()}, from);
    else
      made = b.CreateNAryOp(i.getOpcode(), from);
    if (auto* instruction = dyn_cast<Instruction>(made)) instruction->copyIRFlags(&i);
    return made;
  }

  // What each turn finds in place of what it made.
  void fetch(Value& place) {
    for (Instruction* result : results_) {
      IRBuilder<> b(result);
      Value* from = b.CreateInBoundsGEP(result->getType(), buffers_[result], &place);
      result->replaceAllUsesWith(b.CreateLoad(result->getType(), from));
    }
    SmallVector<WeakTrackingVH, 8> idle(results_.begin(), results_.end());
    RecursivelyDeleteTriviallyDeadInstructionsPermissive(idle);
  }

  Loop& loop_;
  BasicBlock& block_;
  Instruction& before_;
  const unsigned turns_;  ///< 0: not known
  const bool writes_;     ///< then a turn might read what the one before has written
  ScalarEvolution& evolution_;
  const uint64_t register_bits_;
  BasicBlock* body_ = &block_;                   ///< where the turn's own code is
  unsigned lanes_ = 0;                           ///< turns at once
  PHINode* turn_ = nullptr;                      ///< from 0
  Value* last_ = nullptr;                        ///< turn
  DenseMap<const Value*, APInt> steps_;          ///< of the counters
  SmallSetVector<Instruction*, 32> alike_;       ///< for all lanes, by the turn
  SmallVector<Instruction*, 4> results_;         ///< that the loop needs of those
  SmallSetVector<Instruction*, 32> made_;        ///< in front of the loop: the results, and what they are made of
  DenseMap<LoadInst*, Value*> first_;            ///< the first turn's address
  DenseMap<Instruction*, AllocaInst*> buffers_;  ///< of the results
};

}  // namespace

bool spread_turns(LoopInfo& loops, ScalarEvolution& evolution, const TargetTransformInfo& host) {
  const uint64_t bits = host.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
  bool changed = false;
  for (Loop* loop : loops.getLoopsInPreorder()) {
    if (loop->getNumBlocks() != 1 || !loop->getLoopPreheader()) continue;
    const unsigned turns = evolution.getSmallConstantTripCount(loop);
    if (turns && turns < kFewestTurns) continue;
    changed |= TurnSpreader(*loop, turns, evolution, bits).run();
  }
  return changed;
}

}  // namespace lanza::compiler
