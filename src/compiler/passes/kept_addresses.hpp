// Variables whose addresses are kept while a coroutine waits.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: a coroutine before its split. Out: a variable has no lifetime if an address inside it, computed once, is used
/// behind a suspend. LLVM 19 takes a variable for one of the stack if nothing suspends between the start of its
/// lifetime and its uses, and would keep the address in the stack of a call that has returned; without a lifetime it
/// lives in the frame.
void keep_addressed_variables(llvm::Function& coroutine);

}  // namespace lanza::compiler
