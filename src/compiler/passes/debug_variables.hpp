// What a debugger shows of a CUDA thread beside the variables of its functions.
#pragma once

#include <llvm/IR/Instructions.h>

namespace lanza::compiler {

/// Notes that a variable of the module lies `offset` bytes behind a base (kSharedBase, kGlobalsBase) from now on, for
/// declare_debug_variables().
void note_debug_variable(llvm::GlobalVariable& variable, llvm::StringRef base, uint64_t offset);

/// In: the kernel's coroutine before the split, with full debug information; `record` is its promise. Out: in the
/// kernel and in each function of the user that is inlined, the debugger knows threadIdx, blockIdx, blockDim, gridDim
/// and the module's variables, and every variable keeps its place for the thread's whole life. Nothing without full
/// debug information.
void declare_debug_variables(llvm::Function& coroutine, llvm::AllocaInst& record);

}  // namespace lanza::compiler
