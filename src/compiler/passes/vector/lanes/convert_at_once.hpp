// Conversions of floats to integers by what the instruction gives of floats that no integer holds.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

namespace lanza::compiler {

/// In: run form at its beginning. Out, with AVX-512, for conversions of floats to integers of up to 32
/// bits as SaturateConversionsPass guards them, rounded before or not: the instruction, which gives the least integer
/// for NaN and for all that is too great or too small, and a choice of the greatest one and of NaN's 0; of bytes and
/// shorts, and of unsigned numbers, NaN's 0 comes by itself. Same values. True when something changed.
bool convert_at_once(llvm::Function& run, const llvm::TargetMachine& host);

}  // namespace lanza::compiler
