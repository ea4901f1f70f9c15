// Stores of some lanes to memory of the block, which no other processor writes: what lies there is written with them.
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: run form at its end, shared and private memory as local variables. Out: on a CPU without AVX-512, masked stores
/// to a variable ask which lanes store: none, up to three, which do so one by one, or all; else those that do not store
/// again what they load. Without a question where the mask is constant, if split_masked_stores() would make several
/// stores for each register, and in kernels with so many that the questions would be most of their code. One thread of
/// the system runs a block, so nobody writes there in between. A lane that stores lies in the variable, the others
/// within a vector's length of it: the variable gets so much room in front and behind. True when something changed.
bool blend_local_stores(llvm::Function& run, const llvm::TargetTransformInfo& host);

}  // namespace lanza::compiler
