// Loops in which a warp or a block strides over a row: all lanes together while all have work, then what is left.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in SPMD form with rotated loops in simplified and LCSSA form. Out, for loops without synchronisation
/// points whose only exit compares an index that goes with the lanes, or by rows of them (`threadIdx.x / 16`), with a
/// value that all share, or the other way round:
///
///     if (i < n) do { body; i += stride; } while (i < n);
///
/// becomes
///
///     more = i < n;
///     if (lanza.all(more)) do { copy of body; i += stride; more = i < n; } while (lanza.all(more));
///     if (more) do { body; i += stride; } while (i < n);
///
/// Where each thread has a turn at least (`for (j = 0; j <= i; ++j)`) nobody asks in front of the copy either.
/// The copy runs with all lanes, its addresses are those of consecutive threads; its counter, which all
/// lanes branch on, is kInAllLanes. True when something changed.
bool split_strided_loops(llvm::Function& kernel, const GroupShape& group);

}  // namespace lanza::compiler
