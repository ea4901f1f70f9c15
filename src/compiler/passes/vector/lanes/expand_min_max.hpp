// minnum and maxnum of vectors as comparisons and selects.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: code after its last simplification. Out: llvm.minnum and llvm.maxnum of vectors are the comparisons and selects
/// for which x86 has instructions, with the results that its back end gives the scalar ones: the second operand where
/// the first is NaN (which is not asked of the extremum so far of a loop, begun with a number), and among zeros the
/// first, or the second where that is a constant. A choice of that zero behind them (`x == 0 ? 0 : fmaxf(x, 0)`) goes.
/// What takes more than one instruction is noted as a cost (cost_notes.hpp).
/// LLVM 19 itself now and then makes calls of fmaxf of them, when it finds that only one lane is wanted.
void expand_min_max(llvm::Function& function);

}  // namespace lanza::compiler
