#include "compiler/passes/vector/widen/part_conditions.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/vector/analysis/shapes.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

/// A branch that goes `together` only where all parts say so.
struct Question {
  BranchInst* branch;
  bool all_true;  ///< a conjunction, whose way leads to the first successor; else a disjunction, to the second one
  SmallVector<Value*, 4> shared, own;

  BasicBlock* inside() const { return branch->getSuccessor(all_true ? 0 : 1); }
  BasicBlock* behind() const { return branch->getSuccessor(all_true ? 1 : 0); }
};

class Parts {
 public:
  Parts(Function& kernel, const GroupShape& group)
      : shapes_(kernel, group), dominators_(kernel), loops_(dominators_), post_dominators_(kernel) {}

  bool run(ArrayRef<BranchInst*> branches) {
    SmallVector<Question, 8> questions;
    for (BranchInst* branch : branches)
      if (auto question = ask(*branch)) questions.push_back(std::move(*question));
    for (const Question& question : questions) part(question);
    return !questions.empty();
  }

 private:
  std::optional<Question> ask(BranchInst& branch) const {
    if (!shapes_.is_divergent(&branch)) return {};
    Question question{&branch, match(branch.getCondition(), m_LogicalAnd(m_Value(), m_Value())), {}, {}};
    collect(*branch.getCondition(), question);
    if (question.shared.empty() || question.own.empty()) return {};
    BasicBlock *inside = question.inside(), *behind = question.behind();
    auto stays_in_loop = [&](BasicBlock* next) {
      return loops_.getLoopFor(next) == loops_.getLoopFor(branch.getParent()) && !loops_.isLoopHeader(next);
    };
    if (inside == behind || !stays_in_loop(inside) || !stays_in_loop(behind)) return {};
    return post_dominators_.dominates(behind, inside) ? std::optional(std::move(question)) : std::nullopt;
  }

  // What is asked behind another part may be poison where that says no.
  void collect(Value& condition, Question& question) const {
    Value *a, *b;
    if (question.all_true ? match(&condition, m_LogicalAnd(m_Value(a), m_Value(b)))
                          : match(&condition, m_LogicalOr(m_Value(a), m_Value(b)))) {
      collect(*a, question);
      return collect(*b, question);
    }
    (shapes_.is_uniform(&condition) ? question.shared : question.own).push_back(&condition);
  }

  static void part(const Question& question) {
    BranchInst& branch = *question.branch;
    BasicBlock *before = branch.getParent(), *inside = question.inside(), *behind = question.behind();
    auto* own = BasicBlock::Create(branch.getContext(), "own", before->getParent(), inside);
    for (PHINode& phi : behind->phis()) phi.addIncoming(phi.getIncomingValueForBlock(before), own);
    inside->replacePhiUsesWith(before, own);
    IRBuilder<> b(own);
    b.SetCurrentDebugLocation(branch.getDebugLoc());
    Value* condition = combined(b, question.own, question.all_true);
    question.all_true ? b.CreateCondBr(condition, inside, behind) : b.CreateCondBr(condition, behind, inside);
    b.SetInsertPoint(&branch);
    SmallVector<Value*, 4> shared;
    for (Value* part : question.shared)
      shared.push_back(isGuaranteedNotToBeUndefOrPoison(part) ? part : b.CreateFreeze(part));
    branch.setCondition(combined(b, shared, question.all_true));
    branch.setSuccessor(question.all_true ? 0 : 1, own);
  }

  // In their order: each where those before it do not settle the question.
  static Value* combined(IRBuilder<>& b, ArrayRef<Value*> parts, bool all_true) {
    Value* result = nullptr;
    for (Value* part : parts) {
      if (!result)
        result = part;
      else
        result = all_true ? b.CreateLogicalAnd(result, part) : b.CreateLogicalOr(result, part);
    }
    return result;
  }

  const Shapes shapes_;
  const DominatorTree dominators_;
  const LoopInfo loops_;
  const PostDominatorTree post_dominators_;
};

}  // namespace

bool part_conditions(Function& kernel, const GroupShape& group) {
  SmallVector<BranchInst*, 8> branches;
  for (BasicBlock& block : kernel) {
    auto* branch = dyn_cast<BranchInst>(block.getTerminator());
    if (branch && branch->isConditional() &&
        match(branch->getCondition(),
              m_CombineOr(m_LogicalAnd(m_Value(), m_Value()), m_LogicalOr(m_Value(), m_Value()))))
      branches.push_back(branch);
  }
  return !branches.empty() && Parts(kernel, group).run(branches);
}

}  // namespace lanza::compiler
