#include "compiler/passes/shared_constants.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ReplaceConstant.h>

using namespace llvm;

namespace lanza::compiler {

static constexpr unsigned kShared = 3;  // address space of nvptx64

static bool holds_shared_address(const GlobalVariable& constant) {
  SmallSetVector<const Constant*, 16> reached;
  reached.insert(constant.getInitializer());
  for (size_t i = 0; i < reached.size(); ++i) {
    const Constant* c = reached[i];
    auto* global = dyn_cast<GlobalVariable>(c);
    if (global && global->getAddressSpace() == kShared) return true;
    // Other constants, by whose addresses one comes to shared memory, are copied as well.
    if (global && !(global->isConstant() && global->hasInitializer())) continue;
    for (const Use& operand : c->operands())
      if (auto* inner = dyn_cast<Constant>(operand)) reached.insert(inner);
  }
  return false;
}

// True: its uses in code are copies now.
static bool copy_to_users(GlobalVariable& constant) {
  convertUsersOfConstantsToInstructions({&constant});
  MapVector<Function*, SmallVector<Use*, 4>> uses;
  for (Use& use : constant.uses())
    if (auto* user = dyn_cast<Instruction>(use.getUser())) uses[user->getFunction()].push_back(&use);
  for (auto& [function, here] : uses) {
    IRBuilder<> b(&*function->getEntryBlock().getFirstInsertionPt());
    AllocaInst* copy = b.CreateAlloca(constant.getValueType(), nullptr, constant.getName());
    copy->setAlignment(constant.getAlign().valueOrOne());
    b.CreateAlignedStore(constant.getInitializer(), copy, copy->getAlign());
    Value* address = b.CreateAddrSpaceCast(copy, constant.getType());
    for (Use* use : here) use->set(address);
  }
  return !uses.empty();
}

PreservedAnalyses SharedConstantsPass::run(Module& module, ModuleAnalysisManager&) {
  SmallVector<GlobalVariable*, 8> constants;
  for (GlobalVariable& g : module.globals())
    if (g.isConstant() && g.hasInitializer() && g.getAddressSpace() != kShared && holds_shared_address(g))
      constants.push_back(&g);
  // A copy of one may name another one.
  for (bool copied = true; copied;) {
    copied = false;
    for (GlobalVariable* g : constants) copied |= copy_to_users(*g);
  }
  return constants.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

}  // namespace lanza::compiler
