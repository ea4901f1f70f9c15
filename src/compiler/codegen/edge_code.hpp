// The code of a kernel for blocks that do not lie inside, made while that for the others is.
#pragma once

#include <memory>
#include <string>

#include <llvm/IR/Module.h>

#include "compiler/passes/vector/group_shape.hpp"
#include "compiler/passes/vector/run/run_form.hpp"

namespace lanza::compiler {

class GuardedWork;

/// Half of the work that such a kernel is, done on another core. Nothing is shared with who asks for it.
class EdgeCode {
 public:
  /// What came of it.
  struct Result {
    RunForm form;        ///< its IR is gone
    std::string object;  ///< defines the part's `run`, hidden, by the name that was asked for
    std::string errors;  ///< what LLVM says against it; then there is no object
  };

  /// Begins. `kernel` is in group form and has block parts; `target` is as host_machine() takes it.
  EdgeCode(const llvm::Function& kernel, const GroupShape& group, std::string target, std::string name);
  ~EdgeCode();
  EdgeCode(const EdgeCode&) = delete;
  EdgeCode& operator=(const EdgeCode&) = delete;

  /// Waits. Throws std::runtime_error where it ended before its time.
  const Result& wait();

 private:
  std::shared_ptr<Result> result_;
  std::unique_ptr<GuardedWork> work_;
};

}  // namespace lanza::compiler
