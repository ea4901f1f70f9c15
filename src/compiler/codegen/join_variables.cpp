#include "compiler/codegen/join_variables.hpp"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace lanza::compiler {

bool can_join(const AllocaInst& variable) {
  return variable.isStaticAlloca() && variable.getAllocationSize(variable.getDataLayout()) &&
         none_of(variable.users(), [](const User* user) { return isa<LifetimeIntrinsic>(user); });
}

void join_variables(ArrayRef<AllocaInst*> variables) {
  if (variables.size() < 2) return;
  SmallVector<AllocaInst*, 32> sorted(variables);  // then none is between two others only to be aligned
  stable_sort(sorted, [](const AllocaInst* a, const AllocaInst* b) { return a->getAlign() > b->getAlign(); });
  const DataLayout& layout = sorted[0]->getDataLayout();
  SmallVector<uint64_t, 32> offsets;
  uint64_t size = 0;
  for (const AllocaInst* variable : sorted) {
    offsets.push_back(size = alignTo(size, variable->getAlign()));
    size += variable->getAllocationSize(layout)->getFixedValue();
  }
  BasicBlock& entry = sorted[0]->getFunction()->getEntryBlock();
  IRBuilder<> b(&entry, entry.begin());
  AllocaInst* joined = b.CreateAlloca(ArrayType::get(b.getInt8Ty(), size), nullptr, "variables");
  joined->setAlignment(sorted[0]->getAlign());
  for (auto [variable, offset] : zip(sorted, offsets)) {
    b.SetInsertPoint(variable);
    variable->replaceAllUsesWith(b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), joined, offset));
    variable->eraseFromParent();
  }
}

}  // namespace lanza::compiler
