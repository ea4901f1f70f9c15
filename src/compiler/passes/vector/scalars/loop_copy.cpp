#include "compiler/passes/vector/scalars/loop_copy.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/Cloning.h>

using namespace llvm;

namespace lanza::compiler {

bool LoopCopy::can(const Loop& loop, unsigned most_instructions) {
  const BasicBlock *body = loop.getHeader(), *exit = loop.getExitBlock();
  return loop.getNumBlocks() == 1 && loop.getLoopPreheader() && exit && exit->getSinglePredecessor() == body &&
         body->sizeWithoutDebug() <= most_instructions;
}

LoopCopy::LoopCopy(const Loop& loop, const Twine& name)
    : original_(loop.getHeader()), before_(loop.getLoopPreheader()) {
  BasicBlock* exit = loop.getExitBlock();
  Function* kernel = original_->getParent();
  LLVMContext& context = kernel->getContext();
  begin_ = BasicBlock::Create(context, name, kernel, original_);
  end_ = BasicBlock::Create(context, name + ".end", kernel, exit);
  body_ = CloneBasicBlock(original_, map_, "." + name, kernel);
  body_->moveAfter(begin_);
  map_[original_] = body_;
  map_[before_] = begin_;
  map_[exit] = end_;
  remapInstructionsInBlocks({body_}, map_);
  IRBuilder<>(begin_).CreateBr(body_);
  IRBuilder<>(end_).CreateBr(exit);
  for (PHINode& phi : exit->phis()) {
    PHINode* of_copy = PHINode::Create(phi.getType(), 1, "", end_->begin());
    of_copy->addIncoming(of(phi.getIncomingValueForBlock(original_)), body_);
    phi.addIncoming(of_copy, end_);
  }
}

Value* LoopCopy::of(Value* value) const {
  auto found = map_.find(value);
  return found == map_.end() ? value : static_cast<Value*>(found->second);
}

void LoopCopy::choose(Value* condition) {
  before_->getTerminator()->eraseFromParent();
  IRBuilder<>(before_).CreateCondBr(condition, begin_, original_);
}

bool version_loops(Function& kernel, PassRunner& runner, function_ref<bool(Loop&, FunctionAnalysisManager&)> version) {
  SmallPtrSet<const BasicBlock*, 8> done;
  auto step = [&] {
    for (Loop* loop : runner.functions().getResult<LoopAnalysis>(kernel).getLoopsInPreorder()) {
      if (!done.insert(loop->getHeader()).second || !version(*loop, runner.functions())) continue;
      runner.clear();
      return true;
    }
    return false;
  };
  bool changed = false;
  while (step()) changed = true;
  return changed;
}

}  // namespace lanza::compiler
