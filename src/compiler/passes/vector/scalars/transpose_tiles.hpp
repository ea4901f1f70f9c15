// Tiles in shared memory that are filled by columns are kept the other way round.
#pragma once

#include <array>

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: a kernel, nvptx64 form, blockDim known, address spaces known. Out: arrays in shared memory that are only loaded
/// from and stored to, element by element, are `[columns][rows]`, and the indices change places, where that serves:
/// - arrays of arrays that are only written at `tile[threadIdx.x ...][...]` and only read at
///   `tile[...][threadIdx.x ...]`: neighbours write next to each other then, and what they read far apart is turned in
///   registers (column_accesses.hpp); stores are not;
/// - those in which neighbours write far apart and would not then, and read no further apart than before: a product's
///   tile, written `tile[i % 16][i / 16]` by a flat index and read `tile[k][threadIdx.y ...]`. Also arrays of one
///   dimension, whose elements may be anywhere: rows are as long as suits the stores, a power of two.
/// Rows and columns of arrays of arrays have to lie inside whatever the thread, as a column beyond the row's end is an
/// element of the next row. True when something changed.
bool transpose_tiles(llvm::Function& kernel, std::array<unsigned, 3> block, llvm::FunctionAnalysisManager& analyses);

}  // namespace lanza::compiler
