// How long operations on a register of lanes take.
#pragma once

#include <llvm/IR/Instructions.h>

namespace lanza::compiler {

/// Cycles, of Zen 4 and Sapphire Rapids or between them: until the result is there, and for which nothing else starts
/// in one of two units.
struct OperationTime {
  unsigned latency, work;
};

/// In: an instruction of one lane's code, or of vectors of 32-bit lanes that fill a register.
OperationTime time_of(const llvm::Instruction& i);

}  // namespace lanza::compiler
