// What no variable of shared memory fills is zero.
#pragma once

#include <llvm/IR/IRBuilder.h>

namespace lanza::compiler {

/// Metadata of what clear_gaps() stores, of which nothing depends: memory that becomes registers needs none of it.
inline constexpr char kClearsGap[] = "lanza.clears_gap";

/// Where the builder stands, in front of a block: the gaps (shared_gaps()) of its memory, and of that of the blocks
/// which run with it, are cleared. Idle lanes read floats of them (load_whole_vectors()): arithmetic with what lies
/// there, of which much is denormal, took up to 40 times as long as the kernel, a product in tiles of 10 x 10.
void clear_gaps(llvm::IRBuilderBase& b, llvm::Value& shared, unsigned blocks);

}  // namespace lanza::compiler
