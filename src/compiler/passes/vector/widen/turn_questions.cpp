#include "compiler/passes/vector/widen/turn_questions.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include "compiler/passes/vector/analysis/shapes.hpp"

using namespace llvm;

namespace lanza::compiler {

// The branch at the end of a turn by which all lanes that come to it leave together, or none.
static BranchInst* common_question(const Loop& loop, const Shapes& shapes) {
  BasicBlock* latch = loop.getLoopLatch();
  if (!latch || latch == loop.getHeader() || !loop.getLoopPreheader() || !shapes.is_left_apart(loop.getHeader()))
    return nullptr;
  auto* question = dyn_cast<BranchInst>(latch->getTerminator());
  if (!question || !question->isConditional() || shapes.is_divergent(question) || loop.getExitingBlock() == latch)
    return nullptr;
  return loop.contains(question->getSuccessor(0)) && loop.contains(question->getSuccessor(1)) ? nullptr : question;
}

/// Brings the branch to the loop's head: in front of the first turn the loop goes on.
class QuestionMove {
 public:
  QuestionMove(const Loop& loop, BasicBlock& before, BasicBlock& head, BranchInst& question)
      : loop_(loop),
        question_(question),
        latch_(*question.getParent()),
        before_(before),
        head_(head),
        is_negated_(question.getSuccessor(1) == &head_),
        exit_(*question.getSuccessor(is_negated_ ? 0 : 1)) {}

  void run() {
    LLVMContext& context = question_.getContext();
    Value* stays = carry(question_.getCondition(), ConstantInt::getBool(context, !is_negated_));
    SmallVector<std::pair<PHINode*, Value*>, 4> leaving;
    for (PHINode& phi : exit_.phis()) leaving.push_back({&phi, carry_out(phi.getIncomingValueForBlock(&latch_))});
    BasicBlock* body = head_.splitBasicBlock(head_.getFirstNonPHIIt(), "turn");
    for (auto [phi, value] : leaving) {
      const int place = phi->getBasicBlockIndex(&latch_);
      phi->setIncomingBlock(place, &head_);
      phi->setIncomingValue(place, value);
    }
    BranchInst* ask = is_negated_ ? BranchInst::Create(&exit_, body, stays) : BranchInst::Create(body, &exit_, stays);
    ask->setDebugLoc(question_.getDebugLoc());
    head_.getTerminator()->eraseFromParent();
    ask->insertInto(&head_, head_.end());
    BranchInst* back = BranchInst::Create(&head_, question_.getIterator());
    back->setDebugLoc(question_.getDebugLoc());
    back->setMetadata(LLVMContext::MD_loop, question_.getMetadata(LLVMContext::MD_loop));
    question_.eraseFromParent();
  }

 private:
  Value* carry(Value* value, Value* first) {
    PHINode* phi = PHINode::Create(value->getType(), 2, "", head_.begin());
    phi->addIncoming(first, &before_);
    phi->addIncoming(value, &latch_);
    return phi;
  }

  // What a turn computes reaches the head of the next one.
  Value* carry_out(Value* value) {
    auto* i = dyn_cast<Instruction>(value);
    if (!i || !loop_.contains(i)) return value;
    for (PHINode& phi : head_.phis())
      if (phi.getIncomingValueForBlock(&latch_) == value) return &phi;
    return carry(value, PoisonValue::get(value->getType()));
  }

  const Loop& loop_;
  BranchInst& question_;
  BasicBlock &latch_, &before_, &head_;
  const bool is_negated_;
  BasicBlock& exit_;
};

bool ask_before_turns(Function& function, const GroupShape& group) {
  const DominatorTree dominators(function);
  const LoopInfo loops(dominators);
  const Shapes shapes(function, group);
  std::vector<QuestionMove> moves;
  for (Loop* loop : loops.getLoopsInPreorder())
    if (BranchInst* question = common_question(*loop, shapes))
      moves.emplace_back(*loop, *loop->getLoopPreheader(), *loop->getHeader(), *question);
  for (QuestionMove& move : moves) move.run();
  return !moves.empty();
}

}  // namespace lanza::compiler
