// Neighbours' elements in tiles whose rows are stored by whole registers.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

namespace lanza::compiler {

/// In: run form, all other passes done. Out: a vector that is loaded one element beside the registers which the block's
/// own memory is stored by (`tile[ty][tx - 1]`) is those registers, and the element at its end, put together by
/// shuffles. A processor hands on the bytes of one store only: across two, which a loop over rows has just made, the
/// load waits until they have left for the cache, behind all stores before them (a 3-D stencil on Intel: 0.96 of the
/// time). Elements of 4 and 8 bytes, registers of 512 bits, whose shuffles are one instruction, where loads across
/// lines are slow anyway (loads_lines_slowly(); on Zen 4 and 5 it was not measured). What is at constant places has
/// become registers before (split_spanning_loads()). True when something changed.
bool load_neighbours(llvm::Function& run, const llvm::TargetMachine& host);

}  // namespace lanza::compiler
