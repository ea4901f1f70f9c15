#include "compiler/passes/vector/version_quotients.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/fold_rings.hpp"
#include "compiler/passes/vector/group_form.hpp"
#include "compiler/passes/vector/recompute.hpp"
#include "compiler/passes/vector/shapes.hpp"
#include "compiler/passes/vector/version_guards.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kLargest = 600;         // instructions of a piece
constexpr unsigned kBudget = 1500;         // of all copies of a kernel
constexpr unsigned kMostAnalysed = 15000;  // in all rounds: each copy asks for new analyses of the whole kernel
constexpr unsigned kMostTests = 6;         // divisions by a divisor of its own
constexpr unsigned kMostDepth = 8;
constexpr int64_t kMostStride = 64;

bool is_signed(const BinaryOperator& i) {
  return i.getOpcode() == Instruction::SDiv || i.getOpcode() == Instruction::SRem;
}
bool is_remainder(const BinaryOperator& i) {
  return i.getOpcode() == Instruction::SRem || i.getOpcode() == Instruction::URem;
}

/// The divisor behind its guard against 0 and -1.
Value* unguarded(Value* divisor) {
  Value* base;
  return match(divisor, m_Select(m_Value(), m_One(), m_Value(base))) ? base : divisor;
}

/// What lanes have in the copy: lane 0's value and the step from lane to lane.
struct Affine {
  Value* first = nullptr;
  int64_t stride = 0;
};

/// What lanes have more than lane 0.
Value* steps_of_lanes(IRBuilder<>& b, Type* type, int64_t stride) {
  Value* lane = b.CreateZExtOrTrunc(emit_lane(b), type);
  return b.CreateMul(lane, ConstantInt::get(type, stride), "", /*HasNUW=*/true, /*HasNSW=*/true);
}

/// What is asked in front of a piece, and what follows from it for the piece's divisions.
class Rows {
 public:
  Rows(Instruction& at, const Shapes& shapes, const DominatorTree& dominators)
      : shapes_(shapes), copies_(&at, dominators), b_(copies_.builder) {}

  /// In the order of the code.
  void take(Instruction& i) {
    if (auto* division = dyn_cast<BinaryOperator>(&i); division && division->isIntDivRem())
      take_division(*division);
    else if (auto* select = dyn_cast<SelectInst>(&i))
      take_guard(*select);
  }

  Value* all() const { return all_; }
  /// Lane 0's value and the step, of divisions; a step of 0: the quotient.
  const MapVector<Instruction*, Affine>& divisions() const { return divisions_; }
  /// The conditions of selects, as they are known then.
  const MapVector<SelectInst*, bool>& guards() const { return guards_; }

 private:
  struct Row {
    Value *dividend, *divisor;
    bool is_signed;
    Value *quotient, *rest;
    int64_t stride;
  };

  void take_division(BinaryOperator& i) {
    Value *dividend = i.getOperand(0), *divisor = i.getOperand(1);
    if (i.getType()->getScalarSizeInBits() < 32 || !shapes_.is_uniform(divisor) || !copies_.can(divisor)) return;
    Row* row = find_row(dividend, divisor, is_signed(i));
    if (!row) {
      if (wraps_neighbour(i)) return;
      if (rows_.size() == kMostTests) return;
      const Affine index = affine(dividend);
      if (!index.first || index.stride <= 0 || index.stride > kMostStride) return;
      auto* number = dyn_cast<ConstantInt>(divisor);
      if (number && number->getValue().ule(static_cast<uint64_t>(index.stride) * shapes_.group().lanes)) return;
      row = ask(i, index);
    }
    divisions_[&i] = is_remainder(i) ? Affine{row->rest, row->stride} : Affine{row->quotient, 0};
  }

  Row* find_row(const Value* dividend, const Value* divisor, bool is_signed) {
    for (Row& row : rows_)
      if (row.dividend == dividend && row.divisor == divisor && row.is_signed == is_signed) return &row;
    return nullptr;
  }

  // first <= most - span and first % n < n - span: then no lane's index wraps, and all lie in one row. Of a rest of
  // another row the former is known. With a sign: as numbers without one, first is not negative either.
  Row* ask(BinaryOperator& division, Affine index) {
    const bool with_sign = is_signed(division);
    Type* type = division.getType();
    const unsigned bits = type->getScalarSizeInBits();
    const APInt span(bits, static_cast<uint64_t>(index.stride) * (shapes_.group().lanes - 1));
    const APInt most = with_sign ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
    auto number = [&](const APInt& value) { return ConstantInt::get(type, value); };
    Value* base = copies_.copy(unguarded(division.getOperand(1)));
    Value* one = ConstantInt::get(type, 1);
    Value* divisor = b_.CreateBinaryIntrinsic(with_sign ? Intrinsic::smax : Intrinsic::umax, base, one);
    Value* quotient = with_sign ? b_.CreateSDiv(index.first, divisor) : b_.CreateUDiv(index.first, divisor);
    Value* rest = with_sign ? b_.CreateSRem(index.first, divisor) : b_.CreateURem(index.first, divisor);
    Value* room = b_.CreateBinaryIntrinsic(Intrinsic::usub_sat, divisor, number(span));
    ask(b_.CreateICmpULT(rest, room));
    if (none_of(rows_, [&](const Row& row) { return row.rest == index.first && row.is_signed == with_sign; }))
      ask(b_.CreateICmpULE(index.first, number(most - span)));
    rows_.push_back({division.getOperand(0), division.getOperand(1), with_sign, quotient, rest, index.stride});
    return &rows_.back();
  }

  void ask(Value* holds) { all_ = all_ ? b_.CreateAnd(all_, holds) : holds; }

  Affine affine(Value* v, unsigned depth = kMostDepth) {
    auto* i = dyn_cast<Instruction>(v);
    if (auto found = divisions_.find(i); i && found != divisions_.end()) return found->second;
    if (Value* side = taken_side(v); side != v) return depth ? affine(side, depth - 1) : Affine{};
    const Shape shape = shapes_[v];
    if (shape.kind == Shape::Strided && copies_.can(v)) return of_strided(copies_.copy(v), shape.stride);
    if (!i || depth == 0) return {};
    if (isa<SExtInst, ZExtInst>(i)) return of_extension(*cast<CastInst>(i));
    if (i->getOpcode() != Instruction::Add && i->getOpcode() != Instruction::Sub) return {};
    const Affine a = affine(i->getOperand(0), depth - 1), c = affine(i->getOperand(1), depth - 1);
    if (!a.first || !c.first) return {};
    if (i->getOpcode() == Instruction::Sub) return {b_.CreateSub(a.first, c.first), a.stride - c.stride};
    return {b_.CreateAdd(a.first, c.first), a.stride + c.stride};
  }

  Affine of_strided(Value* v, int64_t stride) {
    if (stride == 0) return {v, 0};
    if (stride < 0 || stride > kMostStride || !v->getType()->isIntegerTy()) return {};
    return {b_.CreateSub(v, steps_of_lanes(b_, v->getType(), stride)), stride};
  }

  // Of remainders and quotients, which are not negative.
  Affine of_extension(CastInst& cast) {
    auto* part = dyn_cast<BinaryOperator>(taken_side(cast.getOperand(0)));
    auto found = divisions_.find(part);
    if (!part || found == divisions_.end() || !(is_signed(*part) || isa<ZExtInst>(cast))) return {};
    return {b_.CreateZExt(found->second.first, cast.getType()), found->second.stride};
  }

  // n == 0 ? ... : i / n. Simplification may have made any question to what n is made of from that.
  void take_guard(SelectInst& select) {
    auto is_row = [&](Value* v) { return divisions_.contains(dyn_cast<Instruction>(taken_side(v))); };
    Value* condition = select.getCondition();
    const bool truth = is_row(select.getTrueValue());
    if (truth == is_row(select.getFalseValue())) return;
    if (!shapes_.is_uniform(condition) || !copies_.can(condition)) return;
    Value* holds = copies_.copy(condition);
    ask(truth ? holds : b_.CreateNot(holds));
    guards_[&select] = truth;
  }

  Value* taken_side(Value* v) const {
    for (auto* select = dyn_cast<SelectInst>(v); select; select = dyn_cast<SelectInst>(v)) {
      auto found = guards_.find(select);
      if (found == guards_.end()) return v;
      v = found->second ? select->getTrueValue() : select->getFalseValue();
    }
    return v;
  }

  const Shapes& shapes_;
  Recomputer copies_;
  IRBuilder<>& b_;
  SmallVector<Row, kMostTests> rows_;
  MapVector<Instruction*, Affine> divisions_;
  MapVector<SelectInst*, bool> guards_;
  Value* all_ = nullptr;
};

class QuotientVersions {
 public:
  QuotientVersions(Function& kernel, const GroupShape& group) : kernel_(kernel), group_(group) {}

  bool run() {
    for (unsigned analysed = 0; analysed < kMostAnalysed && has_candidates(); analysed += kernel_.getInstructionCount())
      if (!step()) break;
    return changed_;
  }

 private:
  bool may_gain(const Instruction& i) const {
    auto* division = dyn_cast<BinaryOperator>(&i);
    return division && division->isIntDivRem() && !done_.contains(&i) && !wraps_neighbour(*division) &&
           division->getType()->getScalarSizeInBits() >= 32;
  }

  // Most kernels have none: no analysis for them.
  bool has_candidates() const {
    return group_.lanes > 1 && any_of(instructions(kernel_), [&](Instruction& i) { return may_gain(i); });
  }

  // One piece at a time: what analyses know is gone then.
  bool step() {
    const DominatorTree dominators(kernel_);
    const LoopInfo loops(dominators);
    const Shapes shapes(kernel_, group_);
    for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&kernel_))
      for (Instruction& i : *block) {
        if (!may_gain(i)) continue;
        done_.insert(&i);
        if (!shapes[&i].is_varying() || !shapes[i.getOperand(0)].is_strided()) continue;
        if (version(i, dominators, loops, shapes)) return changed_ = true;
      }
    return false;
  }

  // What runs after the division in the same turn of its loop, and only after it.
  SmallSetVector<BasicBlock*, 16> behind(Instruction& first, const DominatorTree& dominators,
                                         const LoopInfo& loops) const {
    SmallSetVector<BasicBlock*, 16> blocks;
    BasicBlock* start = first.getParent();
    Loop* loop = loops.getLoopFor(start);
    SmallVector<BasicBlock*, 16> work(successors(start));
    while (!work.empty()) {
      BasicBlock* block = work.pop_back_val();
      if (block == start || !dominators.dominates(start, block) || (loop && !loop->contains(block)) ||
          !blocks.insert(block))
        continue;
      append_range(work, successors(block));
    }
    return blocks;
  }

  static bool may_be_copied(Instruction& i) {
    auto* call = dyn_cast<CallBase>(&i);
    return !as_sync(i) && !isa<AllocaInst>(i) && !(call && call->cannotDuplicate());
  }

  bool version(Instruction& first, const DominatorTree& dominators, const LoopInfo& loops, const Shapes& shapes) {
    BasicBlock* before = first.getParent();
    SmallSetVector<BasicBlock*, 16> blocks = behind(first, dominators, loops);
    SmallVector<Instruction*, 64> code;
    for (Instruction& i : make_range(first.getIterator(), before->end())) code.push_back(&i);
    for (BasicBlock* block : ReversePostOrderTraversal<BasicBlock*>(before))
      if (blocks.contains(block))
        for (Instruction& i : *block) code.push_back(&i);
    if (code.size() > kLargest || grown_ + code.size() > kBudget) return false;
    const bool has_memory = any_of(code, [](Instruction* i) { return i->mayReadOrWriteMemory(); });
    if (!has_memory || !all_of(code, [](Instruction* i) { return may_be_copied(*i); })) return false;
    const SmallPtrSet<Instruction*, 32> inside(code.begin(), code.end());
    auto stays_inside = [&](Instruction* i) {
      return all_of(i->uses(), [&](Use& use) {
        auto* phi = dyn_cast<PHINode>(use.getUser());
        return inside.contains(phi ? phi->getIncomingBlock(use)->getTerminator() : cast<Instruction>(use.getUser()));
      });
    };
    if (!all_of(code, stays_inside)) return false;
    Rows rows(first, shapes, dominators);
    for (Instruction* i : code) rows.take(*i);
    if (!rows.all()) return false;
    BasicBlock* head = SplitBlock(before, &first);
    blocks.insert(head);
    BasicBlock* fast = copy(blocks, head, rows);
    before->getTerminator()->eraseFromParent();
    auto* choice = BranchInst::Create(fast, head, rows.all(), before);
    choice->setMetadata(LLVMContext::MD_prof, MDBuilder(kernel_.getContext()).createLikelyBranchWeights());
    done_.insert(code.begin(), code.end());
    grown_ += static_cast<unsigned>(code.size());
    return true;
  }

  // Its head.
  BasicBlock* copy(const SmallSetVector<BasicBlock*, 16>& blocks, BasicBlock* head, const Rows& rows) {
    ValueToValueMapTy map;
    SmallVector<BasicBlock*, 16> copies;
    for (BasicBlock* block : blocks) {
      BasicBlock* copied = CloneBasicBlock(block, map, ".row", &kernel_);
      map[block] = copied;
      copies.push_back(copied);
    }
    remapInstructionsInBlocks(copies, map);
    for (BasicBlock* block : blocks)
      for (BasicBlock* exit : successors(block))
        if (!blocks.contains(exit)) add_incoming(*exit, *block, map);
    auto* fast = cast<BasicBlock>(map[head]);
    IRBuilder<> b(fast, fast->getFirstInsertionPt());
    SmallVector<std::pair<Value*, Value*>, kMostTests> columns;  // with their rows' lengths, which are above 0
    for (const auto& [division, value] : rows.divisions()) {
      Value* known = value.first;
      if (value.stride) known = b.CreateAdd(known, steps_of_lanes(b, known->getType(), value.stride), "", true, true);
      auto* copied = cast<Instruction>(map[division]);
      copied->replaceAllUsesWith(known);
      done_.insert(copied);
      if (value.stride && copied->getOpcode() == Instruction::SRem) columns.push_back({known, copied->getOperand(1)});
    }
    for (const auto& [select, truth] : rows.guards()) {
      auto* copied = cast<SelectInst>(map[select]);
      copied->replaceAllUsesWith(truth ? copied->getTrueValue() : copied->getFalseValue());
    }
    fold_rings_of(columns, copies);
    return fast;
  }

  // (column + 1) % width; a width without a sign might be so large that the sum wraps.
  static void fold_rings_of(ArrayRef<std::pair<Value*, Value*>> columns, ArrayRef<BasicBlock*> blocks) {
    for (BasicBlock* block : blocks)
      for (Instruction& i : make_early_inc_range(*block)) {
        auto* remainder = dyn_cast<BinaryOperator>(&i);
        if (!remainder || remainder->getOpcode() != Instruction::SRem) continue;
        Value* divisor = remainder->getOperand(1);
        fold_ring(*remainder, [&](Value* index, Value*) { return is_contained(columns, std::pair(index, divisor)); });
      }
  }

  // An exit that several edges of the block lead to has an entry for each.
  static void add_incoming(BasicBlock& exit, BasicBlock& block, ValueToValueMapTy& map) {
    auto* copied = cast<BasicBlock>(map[&block]);
    for (PHINode& phi : exit.phis()) {
      Value* value = phi.getIncomingValueForBlock(&block);
      auto found = map.find(value);
      phi.addIncoming(found == map.end() ? value : static_cast<Value*>(found->second), copied);
    }
  }

  Function& kernel_;
  const GroupShape group_;
  SmallPtrSet<const Instruction*, 32> done_;
  unsigned grown_ = 0;
  bool changed_ = false;
};

}  // namespace

bool version_quotients(Function& kernel, const GroupShape& group) { return QuotientVersions(kernel, group).run(); }

}  // namespace lanza::compiler
