// One asm statement as a function.
#pragma once

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/ptx/statement.hpp"

namespace lanza::compiler::ptx {

/// A new function in `into`, which takes and returns what `call`, a call of inline assembly, does, and does what its
/// PTX says, in nvptx64 IR. It calls functions of prelude/ptx_functions.cu, of synchronisation (__lanza_sync behind
/// them) and of the state outside of the statement (lower_asm_state.hpp). Throws Problem.
llvm::Function* translate(const llvm::CallBase& call, llvm::Module& into);

/// The text of an asm statement as it stands in the source, but for the names of operands, which are numbers.
std::string text_of(const llvm::InlineAsm& assembly);

}  // namespace lanza::compiler::ptx
