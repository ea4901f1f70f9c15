// Vectors of halves are compared as floats.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: run form at its end. Out: comparisons of vectors of halves, which InstCombine makes of those of floats that were
/// halves (`x != x` in a conversion), are comparisons of floats again: without AVX512-FP16 the code generator would
/// compare one lane after the other. With it those stay that have no order: LLVM 19 takes a masked `a < b` of halves
/// for one whose operands may change places when it folds a load or a zero into it, and leaves the question as it was
/// (X86InstrInfo::commuteInstructionImpl lacks VCMPPH under a mask). True when something changed.
bool compare_floats(llvm::Function& run);

}  // namespace lanza::compiler
