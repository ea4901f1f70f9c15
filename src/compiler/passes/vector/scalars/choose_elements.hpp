// Small private arrays whose elements are found by places that threads compute become registers.
#pragma once

#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// A private array that is only loaded from and stored to, by whole elements or copied and filled, and so small that a
/// choice between its elements costs less than a gather.
bool is_small_array(const llvm::AllocaInst& array);

/// Whether threads may have different values of what indexes an array. What they share, as a counter of a loop, is the
/// place of a row of memory.
bool differs_between_threads(const llvm::Value& index);

/// In: one thread's code, its loops unrolled (MarkUnrollPass). Out: `v = a[i]` of a small array, where threads have
/// different `i`, is a choice between all elements that `i` may name (where it is one of constants: of these), and
/// `a[i] = v` stores to each of them what it had, or `v`. SROA makes registers of what has constant indices only.
struct ChooseElementsPass : llvm::PassInfoMixin<ChooseElementsPass> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
