// Where threads read what their neighbours stored.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// Whether a thread reads shared memory at a place that goes by its index, or by what it has loaded: not `atoms[4 * i]`
/// of a loop that all make together. One that only the branches before it make different for threads is not seen. Of a
/// kernel behind RetargetPass.
bool reads_own_places(const llvm::Function& kernel);

/// Whether a thread has a tile of a product in registers: four sums of floats or more that go from turn to turn, and
/// twice as much that it computes as it reads from shared memory.
bool sums_in_registers(const llvm::Function& kernel);

}  // namespace lanza::compiler
