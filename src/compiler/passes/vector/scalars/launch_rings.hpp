// Remainders by which neighbours find each other on a ring that the launch makes sure of.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// i32 (i32 dividend, i32 divisor, i32 index, i1 is_signed, i1 beyond): the remainder, where 0 <= index < divisor, or,
/// if some threads are beyond the ring's end, index + 1 < 2 * divisor, and the dividend is the index, a step of at most
/// one, which may be a counter as yet, and perhaps the divisor. Without that its result is nobody's.
inline constexpr char kRing[] = "lanza.ring";

/// In the remainder's place.
void stand_on_ring(llvm::BinaryOperator& remainder, llvm::Value& index, bool beyond);

/// In: a kernel with its loops of few turns unrolled. Out: such calls are what fold_ring() makes of them, or the
/// remainders that they were.
struct FoldLaunchRingsPass : llvm::PassInfoMixin<FoldLaunchRingsPass> {
  llvm::PreservedAnalyses run(llvm::Function& kernel, llvm::FunctionAnalysisManager&) const;
};

}  // namespace lanza::compiler
