// A second code of a kernel, for blocks that do not lie inside or for planes, made while the first one is.
#pragma once

#include <memory>
#include <string>

#include <llvm/IR/Module.h>

#include "compiler/passes/vector/group_shape.hpp"
#include "compiler/passes/vector/run/block_parts.hpp"
#include "compiler/passes/vector/run/run_form.hpp"

namespace lanza::compiler {

class GuardedWork;

/// Half of the work that such a kernel is, done on another core. Nothing is shared with who asks for it.
class CodeBeside {
 public:
  /// What came of it.
  struct Result {
    RunForm form;        ///< its IR is gone
    std::string object;  ///< defines its `run`, hidden, by the name that was asked for
    std::string errors;  ///< what LLVM says against it; then there is no object
  };

  /// Begins. `kernel` is in group form, `part` as build_groups() takes it; `target` is as host_machine() takes it.
  CodeBeside(const llvm::Function& kernel, const GroupShape& group, BlockPart part, std::string target,
             std::string name);
  ~CodeBeside();
  CodeBeside(const CodeBeside&) = delete;
  CodeBeside& operator=(const CodeBeside&) = delete;

  /// Waits. Throws std::runtime_error where it ended before its time.
  const Result& wait();

 private:
  std::shared_ptr<Result> result_;
  std::unique_ptr<GuardedWork> work_;
};

}  // namespace lanza::compiler
