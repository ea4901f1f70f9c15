// Trees over a shared array by strides of 1, 2, 4...: what each step leaves over lies side by side for the next.
#pragma once

#include <array>

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: a kernel for one blockDim of one dimension, nvptx64 form, address spaces known, loops unrolled. A reduction by
/// interleaved addresses,
///
///     for (d = 1; d < 256; d *= 2) { if (2 * d * t < 256) s[2 * d * t] += s[2 * d * t + d]; __syncthreads(); }
///
/// leaves sums in every second element, then in every fourth: each step's vectors are gathered and scattered, or come
/// from ever more of them. Out: the step that stores every second element, and is the last that touches the others,
/// stores them side by side into an array of its own, which all later steps use; and so on. The same with
/// `if (t % (2 * d) == 0) s[t] += s[t + d]`, whose work thread `2 * d * u` leaves to thread `u`: only where it begins
/// and ends at a barrier, touches shared memory alone and computes from it alone. Only arrays whose accesses are all
/// plain and, behind the step, at multiples of the thread's number that the step has stored. True when something
/// changed.
bool close_ranks(llvm::Function& kernel, std::array<unsigned, 3> block, llvm::FunctionAnalysisManager& analyses);

}  // namespace lanza::compiler
