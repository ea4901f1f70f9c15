// In which order a call of `run` takes the blocks of a plane.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// Which blocks follow each other.
struct BlockOrder {
  /// blockDim.x where a turn does as many blocks of a row as are left (see whole_rows.hpp), and 0 where it does one, or
  /// two at the most where `most` is 2.
  unsigned whole_rows = 0;
  unsigned most = 0;  ///< so many blocks of a row at the most; 0: any number
  /// A power of two; so many columns of a layer's blocks are done before the next ones, row by row; 0: all at once.
  unsigned strip = 0;
  unsigned fastest = 0;  ///< the axis of the grid that counts up first, a row of blocks; not x only without strips
};

/// In: a kernel in group form, whole: parts of it (block_parts.hpp) have the order of all. In a product (`a[row * n +
/// k] * b[k * n + column]`, in a loop, with barriers if there are any) every block of a column of the grid reads the
/// same columns of b, which a row of blocks drives out of the second cache before the next row comes to them; a strip
/// of half a KiB of b's columns stays there. A block's own rows of a come again with each strip. Of blocks that run as
/// one (whole_rows.hpp) a strip holds whole groups; those that write what lies beside each other in memory one below
/// the other (`out[x * height + y]`), a piece of a line each, go down a strip of one group, and those that read it so
/// one of some hundred threads.
BlockOrder order_of_blocks(llvm::Function& kernel, const GroupShape& group);

}  // namespace lanza::compiler
