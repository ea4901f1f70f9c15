// What guards say of values, such as differences that they keep above zero.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

namespace lanza::compiler {

/// What branches on the way to a block say of differences: `if (tid >= d) v = s[tid - d]`.
class GuardedDifferences {
 public:
  GuardedDifferences(const llvm::DominatorTree& dominators, llvm::ScalarEvolution& evolution)
      : dominators_(dominators), evolution_(evolution) {}

  /// True when no thread that comes to `block` has a minuend below its subtrahend, as unsigned numbers.
  bool is_never_below(llvm::Value* difference, const llvm::BasicBlock* block);

  /// A comparison, and whether it is true.
  using Tells = llvm::function_ref<bool(const llvm::ICmpInst&, bool)>;
  /// Whether one of the comparisons on the way to `block` tells.
  bool any_guard(const llvm::BasicBlock* block, Tells tells) const;

 private:
  bool bounds(const llvm::ICmpInst& guard, bool truth, const llvm::Value* a, const llvm::APInt& least);

  const llvm::DominatorTree& dominators_;
  llvm::ScalarEvolution& evolution_;
};

}  // namespace lanza::compiler
