// Keeps LLVM's breaking of false dependences from registers that are in use.
#pragma once

#include <llvm/CodeGen/MachineFunctionPass.h>

namespace lanza::compiler {

/// A pass to run in front of BreakFalseDeps. Where an instruction takes a register whose contents it does not look at
/// (a shuffle of poison), LLVM 19's BreakFalseDeps takes one that was not written for long, and writes zeros to it in
/// front. It asks whether all of that register is in use, not whether a part is: a ymm register that lives on is lost
/// with the zmm register around it. So in front of that pass such operands of more than 128 bits are made ordinary
/// ones, which stay as they are.
llvm::MachineFunctionPass* make_define_operands();

}  // namespace lanza::compiler
