// Tiles in shared memory that are filled by columns and read by rows are kept the other way round.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: a kernel, nvptx64 form, blockDim known, address spaces known. Out, for arrays of arrays in shared memory that
/// are only written at `tile[threadIdx.x ...][...]` and only read at `tile[...][threadIdx.x ...]`, at places that lie
/// inside whatever the thread: the tile is `[columns][rows]`, and the indices change places. Neighbours write next to
/// each other then, and what they read far apart is turned in registers (column_accesses.hpp); stores are not. True
/// when something changed.
bool transpose_tiles(llvm::Function& kernel);

}  // namespace lanza::compiler
