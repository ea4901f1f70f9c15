// Stack memory of a size known at run time only comes from the device's heap.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: device code, inlined. Out: no function allocates stack memory but at its entry, with a constant size: what else
/// it takes (`alloca`) is malloc'ed, kept in a list, and freed where the function returns or llvm.stackrestore gives
/// it back. A thread's stack is its coroutine's frame, whose size is settled at compile time. Where the heap is full
/// the kernel faults at the line of the allocation, as a GPU does whose stack overflows.
struct DynamicAllocasPass : llvm::PassInfoMixin<DynamicAllocasPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

}  // namespace lanza::compiler
