// Masks of which some lanes are known are put together as bits.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

namespace lanza::compiler {

/// In: run form, behind InstCombine, which makes shuffles of choices by a constant: lanes of a mask that keep their
/// places, and constants (`t % 2 == 0 && a < b`, the last thread of a row). Out, with AVX-512: its bits, and those of a
/// constant, one operation on a register of conditions; LLVM would make a vector of the mask, shuffle that, and make a
/// mask of it again. True when something changed.
bool combine_known_masks(llvm::Function& run, const llvm::TargetMachine& host);

}  // namespace lanza::compiler
