// Counters in global memory that a worker counts for itself first.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/abi_types.hpp"

namespace lanza::compiler {

struct BlockLoop;

/// In: a kernel in SPMD form. Where it waits at nothing but points of its block, has no effects but memory, and nobody
/// asks what atomic additions to `bins[key]` found, these may be done later: threads of other blocks cannot tell, and
/// what its own block runs behind them looks at nothing that may be one of the counters. Out:
///
///     if (all(key < lanza.counters())) own[key] += x, of no other thread's; else atomicAdd(&bins[key], x);
///
/// with `own` a table from lanza.own(bins). `bins` is the same for the whole launch; one array of counters a kernel.
/// True when something changed.
bool own_counters(llvm::Function& kernel);

/// Whether it did in a kernel of the module.
bool has_own_counters(const llvm::Module& module);

/// In: a `run` function with calls of the two. Out: its table is the worker's (LanzaBlock::counters); where there is
/// none lanza.counters() is 0. A call with no blocks adds the table to the counters in memory. Returns the table's
/// bytes; 0: no calls of the two.
uint64_t lower_own_counters(const BlockLoop& blocks, const AbiTypes& types);

}  // namespace lanza::compiler
