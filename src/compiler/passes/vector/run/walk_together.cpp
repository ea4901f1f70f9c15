#include "compiler/passes/vector/run/walk_together.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/group_ways.hpp"
#include "compiler/passes/vector/group_form.hpp"
#include "compiler/passes/vector/run/column_accesses.hpp"
#include "compiler/passes/vector/run/shared_work.hpp"
#include "compiler/passes/vector/scalars/copied_blocks.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

/// A branch, and the way on which the work lies.
struct Guard {
  BranchInst* branch;
  unsigned way;
};

/// The guards that the kernel begins with, on a way without effects; behind these only questions between two copies of
/// a loop, where nothing on the way decides what is asked.
class Guards {
 public:
  Guards(Function& kernel, ArrayRef<unsigned> axes) : dominators_(kernel), loops_(dominators_) {
    for (unsigned axis : axes) ways_.emplace_back(kernel, axis);
    BasicBlock* block = &kernel.getEntryBlock();
    while (block && block->getFirstNonPHI() == &block->front()) {
      way_.push_back(block);
      has_effects_ |= !all_of(*block, [](Instruction& i) { return i.isTerminator() || computes(i); });
      block = next(*block);
    }
  }

  ArrayRef<Guard> guards() const { return guards_; }

  /// What the guards ask, where the builder stands.
  Value* ask(IRBuilder<>& b) const {
    ValueToValueMapTy here;
    Value* passed = nullptr;
    for (BasicBlock* block : way_) {
      for (Instruction& i : *block) {
        if (!asked_.contains(&i)) continue;
        Instruction* copy = b.Insert(i.clone());
        RemapInstruction(copy, here, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
        here[&i] = copy;
      }
      for (const Guard& guard : guards_) {
        if (guard.branch->getParent() != block) continue;
        Value* condition = guard.branch->getCondition();
        if (Value* copy = here.lookup(condition)) condition = copy;
        if (guard.way != 0) condition = b.CreateNot(condition);
        passed = passed ? b.CreateLogicalAnd(passed, condition) : condition;
      }
    }
    return passed;
  }

 private:
  static bool computes(const Instruction& i) {
    return !i.mayReadOrWriteMemory() && !i.mayHaveSideEffects() && !isa<AllocaInst, PHINode>(i) &&
           i.getOpcode() != Instruction::UDiv && i.getOpcode() != Instruction::SDiv &&
           i.getOpcode() != Instruction::URem && i.getOpcode() != Instruction::SRem;
  }

  // Where the way goes on; null at its end.
  BasicBlock* next(BasicBlock& block) {
    auto* branch = dyn_cast<BranchInst>(block.getTerminator());
    if (!branch) return nullptr;
    unsigned way = 0;
    if (branch->isConditional()) {
      const bool parts = any_of(ways_, [&](const GroupWays& along) { return along.differs(*branch->getCondition()); });
      const bool first = leads_to_work(*branch->getSuccessor(0)), second = leads_to_work(*branch->getSuccessor(1));
      const bool asks = first && second;
      if (!first) way = 1;
      if ((!first && !second) || (parts ? has_effects_ && !asks : asks)) return nullptr;
      if (!can_ask(branch->getCondition())) return nullptr;
      passed_.push_back({branch, way});
      if (parts) guards_ = passed_;
    }
    BasicBlock* following = branch->getSuccessor(way);
    return following->getSinglePredecessor() ? following : nullptr;
  }

  // Takes what the value is made of.
  bool can_ask(Value* value) {
    auto* i = dyn_cast<Instruction>(value);
    if (!i || asked_.contains(i)) return true;
    if (!computes(*i) || !all_of(i->operand_values(), [&](Value* operand) { return can_ask(operand); })) return false;
    asked_.insert(i);
    return true;
  }

  bool leads_to_work(BasicBlock& block) const {
    if (loops_.isLoopHeader(&block)) return true;
    if (!block.getSinglePredecessor()) return false;
    SmallVector<BasicBlock*, 16> behind;
    dominators_.getDescendants(&block, behind);
    return any_of(behind, [&](BasicBlock* b) { return loops_.getLoopFor(b) != nullptr || has_columns(*b); }) ||
           any_of(ways_, [&](const GroupWays& along) { return shares_work(behind, along); });
  }

  bool has_columns(BasicBlock& block) const {
    return any_of(block, [&](Instruction& i) {
      return any_of(ways_, [&](const GroupWays& along) { return is_column_along(i, along.axis()); });
    });
  }

  DominatorTree dominators_;
  LoopInfo loops_;
  SmallVector<GroupWays, 3> ways_;
  SmallVector<BasicBlock*, 4> way_;
  SmallVector<Guard, 4> passed_;  ///< so far
  SmallVector<Guard, 4> guards_;  ///< up to the last one at which groups part
  SmallPtrSet<const Instruction*, 32> asked_;
  bool has_effects_ = false;
};

}  // namespace

CallInst* as_together(const Value& value) {
  auto* call = dyn_cast<CallInst>(&value);
  const bool asks = call && call->getCalledFunction() && call->getCalledFunction()->getName() == kTogether;
  return asks ? const_cast<CallInst*>(call) : nullptr;
}

static BasicBlock* only_end(Function& kernel) {
  BasicBlock* end = nullptr;
  for (BasicBlock& block : kernel) {
    if (isa<BranchInst>(block.getTerminator())) continue;
    if (end || !isa<ReturnInst>(block.getTerminator())) return nullptr;
    end = &block;
  }
  return end;
}

static void pass(const CopiedBlocks& copy, const Guard& guard) {
  auto* branch = cast<BranchInst>(copy.of(guard.branch->getParent())->getTerminator());
  branch->getSuccessor(1 - guard.way)->removePredecessor(branch->getParent(), /*KeepOneInputPHIs=*/true);
  IRBuilder<>(branch).CreateBr(branch->getSuccessor(guard.way));
  branch->eraseFromParent();
}

// Lanes of the row's first group that are before it.
static Value* before_row(IRBuilderBase& b, const GroupShape& group) {
  Value* start =
      b.CreateMul(b.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_ctaid_x, {}, {}), b.getInt32(group.block[0]));
  return b.CreateAnd(start, group.lanes - 1);
}

// The group lies in the row: where several walk together the first ones and the last ones may not.
static Value* lies_in_row(IRBuilder<>& b, const GroupShape& group) {
  Value* begin = emit_group_index(b, 0);
  Value* ends = b.CreateICmpULE(b.CreateNUWAdd(begin, b.getInt32(group.extent[0])), row_end(b, group));
  return group.overhangs(0) ? b.CreateAnd(b.CreateICmpUGE(begin, before_row(b, group)), ends) : ends;
}

Value* row_end(IRBuilderBase& b, const GroupShape& group) {
  Value* threads = b.CreateNUWMul(emit_block_count(b), b.getInt32(group.block[0]));
  return group.overhangs(0) ? b.CreateNUWAdd(threads, before_row(b, group)) : threads;
}

bool ask_together(Function& kernel, const GroupShape& group, ArrayRef<unsigned> axes) {
  if (has_sync(kernel) || !may_be_reordered(kernel)) return false;
  BasicBlock* end = only_end(kernel);
  if (!end || end == &kernel.getEntryBlock()) return false;
  const Guards guards(kernel, axes);
  const bool in_rows = group.whole_rows && is_contained(axes, 0U);
  if (guards.guards().empty() && !in_rows) return false;

  end = SplitBlock(end, end->getTerminator());
  SmallVector<BasicBlock*, 32> originals;
  for (BasicBlock& block : kernel)
    if (&block != end) originals.push_back(&block);
  BasicBlock* begin = originals.front();
  const CopiedBlocks copy(originals, ".together");
  for (const Guard& guard : guards.guards()) pass(copy, guard);

  LLVMContext& c = kernel.getContext();
  BasicBlock* entry = BasicBlock::Create(c, "asks", &kernel, begin);
  BasicBlock* alone = BasicBlock::Create(c, "alone", &kernel, begin);
  BasicBlock* done = BasicBlock::Create(c, "done", &kernel, end);
  IRBuilder<> b(entry);
  b.SetCurrentDebugLocation(begin->getTerminator()->getDebugLoc());
  Value* passed = guards.ask(b);
  if (in_rows) passed = passed ? b.CreateLogicalAnd(lies_in_row(b, group), passed) : lies_in_row(b, group);
  Value* all = emit_collective(b, kTogether, passed);
  b.CreateCondBr(all, copy.of(begin), alone, MDBuilder(c).createLikelyBranchWeights());
  IRBuilder<>(alone).CreateBr(begin);
  for (BasicBlock* block : originals) block->getTerminator()->replaceSuccessorWith(end, done);
  IRBuilder<>(done).CreateBr(end);
  EliminateUnreachableBlocks(kernel);
  return true;
}

static CallInst* find_together(Function& kernel) {
  for (Instruction& i : instructions(kernel))
    if (CallInst* asks = as_together(i)) return asks;
  return nullptr;
}

std::optional<OneByOne> find_one_by_one(Function& kernel) {
  CallInst* asks = find_together(kernel);
  if (!asks) return std::nullopt;
  BasicBlock *entry = asks->getParent()->getTerminator()->getSuccessor(1), *end = only_end(kernel);
  const SetVector<BasicBlock*> inside = blocks_between(entry, end);
  for (BasicBlock* block : predecessors(end))
    if (inside.contains(block)) return OneByOne{entry, block};
  return std::nullopt;
}

static void replace(CallInst& asks, Value* answer) {
  Function* question = asks.getCalledFunction();
  asks.replaceAllUsesWith(answer);
  asks.eraseFromParent();
  if (question->use_empty()) question->eraseFromParent();
}

void answer_together(Function& kernel) {
  if (CallInst* asks = find_together(kernel)) replace(*asks, asks->getArgOperand(0));
}

void drop_together(Function& kernel) {
  CallInst* asks = find_together(kernel);
  if (!asks) return;
  BasicBlock* block = asks->getParent();
  replace(*asks, ConstantInt::getFalse(asks->getType()));
  ConstantFoldTerminator(block, /*DeleteDeadConditions=*/true);
  EliminateUnreachableBlocks(kernel);
}

}  // namespace lanza::compiler
