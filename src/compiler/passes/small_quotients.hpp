// Quotients of small integers by constants, as of bytes by 255, without a division.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: any code whose products and sums are joined (ContractPass). Out: of `float(i) / c`, where `i` is one of 65536
/// integers at most, no division is left where for each of them, which are tried, one of these has the same bits: a
/// product with 1/c; a product with both parts of 1/c, `fma(x, high, x * low)` (N. Brisebarre, J.-M. Muller, "Correctly
/// Rounded Multiplication by Arbitrary Precision Constants", IEEE Trans. Computers 57, 2008); a product that two fused
/// operations correct (P. Markstein, "Computation of elementary functions on the IBM RISC System/6000 processor",
/// IBM J. Res. Dev. 34, 1990).
struct SmallQuotientsPass : llvm::PassInfoMixin<SmallQuotientsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
