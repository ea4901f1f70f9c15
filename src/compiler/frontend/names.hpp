// Name expressions: "axpy<float>", "ns::k", "&table" instantiate what they name and are how the caller then finds it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <clang/AST/Decl.h>
#include <llvm/ADT/DenseMap.h>

#include "compiler/interface.h"

namespace clang {
class CodeGenerator;
class DiagnosticsEngine;
}  // namespace clang
namespace lanza::compiler {

/// Text to follow the user's source: a variable per expression, which refers to what it names. Its lines have a file
/// name of their own.
std::string text_for_names(const LanzaBytes* names, std::size_t count);
inline constexpr const char* names_file = "name expression";
/// Index of the expression that stands in this line of names_file, counted from 1.
std::size_t name_at_line(unsigned line);

/// What the expressions of a compile name.
class NamedEntities {
 public:
  /// Looks whether the declaration is one of text_for_names'.
  void see(const clang::Decl* declaration);
  /// Errors for expressions that name neither a kernel nor a variable.
  void check(clang::DiagnosticsEngine& diagnostics) const;
  /// Has the variables emitted that are named; kernels are by themselves.
  void emit_variables(clang::CodeGenerator& generator) const;
  /// Indices of the expressions that name this kernel or variable.
  std::vector<std::size_t> expressions_for(const clang::Decl* declaration) const;

 private:
  std::vector<const clang::VarDecl*> helpers_;
  llvm::DenseMap<const clang::Decl*, std::vector<std::size_t>> expressions_;
};

}  // namespace lanza::compiler
