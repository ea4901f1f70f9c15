// One set of analysis managers and the running of textual pipelines, all with LLVM's knowledge of library functions
// switched off.
#pragma once

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>

namespace lanza::compiler {

/// For one module and one target. Library functions are unknown to it: a device function called `sinf` is the prelude's
/// own, LLVM must neither fold it with the host's libm nor make calls of memset.
class PassRunner {
 public:
  explicit PassRunner(llvm::TargetMachine* machine);

  void run(llvm::Module& module, llvm::ModulePassManager& passes);
  void run(llvm::Module& module, llvm::StringRef pipeline);
  /// On every function that has a body.
  void run_on_functions(llvm::Module& module, llvm::StringRef pipeline);
  void run(llvm::Function& function, llvm::StringRef pipeline);

  llvm::PassBuilder& builder() { return builder_; }
  llvm::FunctionAnalysisManager& functions() { return functions_; }
  llvm::ModuleAnalysisManager& modules() { return modules_; }
  /// Forgets all results.
  void clear();

 private:
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager components_;
  llvm::ModuleAnalysisManager modules_;
  llvm::PassBuilder builder_;
};

}  // namespace lanza::compiler
