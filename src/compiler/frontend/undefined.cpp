#include "compiler/frontend/undefined.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/Basic/SourceManager.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <llvm/IR/Module.h>

#include "compiler/frontend/files.hpp"
#include "compiler/frontend/kernels.hpp"

namespace lanza::compiler {

constexpr unsigned shared_space = 3;

static bool is_missing(const llvm::GlobalValue& value) {
  return value.isDeclaration() && !value.use_empty() && !value.getName().starts_with("llvm.") &&
         value.getAddressSpace() != shared_space;  // dynamic shared memory has no definition
}

void report_undefined(clang::CompilerInstance& instance, clang::CodeGenerator& generator, const llvm::Module& module) {
  clang::DiagnosticsEngine& diagnostics = instance.getDiagnostics();
  const unsigned id = diagnostics.getCustomDiagID(
      clang::DiagnosticsEngine::Error,
      "'%0' is used, but this source does not define it: define it here, or #include the file that does");
  for (const llvm::GlobalValue& value : module.global_values()) {
    if (!is_missing(value)) continue;
    if (value.getName() == "__dynamic_cast") {
      diagnostics.Report(diagnostics.getCustomDiagID(
          clang::DiagnosticsEngine::Error,
          "dynamic_cast is not available in kernels: use a virtual function, or a member that tells the type"));
      continue;
    }
    const auto* declaration =
        llvm::dyn_cast_or_null<clang::NamedDecl>(generator.GetDeclForMangledName(value.getName()));
    if (!declaration) continue;  // one of clang's own
    const clang::SourceLocation place = declaration->getCanonicalDecl()->getLocation();
    const clang::PresumedLoc file = instance.getSourceManager().getPresumedLoc(place);
    if (file.isInvalid() || is_virtual_prelude(file.getFilename())) continue;
    diagnostics.Report(place, id) << written_name(*declaration, instance.getASTContext());
  }
}

}  // namespace lanza::compiler
