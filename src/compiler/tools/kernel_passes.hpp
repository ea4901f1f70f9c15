// The passes that lanza-opt calls on one function, by name.
#pragma once

#include <functional>

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>

#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// A function and what passes ask about it: each converts to the parameter that a pass has for it.
class Subject {
 public:
  Subject(llvm::Function& function, GroupShape& group, llvm::TargetMachine& host)
      : function_(function), group_(group), host_(host), runner_(&host) {}

  operator llvm::Function&() { return function_; }
  operator llvm::Module&() { return *function_.getParent(); }
  operator GroupShape&() { return group_; }
  operator llvm::TargetMachine&() { return host_; }
  operator llvm::TargetTransformInfo() { return host_.getTargetTransformInfo(function_); }
  operator PassRunner&() { return runner_; }
  operator llvm::FunctionAnalysisManager&() { return runner_.functions(); }
  operator llvm::AAResults&() { return get<llvm::AAManager>(); }
  operator llvm::DominatorTree&() { return get<llvm::DominatorTreeAnalysis>(); }
  operator llvm::LoopInfo&() { return get<llvm::LoopAnalysis>(); }
  operator llvm::ScalarEvolution&() { return get<llvm::ScalarEvolutionAnalysis>(); }

 private:
  template <typename Analysis>
  typename Analysis::Result& get() {
    return runner_.functions().getResult<Analysis>(function_);
  }

  llvm::Function& function_;
  GroupShape& group_;
  llvm::TargetMachine& host_;
  PassRunner runner_;
};

/// Null: no pass has this name. A pass that says why something cannot be proved prints that as a comment.
/// `may_leave`: for `shapes`, threads that leave do not part from the others.
std::function<void(Subject&)> kernel_pass(llvm::StringRef name, bool may_leave);

}  // namespace lanza::compiler
