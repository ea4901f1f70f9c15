#include "compiler/passes/vector/scalars/keep_in_register.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

using namespace llvm;

namespace lanza::compiler {

void keep_in_register(Value* place, Type* type, BasicBlock& before, BasicBlock& body, BasicBlock& behind) {
  PHINode* kept = PHINode::Create(type, 2, "sum", body.begin());
  Value* now = kept;
  Instruction *load = nullptr, *store = nullptr;
  for (Instruction& i : make_early_inc_range(body)) {
    if (getLoadStorePointerOperand(&i) != place) continue;
    Instruction*& last = isa<LoadInst>(i) ? load : store;
    if (isa<LoadInst>(i))
      i.replaceAllUsesWith(now);
    else
      now = cast<StoreInst>(i).getValueOperand();
    i.removeFromParent();
    if (last) last->deleteValue();
    last = &i;
  }
  if (load) load->insertBefore(before.getTerminator());
  // What simplification has kept in a register already is only written.
  kept->addIncoming(load ? static_cast<Value*>(load) : PoisonValue::get(type), &before);
  kept->addIncoming(now, &body);
  PHINode* result = PHINode::Create(type, 1, "sum.end", behind.begin());
  result->addIncoming(now, &body);
  store->setOperand(0, result);
  store->insertInto(&behind, behind.getFirstInsertionPt());
  if (kept->use_empty()) kept->eraseFromParent();
}

}  // namespace lanza::compiler
