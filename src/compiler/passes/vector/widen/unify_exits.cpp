#include "compiler/passes/vector/widen/unify_exits.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>

#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostChanges = 64;  // a change may give a loop around it new exits

/// One loop. `together` are the exiting blocks that all lanes of an iteration leave together; the others' edges go to
/// a new latch.
class LoopExits {
 public:
  LoopExits(Loop& loop, const DominatorTree& dominators, const Shapes& shapes)
      : loop_(loop), header_(*loop.getHeader()), latch_(loop.getLoopLatch()), c_(header_.getContext()) {
    loop.getUniqueExitBlocks(exits_);
    SmallVector<BasicBlock*, 4> exiting;
    loop.getExitingBlocks(exiting);
    apart_ = shapes.is_left_apart(&header_);
    auto all_pass = [&](BasicBlock* block) {
      return !shapes.is_divergent(block->getTerminator()) && dominators.dominates(block, latch_) &&
             all_of(alone_, [&](BasicBlock* other) { return dominators.dominates(block, other); });
    };
    for (bool changed = apart_; changed;) {
      changed = false;
      for (BasicBlock* block : exiting)
        if (!is_contained(alone_, block) && !all_pass(block)) {
          alone_.push_back(block);
          changed = true;
        }
    }
    for (BasicBlock* block : exiting)
      if (!is_contained(alone_, block)) together_.push_back(block);
  }

  bool unify() {
    const bool new_latch = apart_ && !(alone_.empty() || (alone_.size() == 1 && alone_[0] == latch_));
    if (!new_latch && exits_.size() < 2) return false;
    for (BasicBlock* exit : exits_)
      for (PHINode& phi : exit->phis()) outside_.push_back(&phi);
    if (new_latch) make_latch();
    if (exits_.size() > 1) make_hub();
    return true;
  }

 private:
  BasicBlock* add(const Twine& name) { return BasicBlock::Create(c_, name, header_.getParent()); }

  // A block on the edge, so that one predecessor never brings two values.
  BasicBlock* split(BasicBlock* from, BasicBlock* to) {
    BasicBlock* between = add("leave");
    from->getTerminator()->replaceSuccessorWith(to, between);
    to->replacePhiUsesWith(from, between);
    BranchInst::Create(to, between)->setDebugLoc(from->getTerminator()->getDebugLoc());
    return between;
  }

  SmallVector<BasicBlock*, 2> exits_of(BasicBlock* block) const {
    SmallSetVector<BasicBlock*, 2> out;
    for (BasicBlock* next : successors(block))
      if (is_contained(exits_, next)) out.insert(next);
    return SmallVector<BasicBlock*, 2>(out.begin(), out.end());
  }

  // latch: stay = phi [true, the back edge], [false, an exit edge]...; values of the next iteration, values that leave.
  void make_latch() {
    BasicBlock* latch = add("latch");
    BasicBlock* back = split(latch_, &header_);
    SmallVector<std::pair<BasicBlock*, BasicBlock*>, 4> leaving;  // the block on the edge, the exit
    for (BasicBlock* block : alone_)
      for (BasicBlock* exit : exits_of(block)) leaving.push_back({split(block, exit), exit});
    IRBuilder<> b(latch);
    PHINode* stay = b.CreatePHI(b.getInt1Ty(), leaving.size() + 1, "stay");
    auto arrive = [&](PHINode* phi, Value* next, function_ref<Value*(BasicBlock*, BasicBlock*)> left) {
      phi->addIncoming(next, back);
      for (auto [edge, exit] : leaving) phi->addIncoming(left(edge, exit), edge);
    };
    arrive(stay, b.getTrue(), [&](auto, auto) { return b.getFalse(); });
    for (PHINode& phi : header_.phis()) {
      PHINode* next = b.CreatePHI(phi.getType(), leaving.size() + 1);
      Value* nothing = PoisonValue::get(phi.getType());
      arrive(next, phi.getIncomingValueForBlock(back), [&](auto, auto) { return nothing; });
      phi.setIncomingValue(phi.getBasicBlockIndex(back), next);
      phi.setIncomingBlock(phi.getBasicBlockIndex(back), latch);
    }
    SmallVector<PHINode*, 4> chosen;
    for (BasicBlock* exit : exits_) {
      if (exits_.size() < 2) break;
      chosen.push_back(b.CreatePHI(b.getInt1Ty(), leaving.size() + 1));
      arrive(chosen.back(), b.getFalse(), [&](auto, BasicBlock* to) { return b.getInt1(to == exit); });
    }
    for (PHINode* phi : outside_) {
      PHINode* value = b.CreatePHI(phi->getType(), leaving.size() + 1);
      Value* nothing = PoisonValue::get(phi->getType());
      arrive(value, nothing, [&](BasicBlock* edge, BasicBlock* to) -> Value* {
        if (to != phi->getParent()) return nothing;
        Value* v = phi->getIncomingValueForBlock(edge);
        phi->removeIncomingValue(edge, /*DeletePHIIfEmpty=*/false);
        return v;
      });
      from_latch_[phi] = value;
    }
    for (auto [edge, exit] : leaving) edge->getTerminator()->setSuccessor(0, latch);
    back->getTerminator()->setSuccessor(0, latch);
    chosen_in_latch_ = chosen;
    new_latch_ = latch;
    BranchInst* end = b.CreateCondBr(stay, &header_, exits_[0]);
    end->setDebugLoc(latch_->getTerminator()->getDebugLoc());
    end->setMetadata(LLVMContext::MD_loop, loop_.getLoopID());
    latch_->getTerminator()->setMetadata(LLVMContext::MD_loop, nullptr);
    if (exits_.size() > 1) return;
    for (PHINode* phi : outside_) phi->addIncoming(from_latch_[phi], latch);
  }

  // All exits go to one block, and from there to where they went. Of a two-way branch in a loop one way stays there, so
  // that no block brings two values.
  void make_hub() {
    BasicBlock* hub = add("hub");
    IRBuilder<> b(hub);
    SmallVector<std::pair<BasicBlock*, BasicBlock*>, 4> leaving;
    SmallVector<BasicBlock*, 4> exiting = together_;
    if (!new_latch_) append_range(exiting, alone_);
    for (BasicBlock* block : exiting)
      for (BasicBlock* exit : exits_of(block)) leaving.push_back({block, exit});
    SmallVector<PHINode*, 4> chosen;
    for (unsigned k = 0; k < exits_.size(); ++k) {
      chosen.push_back(b.CreatePHI(b.getInt1Ty(), leaving.size() + 1));
      for (auto [from, to] : leaving) chosen[k]->addIncoming(b.getInt1(to == exits_[k]), from);
      if (new_latch_) chosen[k]->addIncoming(chosen_in_latch_[k], new_latch_);
    }
    MapVector<PHINode*, PHINode*> values;
    for (PHINode* phi : outside_) {
      PHINode* value = b.CreatePHI(phi->getType(), leaving.size() + 1);
      for (auto [from, to] : leaving) {
        const bool here = to == phi->getParent();
        value->addIncoming(here ? phi->getIncomingValueForBlock(from) : PoisonValue::get(phi->getType()), from);
        if (here) phi->removeIncomingValue(from, /*DeletePHIIfEmpty=*/false);
      }
      if (new_latch_) value->addIncoming(from_latch_[phi], new_latch_);
      values[phi] = value;
    }
    for (auto [from, to] : leaving) from->getTerminator()->replaceSuccessorWith(to, hub);
    if (new_latch_) new_latch_->getTerminator()->setSuccessor(1, hub);
    b.SetCurrentDebugLocation(latch_->getTerminator()->getDebugLoc());
    for (unsigned k = 0; k < exits_.size(); ++k) {
      BasicBlock* here = b.GetInsertBlock();
      if (k + 1 == exits_.size()) {
        b.CreateBr(exits_[k]);
      } else {
        BasicBlock* next = add("hub");
        b.CreateCondBr(chosen[k], exits_[k], next);
        b.SetInsertPoint(next);
      }
      for (PHINode& phi : exits_[k]->phis()) phi.addIncoming(values[&phi], here);
    }
  }

  Loop& loop_;
  BasicBlock& header_;
  BasicBlock* latch_;
  LLVMContext& c_;
  bool apart_;
  SmallVector<BasicBlock*, 4> exits_, alone_, together_;
  SmallVector<PHINode*, 4> outside_, chosen_in_latch_;
  DenseMap<PHINode*, PHINode*> from_latch_;
  BasicBlock* new_latch_ = nullptr;
};

bool unify_one(Function& function, const GroupShape& group) {
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  const Shapes shapes(function, group);
  const auto outer_first = loops.getLoopsInPreorder();
  for (Loop* loop : reverse(outer_first))
    if (LoopExits(*loop, dominators, shapes).unify()) return true;
  return false;
}

}  // namespace

bool unify_exits(Function& function, const GroupShape& group) {
  for (unsigned changes = 0; changes < kMostChanges; ++changes) {
    if (!unify_one(function, group)) return true;
    // A hub in a loop may be an exit of it, and hand on what was computed there.
    PassRunner(nullptr).run(function, "loop-simplify,lcssa");
  }
  return false;
}

}  // namespace lanza::compiler
