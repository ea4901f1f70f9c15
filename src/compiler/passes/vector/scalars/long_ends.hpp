// What a kernel does with its sums at the end stays a loop where it is much.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// Metadata of a private array that is none of registers.
inline constexpr char kStaysInMemory[] = "lanza.stays-in-memory";

/// In: rotated loops, each private array still one. Out: a loop nest behind all others that only reads an array which a
/// loop before it writes, and would be unrolled for it to more than a thousand instructions (an activation of each of a
/// thread's 8 x 4 sums, behind a guard each), reads a copy, which stays in memory: the array is registers where the
/// time goes, and its end is a few copies of the code, not 32. The outermost loop is marked llvm.loop.unroll.disable.
struct LongEndsPass : llvm::PassInfoMixin<LongEndsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lanza::compiler
