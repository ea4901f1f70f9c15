// What inline PTX leaves behind from one asm statement to the next.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: calls of i1 __lanza_carry() and void __lanza_set_carry(i1), the carry flag of extended precision, and of void
/// __lanza_exit(), which ends the thread; everything that can be is inlined. Out: none of them. The flag is a variable
/// of the function, so it goes from statement to statement as long as the code between is inlined, and as PTX has it is
/// not kept across calls. exit returns from the kernel; in another function it cannot, and becomes a trap.
struct LowerAsmStatePass : llvm::PassInfoMixin<LowerAsmStatePass> {
  std::string kernel;

  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
