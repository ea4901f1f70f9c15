// Tiles of halves that are computed with as floats hold floats.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: nvptx64 IR, simplified. Out: shared arrays of halves of which every element that is loaded is extended to float
/// or double, or asked whether it is a NaN, are arrays of floats: what is stored is extended, once for a tile, not once
/// for each of its uses (`sum += __half2float(a[y][i]) * __half2float(b[i][x])`). Extension loses nothing, and makes
/// the same NaN of a NaN, whenever it is done; where each use asks for NaNs and takes one and the same number for them,
/// as `__half2float` does, that is stored, and nobody asks. Arrays whose addresses go elsewhere, that are accessed in
/// other sizes or by volatile or atomic operations, or are longer than 32 KiB stay as they are. The kernel's attributes
/// go on telling the size of the source's arrays.
struct HalfTilesPass : llvm::PassInfoMixin<HalfTilesPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

}  // namespace lanza::compiler
