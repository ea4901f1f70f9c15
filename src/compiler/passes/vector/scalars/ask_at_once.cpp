#include "compiler/passes/vector/scalars/ask_at_once.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/join_equals.hpp"
#include "compiler/passes/vector/scalars/reach_shared.hpp"
#include "compiler/passes/vector/scalars/thread_places.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kShared = 3;  // the address space
constexpr unsigned kMostInstructions = 16;
constexpr size_t kMostBlocks = 4;

/// What lies between `guard` and the two blocks that all of it leads to.
class Questions {
 public:
  Questions(BasicBlock& guard, uint64_t threads) : guard_(guard), threads_(most_threads_at(guard, threads)) {}

  bool find() {
    auto* branch = dyn_cast<BranchInst>(guard_.getTerminator());
    if (!branch || !branch->isConditional() || !asks_memory(branch->getCondition(), guard_)) return false;
    for (BasicBlock* next : successors(&guard_))
      if (!reach(*next)) return false;
    bool asks_more = false;
    for (size_t n = 0; n < between_.size(); ++n) {  // grows
      asks_more |= succ_size(between_[n]) == 2;
      for (BasicBlock* next : successors(between_[n]))
        if (!reach(*next)) return false;
    }
    if (!asks_more || ends_.size() != 2) return false;
    way_ = ends_[0]->getSingleSuccessor() == ends_[1] ? ends_[0] : ends_[1];
    join_ = way_ == ends_[0] ? ends_[1] : ends_[0];
    return way_->getSingleSuccessor() == join_ && !isa<PHINode>(join_->front()) &&
           all_of(predecessors(way_), [&](BasicBlock* p) { return p == &guard_ || between_.contains(p); });
  }

  ArrayRef<BasicBlock*> between() const { return between_.getArrayRef(); }

  void ask() {
    Instruction* end = guard_.getTerminator();
    for (BasicBlock* block : between_)
      for (Instruction& i : make_early_inc_range(*block)) {
        if (i.isTerminator()) continue;
        if (LoadInst* before = isa<LoadInst>(i) ? same_load(cast<LoadInst>(i)) : nullptr) {
          i.replaceAllUsesWith(before);
          i.eraseFromParent();
        } else {
          i.moveBefore(end);
        }
      }
    IRBuilder<> b(end);
    for (PHINode& phi : make_early_inc_range(way_->phis())) {
      Value* value = arriving(b, phi, guard_);
      phi.replaceAllUsesWith(value);
      phi.eraseFromParent();
    }
    b.CreateCondBr(leads_to_way(b, guard_), way_, join_);
    end->eraseFromParent();
    DeleteDeadBlocks(between());
  }

 private:
  bool reach(BasicBlock& block) {
    if (is_contained(ends_, &block) || between_.contains(&block)) return true;
    if (between_.size() < kMostBlocks && is_only_asked(block)) return between_.insert(&block);
    ends_.push_back(&block);
    return ends_.size() <= 2;
  }

  bool is_only_asked(BasicBlock& block) {
    BasicBlock* before = block.getSinglePredecessor();
    if (!before || !isa<BranchInst>(block.getTerminator())) return false;
    size_ += static_cast<unsigned>(block.sizeWithoutDebug());
    return size_ <= kMostInstructions &&
           all_of(block, [&](Instruction& i) { return i.isTerminator() || may_be_early(i); });
  }

  bool may_be_early(Instruction& i) const {
    auto* load = dyn_cast<LoadInst>(&i);
    if (!load) return !isa<PHINode>(i) && isSafeToSpeculativelyExecute(&i);
    return load->isSimple() && load->getPointerAddressSpace() == kShared && reaches_inside(*load, guard_, threads_);
  }

  LoadInst* same_load(const LoadInst& wanted) const {
    for (Instruction& i : reverse(guard_)) {
      if (i.mayWriteToMemory()) return nullptr;
      auto* load = dyn_cast<LoadInst>(&i);
      if (load && load->isSimple() && load->getType() == wanted.getType() &&
          same_value(load->getPointerOperand(), wanted.getPointerOperand()))
        return load;
    }
    return nullptr;
  }

  Value* leads_to_way(IRBuilder<>& b, BasicBlock& from) {
    if (&from == way_ || &from == join_) return b.getInt1(&from == way_);
    auto* branch = cast<BranchInst>(from.getTerminator());
    Value* first = leads_to_way(b, *branch->getSuccessor(0));
    if (branch->isUnconditional()) return first;
    Value *second = leads_to_way(b, *branch->getSuccessor(1)), *asked = branch->getCondition();
    if (first == b.getTrue() && second == b.getFalse()) return asked;
    if (first == b.getTrue()) return b.CreateLogicalOr(asked, second);
    if (second == b.getFalse()) return b.CreateLogicalAnd(asked, first);
    return b.CreateSelect(asked, first, second);
  }

  // Null: nothing leads from there to the way.
  Value* arriving(IRBuilder<>& b, PHINode& phi, BasicBlock& from) {
    if (&from == join_) return nullptr;
    auto* branch = cast<BranchInst>(from.getTerminator());
    SmallVector<Value*, 2> values;
    for (BasicBlock* next : branch->successors())
      values.push_back(next == way_ ? phi.getIncomingValueForBlock(&from) : arriving(b, phi, *next));
    if (values.size() == 1 || !values[1] || values[0] == values[1]) return values[0];
    return values[0] ? b.CreateSelect(branch->getCondition(), values[0], values[1]) : values[1];
  }

  BasicBlock& guard_;
  const uint64_t threads_;  ///< that come to the guard at most, from the first on
  SmallSetVector<BasicBlock*, kMostBlocks> between_;
  SmallVector<BasicBlock*, 2> ends_;
  BasicBlock *way_ = nullptr, *join_ = nullptr;
  unsigned size_ = 0;
};

}  // namespace

bool asks_memory(const Value* question, const BasicBlock& block, unsigned depth) {
  auto* i = dyn_cast<Instruction>(question);
  if (!i || i->getParent() != &block || depth == 0) return false;
  return isa<LoadInst>(i) ||
         any_of(i->operands(), [&](const Value* operand) { return asks_memory(operand, block, depth - 1); });
}

bool ask_at_once(Function& kernel, std::array<unsigned, 3> block) {
  if (block[1] != 1 || block[2] != 1) return false;
  SmallVector<BasicBlock*, 16> guards;
  for (BasicBlock& guard : kernel)
    if (succ_size(&guard) == 2) guards.push_back(&guard);
  bool changed = false;
  SmallPtrSet<BasicBlock*, 16> gone;
  for (BasicBlock* guard : guards) {
    if (gone.contains(guard)) continue;
    Questions questions(*guard, block[0]);
    if (!questions.find()) continue;
    gone.insert(questions.between().begin(), questions.between().end());
    questions.ask();
    changed = true;
  }
  return changed;
}

}  // namespace lanza::compiler
