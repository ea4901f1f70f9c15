#include "compiler/passes/share_restrict.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/sync_calls.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

/// What is done with the memory that a pointer leads to, in its function and in those that it is handed to.
class Uses {
 public:
  bool are_both(Argument& pointer) {
    follow(pointer);
    for (size_t k = 0; k < followed_.size() && !(reads_ && writes_); ++k)
      for (const Use& use : followed_[k]->uses()) note(use);
    return reads_ && writes_;
  }

 private:
  void follow(Value& v) { followed_.insert(&v); }

  void note(const Use& use) {
    auto& user = cast<Instruction>(*use.getUser());
    if (isa<GetElementPtrInst, CastInst, PHINode, SelectInst>(user)) {
      if (user.getType()->isPointerTy()) follow(user);
    } else if (isa<LoadInst>(user)) {
      reads_ = true;
    } else if (auto* store = dyn_cast<StoreInst>(&user)) {
      note_store(*store, use);
    } else if (auto* call = dyn_cast<CallBase>(&user)) {
      note_call(*call, use);
    } else if (!isa<ICmpInst>(user)) {
      reads_ = writes_ = true;
    }
  }

  // Clang keeps each parameter in a variable.
  void note_store(StoreInst& store, const Use& use) {
    auto* variable = dyn_cast<AllocaInst>(store.getPointerOperand());
    if (use.getOperandNo() == StoreInst::getPointerOperandIndex()) {
      writes_ = true;
    } else if (!variable) {
      reads_ = writes_ = true;  // it may come back from anywhere
    } else {
      for (User* user : variable->users())
        if (isa<LoadInst>(user))
          follow(*user);
        else if (!stores_to(*user, *variable) && !is_marker(*user))
          reads_ = writes_ = true;  // a lambda may have it by reference
    }
  }

  static bool stores_to(const User& user, const AllocaInst& variable) {
    auto* store = dyn_cast<StoreInst>(&user);
    return store && store->getValueOperand() != &variable;
  }

  static bool is_marker(const User& user) {
    auto* call = dyn_cast<IntrinsicInst>(&user);
    return call && (call->isLifetimeStartOrEnd() || isa<DbgInfoIntrinsic>(call));
  }

  void note_call(CallBase& call, const Use& use) {
    if (is_marker(call)) return;
    if (isa<MemIntrinsic>(call)) {
      (use.getOperandNo() == 0 ? writes_ : reads_) = true;
      return;
    }
    Function* callee = call.getCalledFunction();
    const bool is_known = callee && !callee->isDeclaration() && call.isArgOperand(&use) &&
                          call.getArgOperandNo(&use) < callee->arg_size();
    if (is_known)
      follow(*callee->getArg(call.getArgOperandNo(&use)));
    else
      reads_ = writes_ = true;
  }

  SmallSetVector<Value*, 32> followed_;
  bool reads_ = false, writes_ = false;
};

}  // namespace

PreservedAnalyses ShareRestrictPass::run(Module& module, ModuleAnalysisManager&) {
  if (none_of(module, [](Function& f) { return has_sync(f); })) return PreservedAnalyses::all();
  for (Function& f : module)
    for (Argument& argument : f.args())
      if (argument.hasNoAliasAttr() && Uses().are_both(argument)) argument.removeAttr(Attribute::NoAlias);
  return PreservedAnalyses::all();
}

}  // namespace lanza::compiler
