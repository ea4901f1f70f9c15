// Masked accesses of bytes and shorts, for a processor that has none.
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: run form at its end. Out: on a CPU without AVX-512, masked loads and stores of vectors of bytes or shorts of up
/// to 64 bytes need no mask. The code generator would test each lane apart, in code as long as the vector. A load reads
/// all that lies there where that is on one page, which a lane reads anyway, else it is a call, for one lane after the
/// other; stores are calls, of functions for each type and line of source, that groups at an edge come to. A store
/// writes active lanes only, what other threads own is theirs: at once where they are neighbours, else up to 16 without
/// a branch, each at its place or on the stack, and more one after the other. True when something changed.
bool expand_masked_bytes(llvm::Function& run, const llvm::TargetTransformInfo& host);

}  // namespace lanza::compiler
