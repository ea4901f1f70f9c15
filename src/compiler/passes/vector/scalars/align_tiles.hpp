// Tiles in shared memory whose rows begin anywhere: what a row of threads reads and writes becomes whole lines.
#pragma once

#include <array>

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: a kernel with barriers for one blockDim, nvptx64 form, address spaces known. A GPU's banks like rows of 33
/// words, and a halo of one element in front of each; on a CPU every vector of such a tile lies across two lines, which
/// its loads and stores take twice, and which its neighbours' loads wait for. Out, for arrays in shared memory of which
/// whole lines are accessed by neighbours of a row of threads: rows a multiple of a line apart, that begin where most
/// of these accesses are aligned. Only arrays of which each access is known to stay in its row, as far as that goes by
/// the thread: who goes through all of it by one index relies on where the rows lie. True when something changed.
bool align_tiles(llvm::Function& kernel, std::array<unsigned, 3> block, llvm::FunctionAnalysisManager& analyses);

}  // namespace lanza::compiler
