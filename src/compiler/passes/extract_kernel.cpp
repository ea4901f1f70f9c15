#include "compiler/passes/extract_kernel.hpp"

#include <optional>

#include <llvm/IR/Module.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>

#include "compiler/passes/called_functions.hpp"
#include "compiler/passes/copied_functions.hpp"
#include "compiler/passes/fold_reflect.hpp"
#include "compiler/passes/inline_calls.hpp"

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
  std::optional<CopiedFunctions> copied;
  if (folds_alike) copied.emplace(module, analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager());
  inline_calls(*module.getFunction(kernel), [&](Function& filled) {
    if (copied) copied->simplify(filled);
  });
  AlwaysInlinerPass(/*InsertLifetime=*/false).run(module, analyses);
  GlobalDCEPass().run(module, analyses);
  for (Function& f : module) f.removeFnAttr(Attribute::AlwaysInline);
  return PreservedAnalyses::none();
}

}  // namespace lanza::compiler
