#include "compiler/passes/vector/run/row_pieces.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/vector/analysis/seldom_code.hpp"
#include "compiler/passes/vector/run/lane_places.hpp"
#include "compiler/passes/vector/run/transposition.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostTurns = 16, kFewestTurns = 4;
constexpr unsigned kMostBytes = 1024;  // of columns: half of AVX-512's registers
constexpr unsigned kMostInstructions = 40;

/// A loop of one block, whose lanes are those of `mask`, fewer from turn to turn, as each one's counter comes to its
/// limit.
class RowLoop {
 public:
  /// Whether the block is one, and can be taken.
  bool find(BasicBlock& block) {
    body_ = &block;
    branch_ = dyn_cast<BranchInst>(block.getTerminator());
    if (!branch_ || !branch_->isConditional() || !is_contained(branch_->successors(), &block)) return false;
    if (branch_->getSuccessor(0) == branch_->getSuccessor(1) || block.size() > kMostInstructions) return false;
    for (BasicBlock* from : predecessors(body_)) {
      if (from == body_) continue;
      if (before_) return false;
      before_ = from;
    }
    return find_mask() && only_gathers() && stays_behind();
  }

  void take() {
    IRBuilder<> b(branch_);
    SmallVector<Instruction*, 32> old;
    for (Instruction& i : *body_)
      if (!isa<PHINode>(i) && !i.isTerminator()) old.push_back(&i);
    begin_with_rows();
    count_turns(b);
    Value* left = turns_left(b);
    masks_.push_back(mask_);
    for (unsigned k = 1; k <= turns_; ++k)
      masks_.push_back(b.CreateLogicalAnd(mask_, b.CreateICmpUGE(left, ConstantInt::get(left->getType(), k))));
    values_.resize(turns_);
    load_rows(b, left);
    for (unsigned k = 0; k < turns_; ++k)
      for (Instruction* i : old)
        if (!is_contained(gathers_, i)) copy(b, *i, k);
    hand_over(old);
    for (Instruction* i : reverse(old)) i->eraseFromParent();
  }

 private:
  unsigned lanes() const { return cast<FixedVectorType>(mask_->getType())->getNumElements(); }
  Value* next(const PHINode& phi) const { return phi.getIncomingValueForBlock(body_); }
  bool is_inside(const Value* v) const {
    auto* i = dyn_cast<Instruction>(v);
    return i && i->getParent() == body_;
  }

  // The loop is left when no lane goes on, and none comes back.
  bool find_mask() {
    ICmpInst::Predicate predicate;
    Value *goes_on = nullptr, *condition = nullptr;
    if (!match(branch_->getCondition(), m_ICmp(predicate, m_BitCast(m_Value(goes_on)), m_Zero()))) return false;
    if (!ICmpInst::isEquality(predicate)) return false;
    if (branch_->getSuccessor(predicate == ICmpInst::ICMP_EQ ? 1 : 0) != body_) return false;
    for (PHINode& phi : body_->phis())
      if (match(goes_on, m_LogicalAnd(m_Specific(&phi), m_Value(condition))) &&
          match(next(phi), m_LogicalAnd(m_Specific(&phi), m_Specific(condition))))
        mask_ = &phi;
    return mask_ && find_limit(*condition);
  }

  // A lane goes on while one more than its counter is less than its limit, or another number.
  bool find_limit(Value& condition) {
    auto* compare = dyn_cast<ICmpInst>(&condition);
    if (!compare) return false;
    predicate_ = compare->getPredicate();
    next_ = compare->getOperand(0), limit_ = compare->getOperand(1);
    if (is_inside(limit_)) {
      std::swap(next_, limit_);
      predicate_ = ICmpInst::getSwappedPredicate(predicate_);
    }
    if (predicate_ != ICmpInst::ICMP_NE && predicate_ != ICmpInst::ICMP_SLT && predicate_ != ICmpInst::ICMP_ULT)
      return false;
    Value* counter;
    if (is_inside(limit_) || !match(next_, m_Add(m_Value(counter), m_One()))) return false;
    auto* phi = dyn_cast<PHINode>(counter);
    return phi && is_inside(phi) && next(*phi) == next_ && next_->getType()->isVectorTy();
  }

  bool only_gathers() {
    const DataLayout& layout = body_->getDataLayout();
    uint64_t bytes = 0;
    for (Instruction& i : *body_) {
      if (isa<PHINode>(i) || i.isTerminator()) continue;
      if (!i.mayReadOrWriteMemory() && isSafeToSpeculativelyExecute(&i)) continue;
      auto* gather = dyn_cast<IntrinsicInst>(&i);
      if (!gather || !goes_along_row(*gather)) return false;
      gathers_.push_back(gather);
      bytes += layout.getTypeAllocSize(gather->getType());
    }
    if (gathers_.empty()) return false;
    turns_ = std::min({kMostTurns, lanes(), bit_floor(static_cast<unsigned>(kMostBytes / bytes))});
    return turns_ >= kFewestTurns && isPowerOf2_32(lanes());
  }

  // By all lanes of a turn, each an element behind the last turn's, wherever nothing but counters tells.
  bool goes_along_row(const IntrinsicInst& gather) {
    if (gather.getIntrinsicID() != Intrinsic::masked_gather || gather.getArgOperand(2) != mask_) return false;
    Value* otherwise = gather.getArgOperand(3);
    if (!isa<UndefValue>(otherwise) && !match(otherwise, m_Zero())) return false;
    const DataLayout& layout = body_->getDataLayout();
    Type* element = gather.getType()->getScalarType();
    const auto size = static_cast<int64_t>(layout.getTypeAllocSize(element));
    if ((size != 4 && size != 8) || element->isPointerTy()) return false;
    bool goes_on = false;
    for (const Term& term : place_of(gather.getArgOperand(0), layout).terms) {
      if (!is_inside(term.value)) continue;
      if (goes_on || term.bytes != size || !counts(*term.value, term.extension)) return false;
      goes_on = true;
      counters_.insert(cast<PHINode>(const_cast<Value*>(term.value)));
    }
    return goes_on;
  }

  // From turn to turn one more, also where it is extended.
  bool counts(const Value& number, Extension extension) const {
    auto* phi = dyn_cast<PHINode>(&number);
    if (!phi || !match(next(*phi), m_Add(m_Specific(phi), m_One()))) return false;
    auto* sum = cast<OverflowingBinaryOperator>(next(*phi));
    if (extension == Extension::Signed) return sum->hasNoSignedWrap();
    return extension == Extension::None || sum->hasNoUnsignedWrap();
  }

  // What others see of the loop was last changed by lanes of the turn.
  bool stays_behind() const {
    return none_of(*body_, [&](Instruction& i) {
      const bool is_seen = any_of(i.users(), [&](User* user) { return !is_inside(user); });
      if (!is_seen) return false;
      Value* before;
      if (!match(&i, m_Select(m_Specific(mask_), m_Value(), m_Value(before)))) return true;
      auto* phi = dyn_cast<PHINode>(before);
      return !phi || !is_inside(phi) || next(*phi) != &i;
    });
  }

  // Lanes that are off begin where the first one does: a load by no lane where no memory is takes Zen 5 some 600
  // cycles.
  void begin_with_rows() {
    IRBuilder<> b(before_->getTerminator());
    Value* mask = mask_->getIncomingValueForBlock(before_);
    Value* bits = b.CreateBitCast(mask, b.getIntNTy(lanes()));
    Value* first = b.CreateBinaryIntrinsic(Intrinsic::cttz, bits, b.getTrue());
    for (PHINode* counter : counters_) {
      Value* start = counter->getIncomingValueForBlock(before_);
      Value* of_first = b.CreateVectorSplat(lanes(), b.CreateExtractElement(start, first));
      counter->setIncomingValueForBlock(before_, b.CreateSelect(mask, start, of_first));
    }
  }

  void count_turns(IRBuilderBase& b) {
    done_ = PHINode::Create(b.getInt64Ty(), 2, "done", body_->begin());
    done_->addIncoming(b.getInt64(0), before_);
    done_->addIncoming(b.CreateAdd(done_, b.getInt64(turns_)), body_);
  }

  // For each lane, behind the first of the turns.
  Value* turns_left(IRBuilderBase& b) {
    auto* second = b.Insert(cast<Instruction>(next_)->clone());
    Value* left = b.CreateSub(limit_, second, "left");
    if (predicate_ == ICmpInst::ICMP_NE) return left;
    return b.CreateSelect(b.CreateICmp(predicate_, second, limit_), left, Constant::getNullValue(left->getType()));
  }

  // As it is when the loop begins.
  Value* at_start(IRBuilderBase& b, Value* v) {
    if (!is_inside(v)) return v;
    if (auto* phi = dyn_cast<PHINode>(v)) return phi->getIncomingValueForBlock(before_);
    Instruction* same = cast<Instruction>(v)->clone();
    for (Use& use : same->operands()) use.set(at_start(b, use));
    return b.Insert(same);
  }

  Value* in_turn(Value* v, unsigned k) const {
    if (!is_inside(v)) return v;
    if (v == mask_) return masks_[k];
    auto* phi = dyn_cast<PHINode>(v);
    if (!phi) return values_[k].lookup(cast<Instruction>(v));
    return k == 0 ? phi : in_turn(next(*phi), k - 1);
  }

  void copy(IRBuilderBase& b, Instruction& i, unsigned k) {
    Instruction* copied = b.Insert(i.clone(), i.getName());
    for (Use& use : copied->operands()) use.set(in_turn(use, k));
    values_[k][&i] = copied;
  }

  // A lane of the first turn loads as many elements as it has turns.
  void load_rows(IRBuilderBase& b, Value* left) {
    auto* words = FixedVectorType::get(b.getIntNTy(32), lanes());
    Value* most = b.CreateBinaryIntrinsic(Intrinsic::umin, left, ConstantInt::get(left->getType(), turns_ - 1));
    Value* bits = b.CreateShl(ConstantInt::get(words, 2), b.CreateTrunc(most, words));
    Value* some = b.CreateSub(bits, ConstantInt::get(words, 1));
    Value* turns = b.CreateSelect(mask_, some, Constant::getNullValue(words));
    IRBuilder<> ahead(before_->getTerminator());
    for (IntrinsicInst* gather : gathers_) {
      Type* element = gather->getType()->getScalarType();
      auto* row = FixedVectorType::get(element, turns_);
      const Align align = cast<ConstantInt>(gather->getArgOperand(1))->getAlignValue();
      Value* starts = at_start(ahead, gather->getArgOperand(0));
      const auto columns = transpose_rows(b, lanes(), turns_, [&](unsigned lane) {
        Value* of_lane = b.CreateTrunc(b.CreateExtractElement(turns, lane), b.getIntNTy(turns_));
        Value* mask = b.CreateBitCast(of_lane, FixedVectorType::get(b.getInt1Ty(), turns_));
        Value* address = b.CreateGEP(element, in_lane(ahead, starts, lane), done_);
        return b.CreateMaskedLoad(row, address, align, mask, Constant::getNullValue(row));
      });
      for (unsigned k = 0; k < turns_; ++k) values_[k][gather] = columns[k];
    }
  }

  // What the last turn leaves.
  void hand_over(ArrayRef<Instruction*> old) {
    const unsigned last = turns_ - 1;
    for (Instruction* i : old) i->replaceUsesOutsideBlock(in_turn(i, last), body_);
    SmallVector<std::pair<PHINode*, Value*>, 8> nexts;
    for (PHINode& phi : body_->phis())
      if (&phi != done_) nexts.push_back({&phi, &phi == mask_ ? masks_[turns_] : in_turn(next(phi), last)});
    for (auto [phi, value] : nexts) phi->setIncomingValueForBlock(body_, value);
    branch_->setCondition(in_turn(branch_->getCondition(), last));
  }

  BasicBlock *body_ = nullptr, *before_ = nullptr;
  BranchInst* branch_ = nullptr;
  PHINode* mask_ = nullptr;
  ICmpInst::Predicate predicate_ = ICmpInst::ICMP_NE;
  Value *next_ = nullptr, *limit_ = nullptr;
  SmallVector<IntrinsicInst*, 2> gathers_;
  SmallSetVector<PHINode*, 2> counters_;  ///< that go along rows
  unsigned turns_ = 0;
  PHINode* done_ = nullptr;                    ///< turns, in front of the first one of a round
  SmallVector<Value*, kMostTurns + 1> masks_;  ///< of the turns, and of the one behind them
  SmallVector<DenseMap<const Instruction*, Value*>, kMostTurns> values_;  ///< of the turns
};

}  // namespace

bool take_row_pieces(Function& run) {
  const SeldomCode seldom(run);
  bool changed = false;
  for (BasicBlock& block : run) {
    RowLoop loop;
    if (seldom.contains(&block) || !loop.find(block)) continue;
    loop.take();
    changed = true;
  }
  return changed;
}

}  // namespace lanza::compiler
