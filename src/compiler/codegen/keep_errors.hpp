// What LLVM says while it makes code.
#pragma once

#include <string>

#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/Support/raw_ostream.h>

namespace lanza::compiler {

/// LLVM's own remarks ("loop not vectorized") are not the user's concern; its errors are.
struct KeepErrors : llvm::DiagnosticHandler {
  explicit KeepErrors(std::string& errors) : errors(errors) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() != llvm::DS_Error) return true;
    llvm::raw_string_ostream stream(errors);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    return true;
  }
  std::string& errors;
};

}  // namespace lanza::compiler
