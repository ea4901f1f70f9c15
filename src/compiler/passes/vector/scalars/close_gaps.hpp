// Arrays in shared memory with gaps against conflicts of banks are kept without them.
#pragma once

#include <array>

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: a kernel for one blockDim of one dimension, nvptx64 form, address spaces known, loops unrolled. On a GPU threads
/// wait for each other where they touch elements that are a multiple of 32 apart, so that trees over shared memory put
/// `x` at `x + x / 32`. Out: what is at the n-th of all places that are ever touched is at place n, where all accesses
/// are plain, their places follow from the thread's number alone, and are a multiple of it and a constant afterwards:
/// lanes lie side by side. True when something changed.
bool close_gaps(llvm::Function& kernel, std::array<unsigned, 3> block);

}  // namespace lanza::compiler
