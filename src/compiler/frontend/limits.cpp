#include "compiler/frontend/limits.hpp"

#include <chrono>
#include <memory>

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/Sema.h>
#include <clang/Sema/TemplateInstCallback.h>

#include "compiler/guard.hpp"

namespace lanza::compiler {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds time_limit{60};
// Far above what kernels need (the toolkit's largest headers instantiate some ten thousand templates; an operator
// between two halves tries 850 times what a conversion's template may be), and below 2 GB of memory.
constexpr long template_limit = 300'000, attempt_limit = 10'000'000, macro_limit = 10'000'000, token_limit = 20'000'000,
               include_limit = 100'000;

/// Counts one kind of step, and looks at the clock now and then.
class Meter {
 public:
  Meter(const char* what, long limit) : what_(what), limit_(limit) {}

  void step() {
    if (++count_ > limit_)
      abandon("the source is too large: it needs more than " + std::to_string(limit_) + " " + what_ +
              "; is something recursive?");
    if (count_ % 1024 == 0 && Clock::now() - start_ > time_limit)
      abandon("the source takes more than " + std::to_string(time_limit.count()) +
              " s to compile; is something recursive?");
  }

 private:
  const char* what_;
  long limit_, count_ = 0;
  Clock::time_point start_ = Clock::now();
};

class PreprocessorMeters : public clang::PPCallbacks {
 public:
  void MacroExpands(const clang::Token&, const clang::MacroDefinition&, clang::SourceRange,
                    const clang::MacroArgs*) override {
    macros_.step();
  }
  void FileChanged(clang::SourceLocation, FileChangeReason reason, clang::SrcMgr::CharacteristicKind,
                   clang::FileID) override {
    if (reason == EnterFile) includes_.step();
  }

 private:
  Meter macros_{"macro expansions", macro_limit}, includes_{"included files", include_limit};
};

class TemplateMeter : public clang::TemplateInstantiationCallback {
 public:
  void initialize(const clang::Sema&) override {}
  void finalize(const clang::Sema&) override {}
  void atTemplateBegin(const clang::Sema&, const clang::Sema::CodeSynthesisContext& context) override {
    const bool is_made = context.Kind == clang::Sema::CodeSynthesisContext::TemplateInstantiation;
    (is_made ? instantiations_ : attempts_).step();
  }
  void atTemplateEnd(const clang::Sema&, const clang::Sema::CodeSynthesisContext&) override {}

 private:
  Meter instantiations_{"template instantiations", template_limit};
  Meter attempts_{"attempts to instantiate a template", attempt_limit};
};

}  // namespace

void limit_preprocessor(clang::CompilerInstance& instance) {
  // clang would go on with another stack, on a thread that nobody guards.
  instance.getDiagnostics().setSeverity(clang::diag::warn_stack_exhausted, clang::diag::Severity::Fatal, {});
  clang::Preprocessor& preprocessor = instance.getPreprocessor();
  preprocessor.addPPCallbacks(std::make_unique<PreprocessorMeters>());
  preprocessor.setTokenWatcher(
      [tokens = std::make_shared<Meter>("tokens", token_limit)](const clang::Token&) { tokens->step(); });
}

void limit_templates(clang::Sema& sema) { sema.TemplateInstCallbacks.push_back(std::make_unique<TemplateMeter>()); }

}  // namespace lanza::compiler
