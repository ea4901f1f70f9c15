// Tiles with halos: blocks that lie inside read what they hold where it came from.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>

#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in SPMD form after version_blocks() and simplification: in the copy for blocks inside nothing is
/// guarded but by thread indices. Out, where all shared memory of that copy is tiles that its threads fill from global
/// memory, then a barrier, and behind it only reads of the tiles:
///
///     if (guards hold for the block && what it reads and what it writes lie apart) copy; else original;
///
/// and the copy reads global memory at the place at which the element's thread did. It has neither tile nor barrier: a
/// CPU's first cache holds what neighbours share (a mean of 3 x 3 in blocks of 16 x 16, 1024 x 1024, Zen 3: 607 us by
/// way of its tile, 449 so). Who copied which element is found by running the copies for
/// all threads (TileSources).
/// Not where a thread reads many rows: rows of a power of two lie in few sets of the cache. Where loads across two
/// lines are slow, a tile, whose rows begin with a line, is worth its copies (a stencil of radius 4 on Intel: 0.7 to
/// 0.9 of the time), but for columns: all that is read begins in its line where what was copied did, and the registers
/// for several rows of results share it (17 rows on Intel: 472 us by way of the tile, 399 so). Nor where nothing but
/// that question tells what is read from what is written, and blocks read no halo, which others write: such a kernel
/// may well work in place, block by block, and would always run the original. True when something changed.
bool read_inside(llvm::Function& kernel, const GroupShape& group, bool lines_are_slow, PassRunner& runner);

/// False: it will not, whatever version_blocks() finds. There are barriers in loops, or shared memory holds what
/// is computed.
bool may_read_inside(llvm::Function& kernel, const llvm::LoopInfo& loops);

}  // namespace lanza::compiler
