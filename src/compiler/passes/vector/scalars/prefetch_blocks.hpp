// Tiles that a later block of the grid reads are asked for early.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in SPMD form. Out: where it has barriers, none of them in a loop, and its blocks have many rows, in
/// front of loads outside of loops at addresses that depend on the block's x: llvm.prefetch, into the second cache, of
/// what the block after the next one of the row loads there. Between barriers the processor does not run ahead into the
/// next block by itself, and its own prefetcher does not follow as many short rows as a tile has. What blocks store is
/// not asked for: whole lines are written without being read. Where the processor follows rows (follows_rows()) only if
/// what the blocks of a row write lies apart, as in a transposition. True when something changed.
bool prefetch_blocks(llvm::Function& kernel, const GroupShape& group, const llvm::LoopInfo& loops,
                     const llvm::TargetMachine& host);

}  // namespace lanza::compiler
