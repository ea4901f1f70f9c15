// Inline PTX becomes IR: the way of asm statements to the host.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: nvptx64 IR with calls of inline assembly that the front end has accepted (it translates each once, for the
/// errors). Out: none of them; each is a call of a function of its own, which is to be inlined. What such functions
/// need of prelude/ptx_functions.cu is linked in. The carry flag and exit stay calls: lower_asm_state.hpp. Code for a
/// GPU never comes here: its PTX keeps the statements as they are.
struct TranslateAsmPass : llvm::PassInfoMixin<TranslateAsmPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

}  // namespace lanza::compiler
