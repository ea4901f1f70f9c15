// Loops in which a grid strides over an array: all threads of a block do one step after the other, not each thread all
// of its steps, so that memory is walked through in order.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in SPMD form for one blockDim, with rotated loops in simplified and LCSSA form, without points of
/// warps. Out, for loops without synchronisation points that all threads of the block come to and leave only by
/// comparing an index `i` (threadIdx of one axis plus what is the same for the block) that goes by a multiple of
/// gridDim:
///
///     if (i < n) do { body; i += step; } while (i < n);
///
/// becomes, with `all` and `some` conditions of the block's first and last thread,
///
///     for (k = 0; barrier, all(i + k < n); k += step) copy of body at i + k;
///     if (some(i + k < n)) { barrier; i += k; if (i < n) do { body; i += step; } while (i < n); }
///
/// Where a turn hands values on, which lie in memory from barrier to barrier (a sum, an index with it), the copy is of
/// four turns where all threads have four to go, and what comes behind the loop is a region of its own, whose groups
/// are not those of a loop (a tree is straight code then). Of loops in each other the outer one comes first, then, in
/// its copy, the inner one: rows, and in them columns, as they lie in memory. In the copy of an innermost one what the
/// next turn reads is asked for (prefetch_turns.hpp), but on a wide core (is_wide_core()), whose own prefetcher
/// follows, only where a turn takes less than 1 KiB of an array; where a copy is of four turns nothing is: they are
/// lines of the same few sets of the first cache. A barrier is always allowed: threads run in any order. With groups of
/// whole rows the row stands for the block. True when something changed.
bool turn_grid_loops(llvm::Function& kernel, const GroupShape& group, const llvm::TargetMachine& host);

}  // namespace lanza::compiler
