// The choice of a zero's sign behind an extremum of numbers that are no zeros goes.
#pragma once

#include <utility>

#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// x and y of a choice between what two equal numbers are, with the sign that PTX gives zeros, and something else:
/// `x == y ? bits of x and y : otherwise`, as the prelude's fmax and fmin make it. Null, null: it is none.
std::pair<llvm::Value*, llvm::Value*> as_equal_numbers(llvm::SelectInst& choice);

/// In: any code, before LLVM's InstCombine gives such choices another form. Out: where x or y is known to be no zero,
/// so that equal numbers have the same bits, `otherwise` stands for the choice if it is the extremum of x and y, as
/// llvm.maxnum, llvm.minnum or what ChooseExtremaPass makes of them.
struct ZeroChoicesPass : llvm::PassInfoMixin<ZeroChoicesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
