// Comparisons of index arithmetic, made at a place that the arithmetic does not come before.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>

namespace lanza::compiler {

/// Computes again what is made of constants, arguments, special registers and values that dominate `at`.
/// 32-bit arithmetic that must not wrap is done in 64 bits: a thread that does not come to the original may have
/// values for which it wraps, and the original keeps its flags, which a copy without them would cost it where the two
/// are merged.
class Recomputer {
 public:
  Recomputer(llvm::Instruction* at, const llvm::DominatorTree& dominators) : builder(at), dominators_(dominators) {}

  bool can(const llvm::Value* value) const { return can(value, kDepth); }
  enum class Extension { Sign, Zero };
  /// A value of 32 bits or fewer as `base` + `offset`, in arithmetic that does not wrap; `base` null: 0.
  struct Sum {
    llvm::Value* base;
    int64_t offset;
  };
  Sum split(llvm::Value* value, Extension extension) const;
  /// In 64 bits, what the value is wherever it is computed without wrapping.
  llvm::Value* wide(llvm::Value* value, Extension extension);
  /// As it stands; without flags where it is copied.
  llvm::Value* copy(llvm::Value* value);
  /// From now on `index` stands for `edge`.
  void replace(llvm::Value* edge, llvm::Value* index) { replaced_[edge] = index; }

  llvm::IRBuilder<> builder;

 private:
  static constexpr unsigned kDepth = 12;
  bool can(const llvm::Value* value, unsigned depth) const;
  bool is_there(const llvm::Value* value) const;
  llvm::Value* wide_operation(llvm::Instruction& i, Extension extension);

  const llvm::DominatorTree& dominators_;
  llvm::DenseMap<const llvm::Value*, llvm::Value*> replaced_, copies_;
};

/// Whether the operation, if it is a sum or a product, gives what it would give in more bits.
bool keeps_sum(const llvm::Instruction& i, Recomputer::Extension extension);

}  // namespace lanza::compiler
