// Products with two powers of two as one instruction.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

namespace lanza::compiler {

/// In: run form at its end. Out, with AVX-512: vectors that are multiplied by both halves of a power of two, as
/// `__lanza_split_power` makes them for exp, exp2 and exp10, are scaled by one instruction, VSCALEF, with the float
/// that the halves were made of. What is scaled lies near 1 there, or is NaN as that float is, so that the first
/// product was exact and the second one rounded: same bits, but where the caller chooses 0 instead. True when something
/// changed.
bool scale_at_once(llvm::Function& run, const llvm::TargetMachine& host);

}  // namespace lanza::compiler
