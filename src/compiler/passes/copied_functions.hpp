// Functions with many calls are simplified before they are copied to each of them.
#pragma once

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: a module straight from clang, before inlining. Out: functions with many calls, and what they call, whose values
/// are in registers, and which are short: an operation of a pair of halves is 30 instructions, where the text of the
/// functions that it is made of has 190. Left as they are: functions with an operation that LLVM folds otherwise than a
/// GPU computes it (shifts beyond the width, quotients, extrema, conversions to integers), as it folds what it copies
/// before passes have said what those are. To be asked where denormals are kept.
class CopiedFunctions {
 public:
  CopiedFunctions(llvm::Module& module, llvm::FunctionAnalysisManager& analyses, unsigned many_calls = 64);

  /// Of a function into which all that it calls has been inlined.
  void simplify(llvm::Function& function);

 private:
  llvm::FunctionAnalysisManager& analyses_;
  llvm::SmallSetVector<llvm::Function*, 32> copied_;
};

}  // namespace lanza::compiler
