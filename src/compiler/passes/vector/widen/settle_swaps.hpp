// Compare-and-swap that nobody disturbs.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/pass_runner.hpp"

namespace lanza::compiler {

/// In: a function of one thread with one loop, a retry:
///
///     old = found before;
///     do { expected = old; old = swap(p, expected, f(expected)); } while (old != expected);
///
/// or with a load of p in each turn, on memory that nobody else works on meanwhile; it ends when the swap has won, and
/// not before. Out: `*p = f(*p)`, no loop. What it found before the loop is loaded again: a first turn that fails says
/// nothing else, if what the turn writes besides, at the same places in each turn, is what the next one writes again.
/// False: it is something else.
bool settle_swaps(llvm::Function& function, PassRunner& runner);

}  // namespace lanza::compiler
