// Blends of two registers that are permuted then stay blends.
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: run form at its end, for a host with registers of 64 bytes and masks. Out: where lanes of a vector and of
/// another one computed from it are blended and then change places (of records of 8 floats, some members are new), the
/// second is computed under a mask into a copy of the first: one instruction for both. The mask is hidden; the code
/// generator would make one permutation of two registers of it, for which Zen 4 takes 2 cycles, and 1 for that of one.
/// True when something changed.
bool keep_blends(llvm::Function& run, const llvm::TargetTransformInfo& host);

}  // namespace lanza::compiler
