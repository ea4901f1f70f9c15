// Tiles in shared memory whose rows begin anywhere: what a row of threads reads and writes becomes whole lines.
#pragma once

#include <array>

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: a kernel with barriers for one blockDim, nvptx64 form, address spaces known, loops unrolled. A GPU's banks like
/// rows of 33 words, and stencils a halo of one element in front of each; on a CPU every vector of such a tile lies
/// across two lines, which its loads and stores take twice, and which its neighbours' loads wait for. Out, for arrays
/// in shared memory of which a row of threads accesses whole lines: rows a multiple of a line apart, that begin where
/// most of these accesses are aligned; where that is half of all accesses, or rows are whole lines apart as it is.
/// Only arrays of which each access is known to stay in its row: who goes through all of it by one index relies on
/// where the rows lie. True when something changed.
bool align_tiles(llvm::Function& kernel, std::array<unsigned, 3> block, llvm::FunctionAnalysisManager& analyses);

}  // namespace lanza::compiler
