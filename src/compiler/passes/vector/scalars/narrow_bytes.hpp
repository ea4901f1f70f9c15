// Arithmetic on bytes and shorts in 8 or 16 bits: C++ asks for 32, and up to four times the registers.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in SPMD form. Out: 32-bit operations that differ from lane to lane, whose results fit into 8 or 16
/// bits and whose operands do, are done in so many: sums, differences and their magnitudes, products, bits, shifts by
/// constants, minima and maxima, absolute values, selections (of constants, too, where bytes are asked) and
/// comparisons. So is arithmetic of which only the low bits are asked for, as by who stores a sum's high byte. Results
/// are the same. True when something changed.
bool narrow_bytes(llvm::Function& kernel, const GroupShape& group);

}  // namespace lanza::compiler
