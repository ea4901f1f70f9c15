// Scatters that leave out the lanes that are off.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

namespace lanza::compiler {

/// In: vector code. Out, with AVX-512: scatters of words by some lanes, each to the place that counts the active lanes
/// below it, as a warp's do that keeps some of its threads' values (`out[base + __popc(votes & below)] = v`), are
/// compressions and stores of neighbours. So are those to sums that lanes have in memory or of each other, as a scan's
/// are, in a kernel with few of them, where the places follow on each other, which is asked. What no lane writes is not
/// touched. True when something changed.
bool compress_stores(llvm::Function& run, const llvm::TargetMachine& host);

}  // namespace lanza::compiler
