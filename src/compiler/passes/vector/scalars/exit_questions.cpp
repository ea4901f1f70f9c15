#include "compiler/passes/vector/scalars/exit_questions.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

class ExitQuestions {
 public:
  ExitQuestions(Function& kernel, LoopInfo& loops, const DominatorTree& dominators, ScalarEvolution& evolution)
      : kernel_(kernel), loops_(loops), dominators_(dominators), evolution_(evolution) {}

  bool run() {
    bool changed = false;
    for (BasicBlock& block : kernel_)
      for (PHINode& phi : make_early_inc_range(block.phis())) {
        if (!are_answered(phi)) continue;
        ask(phi);
        changed = true;
      }
    return changed;
  }

 private:
  bool are_answered(const PHINode& number) const {
    return number.getType()->isIntegerTy() && !number.use_empty() && all_of(number.users(), [&](const User* user) {
             auto* question = dyn_cast<ICmpInst>(user);
             return question && is_answered(number, *question);
           });
  }

  /// `number` as `question` has it, of a way on which it is `value`.
  struct Asked {
    CmpInst::Predicate predicate;
    Value *value, *other;
  };

  static Asked of(const PHINode& number, const ICmpInst& question, Value* value) {
    if (question.getOperand(0) == &number) return {question.getPredicate(), value, question.getOperand(1)};
    return {question.getSwappedPredicate(), value, question.getOperand(0)};
  }

  // A phi of one of the loop's exits that only another phi, behind the loop, takes on.
  static PHINode* as_inner(Value* value, const BasicBlock* from) {
    auto* phi = dyn_cast<PHINode>(value);
    return phi && phi->getParent() == from && phi->hasOneUse() ? phi : nullptr;
  }

  bool is_known_before(const Value& value, const BasicBlock& from) const {
    auto* i = dyn_cast<Instruction>(&value);
    return !i || dominators_.dominates(i, from.getTerminator());
  }

  // A loop is left by some way, and the answer is known at all of these.
  bool is_answered(const PHINode& number, const ICmpInst& question) const {
    if (loops_.isLoopHeader(number.getParent())) return false;
    bool leaves = false;
    for (const BasicBlock* from : number.blocks()) {
      const Asked asked = of(number, question, number.getIncomingValueForBlock(from));
      if (!is_known_before(*asked.other, *from)) return false;
      if (PHINode* inner = as_inner(asked.value, from)) {
        if (loops_.isLoopHeader(from) || !is_inner_answered(*inner, asked, leaves)) return false;
        continue;
      }
      if (!leaves_loop(*from, *number.getParent())) continue;
      leaves = true;
      if (!answer(asked, *from, *number.getParent())) return false;
    }
    return leaves;
  }

  bool is_inner_answered(const PHINode& inner, const Asked& asked, bool& leaves) const {
    for (const BasicBlock* from : inner.blocks()) {
      if (!is_known_before(*asked.other, *from)) return false;
      if (!leaves_loop(*from, *inner.getParent())) continue;
      leaves = true;
      if (!answer({asked.predicate, inner.getIncomingValueForBlock(from), asked.other}, *from, *inner.getParent()))
        return false;
    }
    return true;
  }

  bool leaves_loop(const BasicBlock& from, const BasicBlock& to) const {
    const Loop* loop = loops_.getLoopFor(&from);
    return loop && !loop->contains(&to);
  }

  // On the way from one block to the next.
  std::optional<bool> answer(const Asked& asked, const BasicBlock& from, const BasicBlock& to) const {
    if (auto* branch = dyn_cast<BranchInst>(from.getTerminator());
        branch && branch->isConditional() && branch->getSuccessor(0) != branch->getSuccessor(1)) {
      const bool is_so = branch->getSuccessor(0) == &to;
      if (auto known = isImpliedCondition(branch->getCondition(), asked.predicate, asked.value, asked.other,
                                          kernel_.getDataLayout(), is_so))
        return known;
    }
    return evolution_.evaluatePredicateAt(asked.predicate, evolution_.getSCEV(asked.value),
                                          evolution_.getSCEV(asked.other), from.getTerminator());
  }

  Value* answer_from(const Asked& asked, BasicBlock& from, const BasicBlock& to) {
    if (PHINode* inner = as_inner(asked.value, &from)) return answers(*inner, asked);
    if (leaves_loop(from, to)) return ConstantInt::getBool(kernel_.getContext(), *answer(asked, from, to));
    return IRBuilder<>(from.getTerminator()).CreateICmp(asked.predicate, asked.value, asked.other);
  }

  PHINode* answers(PHINode& number, const Asked& asked) {
    PHINode* result =
        PHINode::Create(Type::getInt1Ty(kernel_.getContext()), number.getNumIncomingValues(), "", number.getIterator());
    result->setDebugLoc(number.getDebugLoc());
    for (BasicBlock* from : number.blocks()) {
      const int known = result->getBasicBlockIndex(from);  // a switch comes by several ways
      Value* value = number.getIncomingValueForBlock(from);
      result->addIncoming(known >= 0 ? result->getIncomingValue(known)
                                     : answer_from({asked.predicate, value, asked.other}, *from, *number.getParent()),
                          from);
    }
    return result;
  }

  void ask(PHINode& number) {
    for (User* user : make_early_inc_range(number.users())) {
      auto* question = cast<ICmpInst>(user);
      question->replaceAllUsesWith(answers(number, of(number, *question, &number)));
      question->eraseFromParent();
    }
    SmallVector<PHINode*, 2> inner;
    for (BasicBlock* from : number.blocks())
      if (PHINode* phi = as_inner(number.getIncomingValueForBlock(from), from)) inner.push_back(phi);
    evolution_.forgetValue(&number);
    number.eraseFromParent();
    for (PHINode* phi : inner) {
      evolution_.forgetValue(phi);
      phi->eraseFromParent();
    }
  }

  Function& kernel_;
  LoopInfo& loops_;
  const DominatorTree& dominators_;
  ScalarEvolution& evolution_;
};

}  // namespace

bool ask_at_exits(Function& kernel, LoopInfo& loops, const DominatorTree& dominators, ScalarEvolution& evolution) {
  return ExitQuestions(kernel, loops, dominators, evolution).run();
}

}  // namespace lanza::compiler
