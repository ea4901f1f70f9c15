// Values that branches compute alike are computed where the branches meet.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// Whether two values are the same, or cheap arithmetic of the same.
bool same_value(const llvm::Value* a, const llvm::Value* b, unsigned depth = 3);

/// What all of `values` are, which are the same, in front of `at`. Operands that they share stand in front of all ways
/// to it.
llvm::Value* compute_at(llvm::Instruction* at, llvm::ArrayRef<llvm::Value*> values);

/// In: any code. Out: no phi joins values that are the same cheap arithmetic of the same operands, as LLVM's
/// elimination of partial redundancies leaves them behind `if (threadIdx.x == 0) ...`; the arithmetic stands behind the
/// phis instead. What comes from branches that threads take differently would count as different for each of them: an
/// index of neighbours would be one of anything.
struct JoinEqualsPass : llvm::PassInfoMixin<JoinEqualsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
