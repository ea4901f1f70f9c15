// Records whose members all go through the same operations are computed with as they lie in memory.
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: a kernel in group form with calls of record_shuffles.hpp. Out: where units that are put together come from
/// operations that can as well be done on whole vectors of memory (a tile of sums whose columns are neighbours,
/// `p.x += p.vx * dt` for x, y and z), they are: the vectors that were loaded need not be taken apart, nor put
/// together. Element by element nothing else is computed. What is the same for all lanes becomes a pattern, members
/// that change places within a record are permuted, and where members differ in what is done with them, results are
/// blended. Only where that takes fewer instructions, those in loops counted more often. The calls stay, but those
/// nobody uses. True when something changed.
bool keep_records(llvm::Function& kernel, const llvm::TargetTransformInfo& host);

}  // namespace lanza::compiler
