// Calls through pointers: function pointers, pointers to members, virtual functions.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: a module with all its functions, before any is dropped. Out: no call goes through a pointer and no function's
/// address is taken; aliases and the lists that keep functions alive are gone. A pointer to a function is its number
/// (see function_numbers.hpp), in constants too. The module is closed: a call through a pointer is a switch over the
/// functions of that signature whose address is taken, so that they can be inlined, and may synchronise. A number that
/// is none of theirs ends the launch with a sentence: a null pointer, a pure virtual function, a pointer to something
/// else.
struct IndirectCallsPass : llvm::PassInfoMixin<IndirectCallsPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

}  // namespace lanza::compiler
