#include "compiler/passes/vector/scalars/choose_own_stores.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/join_equals.hpp"
#include "compiler/passes/vector/scalars/ask_at_once.hpp"
#include "compiler/passes/vector/scalars/barrier_ends.hpp"
#include "compiler/passes/vector/scalars/reach_shared.hpp"
#include "compiler/passes/vector/scalars/thread_places.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kShared = 3;  // the address space
constexpr unsigned kMostInstructions = 16;

/// A way that some threads go from `guard` to `join`, where the others go at once.
class Way {
 public:
  Way(BasicBlock& guard, unsigned number, uint64_t threads)
      : branch_(cast<BranchInst>(*guard.getTerminator())),
        guard_(guard),
        way_(*branch_.getSuccessor(number)),
        join_(*branch_.getSuccessor(1 - number)),
        is_first_(number == 0),
        layout_(guard.getDataLayout()),
        threads_(most_threads_at(guard, threads)) {}

  BasicBlock& block() { return way_; }

  bool find() {
    if (&way_ == &join_ || way_.getSinglePredecessor() != &guard_ || way_.getSingleSuccessor() != &join_ ||
        isa<PHINode>(join_.front()) || way_.sizeWithoutDebug() > kMostInstructions)
      return false;
    for (Instruction& i : way_.instructionsWithoutDebug())
      if (!i.isTerminator() && !take(i)) return false;
    return !stores_.empty() && asks_memory(branch_.getCondition(), guard_) && (!needs_peace_ || has_peace());
  }

  void go_always() {
    SmallVector<Instruction*, kMostInstructions> moved;
    for (Instruction& i : way_.instructionsWithoutDebug())
      if (!i.isTerminator()) moved.push_back(&i);
    for (Instruction* i : moved) i->moveBefore(&branch_);
    IRBuilder<> b(&branch_);
    for (auto& [store, before] : stores_) {
      b.SetInsertPoint(store);
      Type* type = store->getValueOperand()->getType();
      Value* old = before ? before : b.CreateAlignedLoad(type, store->getPointerOperand(), store->getAlign());
      Value *yes = is_first_ ? store->getValueOperand() : old, *no = is_first_ ? old : store->getValueOperand();
      store->setOperand(0, b.CreateSelect(branch_.getCondition(), yes, no));
      if (before) store->setOperand(StoreInst::getPointerOperandIndex(), before->getPointerOperand());
    }
    b.SetInsertPoint(&branch_);
    b.CreateBr(&join_);
    branch_.eraseFromParent();
  }

 private:
  struct Store {
    StoreInst* store;
    LoadInst* before;  ///< what is there, where the guard has asked
  };

  bool take(Instruction& i) {
    Value* address = getLoadStorePointerOperand(&i);
    if (!address) return isSafeToSpeculativelyExecute(&i);
    const bool is_plain = isa<LoadInst>(i) ? cast<LoadInst>(i).isSimple() : cast<StoreInst>(i).isSimple();
    const auto place = place_in_elements(i, layout_);
    if (!is_plain || address->getType()->getPointerAddressSpace() != kShared) return false;
    // What the guard has loaded of the place is not what is there, once this way has stored it.
    if (any_of(stores_, [&](Store& s) { return may_be_same(*s.store, i, place); })) return false;
    auto* store = dyn_cast<StoreInst>(&i);
    if (store && (!place || place->step == 0)) return false;
    LoadInst* before = store ? load_of_place(*store) : nullptr;
    if (!before && !reaches_inside(i, guard_, threads_)) return false;
    needs_peace_ |= !before;
    if (store) stores_.push_back({store, before});
    return true;
  }

  bool may_be_same(StoreInst& store, Instruction& other, std::optional<ThreadPlace> place) const {
    const Value* array = getUnderlyingObject(store.getPointerOperand(), 0);
    if (array != getUnderlyingObject(getLoadStorePointerOperand(&other), 0)) return false;
    const bool is_alike =
        layout_.getTypeStoreSize(getLoadStoreType(&store)) == layout_.getTypeStoreSize(getLoadStoreType(&other));
    const ThreadPlace stored = *place_in_elements(store, layout_);
    // Of one thread: what others store it does not look at before the next barrier.
    return !is_alike || !place || stored.step != place->step || stored.first == place->first;
  }

  LoadInst* load_of_place(const StoreInst& store) const {
    for (Instruction& i : reverse(guard_)) {
      if (i.mayWriteToMemory()) return nullptr;
      auto* load = dyn_cast<LoadInst>(&i);
      if (load && load->isSimple() && load->getType() == store.getValueOperand()->getType() &&
          same_value(load->getPointerOperand(), store.getPointerOperand()))
        return load;
    }
    return nullptr;
  }

  /// From the barrier before, whichever it was, to the one behind nobody writes anything elsewhere.
  bool has_peace() const {
    SmallSetVector<BasicBlock*, 8> before;
    before.insert(&guard_);
    for (size_t n = 0; n < before.size(); ++n) {
      const auto last = find_if(reverse(*before[n]), [](Instruction& i) { return i.mayWriteToMemory(); });
      if (last != before[n]->rend() && !is_barrier(*last)) return false;
      if (last != before[n]->rend()) continue;
      if (pred_empty(before[n])) return false;
      before.insert(pred_begin(before[n]), pred_end(before[n]));
    }
    SmallSetVector<BasicBlock*, 8> beside;
    beside.insert(&join_);
    for (BasicBlock* block : before)
      for (BasicBlock* next : successors(block))
        if (next != &way_ && !before.contains(next)) beside.insert(next);
    for (size_t n = 0; n < beside.size(); ++n) {
      const auto first = find_if(*beside[n], writes_shared);
      if (first != beside[n]->end() && !is_barrier(*first)) return false;
      if (first == beside[n]->end()) beside.insert(succ_begin(beside[n]), succ_end(beside[n]));
    }
    return true;
  }

  static bool writes_shared(Instruction& i) {
    auto* store = dyn_cast<StoreInst>(&i);
    return i.mayWriteToMemory() && !(store && isa<Argument>(getUnderlyingObject(store->getPointerOperand(), 0)));
  }

  BranchInst& branch_;
  BasicBlock &guard_, &way_, &join_;
  const bool is_first_;
  const DataLayout& layout_;
  const uint64_t threads_;  ///< that come to the guard at most, from the first on
  SmallVector<Store, 4> stores_;
  bool needs_peace_ = false;  ///< memory is read that the source does not read there
};

}  // namespace

bool choose_own_stores(Function& kernel, std::array<unsigned, 3> block) {
  if (block[1] != 1 || block[2] != 1) return false;
  SmallVector<BasicBlock*, 16> dead;
  for (BasicBlock& guard : kernel) {
    auto* branch = dyn_cast<BranchInst>(guard.getTerminator());
    for (unsigned k : {0U, 1U}) {
      if (!branch || !branch->isConditional()) break;
      Way way(guard, k, block[0]);
      if (!way.find()) continue;
      way.go_always();
      dead.push_back(&way.block());
      break;
    }
  }
  DeleteDeadBlocks(dead);
  return !dead.empty();
}

}  // namespace lanza::compiler
