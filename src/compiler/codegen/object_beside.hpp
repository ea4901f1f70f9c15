// The object file of a module, written while that of another one is.
#pragma once

#include <memory>
#include <string>

#include <llvm/IR/Module.h>

namespace lanza::compiler {

class GuardedWork;

/// Nothing is shared with who asks for it.
class ObjectBeside {
 public:
  struct Result {
    std::string object, errors;  ///< what LLVM says against it; then there is no object
  };

  /// Begins. `target` is as host_machine() takes it.
  ObjectBeside(const llvm::Module& module, std::string target);
  ~ObjectBeside();
  ObjectBeside(const ObjectBeside&) = delete;
  ObjectBeside& operator=(const ObjectBeside&) = delete;

  /// Waits. Throws std::runtime_error where it ended before its time.
  const Result& wait();

 private:
  std::shared_ptr<Result> result_;
  std::unique_ptr<GuardedWork> work_;
};

}  // namespace lanza::compiler
