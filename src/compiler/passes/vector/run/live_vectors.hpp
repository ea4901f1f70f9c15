// Which vectors live where.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: a kernel in group form. At a barrier none lives, as what crosses it has slots.
class LiveVectors {
 public:
  explicit LiveVectors(llvm::Function& kernel);

  /// The most registers that are in use at a time in the block, where each value takes as many as `registers` says.
  unsigned most(llvm::BasicBlock& block, llvm::function_ref<unsigned(const llvm::Instruction&)> registers) const;

 private:
  using Values = llvm::DenseSet<const llvm::Instruction*>;

  bool find_live_out(llvm::BasicBlock& block);
  Values live_in(llvm::BasicBlock& block) const;
  static void step_before(llvm::Instruction& i, Values& live);

  llvm::DenseMap<const llvm::BasicBlock*, Values> live_out_;
};

}  // namespace lanza::compiler
