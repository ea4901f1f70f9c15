// How long operations on a register of lanes take.
#pragma once

#include <llvm/IR/Instructions.h>
#include <llvm/Target/TargetMachine.h>

namespace lanza::compiler {

/// Cycles, of Zen 4 and Sapphire Rapids or between them: until the result is there, and for which nothing else starts
/// in one of two units.
struct OperationTime {
  unsigned latency, work;
};

/// In: an instruction of one lane's code, or of vectors of 32-bit lanes that fill a register.
OperationTime time_of(const llvm::Instruction& i);

/// Zen 5 does four operations on 16 lanes in a cycle, where others do two, and looks ahead no further: something always
/// waits, and another group's work is worth having beside it.
bool is_wide_core(const llvm::TargetMachine& host);

/// How many turns of a block before it is used memory is best asked for. One is shorter than the way from memory, so
/// two; but on Intel's cores what came so early is often gone again (a 3-D stencil of 128^3: 0.8 of the time with one).
unsigned turns_to_memory(const llvm::TargetMachine& host);

}  // namespace lanza::compiler
