// Build tool: writes the prelude as a PCH for one standard, alone or with a header for users.
//   lanza-write-pch c++17 output.pch [cuda_fp16.h]
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Sema/Sema.h>
#include <clang/Sema/SemaConsumer.h>
#include <clang/Serialization/ASTWriter.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/frontend/embedded.hpp"
#include "compiler/frontend/instance.hpp"

// The PCH is not there yet while it is being made.
extern "C" const lanza::compiler::EmbeddedFile lanza_embedded_pchs[] = {{nullptr, nullptr, 0}};

namespace {

// Access to Sema::DeclsToCheckForDeferredDiags, a private member: an explicit instantiation may name it.
struct DeferredDecls {
  using Type = llvm::SmallSetVector<clang::Decl*, 4> clang::Sema::*;
  friend Type member(DeferredDecls);
};
template <class Tag, typename Tag::Type pointer>
struct Expose {
  friend typename Tag::Type member(Tag) { return pointer; }
};
template struct Expose<DeferredDecls, &clang::Sema::DeclsToCheckForDeferredDiags>;

// Forgets that the device functions of the prelude are to be checked when a user's source ends: the check would read
// every one of them from the PCH (10 ms for 1600 functions). They were checked here.
class ForgetDeferredChecks : public clang::SemaConsumer {
 public:
  void InitializeSema(clang::Sema& sema) override { sema_ = &sema; }
  void ForgetSema() override { sema_ = nullptr; }
  void HandleTranslationUnit(clang::ASTContext&) override {
    if (sema_) (sema_->*member(DeferredDecls())).clear();
  }

 private:
  clang::Sema* sema_ = nullptr;
};

class WritePch : public clang::GeneratePCHAction {
 public:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& instance,
                                                        llvm::StringRef file) override {
    std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
    consumers.push_back(std::make_unique<ForgetDeferredChecks>());
    consumers.push_back(GeneratePCHAction::CreateASTConsumer(instance, file));
    return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
  }
};

}  // namespace

int main(int argc, char** argv) {
  using namespace lanza::compiler;
  if (argc != 3 && argc != 4) {
    llvm::errs() << "usage: lanza-write-pch STANDARD OUTPUT [HEADER]\n";
    return 2;
  }
  std::vector<std::string> arguments = language_arguments(argv[1]);
  arguments.insert(arguments.end(), {"-fno-pch-timestamp", "-emit-pch", "-o", argv[2], "-I", user_headers_dir});
  const std::string header = argc == 4 ? std::string(user_headers_dir) + "/" + argv[3] : "";
  if (!header.empty()) arguments.insert(arguments.end(), {"-include", prelude_path});
  arguments.push_back(header.empty() ? prelude_path : header);
  auto options = llvm::makeIntrusiveRefCnt<clang::DiagnosticOptions>();
  auto instance = make_instance(arguments, make_files(),
                                std::make_unique<clang::TextDiagnosticPrinter>(llvm::errs(), options.get()));
  if (!instance) return 1;
  WritePch action;
  return instance->ExecuteAction(action) ? 0 : 1;
}
