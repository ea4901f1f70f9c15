// Products with a constant zero that stay in the code.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: a kernel in group form. Out: multiplications of floats by a constant 0 are noted as costs (cost_notes.hpp),
/// where they are a good part of what it computes with floats, in loops above all. They come of loops over tables of
/// constants, as of directions, that were unrolled.
void note_zero_products(llvm::Function& kernel);

}  // namespace lanza::compiler
