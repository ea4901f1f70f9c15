// In which order a call of `run` takes the blocks of a plane.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: a kernel in group form. How many blocks of a row are to be done before those below them, a power of two; 0: the
/// whole row. In a product of tiles (`a[row * n + k] * b[k * n + column]`, a loop with barriers) every block of a
/// column of the grid reads the same columns of b, which a row of blocks drives out of the second cache before the next
/// row comes to them; a strip of half a KiB of b's columns stays there. A block's own rows of a come again with each
/// strip.
unsigned strip_width(llvm::Function& kernel);

}  // namespace lanza::compiler
