// A loop of one block and its copy, between which is chosen at run time.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include "compiler/passes/pass_runner.hpp"

namespace lanza::compiler {

/// Of a loop in simplified and LCSSA form, as the copy is.
class LoopCopy {
 public:
  /// Whether the loop is one block of so many instructions at most, which alone leads to its exit.
  static bool can(const llvm::Loop& loop, unsigned most_instructions);

  /// Makes the copy, which nothing leads to yet. `name`: of its blocks.
  LoopCopy(const llvm::Loop& loop, const llvm::Twine& name);

  llvm::BasicBlock& begin() const { return *begin_; }  ///< leads to the copy
  llvm::BasicBlock& body() const { return *body_; }
  llvm::BasicBlock& end() const { return *end_; }  ///< where it ends; leads to the loop's exit
  /// The copy of what the loop computes; all else as it is.
  llvm::Value* of(llvm::Value* value) const;
  /// The copy where `condition` holds in front of the loop, else the loop.
  void choose(llvm::Value* condition);

 private:
  llvm::BasicBlock *original_, *before_, *begin_, *body_, *end_;
  llvm::ValueToValueMapTy map_;
};

/// Offers each loop once, outer ones first, those of copies too. `version` says whether it has changed the kernel: what
/// analyses know is gone then. True when it has.
bool version_loops(llvm::Function& kernel, PassRunner& runner,
                   llvm::function_ref<bool(llvm::Loop&, llvm::FunctionAnalysisManager&)> version);

}  // namespace lanza::compiler
