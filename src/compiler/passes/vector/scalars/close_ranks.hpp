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
/// from ever more of them. Out: the step that stores every second element stores them side by side into an array of its
/// own, which all use that touch these elements later; and so on. The same with `if (t % (2 * d) == 0) s[t] += s[t +
/// d]`, whose work thread `2 * d * u` leaves to thread `u`: only where it begins and ends at a barrier, touches shared
/// memory alone and computes from it alone.
///
/// Scans go down again, and need what is between: such elements stay where they are, and the array of a step's own is
/// used only until the same elements are stored again (Blelloch), or where what lies beside them is added to what is
/// below (Brent and Kung), `if (t < n - 1) s[2 * t + 2] += s[2 * t + 1]`: thread `t + 1` does that, under the
/// conditions above, and puts its own element back beside it, as neighbours are stored together.
///
/// Only arrays whose accesses are all plain and, behind the step, at multiples of the thread's number of which it is
/// known whether the step stored them. True when something changed.
bool close_ranks(llvm::Function& kernel, std::array<unsigned, 3> block, llvm::FunctionAnalysisManager& analyses);

}  // namespace lanza::compiler
