// What is the same in every turn of a loop stands in front of it.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: a kernel in SPMD form with loops in simplified form. Out: special registers, bases of memory, and what is
/// computed of loop invariants without touching memory, stand in front of the loops. Shapes need that: what lanes take
/// out of a loop in different turns varies, even where it is the same in each. True when something changed.
bool hoist_invariants(llvm::Function& kernel, llvm::LoopInfo& loops);

}  // namespace lanza::compiler
