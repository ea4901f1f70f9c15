// Integers that may become infinite as halves keep LLVM from taking a conversion there and back for exact.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: any code, before LLVM's InstCombine. Out: in a module that rounds to half, each integer turned into a float or
/// double passes through llvm.arithmetic.fence. InstCombine of LLVM 19 calls an integer exact in half if it has no more
/// than 11 significant bits, however large it is: of `float(half(float(i)))` it leaves `float(i)`, where half is
/// infinite from 65520 on. It does not look through the fence.
struct FenceIntegersPass : llvm::PassInfoMixin<FenceIntegersPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

/// Out: no fence is left. For when InstCombine is done: code generators need not know them.
void drop_fences(llvm::Module& module);

}  // namespace lanza::compiler
