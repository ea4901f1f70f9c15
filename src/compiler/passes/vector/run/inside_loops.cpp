#include "compiler/passes/vector/run/inside_loops.hpp"

#include <optional>

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "compiler/passes/note_lanes.hpp"
#include "compiler/passes/vector/lanes/carry_taps.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

static constexpr unsigned kQuestion = 5;  // instructions
static constexpr unsigned kLongest = 7;   // times what is saved: a body

namespace {

/// `index` (of a step that is constant) compared with what the loop does not change.
struct Bound {
  ICmpInst::Predicate predicate;
  Value *index, *limit;
  uint64_t step;

  bool is_upper() const { return ICmpInst::isLT(predicate) || ICmpInst::isLE(predicate); }
};

/// A loop over groups whose header asks.
struct AskingLoop {
  Loop& loop;
  PHINode* counter;
  BinaryOperator* next;  ///< counter + step, in the latch
  uint64_t step;
  Value* end;         ///< of the counter, exclusive: an i32 or i64
  uint64_t end_more;  ///< to be added to it
  BranchInst* asks;
  BasicBlock* inside;
  SmallSetVector<BasicBlock*, 8> body;  ///< that only `inside` leads to
  SmallVector<Bound, 4> bounds;
};

// What the copies of a header may repeat.
bool is_harmless(const Instruction& i) { return !i.mayReadOrWriteMemory() && !i.mayHaveSideEffects(); }

class Finder {
 public:
  Finder(Loop& loop, ScalarEvolution& evolution, const DominatorTree& dominators, bool carries_taps)
      : loop_(loop), evolution_(evolution), dominators_(dominators), carries_(carries_taps) {}

  std::optional<AskingLoop> find() {
    BasicBlock *header = loop_.getHeader(), *latch = loop_.getLoopLatch();
    if (!latch || latch == header || loop_.getExitingBlock() != latch) return {};
    if (!hasSingleElement(header->phis()) || !latch->phis().empty() || !all_of(*header, is_harmless)) return {};
    auto* asks = dyn_cast<BranchInst>(header->getTerminator());
    if (!asks || !asks->isConditional()) return {};
    AskingLoop found{loop_, &*header->phis().begin(), nullptr, 0, nullptr, 0, asks, nullptr, {}, {}};
    if (!find_end(found, *latch)) return {};
    for (const bool holds : {true, false}) {
      found.inside = asks->getSuccessor(holds ? 0 : 1);
      found.bounds.clear();
      if (take(asks->getCondition(), holds, found.bounds) && any_of(found.bounds, std::mem_fn(&Bound::is_upper)) &&
          find_body(found))
        return found;
    }
    return {};
  }

 private:
  // The latch counts, and nothing else.
  bool find_end(AskingLoop& found, BasicBlock& latch) {
    auto* repeats = dyn_cast<BranchInst>(latch.getTerminator());
    const APInt* step = nullptr;
    auto* next = dyn_cast<BinaryOperator>(found.counter->getIncomingValueForBlock(&latch));
    if (!repeats || !next || next->getParent() != &latch || latch.sizeWithoutDebug() != 3) return false;
    if (!match(next, m_NUWAdd(m_Specific(found.counter), m_APInt(step))) || !step->isPowerOf2()) return false;
    auto* compare = dyn_cast<ICmpInst>(repeats->getCondition());
    if (!compare || compare->getParent() != &latch || repeats->getSuccessor(0) != loop_.getHeader()) return false;
    if (compare->getPredicate() != ICmpInst::ICMP_ULT || !loop_.isLoopInvariant(compare->getOperand(1))) return false;
    const bool asks_next = compare->getOperand(0) == next;
    if (!asks_next && compare->getOperand(0) != found.counter) return false;
    found.next = next;
    found.step = step->getZExtValue();
    found.end = compare->getOperand(1);
    found.end_more = asks_next ? 0 : found.step;
    return true;
  }

  // Null bounds are left out: what the loop does not change holds in all turns, or in none.
  bool take(Value* condition, bool holds, SmallVectorImpl<Bound>& bounds) {
    Value *a = nullptr, *b = nullptr;
    if (match(condition, m_Not(m_Value(a)))) return take(a, !holds, bounds);
    if (holds ? match(condition, m_LogicalAnd(m_Value(a), m_Value(b)))
              : match(condition, m_LogicalOr(m_Value(a), m_Value(b))))
      return take(a, holds, bounds) && take(b, holds, bounds);
    if (loop_.isLoopInvariant(condition)) return true;
    auto* compare = dyn_cast<ICmpInst>(condition);
    return compare && take(*compare, holds, bounds);
  }

  bool take(const ICmpInst& compare, bool holds, SmallVectorImpl<Bound>& bounds) {
    Bound bound{holds ? compare.getPredicate() : compare.getInversePredicate(), compare.getOperand(0),
                compare.getOperand(1), 0};
    if (!bound.index->getType()->isIntegerTy() || bound.index->getType()->getIntegerBitWidth() > 64) return false;
    if (loop_.isLoopInvariant(bound.index)) {
      std::swap(bound.index, bound.limit);
      bound.predicate = ICmpInst::getSwappedPredicate(bound.predicate);
    }
    if (!ICmpInst::isRelational(bound.predicate) || !loop_.isLoopInvariant(bound.limit)) return false;
    const bool is_signed = ICmpInst::isSigned(bound.predicate);
    if (Value* narrow = nullptr;
        is_signed ? match(bound.index, m_SExt(m_Value(narrow))) : match(bound.index, m_ZExt(m_Value(narrow))))
      bound.index = narrow;
    auto* counts = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(bound.index));
    if (!counts || counts->getLoop() != &loop_ || !counts->isAffine()) return false;
    auto* step = dyn_cast<SCEVConstant>(counts->getStepRecurrence(evolution_));
    if (!step || !step->getAPInt().isPowerOf2() || !step->getAPInt().isIntN(16)) return false;
    bound.step = step->getAPInt().getZExtValue();
    bounds.push_back(bound);
    return true;
  }

  // All that is reached by way of `inside` alone; it goes to the latch at last.
  bool find_body(AskingLoop& found) const {
    BasicBlock* latch = loop_.getLoopLatch();
    if (found.inside == latch || found.inside->getSinglePredecessor() != loop_.getHeader()) return false;
    for (BasicBlock* block : loop_.blocks()) {
      if (!dominators_.dominates(found.inside, block)) continue;
      if (block == latch) return false;
      found.body.insert(block);
    }
    return is_worth_it(found);
  }

  // Rows are short, and to enter the loop takes as long as some questions do: it is for small bodies, of what always
  // runs, and for those that load much that is the same for all groups (share_loads), or their neighbours' values
  // (carry_taps).
  bool is_worth_it(const AskingLoop& found) const {
    unsigned saved = kQuestion, all = kQuestion, taps = 0;
    SmallPtrSet<const Value*, 8> rows;
    for (const BasicBlock* block : found.body)
      for (const Instruction& i : *block) {
        if (i.isIntDivRem()) return false;  // walk_rows looks for such loops
        if (!is_always_run(*block, found)) break;
        if (isa<BranchInst, GetElementPtrInst, CastInst, InsertElementInst, ShuffleVectorInst, DbgInfoIntrinsic>(i))
          continue;
        ++all;
        auto* load = dyn_cast<LoadInst>(&i);
        if (!load || block != found.inside) continue;
        if (loop_.isLoopInvariant(load->getPointerOperand()))
          ++saved;
        else if (!rows.insert(row_of(*load)).second)
          ++taps;
      }
    if (carries_ && rows.size() <= kMostCarriedRows) saved += taps;
    return saved * kLongest >= all;
  }

  bool is_always_run(const BasicBlock& block, const AskingLoop& found) const {
    return all_of(predecessors(loop_.getLoopLatch()), [&](const BasicBlock* end) {
      return !found.body.contains(const_cast<BasicBlock*>(end)) || dominators_.dominates(&block, end);
    });
  }

  static const Value* row_of(const LoadInst& load) {
    auto* address = dyn_cast<GetElementPtrInst>(load.getPointerOperand());
    return address && load.getType()->isVectorTy() ? address->getPointerOperand() : &load;
  }

  Loop& loop_;
  ScalarEvolution& evolution_;
  const DominatorTree& dominators_;
  const bool carries_;
};

class Maker {
 public:
  explicit Maker(AskingLoop& found) : found_(found), c_(found.counter->getContext()), b_(c_) {}

  void make() {
    BasicBlock *header = found_.loop.getHeader(), *latch = found_.loop.getLoopLatch();
    begin_ = BasicBlock::Create(c_, "inside", header->getParent(), found_.inside);
    head_ = BasicBlock::Create(c_, "inside.group", header->getParent(), found_.inside);
    back_ = BasicBlock::Create(c_, "inside.next", header->getParent(), latch);
    b_.SetCurrentDebugLocation(found_.asks->getDebugLoc());
    compute_last();
    make_head();
    widen_indices();
    move_body();
    sort_sums();
    make_back(*latch);
    drop_unused();
  }

 private:
  Type* wide() { return b_.getInt64Ty(); }

  // So many more groups have their index on this side of the limit, and have not wrapped.
  Value* turns_left(const Bound& bound) {
    const bool is_signed = ICmpInst::isSigned(bound.predicate);
    auto extend = [&](Value* v) { return is_signed ? b_.CreateSExt(v, wide()) : b_.CreateZExt(v, wide()); };
    const unsigned bits = bound.index->getType()->getIntegerBitWidth();
    Value* limit = b_.getInt(is_signed ? APInt::getSignedMaxValue(bits).sext(64) : APInt::getMaxValue(bits).zext(64));
    if (bound.is_upper()) {
      Value* last = extend(bound.limit);
      if (ICmpInst::isLT(bound.predicate)) last = b_.CreateSub(last, b_.getInt64(1));
      limit = bound.limit->getType() == bound.index->getType()
                  ? last
                  : b_.CreateBinaryIntrinsic(is_signed ? Intrinsic::smin : Intrinsic::umin, last, limit);
    }
    return b_.CreateLShr(b_.CreateSub(limit, extend(bound.index)), Log2_64(bound.step));
  }

  // Where the counter leaves the loop inside: behind the last group that the loop has, or that lies inside.
  void compute_last() {
    b_.SetInsertPoint(begin_);
    first_ = b_.CreateZExt(found_.counter, wide());
    Value* end = b_.CreateZExt(found_.end, wide());
    if (found_.end_more) end = b_.CreateAdd(end, b_.getInt64(found_.end_more));
    Value* room = b_.CreateBinaryIntrinsic(Intrinsic::usub_sat, end, b_.CreateAdd(first_, b_.getInt64(1)));
    Value* turns = b_.CreateLShr(room, Log2_64(found_.step));
    for (const Bound& bound : found_.bounds)
      turns = b_.CreateBinaryIntrinsic(Intrinsic::umin, turns, turns_left(bound));
    last_ = b_.CreateAdd(first_, b_.CreateShl(b_.CreateAdd(turns, b_.getInt64(1)), Log2_64(found_.step)));
    b_.CreateBr(head_);
  }

  void make_head() {
    b_.SetInsertPoint(head_);
    counter_ = b_.CreatePHI(wide(), 2);
    counter_->addIncoming(first_, begin_);
    map_[found_.counter] = b_.CreateTrunc(counter_, found_.counter->getType());
    for (Instruction& i : *found_.loop.getHeader()) {
      if (isa<PHINode>(i) || i.isTerminator() || isa<DbgInfoIntrinsic>(i)) continue;
      Instruction* copy = i.clone();
      copy->insertInto(head_, head_->end());
      RemapInstruction(copy, map_, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
      map_[&i] = copy;
    }
    b_.SetInsertPoint(head_);
    b_.CreateBr(found_.inside);
  }

  // An index of which the bounds say that it does not wrap, extended: it goes up with the counter.
  bool stays_exact(const Value* index, bool is_signed) const {
    return any_of(found_.bounds, [&](const Bound& bound) {
      if (!bound.is_upper() || bound.step != found_.step || ICmpInst::isSigned(bound.predicate) != is_signed)
        return false;
      if (bound.index == index) return true;
      const APInt* more = nullptr;
      if (match(bound.index, m_DisjointOr(m_Specific(index), m_APInt(more)))) return !more->isNegative();
      return is_signed ? match(bound.index, m_NSWAdd(m_Specific(index), m_APInt(more))) && !more->isNegative()
                       : match(bound.index, m_NUWAdd(m_Specific(index), m_APInt(more)));
    });
  }

  void widen_indices() {
    SmallVector<CastInst*, 8> extensions;
    auto look_at = [&](BasicBlock& block) {
      for (Instruction& i : block)
        if (isa<SExtInst, ZExtInst>(i) && i.getType()->isIntegerTy(64)) extensions.push_back(cast<CastInst>(&i));
    };
    look_at(*found_.loop.getHeader());
    for (BasicBlock* block : found_.body) look_at(*block);
    for (CastInst* extension : extensions) {
      auto* index = dyn_cast<Instruction>(extension->getOperand(0));
      if (!index || index->getParent() != found_.loop.getHeader() || !stays_exact(index, isa<SExtInst>(extension)))
        continue;
      b_.SetInsertPoint(begin_->getTerminator());
      Value* start = b_.CreateSub(b_.CreateCast(extension->getOpcode(), index, wide()), first_);
      b_.SetInsertPoint(head_, head_->getFirstInsertionPt());
      auto* sum = cast<Instruction>(b_.CreateAdd(start, counter_));
      if (found_.body.contains(extension->getParent())) {
        extension->replaceAllUsesWith(sum);
        extension->eraseFromParent();
      } else {
        auto* copy = cast<Instruction>(static_cast<Value*>(map_[extension]));
        copy->replaceAllUsesWith(sum);
        copy->eraseFromParent();
        map_[extension] = sum;
      }
      sums_.push_back({sum, start});
    }
  }

  // Sums and addresses: what stands still first, then the counter.
  void sort_sums() {
    while (!sums_.empty()) {
      auto [sum, start] = sums_.pop_back_val();
      for (User* user : make_early_inc_range(sum->users())) {
        auto* i = cast<Instruction>(user);
        Value* with = i->getOperand(i->getOperand(0) == sum ? 1 : 0);
        auto* address = dyn_cast<GetElementPtrInst>(i);
        if (!(i->getOpcode() == Instruction::Add || (address && address->getNumIndices() == 1)) || with == sum ||
            !stands_still(with))
          continue;
        b_.SetInsertPoint(begin_->getTerminator());
        Value* still = address ? b_.CreateGEP(address->getSourceElementType(), with, start) : b_.CreateAdd(with, start);
        b_.SetInsertPoint(i);
        Value* moving =
            address ? b_.CreateGEP(address->getSourceElementType(), still, counter_) : b_.CreateAdd(still, counter_);
        i->replaceAllUsesWith(moving);
        if (!address) sums_.push_back({cast<Instruction>(moving), still});
        i->eraseFromParent();
      }
    }
  }

  bool stands_still(const Value* v) const {
    auto* i = dyn_cast<Instruction>(v);
    return !i || (!found_.loop.contains(i) && i->getParent() != head_);
  }

  void move_body() {
    found_.asks->replaceSuccessorWith(found_.inside, begin_);
    found_.inside->replacePhiUsesWith(found_.loop.getHeader(), head_);
    for (BasicBlock* block : found_.body) {
      for (Instruction& i : *block) RemapInstruction(&i, map_, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
      block->getTerminator()->replaceSuccessorWith(found_.loop.getLoopLatch(), back_);
    }
  }

  void make_back(BasicBlock& latch) {
    b_.SetInsertPoint(back_);
    Value* next = b_.CreateNUWAdd(counter_, b_.getInt64(found_.step));
    counter_->addIncoming(next, back_);
    Value* done = b_.CreateTrunc(counter_, found_.counter->getType());
    // Where lanes of the loop around are nobody, nothing is noted of it that would take this loop's place (note_lanes).
    const char* kind = has_lanes_beyond(found_.loop) ? kOverhangingLoop : kLaneLoop;
    MDNode* id = MDNode::getDistinct(c_, {nullptr, MDNode::get(c_, MDString::get(c_, kind))});
    id->replaceOperandWith(0, id);
    b_.CreateCondBr(b_.CreateICmpULT(next, last_), head_, &latch)->setMetadata(LLVMContext::MD_loop, id);
    b_.SetInsertPoint(&latch, latch.begin());
    PHINode* now = b_.CreatePHI(found_.counter->getType(), 2);
    for (BasicBlock* before : predecessors(&latch)) now->addIncoming(before == back_ ? done : found_.counter, before);
    found_.next->setOperand(0, now);
    auto* compare = cast<ICmpInst>(cast<BranchInst>(latch.getTerminator())->getCondition());
    if (compare->getOperand(0) == found_.counter) compare->setOperand(0, now);
  }

  // What only the question wanted.
  void drop_unused() {
    for (Instruction& i : make_early_inc_range(reverse(*head_)))
      if (isInstructionTriviallyDead(&i)) i.eraseFromParent();
  }

  AskingLoop& found_;
  LLVMContext& c_;
  IRBuilder<> b_;
  BasicBlock *begin_ = nullptr, *head_ = nullptr, *back_ = nullptr;
  Value *first_ = nullptr, *last_ = nullptr;
  PHINode* counter_ = nullptr;
  ValueToValueMapTy map_;
  SmallVector<std::pair<Instruction*, Value*>, 8> sums_;  ///< of the counter and what stands still
};

}  // namespace

bool make_inside_loops(LoopInfo& loops, ScalarEvolution& evolution, const DominatorTree& dominators,
                       bool carries_taps) {
  SmallVector<AskingLoop, 4> all;
  for (Loop* loop : loops.getLoopsInPreorder())
    if (is_lane_loop(*loop))
      if (auto found = Finder(*loop, evolution, dominators, carries_taps).find()) all.push_back(std::move(*found));
  for (AskingLoop& found : all) Maker(found).make();
  return !all.empty();
}

}  // namespace lanza::compiler
