#include "compiler/passes/vector/lanes/join_choices.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/passes/vector/analysis/processors.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

/// A condition, or what it is not.
using Condition = PointerIntPair<Value*, 1, bool>;

SelectInst* as_choice(Value* v) {
  auto* choice = dyn_cast<SelectInst>(v);
  return choice && choice->getCondition()->getType()->isVectorTy() ? choice : nullptr;
}

/// What a choice does, and those within it that keep the same value.
struct Chain {
  SmallVector<Condition, 4> conditions;  ///< all of which lead to `made`, the outermost first
  Value *kept = nullptr, *made = nullptr;
};

// Goes into the choice, which is behind all conditions that are known.
bool enter(SelectInst& choice, Chain& chain) {
  const bool keeps_first = choice.getTrueValue() == chain.kept;
  if (!keeps_first && choice.getFalseValue() != chain.kept) return false;
  chain.conditions.emplace_back(choice.getCondition(), keeps_first);
  chain.made = keeps_first ? choice.getFalseValue() : choice.getTrueValue();
  return true;
}

Chain chain_of(SelectInst& outermost, Value* kept) {
  Chain chain;
  chain.kept = kept;
  if (!enter(outermost, chain)) return {};
  for (SelectInst* inner = as_choice(chain.made); inner && inner->hasOneUse(); inner = as_choice(chain.made))
    if (!enter(*inner, chain)) break;
  return chain;
}

/// The choices of one block.
class ChoiceJoiner {
 public:
  bool join(SelectInst& choice) {
    const Chain keeps_second = chain_of(choice, choice.getFalseValue()),
                keeps_first = chain_of(choice, choice.getTrueValue());
    const Chain& chain = keeps_first.conditions.size() > keeps_second.conditions.size() ? keeps_first : keeps_second;
    if (chain.conditions.size() < 2 || chain.made == chain.kept) return false;
    IRBuilder<> b(&choice);
    Value* all = plain(b, chain.conditions[0]);
    for (const Condition& condition : ArrayRef(chain.conditions).drop_front()) all = both(b, all, condition);
    choice.replaceAllUsesWith(b.CreateSelect(all, chain.made, chain.kept));
    RecursivelyDeleteTriviallyDeadInstructions(&choice);
    return true;
  }

 private:
  // Made where the first of the block's choices wants it.
  Value* plain(IRBuilder<>& b, Condition condition) {
    Value* mask = condition.getPointer();
    if (!condition.getInt()) return mask;
    Value*& opposite = opposites_[mask];
    if (opposite) return opposite;
    auto* asks = dyn_cast<CmpInst>(mask);
    opposite =
        asks ? b.CreateCmp(asks->getInversePredicate(), asks->getOperand(0), asks->getOperand(1)) : b.CreateNot(mask);
    return opposite;
  }

  Value* both(IRBuilder<>& b, Value* all, Condition condition) {
    Value*& known = joined_[{all, condition}];
    if (!known) known = b.CreateLogicalAnd(all, plain(b, condition));
    return known;
  }

  DenseMap<Value*, Value*> opposites_;
  DenseMap<std::pair<Value*, Condition>, Value*> joined_;
};

// The choice around it goes into it.
bool is_inner(SelectInst& choice) {
  if (!choice.hasOneUse()) return false;
  SelectInst* around = as_choice(*choice.user_begin());
  if (!around || around->getParent() != choice.getParent() || around->getCondition() == &choice) return false;
  Value* kept = around->getTrueValue() == &choice ? around->getFalseValue() : around->getTrueValue();
  return kept == choice.getTrueValue() || kept == choice.getFalseValue();
}

}  // namespace

bool join_choices(Function& run, const TargetMachine& host) {
  if (has_features(host, "+avx512f")) return false;
  bool changed = false;
  for (BasicBlock& block : run) {
    ChoiceJoiner joiner;
    for (Instruction& i : make_early_inc_range(block))
      if (SelectInst* choice = as_choice(&i); choice && !choice->getType()->isIntOrIntVectorTy(1) && !is_inner(*choice))
        changed |= joiner.join(*choice);
  }
  return changed;
}

}  // namespace lanza::compiler
