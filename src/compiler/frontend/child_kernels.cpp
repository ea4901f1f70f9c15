#include "compiler/frontend/child_kernels.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "compiler/frontend/kernels.hpp"
#include "compiler/passes/thread_context.hpp"

using namespace llvm;

namespace lanza::compiler {

void name_child_kernels(const clang::ASTContext& context, clang::CodeGenerator& generator, Module& module) {
  Function* launch = module.getFunction(kLaunchChild);
  if (!launch) return;
  clang::DiagnosticsEngine& diagnostics = context.getDiagnostics();
  const unsigned id = diagnostics.getCustomDiagID(
      clang::DiagnosticsEngine::Error,
      "'%0' is launched with <<<...>>>, but is not a __global__ function: declare it __global__, or call it");
  for (User* user : launch->users()) {
    auto* call = dyn_cast<CallInst>(user);
    auto* kernel = call ? dyn_cast<Function>(call->getArgOperand(0)->stripPointerCasts()) : nullptr;
    if (!kernel) continue;
    const auto* declaration = dyn_cast_or_null<clang::FunctionDecl>(generator.GetDeclForMangledName(kernel->getName()));
    if (declaration && declaration->getDefinition()) declaration = declaration->getDefinition();
    if (declaration && !declaration->hasAttr<clang::CUDAGlobalAttr>())
      diagnostics.Report(declaration->getLocation(), id) << written_name(*declaration, context);
    IRBuilder<> b(call);
    call->setArgOperand(0, b.CreateGlobalString(kernel->getName(), "child"));
    call->setArgOperand(
        1, b.CreateGlobalString(declaration ? written_name(*declaration, context) : kernel->getName().str(), "child"));
    call->setArgOperand(2, b.getInt32(declaration ? launch_bound(*declaration, context) : 0));
  }
}

}  // namespace lanza::compiler
