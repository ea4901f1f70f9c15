// Work of every second thread of a block, done by the first half of them.
#pragma once

#include <array>

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: a kernel for one blockDim of one dimension, nvptx64 form, address spaces known. A phase of an odd-even sort,
///
///     if (t % 2 == phase % 2 && t + 1 < n) exchange s[t] and s[t + 1] if they are in the wrong order;
///
/// stores under masks what the next group loads in part, and waits for it. Out: thread `u` of the first half does the
/// work of thread `2 * u + phase % 2`: pairs lie side by side, and groups meet nowhere. Only where all threads come
/// from a barrier to the question, and from the work to a barrier, touching no memory on the way; where the work is
/// straight code that touches shared memory alone and nobody else hears of it; and where it stores as many elements as
/// there are threads for one that works. Likewise with other powers of two. True when something changed.
bool leave_to_first_threads(llvm::Function& kernel, std::array<unsigned, 3> block,
                            llvm::FunctionAnalysisManager& analyses);

}  // namespace lanza::compiler
