// Columns of a tile that are gathered or scattered side by side become rows, and a transposition in registers.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace lanza::compiler {

/// The bytes from lane to lane of a gather from a scalar address by constant steps, for all lanes; 0: it is another.
int64_t stride_of_gather(const llvm::Instruction& i);

/// In: run form. Out: n gathers of one block (4, 8 or 16), by all lanes or by those of one mask, whose addresses are
/// next to each other and in front of which nothing is written to where they read, are n-element loads, one a lane, and
/// shuffles: with the same stride from lane to lane, or from any addresses (each lane's own row, members of records).
/// Nothing is read that the gathers would not read: lanes that are off load what the first one that is on does. So are
/// n scatters by all lanes, one behind the other with nothing between that touches memory: shuffles, and stores of n
/// elements, one a lane. True when something changed.
bool transpose_gathers(llvm::Function& run);

}  // namespace lanza::compiler
