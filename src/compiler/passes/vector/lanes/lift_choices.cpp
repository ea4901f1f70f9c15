#include "compiler/passes/vector/lanes/lift_choices.hpp"

#include <optional>

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostBranches = 8;  // one above the other, that are looked at

Value* thawed(Value* v) {
  auto* freeze = dyn_cast<FreezeInst>(v);
  return freeze ? freeze->getOperand(0) : v;
}

/// `root + offset`, which may wrap.
struct Sum {
  Value* root;
  APInt offset;
};

Sum sum_of(Value* v) {
  const unsigned bits = v->getType()->getScalarSizeInBits();
  Value* root = nullptr;
  const APInt* offset = nullptr;
  if (match(v, m_Add(m_Value(root), m_APInt(offset)))) return {root, *offset};
  return {v, APInt(bits, 0)};
}

/// The lanes for which `shared`, the same for all, compares so with each lane's constant.
struct Lanes {
  CmpInst::Predicate predicate;
  Value* shared;
  Constant* constants;
};

std::optional<Lanes> lanes_of(Value* mask) {
  auto* question = dyn_cast<ICmpInst>(thawed(mask));
  if (!question || !question->getType()->isVectorTy()) return {};
  auto* constants = dyn_cast<Constant>(question->getOperand(1));
  Value* shared = getSplatValue(thawed(question->getOperand(0)));
  if (!constants || !shared || !shared->getType()->isIntegerTy() || isa<Constant>(shared)) return {};
  return Lanes{question->getPredicate(), shared, constants};
}

/// What is known of integers by the branches that lead to a place.
class Ways {
 public:
  explicit Ways(const DominatorTree& dominators) : dominators_(dominators) {}

  /// Whether all lanes of `mask` are on, or all are off, on the way from `from` to `to`.
  std::optional<bool> find(const Lanes& lanes, BasicBlock* from, BasicBlock* to) const {
    const ConstantRange range = range_on(*lanes.shared, from, to);
    if (range.isEmptySet() || range.isFullSet()) return {};
    const unsigned count = cast<FixedVectorType>(lanes.constants->getType())->getNumElements();
    bool all = true, none = true;
    for (unsigned lane = 0; lane < count && (all || none); ++lane) {
      auto* constant = dyn_cast_or_null<ConstantInt>(lanes.constants->getAggregateElement(lane));
      if (!constant) return {};
      const auto on = ConstantRange::makeExactICmpRegion(lanes.predicate, constant->getValue());
      all &= on.contains(range);
      none &= on.inverse().contains(range);
    }
    if (!all && !none) return {};
    return all;
  }

 private:
  ConstantRange range_on(Value& v, BasicBlock* from, BasicBlock* to) const {
    const Sum sum = sum_of(&v);
    ConstantRange range = ConstantRange::getFull(v.getType()->getIntegerBitWidth());
    ask(*from, sum, range, [&](BasicBlock* next) { return next == to; });
    const auto* node = dominators_.getNode(from);
    for (unsigned n = 0; node && node->getIDom() && n < kMostBranches; ++n) {
      node = node->getIDom();
      BasicBlock* above = node->getBlock();
      ask(*above, sum, range,
          [&](BasicBlock* next) { return dominators_.dominates(BasicBlockEdge(above, next), from); });
    }
    return range;
  }

  // Narrows `range`, of the sum, by the end of a block, where one of its ways is certain to be taken.
  static void ask(BasicBlock& block, const Sum& sum, ConstantRange& range, function_ref<bool(BasicBlock*)> is_taken) {
    auto* branch = dyn_cast<BranchInst>(block.getTerminator());
    if (!branch || branch->isUnconditional() || branch->getSuccessor(0) == branch->getSuccessor(1)) return;
    auto* question = dyn_cast<ICmpInst>(thawed(branch->getCondition()));
    const APInt* constant = nullptr;
    if (!question || !match(question->getOperand(1), m_APInt(constant))) return;
    const Sum asked = sum_of(question->getOperand(0));
    if (asked.root != sum.root) return;
    const bool yes = is_taken(branch->getSuccessor(0));
    if (!yes && !is_taken(branch->getSuccessor(1))) return;
    const auto region =
        ConstantRange::makeExactICmpRegion(yes ? question->getPredicate() : question->getInversePredicate(), *constant);
    range = range.intersectWith(region.add(ConstantRange(sum.offset - asked.offset)));
  }

  const DominatorTree& dominators_;
};

// A value in front of the block, or one that its phi brings from there.
bool comes_from_before(const Value* v, const BasicBlock& block) {
  auto* i = dyn_cast<Instruction>(v);
  return !i || i->getParent() != &block || isa<PHINode>(i);
}

// Of a choice by the same mask only what it would choose.
Value* side(Value* v, const Value* mask, bool on) {
  auto* choice = dyn_cast<SelectInst>(v);
  if (!choice || choice->getCondition() != mask) return v;
  return on ? choice->getTrueValue() : choice->getFalseValue();
}

/// A way to the block of a choice, and what is known of its mask there.
using Way = std::pair<BasicBlock*, std::optional<bool>>;

// Nothing where they know too little.
SmallVector<Way, 4> ways_to(SelectInst& choice, const Ways& ways) {
  const auto lanes = lanes_of(choice.getCondition());
  if (!lanes) return {};
  SmallVector<Way, 4> found;
  unsigned open = 0;
  BasicBlock* block = choice.getParent();
  for (BasicBlock* from : predecessors(block)) {
    if (is_contained(make_first_range(found), from)) return {};
    found.push_back({from, ways.find(*lanes, from, block)});
    if (found.back().second) continue;
    if (++open > 1 || from->getSingleSuccessor() != block) return {};
  }
  return open < found.size() && found.size() > 1 ? found : SmallVector<Way, 4>();
}

bool lift(SelectInst& choice, const Ways& ways) {
  BasicBlock& block = *choice.getParent();
  Value* mask = choice.getCondition();
  if (!mask->getType()->isVectorTy() || isa<Constant>(mask)) return false;
  auto* made = dyn_cast<Instruction>(mask);
  if (!made || made->getParent() == &block) return false;
  Value *on = choice.getTrueValue(), *off = choice.getFalseValue();
  if (!comes_from_before(on, block) || !comes_from_before(off, block)) return false;
  const SmallVector<Way, 4> found = ways_to(choice, ways);
  if (found.empty()) return false;
  PHINode* phi = PHINode::Create(choice.getType(), static_cast<unsigned>(found.size()), "", block.begin());
  for (const auto& [from, known] : found) {
    Value *yes = side(on->DoPHITranslation(&block, from), mask, true),
          *no = side(off->DoPHITranslation(&block, from), mask, false);
    Value* value = known.value_or(true) ? yes : no;
    if (!known) value = IRBuilder<>(from->getTerminator()).CreateSelect(mask, yes, no);
    phi->addIncoming(value, from);
  }
  choice.replaceAllUsesWith(phi);
  choice.eraseFromParent();
  return true;
}

// To the one block that asks, which most groups do not come to.
void sink(Instruction& i, const LoopInfo& loops) {
  BasicBlock* block = nullptr;
  for (User* user : i.users()) {
    auto* at = cast<Instruction>(user);
    if (isa<PHINode>(at) || (block && at->getParent() != block)) return;
    block = at->getParent();
  }
  if (!block || block == i.getParent() || loops.getLoopFor(block) != loops.getLoopFor(i.getParent())) return;
  i.moveBefore(*block, block->getFirstInsertionPt());
}

}  // namespace

bool lift_choices(Function& run, const DominatorTree& dominators, const LoopInfo& loops) {
  const Ways ways(dominators);
  SmallSetVector<Instruction*, 16> masks;
  for (Instruction& i : make_early_inc_range(instructions(run))) {
    auto* choice = dyn_cast<SelectInst>(&i);
    auto* mask = choice ? dyn_cast<Instruction>(choice->getCondition()) : nullptr;
    if (choice && lift(*choice, ways)) masks.insert(mask);
  }
  for (Instruction* mask : masks) {
    auto* question = dyn_cast<Instruction>(thawed(mask));
    sink(*mask, loops);
    if (question && question != mask) sink(*question, loops);
  }
  return !masks.empty();
}

}  // namespace lanza::compiler
