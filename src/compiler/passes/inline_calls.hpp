// Calls of functions that are always inlined, innermost first.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// Out: in `kernel` and what it reaches, calls of functions with the attribute AlwaysInline are what these do, but for
/// those that lead back to where they are. What a function calls is inlined before the function itself is copied, and
/// its last call first: LLVM's inliner, for which the rest is left, goes function by function, and moves all that
/// follows a call in its block to another one (1600 operations of pairs of halves took it 1.6 s). `when_filled` is
/// called for each of them once all is inlined that it calls, before it is copied itself.
void inline_calls(llvm::Function& kernel, llvm::function_ref<void(llvm::Function&)> when_filled);

}  // namespace lanza::compiler
