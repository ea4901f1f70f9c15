#include "compiler/passes/vector/scalars/turn_grid_loops.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/block_uniformity.hpp"
#include "compiler/passes/vector/analysis/processors.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/cost_notes.hpp"
#include "compiler/passes/vector/group_form.hpp"
#include "compiler/passes/vector/scalars/prefetch_turns.hpp"
#include "compiler/passes/vector/scalars/strided_loop.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostLoops = 4;
// Threads. The processor's own prefetcher follows a longer row, and what lies a step further than that would be out of
// the first cache again when its turn comes.
constexpr unsigned kLongRow = 1024;
constexpr uint64_t kShortTurn = 1024;  // bytes
// Between two barriers, of loops that hand on values. More were as many lines of few sets of the first cache.
constexpr unsigned kTurnsAtOnce = 4;

constexpr Intrinsic::ID kThread[] = {Intrinsic::nvvm_read_ptx_sreg_tid_x, Intrinsic::nvvm_read_ptx_sreg_tid_y,
                                     Intrinsic::nvvm_read_ptx_sreg_tid_z};

/// An index that goes up with a thread's place on one axis: it, or its sum with what is the same for all threads,
/// extended or not.
class ThreadSum {
 public:
  bool matches(const Value* v, const BlockUniformity& uniformity) {
    if (auto* call = dyn_cast<IntrinsicInst>(v)) {
      const auto* found = find(kThread, call->getIntrinsicID());
      axis_ = static_cast<unsigned>(found - std::begin(kThread));
      return found != std::end(kThread);
    }
    Value *x, *y;
    if (match(v, m_ZExtOrSExt(m_Value(x)))) return matches(x, uniformity);
    if (!match(v, m_Add(m_Value(x), m_Value(y))) && !match(v, m_DisjointOr(m_Value(x), m_Value(y)))) return false;
    auto is_sum = [&](const Value* of_thread, const Value* shared) {
      if (!matches(of_thread, uniformity) || !uniformity.is_uniform(*shared)) return false;
      shared_.insert(shared);
      return true;
    };
    return is_sum(x, y) || is_sum(y, x);
  }

  /// What it would be for another thread of the block, of a value that matched. The sum may wrap.
  Value* of(IRBuilder<>& b, Value* v, Value* thread) const {
    if (shared_.contains(v)) return v;
    if (isa<IntrinsicInst>(v)) return thread;
    auto* i = cast<Instruction>(v);
    if (auto* extension = dyn_cast<CastInst>(i))
      return b.CreateCast(extension->getOpcode(), of(b, i->getOperand(0), thread), i->getType());
    return b.CreateAdd(of(b, i->getOperand(0), thread), of(b, i->getOperand(1), thread));
  }

  unsigned axis() const { return axis_; }

  /// Whether a signed extension is part of it.
  static bool is_extended_by_sign(const Value* v) {
    auto* i = dyn_cast<Instruction>(v);
    return i && !isa<PHINode>(i) && (isa<SExtInst>(i) || any_of(i->operands(), is_extended_by_sign));
  }

 private:
  SmallPtrSet<const Value*, 4> shared_;  // by all threads
  unsigned axis_ = 0;
};

constexpr Intrinsic::ID kGridSize[] = {Intrinsic::nvvm_read_ptx_sreg_nctaid_x, Intrinsic::nvvm_read_ptx_sreg_nctaid_y,
                                       Intrinsic::nvvm_read_ptx_sreg_nctaid_z};

bool knows_grid(const Value* v, unsigned depth = 6) {
  auto* i = dyn_cast<Instruction>(v);
  if (!i || depth == 0) return false;
  if (auto* call = dyn_cast<IntrinsicInst>(i)) return is_contained(kGridSize, call->getIntrinsicID());
  if (isa<PHINode, LoadInst>(i)) return false;
  return any_of(i->operands(), [&](const Use& operand) { return knows_grid(operand, depth - 1); });
}

/// The loop goes on while `next` compares so with `bound`; next = index + step.
struct GridLoop {
  StridedLoop form;
  PHINode* index;
  BinaryOperator* next;
  Value *start, *step, *bound;
  CmpInst::Predicate predicate;
  ThreadSum sum;  // the start
};

// What is asked in front of the loop has to be that, and nothing else: `if (x >= w || y >= h) return;` may be it, too.
bool is_asked_by_guard(const GridLoop& l) {
  const BranchInst& guard = *l.form.enters;
  IRBuilder<> b(l.form.enters);
  Value* begins = b.CreateICmp(l.predicate, l.start, l.bound);
  const bool if_true = guard.getSuccessor(0) == l.form.before;
  const DataLayout& layout = guard.getDataLayout();
  const auto forth = isImpliedCondition(begins, guard.getCondition(), layout);
  const auto back = isImpliedCondition(guard.getCondition(), begins, layout, /*LHSIsTrue=*/if_true);
  if (auto* made = dyn_cast<Instruction>(begins)) made->eraseFromParent();
  return forth == if_true && back == true;
}

bool match_index(GridLoop& l, const BlockUniformity& uniformity) {
  auto* compare = dyn_cast<ICmpInst>(l.form.repeats->getCondition());
  if (!compare) return false;
  l.predicate =
      l.form.repeats->getSuccessor(0) == l.form.header ? compare->getPredicate() : compare->getInversePredicate();
  Value *left = compare->getOperand(0), *right = compare->getOperand(1);
  if (uniformity.is_uniform(*left)) {
    std::swap(left, right);
    l.predicate = CmpInst::getSwappedPredicate(l.predicate);
  }
  if (!ICmpInst::isLT(l.predicate) && !ICmpInst::isLE(l.predicate)) return false;
  l.bound = right;
  l.next = dyn_cast<BinaryOperator>(left);
  if (!l.next || l.next->getOpcode() != Instruction::Add) return false;
  for (unsigned k = 0; k < 2; ++k) {
    l.index = dyn_cast<PHINode>(l.next->getOperand(k));
    l.step = l.next->getOperand(1 - k);
    if (l.index && l.index->getParent() == l.form.header) break;
    l.index = nullptr;
  }
  if (!l.index || !knows_grid(l.step)) return false;
  for (Value* same : {l.step, l.bound})
    if (!uniformity.is_uniform(*same) || !l.form.loop->isLoopInvariant(same)) return false;
  if (l.index->getIncomingValueForBlock(l.form.latch) != l.next) return false;
  l.start = l.index->getIncomingValueForBlock(l.form.before);
  l.sum = ThreadSum();
  return l.sum.matches(l.start, uniformity) && is_asked_by_guard(l);
}

// A value that a turn hands to the next one lies in memory from barrier to barrier.
bool hands_on(const GridLoop& l, const BlockUniformity& uniformity) {
  return l.form.loop->isInnermost() && any_of(l.form.header->phis(), [&](const PHINode& phi) {
           return &phi != l.index && !uniformity.is_uniform(phi);
         });
}

// Neighbours of what a block reads are read by other blocks, which run before it or after it.
void note_stride(const GridLoop& l, const GroupShape& group) {
  if (group.whole_rows || !l.form.loop->isInnermost()) return;
  for (BasicBlock* block : l.form.loop->blocks())
    for (Instruction& i : *block)
      if (isa<LoadInst>(i))
        note_cost(i, kStrideCost,
                  "a block goes through its turns by itself, and they lie a grid's stride apart in memory: processors "
                  "ask early "
                  "for lines that follow each other only; blocks without barriers, which know of their threads only as "
                  "places in the grid, go together");
}

class Turner {
 public:
  Turner(const GridLoop& loop, const GroupShape& group, uint64_t asked, unsigned at_once)
      : l_(loop), group_(group), asked_(asked), at_once_(at_once), sum_(loop.sum) {}

  void run() {
    const CopiedBlocks copied(l_.form.loop->getBlocks(), ".full");
    build_turns(copied);
    if (at_once_ > 1) repeat_turn(copied);
    if (at_once_ > 1 && !group_.whole_rows) emit_own_barrier(&*l_.form.after->getFirstInsertionPt());
    Value* index = replace_index(*cast<PHINode>(copied.of(l_.index)));
    if (asked_ && at_once_ == 1 && l_.form.loop->isInnermost())
      prefetch_turns(copied.blocks(), index, steps_ahead(*copied.of(l_.form.header)), threads_of_turn(), asked_);
    l_.form.repeats->setMetadata(kRestOfLoop, MDNode::get(l_.index->getContext(), {}));
  }

 private:
  // Of a row as many as it may have where anything is asked for.
  uint64_t threads_of_turn() const {
    return group_.whole_rows ? kLongRow : uint64_t{group_.block[0]} * group_.block[1] * group_.block[2];
  }

  // From the guard and from each turn to `turn`, which decides for all threads: the next turn, the rest, or what
  // follows.
  void build_turns(const CopiedBlocks& copied) {
    const StridedLoop& l = l_.form;
    BasicBlock *header = copied.of(l.header), *latch = copied.of(l.latch);
    auto make = [&](const Twine& name) {
      return BasicBlock::Create(header->getContext(), name, header->getParent(), header);
    };
    BasicBlock *turn = make("turn"), *ended = make("ended"), *rest = make("rest");
    for (BasicBlock* from : {l.guard, latch}) {
      from->getTerminator()->eraseFromParent();
      IRBuilder<>(from).CreateBr(turn);
    }
    steps_ = PHINode::Create(l_.step->getType(), 2, "steps", turn);
    IRBuilder<> b(latch->getTerminator());
    steps_->addIncoming(ConstantInt::get(l_.step->getType(), 0), l.guard);
    steps_->addIncoming(b.CreateAdd(steps_, l_.step), latch);
    join_values(copied, *turn, *ended, *rest);
    b.SetInsertPoint(turn);
    Value* all = all_go_on(b, steps_);
    if (at_once_ > 1) turns_ = b.CreateSelect(several_go_on(b), b.getInt32(at_once_), b.getInt32(1), "turns");
    emit_own_barrier(b.CreateCondBr(all, header, ended));
    b.SetInsertPoint(ended);
    b.CreateCondBr(some_go_on(b), rest, l.after);
    b.SetInsertPoint(rest);
    Value* index = after_start(b);
    l_.index->setIncomingValueForBlock(l.before, index);
    b.CreateCondBr(b.CreateICmp(l_.predicate, index, l_.bound), l.before, l.after);
    emit_own_barrier(&rest->front());  // else what all ask would be joined with what each thread asks
  }

  // What a turn hands on, but for the index, is one value each: it is kept over the barrier.
  void join_values(const CopiedBlocks& copied, BasicBlock& turn, BasicBlock& ended, BasicBlock& rest) {
    const StridedLoop& l = l_.form;
    BasicBlock* latch = copied.of(l.latch);
    auto meet = [&](Value* from_guard, Value* from_copy) {
      for (PHINode& same : turn.phis())
        if (same.getIncomingValue(0) == from_guard && same.getIncomingValue(1) == from_copy) return &same;
      PHINode* phi = PHINode::Create(from_guard->getType(), 2, "", &turn);
      phi->addIncoming(from_guard, l.guard);
      phi->addIncoming(from_copy, latch);
      return phi;
    };
    for (PHINode& phi : l.header->phis()) {
      if (&phi == l_.index) continue;
      auto* in_copy = cast<PHINode>(copied.of(&phi));
      PHINode* met = meet(phi.getIncomingValueForBlock(l.before), in_copy->getIncomingValueForBlock(latch));
      phi.setIncomingValueForBlock(l.before, met);
      in_copy->replaceAllUsesWith(met);
      in_copy->eraseFromParent();
    }
    for (PHINode& phi : l.after->phis()) {
      Value* out = phi.getIncomingValueForBlock(l.exit);
      if (auto* last = dyn_cast<PHINode>(out); last && last->getParent() == l.exit) out = last->getIncomingValue(0);
      const int guard = phi.getBasicBlockIndex(l.guard);
      PHINode* met = meet(phi.getIncomingValue(guard), copied.of(out));
      phi.setIncomingValue(guard, met);
      phi.setIncomingBlock(guard, &ended);
      phi.addIncoming(met, &rest);
    }
  }

  // Between two barriers each thread does several turns, or one where fewer are left; from now on `steps_` is what one
  // of them has behind it.
  void repeat_turn(const CopiedBlocks& copied) {
    BasicBlock *turn = steps_->getParent(), *header = copied.of(l_.form.header), *latch = copied.of(l_.form.latch);
    auto* several = BasicBlock::Create(header->getContext(), "several", header->getParent(), header);
    turn->getTerminator()->replaceSuccessorWith(header, several);
    IRBuilder<> b(BranchInst::Create(header, several));
    PHINode* count = b.CreatePHI(b.getInt32Ty(), 2, "count");
    SmallVector<std::pair<PHINode*, PHINode*>, 8> handed_on;
    for (PHINode& phi : turn->phis()) handed_on.push_back({&phi, b.CreatePHI(phi.getType(), 2, phi.getName())});
    for (auto [phi, each] : handed_on) {
      phi->replaceUsesWithIf(each, [&, phi = phi](const Use& use) {
        auto* user = cast<Instruction>(use.getUser());
        if (user->getParent() == turn && isa<PHINode>(user)) return cast<PHINode>(user)->getIncomingBlock(use) == latch;
        return is_contained(copied.blocks(), user->getParent());
      });
    }
    for (auto [phi, each] : handed_on) {
      each->addIncoming(phi, turn);
      each->addIncoming(phi->getIncomingValueForBlock(latch), latch);
    }
    steps_ = handed_on.front().second;
    latch->getTerminator()->eraseFromParent();
    b.SetInsertPoint(latch);
    Value* next = b.CreateNUWAdd(count, b.getInt32(1));
    count->addIncoming(b.getInt32(0), turn);
    count->addIncoming(next, latch);
    b.CreateCondBr(b.CreateICmpEQ(next, turns_), turn, several);
  }

  /// The index of the first thread and of the last; whether it goes up from the one to the other without a wrap.
  struct Ends {
    Value *first, *last, *in_order;
  };

  Ends indices(IRBuilder<>& b, Value* steps_of_last) {
    auto [first_thread, last_thread] = ends(b);
    Value* first = b.CreateAdd(sum_.of(b, l_.start, first_thread), steps_);
    Value* last = b.CreateAdd(sum_.of(b, l_.start, last_thread), steps_of_last);
    const auto order = is_signed() ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE;
    return {first, last, b.CreateICmp(order, first, last)};
  }

  // A sum that wraps between the first thread and the last leaves the loop as it was.
  Value* all_go_on(IRBuilder<>& b, Value* steps_of_last) {
    const Ends at = indices(b, steps_of_last);
    Value* all = b.CreateAnd(at.in_order, b.CreateICmp(l_.predicate, at.last, l_.bound));
    if (!is_signed()) return all;
    Value* start = sum_.of(b, l_.start, ends(b).first);
    return b.CreateAnd(all, b.CreateICmpSGE(start, ConstantInt::get(start->getType(), 0)));
  }

  // For as many turns as there are at once. Not by steps so long that several of them might wrap.
  Value* several_go_on(IRBuilder<>& b) {
    Type* type = l_.step->getType();
    const APInt longest = APInt::getSignedMaxValue(type->getIntegerBitWidth()).udiv(at_once_);
    Value* to_last = b.CreateAdd(steps_, b.CreateMul(l_.step, ConstantInt::get(type, at_once_ - 1)));
    Value* all = all_go_on(b, to_last);
    return b.CreateAnd(all, b.CreateICmpULE(l_.step, ConstantInt::get(type, longest)));
  }

  Value* some_go_on(IRBuilder<>& b) {
    const Ends at = indices(b, steps_);
    return b.CreateOr(b.CreateICmp(l_.predicate, at.first, l_.bound), b.CreateNot(at.in_order));
  }

  bool is_signed() const { return ICmpInst::isSigned(l_.predicate); }

  std::pair<Value*, Value*> ends(IRBuilder<>& b) {
    Value *size = b.getInt32(group_.block[sum_.axis()]), *first = b.getInt32(0);
    if (goes_along_row()) {
      Value* start = b.CreateMul(b.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_ctaid_x, {}, {}), size);
      if (group_.overhangs(0)) first = b.CreateAnd(start, group_.lanes - 1);
      size = b.CreateMul(emit_block_count(b), size);
    }
    return {first, b.CreateAdd(first, b.CreateSub(size, b.getInt32(1)))};
  }

  // Where the array ends before, or the row is long, nothing else is asked for. A sum that wraps does no harm.
  Value* steps_ahead(BasicBlock& body) {
    IRBuilder<> b(&*body.getFirstInsertionPt());
    Value* last = b.CreateAdd(sum_.of(b, l_.start, ends(b).second), b.CreateAdd(steps_, l_.step));
    Constant* none = ConstantInt::get(l_.step->getType(), 0);
    Value* helps = b.CreateICmp(l_.predicate, last, l_.bound);
    if (group_.whole_rows)
      helps = b.CreateAnd(helps, b.CreateICmpULE(emit_block_count(b), b.getInt32(kLongRow / group_.block[0])));
    return b.CreateSelect(helps, l_.step, none, "ahead");
  }

  Value* replace_index(PHINode& index) {
    IRBuilder<> b(&*index.getParent()->getFirstInsertionPt());
    Value* sum = may_begin_with_block() ? threads_after_block(b) : after_start(b);
    sum->takeName(&index);
    index.replaceAllUsesWith(sum);
    index.eraseFromParent();
    return sum;
  }

  // Which is more than one block's threads.
  bool goes_along_row() const { return group_.whole_rows && sum_.axis() == 0; }

  bool may_begin_with_block() const {
    return !goes_along_row() && (is_signed() || !sum_.is_extended_by_sign(l_.start));
  }

  // What the block has, and the thread: no sum wraps between the first thread's index and the last one's, which
  // all_go_on() has found in order. So groups of lanes are constant distances apart.
  Value* threads_after_block(IRBuilder<>& b) {
    Value* block = b.CreateAdd(sum_.of(b, l_.start, b.getInt32(0)), steps_);
    Value* thread = b.CreateIntrinsic(kThread[sum_.axis()], {}, {});
    return b.CreateAdd(block, b.CreateZExt(thread, block->getType()), "", !is_signed(), is_signed());
  }

  // The start is not negative, so neither steps nor sum wrap where the index does not.
  Value* after_start(IRBuilder<>& b) {
    return b.CreateAdd(l_.start, steps_, "", !is_signed() && l_.next->hasNoUnsignedWrap(),
                       is_signed() && l_.next->hasNoSignedWrap());
  }

  const GridLoop& l_;
  const GroupShape& group_;
  const uint64_t asked_;    // bytes of an element, at most
  const unsigned at_once_;  // turns between two barriers
  const ThreadSum& sum_;
  PHINode* steps_ = nullptr;
  Value* turns_ = nullptr;  ///< between two barriers
};

bool match_loop(Loop& loop, const Shapes& block, const BlockUniformity& uniformity, GridLoop& found) {
  return match_strided_loop(loop, found.form) && !found.form.repeats->hasMetadata(kRestOfLoop) &&
         !block.runs_some_lanes(found.form.guard) && match_index(found, uniformity);
}

}  // namespace

bool turn_grid_loops(Function& kernel, const GroupShape& group, const TargetMachine& host) {
  const uint64_t threads = uint64_t{group.block[0]} * group.block[1] * group.block[2];
  const uint64_t asked = group.lanes == 1 ? 0 : is_wide_core(host) ? (kShortTurn - 1) / threads : ~uint64_t{0};
  for (unsigned turned = 0;; ++turned) {
    DominatorTree dominators(kernel);
    LoopInfo loops(dominators);
    if (loops.empty() || turned == kMostLoops) return turned != 0;
    const Shapes block(kernel, GroupShape::whole_block(group.block));
    const BlockUniformity uniformity(kernel);
    GridLoop found;
    auto candidates = loops.getLoopsInPreorder();
    if (none_of(candidates, [&](Loop* loop) { return match_loop(*loop, block, uniformity, found); }))
      return turned != 0;
    note_stride(found, group);
    Turner(found, group, asked, hands_on(found, uniformity) ? kTurnsAtOnce : 1).run();
  }
}

}  // namespace lanza::compiler
