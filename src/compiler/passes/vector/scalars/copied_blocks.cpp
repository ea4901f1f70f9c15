#include "compiler/passes/vector/scalars/copied_blocks.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Cloning.h>

using namespace llvm;

namespace lanza::compiler {

CopiedBlocks::CopiedBlocks(ArrayRef<BasicBlock*> originals, const char* suffix) : originals_(originals) {
  for (BasicBlock* block : originals_) {
    copies_.push_back(CloneBasicBlock(block, map_, suffix, block->getParent()));
    map_[block] = copies_.back();
  }
  remapInstructionsInBlocks(copies_, map_);
}

Value* CopiedBlocks::of(Value* value) const {
  const auto found = map_.find(value);
  return found == map_.end() ? value : static_cast<Value*>(found->second);
}

BasicBlock* CopiedBlocks::of(BasicBlock* original) const { return cast<BasicBlock>(of(static_cast<Value*>(original))); }

void CopiedBlocks::replace(Value* value, Value* by) {
  if (map_.count(value)) {
    Value* copy = of(value);
    if (copy == by || isa<Constant>(copy)) return;  // known before: to replace a value by itself never ends
    copy->replaceAllUsesWith(by);                   // the map follows
    return;
  }
  value->replaceUsesWithIf(by, [&](const Use& use) {
    auto* user = dyn_cast<Instruction>(use.getUser());
    return user && is_contained(copies_, user->getParent());
  });
  map_[value] = by;
}

void CopiedBlocks::join_exits() {
  for (auto [original, copy] : zip_equal(originals_, copies_))
    for (BasicBlock* exit : successors(original)) {  // one that several edges lead to has an entry for each
      if (is_contained(originals_, exit)) continue;
      for (PHINode& phi : exit->phis()) phi.addIncoming(of(phi.getIncomingValueForBlock(original)), copy);
    }
}

}  // namespace lanza::compiler
