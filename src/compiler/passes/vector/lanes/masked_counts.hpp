// Conditions that are counted are masks of the addition.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

namespace lanza::compiler {

/// In: run form at its end. Out: on a CPU with AVX-512, sums and differences of a vector and a mask that was extended
/// to numbers (`count += x < y`) are additions of a constant under the mask: LLVM would make a vector of the mask
/// first. To run last: a combination of instructions would undo it. True when something changed.
bool mask_counts(llvm::Function& run, const llvm::TargetMachine& host);

}  // namespace lanza::compiler
