// Code that computes from a launch's arguments what the kernel's code makes of them.
#pragma once

#include <functional>

#include <llvm/ADT/DenseMap.h>

#include "compiler/passes/thread_context.hpp"

namespace lanza::compiler {

/// Emits, where `b` stands, whole numbers that is_made_of_arguments(), from `packed`, the arguments of a launch of
/// `kernel`. A value is computed once, so what it is asked for later has to come behind that.
class ArgumentValues {
 public:
  using Ask = std::function<void(llvm::Value* condition)>;

  /// What `ask` is given has to hold in that launch; else numbers are not those of the kernel.
  ArgumentValues(Builder& b, llvm::Value* packed, const llvm::Function& kernel, Ask ask);

  /// As the kernel computes it.
  llvm::Value* value(llvm::Value* v);
  /// As a signed number of 64 bits.
  llvm::Value* number(llvm::Value* v);
  /// The address in a pointer argument, as an i64.
  llvm::Value* address(const llvm::Argument& pointer);
  /// What lies so many bytes behind the beginning of an argument.
  llvm::Value* member(llvm::Type* type, const llvm::Argument& argument, uint64_t offset);
  /// The same, or 1 where it is not positive, which is asked then.
  llvm::Value* divisor(llvm::Value* made);
  /// From now on the argument is that.
  void set(llvm::Value* argument, llvm::Value* value) { values_[argument] = value; }

 private:
  Builder& b_;
  llvm::Value* packed_;
  const llvm::SmallVector<ArgumentPlace, 8> places_;
  const Ask ask_;
  llvm::DenseMap<llvm::Value*, llvm::Value*> values_;
};

}  // namespace lanza::compiler
