#include "compiler/passes/extract_kernel.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/InlineCost.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "compiler/passes/called_functions.hpp"
#include "compiler/passes/flat_records.hpp"
#include "compiler/passes/fold_reflect.hpp"

using namespace llvm;

namespace lanza::compiler {

void drop_keepers(Module& module) {
  for (StringRef name : {"llvm.used", "llvm.compiler.used"})
    if (GlobalVariable* list = module.getNamedGlobal(name)) list->eraseFromParent();
  if (NamedMDNode* annotations = module.getNamedMetadata("nvvm.annotations")) annotations->eraseFromParent();
  for (GlobalAlias& alias : make_early_inc_range(module.aliases())) {
    alias.replaceAllUsesWith(alias.getAliasee());
    alias.eraseFromParent();
  }
}

namespace {

/// Inlines what a function calls before the function itself is copied, and its last call first: LLVM's inliner goes
/// function by function, and moves all that follows a call in its block to another one, which took halves of 400 lines
/// 1.6 s. What calls itself is left to that.
class InnermostFirst {
 public:
  void inline_into(Function& caller) {
    if (!begun_.insert(&caller).second) return;
    SmallVector<CallBase*, 16> calls;
    for (Instruction& i : instructions(caller)) {
      auto* call = dyn_cast<CallBase>(&i);
      Function* called = call ? call->getCalledFunction() : nullptr;
      if (!called || called->isDeclaration()) continue;
      inline_into(*called);
      const bool is_wanted = call->hasFnAttr(Attribute::AlwaysInline) && !call->isNoInline();
      if (done_.contains(called) && is_wanted && isInlineViable(*called).isSuccess()) calls.push_back(call);
    }
    for (CallBase* call : reverse(calls)) {
      InlineFunctionInfo info;
      InlineFunction(*call, info, /*MergeAttributes=*/true, nullptr, /*InsertLifetime=*/false);
    }
    done_.insert(&caller);
  }

 private:
  SmallPtrSet<const Function*, 32> begun_, done_;
};

}  // namespace

PreservedAnalyses ExtractKernelPass::run(Module& module, ModuleAnalysisManager& analyses) {
  drop_keepers(module);
  for (Function& f : module) {
    if (f.isDeclaration()) continue;
    f.setComdat(nullptr);
    f.setVisibility(GlobalValue::DefaultVisibility);
    f.setDSOLocal(true);
    f.removeFnAttr(Attribute::NoInline);
    f.removeFnAttr(Attribute::OptimizeNone);
    if (f.getName() == kernel) {
      f.setLinkage(GlobalValue::ExternalLinkage);
      continue;
    }
    f.setLinkage(GlobalValue::InternalLinkage);
    if (f.hasFnAttribute(kOutOfLine))
      f.removeFnAttr(Attribute::AlwaysInline);
    else
      f.addFnAttr(Attribute::AlwaysInline);
  }
  for (GlobalVariable& g : module.globals()) {
    if (g.isDeclaration()) continue;
    g.setVisibility(GlobalValue::DefaultVisibility);
    g.setLinkage(GlobalValue::InternalLinkage);
    g.setComdat(nullptr);
  }
  // First drop the other kernels: the inliner would fill them too.
  GlobalDCEPass().run(module, analyses);
  if (!module_flag(module, "lanza.debug", 0)) keep_called_functions(*module.getFunction(kernel));
  const bool folds_alike = !module_flag(module, "lanza.debug", 0) && !module_flag(module, "lanza.ftz", 0);
  if (folds_alike) flatten_copied_functions(module);
  InnermostFirst().inline_into(*module.getFunction(kernel));
  AlwaysInlinerPass(/*InsertLifetime=*/false).run(module, analyses);
  GlobalDCEPass().run(module, analyses);
  for (Function& f : module) f.removeFnAttr(Attribute::AlwaysInline);
  return PreservedAnalyses::none();
}

}  // namespace lanza::compiler
