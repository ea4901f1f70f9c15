// Blocks whose threads go up columns of a volume go from plane to plane together.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in SPMD form without synchronisation points, loops in simplified form. Out: loops that all threads of
/// the block leave in the same turn, whose steps through memory are long, and in which a thread reads what its
/// neighbour along y or z reads in the same turn, and stores something,
///
///     for (z ...) { out[at] = f(in[at], in[at - width], in[at + width]); at += width * height; }
///
/// have a barrier in each turn, which changes nothing but the order of groups, and that is nobody's business: all of
/// the block are done with a plane before the next one, and so is a row of blocks that runs as one (whole_rows.hpp).
/// Each group had gone up through all planes by itself, and planes that lie a power of two apart, in few sets of each
/// cache, were gone when the next one came for the same lines (seven points, 128^3, in blocks of 32 x 8 and 16 x 16, on
/// Intel: 1.84 and 1.81 of the time of a twin without it, 0.96 and 1.02 with it). Rows of a block that is by itself are
/// two lines or more: narrow ones are pieces of lines, and more of them in each turn than the processor follows. True
/// when something changed.
bool walk_planes(llvm::Function& kernel, const GroupShape& group, PassRunner& runner);

}  // namespace lanza::compiler
