// What clang says, as text with carets and as a list.
#pragma once

#include <string>
#include <vector>

#include <clang/Basic/Diagnostic.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/frontend/compile.hpp"
#include "compiler/frontend/original_places.hpp"

namespace lanza::compiler {

/// Writes to `log` and `list` as it goes: places and lines of source as the user wrote them, whatever was rewritten
/// (`texts`). Notes that point into the prelude are left out: they are no help to a user.
class DiagnosticRecorder : public clang::DiagnosticConsumer {
 public:
  DiagnosticRecorder(const EditedTexts& texts, std::string& log, std::vector<Diagnostic>& list);

  void BeginSourceFile(const clang::LangOptions& language, const clang::Preprocessor* preprocessor) override;
  void EndSourceFile() override;
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) override;

 private:
  void print(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info, const std::string& message);
  void add_hint(const std::string& message, const Diagnostic& at);

  OriginalPlaces places_;
  llvm::raw_string_ostream stream_;
  std::vector<Diagnostic>& list_;
  llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options_;
  clang::TextDiagnosticPrinter printer_;
  bool said_of_files_ = false;  // once is enough
};

/// One line as clang writes it: "kernel.cu:3:5: error: ...".
std::string to_line(const Diagnostic& diagnostic);

}  // namespace lanza::compiler
