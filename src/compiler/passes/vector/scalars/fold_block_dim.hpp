// The block's size as a constant: code for one blockDim.
#pragma once

#include <array>
#include <cstdint>

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

using BlockDim = std::array<std::uint32_t, 3>;

/// In: nvptx64 IR, not simplified yet, so that loops over blockDim can be unrolled. Out: blockDim is `block`; threadIdx
/// is known to be below it, and 0 on an axis of one thread; blockIdx and gridDim are known to be within the limits of a
/// launch, along x within LANZA_NARROW_GRID threads unless `wide`. From here on the code serves such launches only.
struct FoldBlockDimPass : llvm::PassInfoMixin<FoldBlockDimPass> {
  BlockDim block;
  bool wide = false;

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

}  // namespace lanza::compiler
