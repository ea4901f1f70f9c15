// Shared variables of classes whose default constructor or destructor does something: NVCC and NVRTC run neither and
// warn, clang refuses them. The linker brings clang's check of CUDA's variables here (--wrap).
#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Sema/Sema.h>
#include <clang/Sema/SemaCUDA.h>

namespace lanza::compiler {
namespace {

using Check = void(clang::SemaCUDA*, clang::VarDecl*);
extern "C" Check __real__ZN5clang8SemaCUDA23checkAllowedInitializerEPNS_7VarDeclE;
extern "C" Check __wrap__ZN5clang8SemaCUDA23checkAllowedInitializerEPNS_7VarDeclE;

/// The constructor of `__shared__ T x;`, or of its elements. Null for `T x{}`, `T x = ...` and for what has none.
const clang::CXXConstructorDecl* default_constructor(const clang::VarDecl& variable) {
  if (variable.isInvalidDecl() || !variable.hasInit() || variable.getInitStyle() != clang::VarDecl::CallInit)
    return nullptr;
  const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(variable.getInit()->IgnoreImplicit());
  return construct && construct->getParenOrBraceRange().isInvalid() ? construct->getConstructor() : nullptr;
}

bool has_written_destructor(const clang::VarDecl& variable) {
  const auto* record = variable.getType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  const clang::CXXDestructorDecl* destructor = record ? record->getDestructor() : nullptr;
  return destructor && destructor->isUserProvided();
}

bool depends_on_template(const clang::VarDecl& variable) {
  return variable.getType()->isDependentType() || variable.getDeclContext()->isDependentContext();
}

extern "C" void __wrap__ZN5clang8SemaCUDA23checkAllowedInitializerEPNS_7VarDeclE(clang::SemaCUDA* cuda,
                                                                                 clang::VarDecl* variable) {
  const bool shared = variable->hasAttr<clang::CUDASharedAttr>() && !depends_on_template(*variable);
  const clang::CXXConstructorDecl* constructor = shared ? default_constructor(*variable) : nullptr;
  // A constructor that is written may not stand behind a variable outside of functions, as NVRTC has it.
  if (!constructor || (constructor->isUserProvided() && !variable->isLocalVarDecl()))
    return __real__ZN5clang8SemaCUDA23checkAllowedInitializerEPNS_7VarDeclE(cuda, variable);
  const bool does_nothing =
      cuda->isEmptyConstructor(variable->getLocation(), const_cast<clang::CXXConstructorDecl*>(constructor));
  if ((does_nothing || !constructor->isUserProvided()) && !has_written_destructor(*variable)) return;
  clang::DiagnosticsEngine& diagnostics = cuda->getASTContext().getDiagnostics();
  diagnostics.Report(variable->getLocation(),
                     diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Warning,
                                                 "shared variables are not initialised: the constructor and the "
                                                 "destructor of '%0' do not run; let one thread assign it"))
      << variable->getName();
}

}  // namespace
}  // namespace lanza::compiler
