// Tiles in shared memory that are copies of global memory: what they hold is read where it came from.
#pragma once

#include <array>
#include <optional>

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// The module's flag: bits of the axes, and one more.
inline constexpr char kReadThrough[] = "lanza.read-through";
/// Set where the host has but 16 vector registers.
inline constexpr char kFewRegisters[] = "lanza.few-registers";

/// In: a kernel with barriers for one blockDim, simplified, its loops not unrolled, address spaces known. A
/// tile saves a GPU's block from reading global memory again and again; a CPU's first cache does so anyway, and to copy
/// tiles takes time, as do barriers, which hold sums, and columns of other blocks, apart. Out: where all threads copy
/// an element each of the tile (`s[ty][tx] = a[y * n + k + tx]`), a barrier, and then read elements by their place
/// (`s[ty][j]`), they read `a` at the place at which the element's thread did; no tiles are left, and no barriers but
/// those below.
///
/// All or nothing: only if all shared memory is such tiles, and the block has eight rows of 32 threads, or rows of
/// blocks can run as one then (whole_rows.hpp).
/// Not where the host has few registers and the block many rows, which read each element of a tile: sums of four rows
/// fit, and rows of matrices, far from each other in memory and a power of two apart, are gone from the caches before
/// the next four come (a product in tiles of 32, Zen 3, 512 x 512: 1.6 of the twin's time, 1.18 by way of the tiles).
/// With half as many rows a barrier stays in each turn of a loop over tiles, so that all rows of the block have used a
/// tile before it is gone (there, tiles of 16: 6.2 ms without it, 5.5 with it; the twin takes 3.65).
/// Nothing may be written to global memory ahead of a barrier. What is written behind the last one must be no memory
/// that is read ahead of it: by `__restrict__`, or as blocks along some axis of the grid, if it has several, read the
/// same: who wrote that would race with them. These axes are what is returned, as bits (x: 1); nothing: not changed.
/// Innermost loops over a tile are not to be unrolled.
std::optional<unsigned> read_through(llvm::Function& kernel, std::array<unsigned, 3> block);

}  // namespace lanza::compiler
