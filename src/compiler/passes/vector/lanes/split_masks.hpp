// Masks of more lanes than a register has words for.
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: run form at its end. Out: on a CPU without AVX-512, masks are as wide as the registers of what they choose from:
/// comparisons of 16 words, and what is made of them and done by them, are those of two times 8. Masks that another
/// block looks at go there as numbers of that width, those that lie in memory are loaded as bits. LLVM would pack each
/// of these to bytes and unpack it again, as it has no registers of conditions. To run last: a combination of
/// instructions would undo it. True when something changed.
bool split_masks(llvm::Function& run, const llvm::TargetTransformInfo& host);

}  // namespace lanza::compiler
