#include "compiler/passes/vector/run/straighten_loop.hpp"

#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

/// The copies of one loop, which is gone then.
class Turns {
 public:
  explicit Turns(const Loop& loop)
      : before_(loop.getLoopPreheader()),
        header_(loop.getHeader()),
        latch_(loop.getLoopLatch()),
        exit_(loop.getExitBlock()),
        blocks_(loop.blocks()) {}

  void make(unsigned turns) {
    SmallVector<BasicBlock*, 16> heads, ends{before_};
    for (unsigned turn = 0; turn < turns; ++turn) {
      copy(turn == 0);
      heads.push_back(copy_of(header_));
      ends.push_back(copy_of(latch_));
    }
    leave_from(*ends.back());
    heads.push_back(exit_);
    ends.push_back(latch_);  // which leads nowhere else now
    heads.push_back(header_);
    for (auto [end, next] : zip(ends, heads)) {
      end->getTerminator()->eraseFromParent();
      IRBuilder<>(end).CreateBr(next);
    }
    drop_unused();
    for (BasicBlock* head : ArrayRef(heads).slice(1, turns - 1)) MergeBlockIntoPredecessor(head);
    DeleteDeadBlocks(blocks_);
  }

 private:
  // Behind the one before, whose values are those of the map until then.
  void copy(bool is_first) {
    ValueToValueMapTy map;
    SmallVector<BasicBlock*, 8> copies;
    for (BasicBlock* block : blocks_) {
      copies.push_back(CloneBasicBlock(block, map, "", header_->getParent()));
      copies.back()->moveBefore(header_);
      if (is_first) copies.back()->takeName(block);
      map[block] = copies.back();
    }
    for (PHINode& phi : header_->phis()) {
      cast<PHINode>(map[&phi])->eraseFromParent();
      map[&phi] = is_first ? phi.getIncomingValueForBlock(before_) : last_turns(phi.getIncomingValueForBlock(latch_));
    }
    remapInstructionsInBlocks(copies, map);
    for (BasicBlock* block : blocks_) {
      values_[block] = map[block];
      for (Instruction& i : *block) values_[&i] = map[&i];
    }
    cut(*copy_of(latch_));
    for (BasicBlock* block : copies) simplify(*block);
    append_range(made_, copies);
  }

  // A turn that led back to itself would be told by its own latch what holds at its head: in the last turn, whose latch
  // never goes on, anything at all.
  static void cut(BasicBlock& latch) {
    latch.getTerminator()->eraseFromParent();
    new UnreachableInst(latch.getContext(), &latch);
  }

  // Indices are constants now. What is not used any more stays: the next turn may begin with it.
  static void simplify(BasicBlock& block) {
    for (Instruction& i : block)
      if (Value* simpler = simplifyInstruction(&i, i.getDataLayout())) i.replaceAllUsesWith(simpler);
  }

  void drop_unused() const {
    for (BasicBlock* block : reverse(made_))
      for (Instruction& i : make_early_inc_range(reverse(*block)))
        if (isInstructionTriviallyDead(&i)) i.eraseFromParent();
  }

  // What others use of the loop is the last turn's.
  void leave_from(BasicBlock& last) {
    exit_->replacePhiUsesWith(latch_, &last);
    SmallVector<std::pair<Instruction*, Value*>, 64> values;
    for (BasicBlock* block : blocks_)
      for (Instruction& i : *block)
        if (Value* value = last_turns(&i); value != &i) values.push_back({&i, value});
    values_.clear();
    for (const auto& [i, value] : values) i->replaceUsesOutsideBlock(value, i->getParent());
  }

  Value* last_turns(Value* value) const {
    auto found = values_.find(value);
    return found == values_.end() ? value : static_cast<Value*>(found->second);
  }
  BasicBlock* copy_of(BasicBlock* block) const { return cast<BasicBlock>(last_turns(block)); }

  BasicBlock *const before_, *const header_, *const latch_, *const exit_;
  const SmallVector<BasicBlock*, 8> blocks_;
  SmallVector<BasicBlock*, 64> made_;
  ValueToValueMapTy values_;  ///< what the last turn computes, in place of the loop
};

}  // namespace

bool can_straighten(const Loop& loop) {
  const BasicBlock* latch = loop.getLoopLatch();
  return latch && loop.getLoopPreheader() && loop.getExitingBlock() == latch && isa<BranchInst>(latch->getTerminator());
}

void straighten_loop(const Loop& loop, unsigned turns) { Turns(loop).make(turns); }

}  // namespace lanza::compiler
