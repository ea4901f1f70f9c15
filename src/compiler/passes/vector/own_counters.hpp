// Counters in global memory that a call of `run` counts for itself first.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

struct BlockLoop;

/// In: a kernel in SPMD form. Where it has no synchronisation points and no effects but memory, and nobody asks what
/// atomic additions to `bins[key]` found, these may be done later: no other thread can tell, and the thread itself
/// looks at nothing behind them that may be one of the counters. Out:
///
///     if (all(key < lanza.counters())) own[key] += x, of no other thread's; else atomicAdd(&bins[key], x);
///
/// with `own` a table from lanza.own(bins). `bins` is the same for the whole launch; one array of counters a kernel.
/// True when something changed.
bool own_counters(llvm::Function& kernel);

/// In: a `run` function with calls of the two. Out: its table, on the stack: empty before the first block, added to the
/// counters behind the last one. Calls with few threads have none: for them lanza.counters() is 0.
void lower_own_counters(const BlockLoop& blocks, unsigned threads_of_block);

}  // namespace lanza::compiler
