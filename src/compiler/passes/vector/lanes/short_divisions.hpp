// Quotients of small integers by a constant.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: run form at its end. Out: vectors of 32-bit integers known to have 22 bits at most, divided by a constant, are
/// multiplied by its inverse as floats (`(77 * r + 150 * g + 29 * b) / 255`); remainders are what is left of that. The
/// code generator would multiply even lanes and odd ones apart, to 64 bits, which takes twice as many instructions.
/// Exact: the inverse is rounded up, so that the product never falls short of an integer, and both roundings add less
/// than what the quotient lacks to the next one. True when something changed.
bool shorten_divisions(llvm::Function& run);

}  // namespace lanza::compiler
