// Writes the moves that register_notes spells as inline assembly as instructions.
#pragma once

#include <llvm/CodeGen/MachineFunctionPass.h>

namespace lanza::compiler {

/// A pass to run in front of the one that writes code: `movq %rax, %mm0` and `emms`, as register_notes makes them,
/// become LLVM's own instructions, with the same bytes. Other inline assembly stays as it is.
/// Why: LLVM makes an assembler for every piece of inline assembly. A kernel has a dozen notes: a twentieth of the time
/// of code generation where the kernel is small.
llvm::MachineFunctionPass* make_note_moves();

}  // namespace lanza::compiler
