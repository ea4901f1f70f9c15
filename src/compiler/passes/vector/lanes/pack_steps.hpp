// Steps of which only some lanes are looked at are done by these, side by side.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: run form, lanes narrowed (narrow_lanes.hpp), shuffles combined. Out: where lanes are combined with others of the
/// same vector step by step, and fewer lanes are taken out of it in the end (sums of eight threads each, of which one
/// stores), each step takes the two lanes of each of its own from the vector before and does no others: for four sums
/// of 32 lanes 16 additions, then 8, then 4, where there were 32, 32 and 32. What a step takes first lies in the first
/// half of the vector before, what it takes second in the other one, so that only the first step shuffles. Each number
/// is made of the same operations on the same operands. True when something changed.
bool pack_steps(llvm::Function& run);

}  // namespace lanza::compiler
