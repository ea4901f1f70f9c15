// In which order a call of `run` takes the blocks of a plane.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in group form. How many blocks of a row are to be done before those below them, a power of two; 0: the
/// whole row. In a product (`a[row * n + k] * b[k * n + column]`, in a loop, with barriers if there are any) every
/// block of a column of the grid reads the same columns of b, which a row of blocks drives out of the second cache
/// before the next row comes to them; a strip of half a KiB of b's columns stays there. A block's own rows of a come
/// again with each strip. Of blocks that run as one (whole_rows.hpp) a strip holds whole groups; those that write what
/// lies beside each other in memory one below the other (`out[x * height + y]`), a piece of a line each, go down a
/// strip of one group, and those that read it so one of some hundred threads.
unsigned strip_width(llvm::Function& kernel, const GroupShape& group);

}  // namespace lanza::compiler
