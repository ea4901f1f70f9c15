#include "compiler/passes/vector/scalars/choose_own_stores.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/join_equals.hpp"
#include "compiler/passes/vector/scalars/thread_places.hpp"

using namespace llvm;

namespace lanza::compiler {

static constexpr unsigned kShared = 3;  // the address space

// The only thing that is done on a way from `guard`, where the other way does nothing.
static StoreInst* only_store(BasicBlock& guard, BasicBlock& way, const BasicBlock& join) {
  if (way.getSinglePredecessor() != &guard || way.getSingleSuccessor() != &join || isa<PHINode>(join.front()))
    return nullptr;
  auto* store = dyn_cast<StoreInst>(&*way.instructionsWithoutDebug().begin());
  const bool is_alone = store && store->getNextNonDebugInstruction() == way.getTerminator();
  return is_alone && store->isSimple() && store->getPointerAddressSpace() == kShared ? store : nullptr;
}

static LoadInst* load_of_place(BasicBlock& block, const StoreInst& store) {
  for (Instruction& i : reverse(block)) {
    if (i.mayWriteToMemory()) return nullptr;
    auto* load = dyn_cast<LoadInst>(&i);
    if (load && load->isSimple() && load->getType() == store.getValueOperand()->getType() &&
        same_value(load->getPointerOperand(), store.getPointerOperand()))
      return load;
  }
  return nullptr;
}

// Leaves a way that nobody goes any more in `dead`.
static void choose(BasicBlock& guard, const DataLayout& layout, SmallVectorImpl<BasicBlock*>& dead) {
  auto* branch = dyn_cast<BranchInst>(guard.getTerminator());
  if (!branch || !branch->isConditional()) return;
  for (unsigned k : {0u, 1u}) {
    BasicBlock *way = branch->getSuccessor(k), *join = branch->getSuccessor(1 - k);
    StoreInst* store = way == join ? nullptr : only_store(guard, *way, *join);
    LoadInst* load = store ? load_of_place(guard, *store) : nullptr;
    const auto place = load ? place_in_elements(*store, layout) : std::nullopt;
    if (!place || place->step == 0) continue;
    IRBuilder<> b(branch);
    b.SetCurrentDebugLocation(store->getDebugLoc());
    Value* stored = store->getValueOperand();
    store->setOperand(0, k == 0 ? b.CreateSelect(branch->getCondition(), stored, load)
                                : b.CreateSelect(branch->getCondition(), load, stored));
    store->setOperand(StoreInst::getPointerOperandIndex(), load->getPointerOperand());
    store->moveBefore(branch);
    b.CreateBr(join);
    branch->eraseFromParent();
    dead.push_back(way);
    return;
  }
}

bool choose_own_stores(Function& kernel, std::array<unsigned, 3> block) {
  if (block[1] != 1 || block[2] != 1) return false;
  SmallVector<BasicBlock*, 16> dead;
  for (BasicBlock& guard : kernel) choose(guard, kernel.getDataLayout(), dead);
  DeleteDeadBlocks(dead);
  return !dead.empty();
}

}  // namespace lanza::compiler
