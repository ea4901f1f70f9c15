#include "compiler/passes/vector/scalars/column_turns.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

/// `value` in elements from `base`, which is null if it is no pointer.
struct Place {
  Value *base, *index;
  Type* element;
};

// An index that is extended is not negative, or a signed one.
Place place_of(Value* v) {
  if (!v->getType()->isPointerTy()) return {nullptr, v, nullptr};
  auto* address = dyn_cast<GEPOperator>(v);
  if (!address || address->getNumIndices() != 1 || !address->isInBounds()) return {};
  Value *index = address->getOperand(1), *narrow;
  if (match(index, m_CombineOr(m_SExt(m_Value(narrow)), m_NNegZExt(m_Value(narrow))))) index = narrow;
  return {address->getPointerOperand(), index, address->getSourceElementType()};
}

bool keeps(const Value* v, bool is_signed) {
  auto* operation = dyn_cast<OverflowingBinaryOperator>(v);
  return operation && (is_signed ? operation->hasNoSignedWrap() : operation->hasNoUnsignedWrap());
}

// What the width is multiplied by; null: it is no such product.
Value* height_of(Value* product, Value* width, bool is_signed) {
  Value* height;
  const APInt *size, *shift;
  if (!keeps(product, is_signed)) return nullptr;
  if (match(product, m_c_Mul(m_Specific(width), m_Value(height)))) return height;
  if (match(width, m_Power2(size)) && match(product, m_Shl(m_Value(height), m_APInt(shift))) &&
      *shift == size->logBase2())
    return height;
  return nullptr;
}

/// `index` goes on by `width` while what follows is below width * height.
struct ColumnLoop {
  PHINode* index;
  ICmpInst *repeats, *enters;  // the other asks about where it begins, and may be null
  BranchInst* branch;
  Value *x, *width, *height;
  unsigned first;  // turn
  bool is_signed;
};

class ColumnTurns {
 public:
  explicit ColumnTurns(Function& kernel) : dominators_(kernel), loops_(dominators_), layout_(kernel.getDataLayout()) {}

  bool run() {
    bool changed = false;
    for (Loop* loop : loops_.getLoopsInPreorder())
      if (const auto found = match_loop(*loop)) {
        count(*loop, *found);
        changed = true;
      }
    return changed;
  }

 private:
  std::optional<ColumnLoop> match_loop(const Loop& loop) const {
    BasicBlock *head = loop.getHeader(), *latch = loop.getLoopLatch(), *before = loop.getLoopPreheader();
    auto* branch = latch ? dyn_cast<BranchInst>(latch->getTerminator()) : nullptr;
    if (!before || !branch || !branch->isConditional()) return {};
    auto* asks = dyn_cast<ICmpInst>(branch->getCondition());
    if (!asks || !asks->hasOneUse()) return {};
    const auto predicate = branch->getSuccessor(0) == head ? asks->getPredicate() : asks->getInversePredicate();
    Value *next = asks->getOperand(0), *end = asks->getOperand(1);
    if (!ICmpInst::isLT(predicate) || !loop.isLoopInvariant(end)) return {};
    auto* following = dyn_cast<Instruction>(next);
    auto* index = following ? index_of(*following, *head) : nullptr;
    if (!index || index->getIncomingValueForBlock(latch) != next) return {};
    const bool is_signed = ICmpInst::isSigned(predicate) || next->getType()->isPointerTy();
    ColumnLoop found{index, asks, nullptr, branch, nullptr, nullptr, nullptr, 0, is_signed};
    Value* start = index->getIncomingValueForBlock(before);
    if (!match_places(*following, *start, *end, found) || !loop.isLoopInvariant(found.width)) return {};
    if (!loop.isLoopInvariant(found.height) || !is_in_row(found, *before)) return {};
    return found;
  }

  static PHINode* index_of(Instruction& next, const BasicBlock& head) {
    for (Value* operand : next.operands())
      if (auto* phi = dyn_cast<PHINode>(operand); phi && phi->getParent() == &head) return phi;
    return nullptr;
  }

  static bool match_places(Instruction& next, Value& start, Value& end, ColumnLoop& found) {
    const Place first = place_of(&start), last = place_of(&end);
    if (!first.index || !last.index || first.base != last.base || first.element != last.element) return false;
    if (first.base) {
      const Place step = place_of(&next);
      if (step.base != found.index || step.element != first.element) return false;
      found.width = step.index;
    } else if (!keeps(&next, found.is_signed) ||
               !match(&next, m_c_Add(m_Specific(found.index), m_Value(found.width)))) {
      return false;
    }
    if (last.index->getType() != found.width->getType() || first.index->getType() != found.width->getType())
      return false;
    found.height = height_of(last.index, found.width, found.is_signed);
    found.x = first.index;
    if (keeps(first.index, found.is_signed) && match(first.index, m_c_Add(m_Specific(found.width), m_Value(found.x))))
      found.first = 1;
    else
      found.x = first.index;
    return found.height;
  }

  // Whether each thread that comes there has an x of the row.
  bool is_in_row(const ColumnLoop& found, const BasicBlock& there) const {
    if (found.is_signed && !isKnownNonNegative(found.x, SimplifyQuery(layout_))) return false;
    const auto below = found.is_signed ? ICmpInst::ICMP_SLT : ICmpInst::ICMP_ULT;
    for (auto* node = dominators_.getNode(&there)->getIDom(); node; node = node->getIDom()) {
      auto* branch = dyn_cast<BranchInst>(node->getBlock()->getTerminator());
      if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1)) continue;
      for (const bool holds : {true, false}) {
        const BasicBlockEdge way(node->getBlock(), branch->getSuccessor(holds ? 0 : 1));
        if (dominators_.dominates(way, &there) &&
            isImpliedCondition(branch->getCondition(), below, found.x, found.width, layout_, holds) == true)
          return true;
      }
    }
    return false;
  }

  void count(Loop& loop, const ColumnLoop& found) {
    BasicBlock *head = loop.getHeader(), *latch = loop.getLoopLatch(), *before = loop.getLoopPreheader();
    const auto below = found.is_signed ? ICmpInst::ICMP_SLT : ICmpInst::ICMP_ULT;
    Type* type = found.height->getType();
    auto* turn = PHINode::Create(type, 2, "turn", head->begin());
    IRBuilder<> b(latch->getTerminator());
    Value* following = b.CreateAdd(turn, ConstantInt::get(type, 1), "", /*HasNUW=*/true, /*HasNSW=*/found.is_signed);
    turn->addIncoming(ConstantInt::get(type, found.first), before);
    turn->addIncoming(following, latch);
    Value* more = b.CreateICmp(below, following, found.height);
    if (found.branch->getSuccessor(0) != head) more = b.CreateNot(more);
    answer_guard(found, *before, below);
    found.branch->setCondition(more);
    found.repeats->eraseFromParent();
  }

  // What asks in front of the loop whether there is a first turn.
  void answer_guard(const ColumnLoop& found, BasicBlock& before, ICmpInst::Predicate below) const {
    Value *start = found.index->getIncomingValueForBlock(&before), *end = found.repeats->getOperand(1);
    BasicBlock* guard = before.getSinglePredecessor();
    auto* branch = guard ? dyn_cast<BranchInst>(guard->getTerminator()) : nullptr;
    auto* asks = branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
    if (!asks || !is_in_row(found, *guard)) return;
    if (asks->isSigned() != found.is_signed && !asks->getOperand(0)->getType()->isPointerTy()) return;
    const Place first = place_of(start), last = place_of(end);
    auto is_question = [&](Value* a, Value* c) {
      return (a == start && c == end) || (a == first.index && c == last.index);
    };
    auto predicate = asks->getPredicate();
    if (is_question(asks->getOperand(1), asks->getOperand(0)))
      predicate = ICmpInst::getSwappedPredicate(predicate);
    else if (!is_question(asks->getOperand(0), asks->getOperand(1)))
      return;
    const bool is_inverse = ICmpInst::isGE(predicate);
    if (!is_inverse && !ICmpInst::isLT(predicate)) return;
    IRBuilder<> b(branch);
    Value* enters = b.CreateICmp(is_inverse ? ICmpInst::getInversePredicate(below) : below,
                                 ConstantInt::get(found.height->getType(), found.first), found.height);
    branch->setCondition(enters);
    if (asks->use_empty()) asks->eraseFromParent();
  }

  const DominatorTree dominators_;
  const LoopInfo loops_;
  const DataLayout& layout_;
};

}  // namespace

bool count_column_turns(Function& kernel) { return ColumnTurns(kernel).run(); }

}  // namespace lanza::compiler
