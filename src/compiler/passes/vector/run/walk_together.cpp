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
#include "compiler/passes/vector/run/shared_masks.hpp"
#include "compiler/passes/vector/run/shared_work.hpp"
#include "compiler/passes/vector/scalars/copied_blocks.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

// Instructions of a group, all copies of its loops together. Those of 3 x 3 taps of a filter in several channels are
// 300, and compile in 60 ms, not 40; of a row's products, eight turns at once, 560 to 670, and compile in 180, not 130.
constexpr size_t kMostOfSome = 800;

enum class Lanes { All, Some };

/// A branch, and the way on which the work lies. Where it lies on both, and groups part, one is for groups whose lanes
/// all go, the other for any.
struct Guard {
  BranchInst* branch;
  unsigned way;
  bool asks_for_all_lanes;
};

/// The guards that the code from a block on begins with, on a way without effects; behind these only questions between
/// two copies of a loop, where nothing on the way decides what is asked.
class Guards {
 public:
  Guards(Function& kernel, ArrayRef<unsigned> axes, BasicBlock* block, Lanes lanes)
      : lanes_(lanes), dominators_(kernel), loops_(dominators_) {
    for (unsigned axis : axes) ways_.emplace_back(kernel, axis);
    while (block && block->getFirstNonPHI() == &block->front()) {
      way_.push_back(block);
      has_effects_ |= !all_of(*block, [](Instruction& i) { return i.isTerminator() || computes(i); });
      block = next(*block);
    }
  }

  ArrayRef<Guard> guards() const { return guards_; }

  bool ask_for_all_lanes() const {
    return any_of(guards_, [](const Guard& guard) { return guard.asks_for_all_lanes; });
  }

  /// What the guards ask, where the builder stands; null: nothing.
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
        if (guard.branch->getParent() != block || (guard.asks_for_all_lanes && lanes_ == Lanes::Some)) continue;
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
      if (!first || (asks && parts && lanes_ == Lanes::Some)) way = 1;
      if ((!first && !second) || (parts ? has_effects_ && !asks : asks)) return nullptr;
      if (!can_ask(branch->getCondition())) return nullptr;
      passed_.push_back({branch, way, parts && asks});
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

  const Lanes lanes_;
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
  const StringRef name = call && call->getCalledFunction() ? call->getCalledFunction()->getName() : "";
  return name == kTogether || name == kAnyGroup ? const_cast<CallInst*>(call) : nullptr;
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

// Private arrays, which copies have of their own, belong to the entry.
static void gather_arrays(Function& kernel) {
  const BasicBlock::iterator first = kernel.getEntryBlock().getFirstInsertionPt();
  for (BasicBlock& block : drop_begin(kernel))
    for (Instruction& i : make_early_inc_range(block))
      if (auto* array = dyn_cast<AllocaInst>(&i); array && isa<Constant>(array->getArraySize()))
        i.moveBefore(*first->getParent(), first);
}

// In front of `begin`: if all groups pass what is asked, the copy, else `begin`.
static CallInst* ask(Function& kernel, BasicBlock* begin, const CopiedBlocks& copy,
                     function_ref<Value*(IRBuilder<>&)> emit_question) {
  LLVMContext& c = kernel.getContext();
  BasicBlock* entry = BasicBlock::Create(c, "asks", &kernel, begin);
  BasicBlock* alone = BasicBlock::Create(c, "alone", &kernel, begin);
  IRBuilder<> b(entry);
  b.SetCurrentDebugLocation(begin->getTerminator()->getDebugLoc());
  CallInst* all = emit_collective(b, kTogether, emit_question(b));
  b.CreateCondBr(all, copy.of(begin), alone, MDBuilder(c).createLikelyBranchWeights());
  IRBuilder<>(alone).CreateBr(begin);
  gather_arrays(kernel);
  return all;
}

bool ask_together(Function& kernel, const GroupShape& group, ArrayRef<unsigned> axes) {
  if (has_sync(kernel) || !may_be_reordered(kernel)) return false;
  BasicBlock* end = only_end(kernel);
  if (!end || end == &kernel.getEntryBlock()) return false;
  const Guards guards(kernel, axes, &kernel.getEntryBlock(), Lanes::All);
  const bool in_rows = group.whole_rows && is_contained(axes, 0U);
  if (guards.guards().empty() && !in_rows) return false;

  end = SplitBlock(end, end->getTerminator());
  SmallVector<BasicBlock*, 32> originals;
  for (BasicBlock& block : kernel)
    if (&block != end) originals.push_back(&block);
  const CopiedBlocks copy(originals, ".together");
  for (const Guard& guard : guards.guards()) pass(copy, guard);
  ask(kernel, originals.front(), copy, [&](IRBuilder<>& b) {
    Value *passed = guards.ask(b), *lies = in_rows ? lies_in_row(b, group) : nullptr;
    return passed && lies ? b.CreateLogicalAnd(lies, passed) : passed ? passed : lies;
  });
  BasicBlock* done = BasicBlock::Create(kernel.getContext(), "done", &kernel, end);
  for (BasicBlock* block : originals) block->getTerminator()->replaceSuccessorWith(end, done);
  IRBuilder<>(done).CreateBr(end);
  EliminateUnreachableBlocks(kernel);
  return true;
}

// The last one: the one in front of the original.
static CallInst* find_together(Function& kernel) {
  CallInst* last = nullptr;
  for (Instruction& i : instructions(kernel))
    if (CallInst* asks = as_together(i)) last = asks;
  return last;
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

static void drop(CallInst& asks) {
  BasicBlock* block = asks.getParent();
  Function& kernel = *block->getParent();
  replace(asks, ConstantInt::getFalse(asks.getType()));
  ConstantFoldTerminator(block, /*DeleteDeadConditions=*/true);
  EliminateUnreachableBlocks(kernel);
}

// Code of which nothing is seen of a group without lanes: what it loads or stores it masks, or does with the others,
// with whom it leaves all loops. (By a number of its own, such as rows that are left, it might go on for ever.)
static bool masks_lanes(Function& kernel, ArrayRef<BasicBlock*> blocks, ArrayRef<GroupWays> ways) {
  const LoopInfo loops{DominatorTree(kernel)};
  auto differs = [&](const Value* v) {
    return any_of(ways, [&](const GroupWays& along) { return along.differs(*v); });
  };
  auto may_be_done = [&](Instruction& i) {
    if (isa<LoadInst>(i)) return !differs(&i);
    if (i.isIntDivRem())
      return i.getType()->isVectorTy() || isa<Constant>(i.getOperand(1)) || !differs(i.getOperand(1));
    return mask_of_access(i) || (!i.mayReadOrWriteMemory() && !i.mayHaveSideEffects());
  };
  return all_of(blocks, [&](BasicBlock* block) {
    const Loop* loop = loops.getLoopFor(block);
    const bool leaves_alone = loop && loop->isLoopExiting(block) && differs(block->getTerminator());
    return !leaves_alone && all_of(*block, may_be_done);
  });
}

// Loops that wait for themselves, of few instructions: straight code of one group is soon done.
static bool is_worth_a_copy(Function& kernel, ArrayRef<BasicBlock*> blocks) {
  size_t instructions = 0;
  for (const BasicBlock* block : blocks) instructions += block->size();
  const LoopInfo loops{DominatorTree(kernel)};
  return instructions <= kMostOfSome && any_of(blocks, [&](BasicBlock* block) { return loops.getLoopFor(block); });
}

void ask_some_together(Function& kernel, const GroupShape& group, ArrayRef<unsigned> axes) {
  const auto part = find_one_by_one(kernel);
  if (!part || (group.whole_rows && is_contained(axes, 0U))) return;
  BasicBlock* begin = part->entry->getSingleSuccessor();
  const Guards guards(kernel, axes, begin, Lanes::Some);
  if (!guards.ask_for_all_lanes()) return;

  const SetVector<BasicBlock*> inside = blocks_between(part->entry, part->exit);
  if (!is_worth_a_copy(kernel, inside.getArrayRef())) return;
  SmallVector<BasicBlock*, 32> originals;
  for (BasicBlock& block : kernel)
    if (inside.contains(&block)) originals.push_back(&block);
  const CopiedBlocks copy(originals, ".some");
  for (BasicBlock* block : originals)
    copy.of(block)->getTerminator()->replaceSuccessorWith(part->exit, part->exit->getSingleSuccessor());
  for (const Guard& guard : guards.guards()) pass(copy, guard);
  CallInst* asks = ask(kernel, begin, copy, [&](IRBuilder<>& b) {
    Value* passed = guards.ask(b);
    return passed ? passed : b.getTrue();
  });
  part->entry->getTerminator()->replaceSuccessorWith(begin, asks->getParent());
  asks->getParent()->getTerminator()->getSuccessor(1)->getTerminator()->setSuccessor(0, begin);
  EliminateUnreachableBlocks(kernel);
  SmallVector<GroupWays, 3> ways;
  for (unsigned axis : axes) ways.emplace_back(kernel, axis);
  const bool walks = all_of(ways, [&](GroupWays& along) {
    return along.find_detours() && !along.is_on_detour(asks->getParent()) && !along.is_on_detour(copy.of(begin));
  });
  if (!walks) return drop(*asks);
  const SetVector<BasicBlock*> copied =
      blocks_between(asks->getParent(), asks->getParent()->getTerminator()->getSuccessor(1));
  if (masks_lanes(kernel, copied.getArrayRef(), ways)) {
    IRBuilder<> b(asks);
    replace(*asks, emit_collective(b, kAnyGroup, asks->getArgOperand(0)));
  }
  share_masks(copied.getArrayRef(), ways);
}

void answer_together(Function& kernel) {
  while (CallInst* asks = find_together(kernel)) replace(*asks, asks->getArgOperand(0));
}

void drop_together(Function& kernel) {
  while (CallInst* asks = find_together(kernel)) drop(*asks);
}

}  // namespace lanza::compiler
