// LLVM's passes of code generation, without those that find nothing to do here, and with this project's own.
#pragma once

#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>

namespace lanza::compiler {

/// For what LLVMTargetMachine::addPassesToEmitFile() adds, to be run on `module`. In front of the passes that they are
/// for run those of `undef_operands.hpp` and `note_moves.hpp`. Left out are
/// - the search for where variables live (a hundredth of the time), unless the module says what its variables are,
/// - the moving of freezes out of loops, which asks scalar evolution about each loop, where nothing is frozen.
class CodePasses : public llvm::legacy::PassManager {
 public:
  explicit CodePasses(const llvm::Module& module);
  void add(llvm::Pass* pass) override;

 private:
  const bool has_variables_, has_freezes_;
};

}  // namespace lanza::compiler
