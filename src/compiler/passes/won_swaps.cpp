#include "compiler/passes/won_swaps.hpp"

#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

/// What a loop does behind a swap that finds, the next time, what it has written now.
class Winner {
 public:
  Winner(AtomicCmpXchgInst& swap, const Loop& loop)
      : swap_(swap), loop_(loop), won_(BasicBlock::Create(swap.getContext(), "", swap.getFunction())) {}

  bool leaves() {
    constexpr unsigned kMostBlocks = 3;
    const BasicBlock* block = swap_.getParent();
    auto begin = std::next(swap_.getIterator());
    for (unsigned k = 0; k < kMostBlocks; ++k) {
      if (!compute(begin, block->getTerminator()->getIterator())) return false;
      BasicBlock* next = goes_to(*block);
      if (!next) return false;
      last_ = block;
      exit_ = next;
      if (!loop_.contains(next)) return true;
      enter(*next);
      block = next;
      begin = next->getFirstNonPHIIt();
    }
    return false;
  }

  void leave_at_once() {
    IRBuilder<> b(won_);
    for (PHINode& phi : exit_->phis()) phi.addIncoming(known(phi.getIncomingValueForBlock(last_)), won_);
    b.CreateBr(exit_);
    BasicBlock* before = swap_.getParent();
    BasicBlock* rest = SplitBlock(before, swap_.getNextNode());
    before->getTerminator()->eraseFromParent();
    b.SetInsertPoint(before);
    b.SetCurrentDebugLocation(swap_.getDebugLoc());
    b.CreateCondBr(b.CreateExtractValue(&swap_, 1), won_, rest);
  }

  void give_up() {
    for (Instruction& i : make_early_inc_range(reverse(*won_))) i.eraseFromParent();
    won_->eraseFromParent();
  }

 private:
  Value* known(Value* v) const {
    Value* value = values_.lookup(v);
    return value ? value : v;
  }

  bool compute(BasicBlock::const_iterator begin, BasicBlock::const_iterator end) {
    const SimplifyQuery query(swap_.getDataLayout());
    for (const Instruction& i : make_range(begin, end)) {
      if (auto* part = dyn_cast<ExtractValueInst>(&i); part && part->getAggregateOperand() == &swap_) {
        const bool is_found = part->getIndices()[0] == 0;
        values_[&i] = is_found ? swap_.getNewValOperand() : ConstantInt::getTrue(i.getContext());
        continue;
      }
      if (i.mayReadOrWriteMemory() || !isSafeToSpeculativelyExecute(&i)) return false;
      Instruction* copy = i.clone();
      for (Use& operand : copy->operands()) operand.set(known(operand));
      copy->insertInto(won_, won_->end());
      Value* simpler = simplifyInstruction(copy, query);
      values_[&i] = simpler ? simpler : copy;
      if (simpler) copy->eraseFromParent();
    }
    return true;
  }

  BasicBlock* goes_to(const BasicBlock& block) const {
    auto* branch = dyn_cast<BranchInst>(block.getTerminator());
    if (!branch || branch->isUnconditional()) return branch ? branch->getSuccessor(0) : nullptr;
    auto* answer = dyn_cast<ConstantInt>(known(branch->getCondition()));
    return answer ? branch->getSuccessor(answer->isZero() ? 1 : 0) : nullptr;
  }

  void enter(const BasicBlock& block) {
    SmallVector<std::pair<const Value*, Value*>, 4> entered;
    for (const PHINode& phi : block.phis()) entered.emplace_back(&phi, known(phi.getIncomingValueForBlock(last_)));
    for (auto [phi, value] : entered) values_[phi] = value;
  }

  AtomicCmpXchgInst& swap_;
  const Loop& loop_;
  BasicBlock *won_, *exit_ = nullptr;
  const BasicBlock* last_ = nullptr;
  DenseMap<const Value*, Value*> values_;
};

}  // namespace

// What is expected comes round the loop, and nobody asks who has won.
static bool expects_what_it_found(const AtomicCmpXchgInst& swap, const Loop& loop) {
  auto* expected = dyn_cast<PHINode>(swap.getCompareOperand());
  if (!expected || !loop.contains(expected) || !loop.isLoopInvariant(swap.getPointerOperand())) return false;
  return all_of(swap.users(), [](const User* user) {
    auto* part = dyn_cast<ExtractValueInst>(user);
    return part && part->getIndices()[0] == 0;
  });
}

PreservedAnalyses WonSwapsPass::run(Function& function, FunctionAnalysisManager& analyses) {
  SmallVector<AtomicCmpXchgInst*, 4> swaps;
  for (Instruction& i : instructions(function))
    if (auto* swap = dyn_cast<AtomicCmpXchgInst>(&i); swap && !swap->isVolatile()) swaps.push_back(swap);
  if (swaps.empty()) return PreservedAnalyses::all();
  bool changed = false;
  for (AtomicCmpXchgInst* swap : swaps) {
    auto& loops = analyses.getResult<LoopAnalysis>(function);
    Loop* loop = loops.getLoopFor(swap->getParent());
    if (!loop || !expects_what_it_found(*swap, *loop)) continue;
    changed |= formLCSSA(*loop, analyses.getResult<DominatorTreeAnalysis>(function), &loops, nullptr);
    Winner winner(*swap, *loop);
    const bool leaves = winner.leaves();
    leaves ? winner.leave_at_once() : winner.give_up();
    changed |= leaves;
    if (leaves) analyses.invalidate(function, PreservedAnalyses::none());
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace lanza::compiler
