#include "compiler/frontend/names.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/GlobalDecl.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/CodeGen/ModuleBuilder.h>

namespace lanza::compiler {
namespace {

constexpr llvm::StringRef helper_prefix = "__lanza_name_";
constexpr unsigned lines_a_name = 3;

const clang::ValueDecl* named_by(const clang::Expr* expression) {
  while (expression) {
    expression = expression->IgnoreParenCasts();
    if (auto* full = llvm::dyn_cast<clang::FullExpr>(expression))
      expression = full->getSubExpr();
    else if (auto* temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(expression))
      expression = temporary->getSubExpr();
    else if (auto* op = llvm::dyn_cast<clang::UnaryOperator>(expression); op && op->getOpcode() == clang::UO_AddrOf)
      expression = op->getSubExpr();
    else
      break;
  }
  auto* reference = llvm::dyn_cast_or_null<clang::DeclRefExpr>(expression);
  return reference ? reference->getDecl() : nullptr;
}

bool is_kernel_or_variable(const clang::Decl* d) {
  return d && (d->hasAttr<clang::CUDAGlobalAttr>() ||
               (llvm::isa<clang::VarDecl>(d) && llvm::cast<clang::VarDecl>(d)->hasGlobalStorage()));
}

}  // namespace

std::string text_for_names(const LanzaBytes* names, std::size_t count) {
  if (count == 0) return {};
  std::string text = "\n\n# 1 \"" + std::string(names_file) + "\"\n";
  for (std::size_t i = 0; i < count; ++i) {
    std::string expression(names[i].data, names[i].size);
    for (char& c : expression)
      if (c == '\n' || c == '\r' || c == '\0') c = ' ';
    // A variable of the host: it can refer to kernels, and is not emitted itself.
    text += "static auto&& " + helper_prefix.str() + std::to_string(i) + " = (\n" + expression + "\n);\n";
  }
  return text;
}

std::size_t name_at_line(unsigned line) { return line == 0 ? 0 : (line - 1) / lines_a_name; }

void NamedEntities::see(const clang::Decl* declaration) {
  auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
  if (!variable || !variable->getDeclName().isIdentifier() || !variable->getName().starts_with(helper_prefix)) return;
  helpers_.push_back(variable);
  const clang::ValueDecl* named = named_by(variable->getInit());
  if (is_kernel_or_variable(named)) expressions_[named->getCanonicalDecl()].push_back(helpers_.size() - 1);
}

void NamedEntities::check(clang::DiagnosticsEngine& diagnostics) const {
  for (const clang::VarDecl* helper : helpers_) {
    if (helper->isInvalidDecl() || is_kernel_or_variable(named_by(helper->getInit())))
      continue;  // or clang has said it
    diagnostics.Report(helper->getInit() ? helper->getInit()->getBeginLoc() : helper->getLocation(),
                       diagnostics.getCustomDiagID(
                           clang::DiagnosticsEngine::Error,
                           "this names neither a __global__ function nor a __device__ or __constant__ variable"));
  }
}

void NamedEntities::emit_variables(clang::CodeGenerator& generator) const {
  for (const clang::VarDecl* helper : helpers_)
    if (auto* variable = llvm::dyn_cast_or_null<clang::VarDecl>(named_by(helper->getInit()));
        variable && is_kernel_or_variable(variable))
      generator.GetAddrOfGlobal(clang::GlobalDecl(variable), /*isForDefinition=*/false);
}

std::vector<std::size_t> NamedEntities::expressions_for(const clang::Decl* declaration) const {
  const auto found = expressions_.find(declaration->getCanonicalDecl());
  return found == expressions_.end() ? std::vector<std::size_t>() : found->second;
}

}  // namespace lanza::compiler
