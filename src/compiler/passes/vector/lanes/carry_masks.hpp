// Masks that another block looks at are compared once.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

namespace lanza::compiler {

/// In: run form at its end. Out: on a CPU with AVX-512, comparisons of vectors that other blocks look at as well go
/// there frozen. LLVM would compare once more in each of those blocks, as it does for CPUs with a single register of
/// conditions, and find out late that it is the same: what was compared would live on, and `(x & bits) == 0` be two
/// instructions. On AMD's, whether any lane is set, or all are, is asked of a general register: there KORTEST takes
/// longer than a move and a test (Zen 5: 0.3 cycles a vector of a sum of halves, a tenth of nested conditions). To run
/// last: a combination of instructions would undo it. True when something changed.
bool carry_masks(llvm::Function& run, const llvm::TargetMachine& host);

}  // namespace lanza::compiler
