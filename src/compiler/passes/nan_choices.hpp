// The choice of a NaN's bits goes where nobody sees them.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: any code. Out: a conversion between formats stands for the choice between its result and a NaN of certain bits,
/// `x is NaN ? NaN : (float)x` as PTX converts, where only arithmetic sees it whose own results are numbers, compared,
/// converted to integers, or chosen from in the same way: halves that are computed with as floats, which are stored as
/// halves. That a value is NaN stays as it is everywhere, and so does every number.
struct NanChoicesPass : llvm::PassInfoMixin<NanChoicesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
