#include "compiler/passes/vector/lanes/reload_elements.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include "compiler/passes/retarget.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr size_t kMany = 32;             // elements of a block: as many as there are registers
constexpr size_t kMostQuestions = 4096;  // about a load and a write

bool is_broadcast(const Instruction& element) {
  return !element.use_empty() && all_of(element.users(), [](const User* user) {
    auto* insert = dyn_cast<InsertElementInst>(user);
    if (!insert || !insert->hasOneUse()) return false;
    auto* shuffle = dyn_cast<ShuffleVectorInst>(insert->user_back());
    return shuffle && shuffle->isZeroEltSplat() && shuffle->getOperand(0) == insert;
  });
}

// An argument of the kernel points to no variable of the block: it was there before. LLVM would ask every use of the
// variable, and has no patience with those of a tile.
bool goes_to_variable_beside_argument(const Instruction& write, const LoadInst& load) {
  auto* store = dyn_cast<StoreInst>(&write);
  if (!store || !isa<AllocaInst>(getUnderlyingObject(store->getPointerOperand()))) return false;
  auto* argument = dyn_cast<LoadInst>(getUnderlyingObject(load.getPointerOperand()));
  return argument && argument->hasMetadata(kContextMark);
}

/// The elements of a block that are broadcast, and the loads that they are taken from.
class BlockElements {
 public:
  BlockElements(BasicBlock& block, AAResults& aliases) : aliases_(aliases) {
    for (Instruction& i : block) {
      position_[&i] = position_.size();
      if (i.mayWriteToMemory()) writes_.push_back(&i);
      auto* element = dyn_cast<ExtractElementInst>(&i);
      if (!element || !isa<ConstantInt>(element->getIndexOperand()) || !is_broadcast(i)) continue;
      auto* load = dyn_cast<LoadInst>(element->getVectorOperand());
      const bool is_whole = block.getDataLayout().typeSizeEqualsStoreSize(element->getType());
      if (is_whole && load && load->isSimple() && load->getParent() == &block) elements_.push_back({element, load});
    }
  }

  bool reload() {
    if (elements_.size() < kMany) return false;
    bool changed = false;
    for (const auto& [element, load] : elements_) {
      if (position_.lookup(element) > end_of(*load)) continue;
      IRBuilder<> b(element);
      Type* type = element->getType();
      Value* address = b.CreateGEP(type, load->getPointerOperand(), element->getIndexOperand());
      const uint64_t offset = cast<ConstantInt>(element->getIndexOperand())->getZExtValue() *
                              b.GetInsertBlock()->getDataLayout().getTypeStoreSize(type);
      LoadInst* again = b.CreateAlignedLoad(type, address, commonAlignment(load->getAlign(), offset));
      again->setAAMetadata(load->getAAMetadata());
      element->replaceAllUsesWith(again);
      element->eraseFromParent();
      changed = true;
    }
    return changed;
  }

 private:
  struct Element {
    ExtractElementInst* element;
    LoadInst* load;
  };

  // The place up to which memory holds what was loaded.
  size_t end_of(const LoadInst& load) {
    const auto [known, is_new] = ends_.try_emplace(&load, position_.lookup(&load));
    if (!is_new) return known->second;
    for (const Instruction* write : writes_) {
      if (position_.lookup(write) < position_.lookup(&load) || goes_to_variable_beside_argument(*write, load)) continue;
      if (++questions_ > kMostQuestions || isModSet(aliases_.getModRefInfo(write, MemoryLocation::get(&load))))
        return known->second = questions_ > kMostQuestions ? position_.lookup(&load) : position_.lookup(write);
    }
    return known->second = position_.size();
  }

  BatchAAResults aliases_;
  DenseMap<const Instruction*, size_t> position_;
  SmallVector<const Instruction*, 32> writes_;
  SmallVector<Element, 32> elements_;
  DenseMap<const LoadInst*, size_t> ends_;
  size_t questions_ = 0;
};

}  // namespace

bool reload_elements(Function& run, AAResults& aliases) {
  bool changed = false;
  for (BasicBlock& block : run) changed |= BlockElements(block, aliases).reload();
  return changed;
}

}  // namespace lanza::compiler
