// Quotients by a number that all lanes share are products with its inverse, corrected to the bit.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: run form at its end. Out: where dividing is what a block's time goes to, vectors of floats or doubles that are
/// divided by a constant, or by a number of the loop or of its turn (`x / 255.0f`, `m / bias`, `d / (i + 1)`), are
///
///     q = x * high + x * low,  where high is 1 / c rounded, and low what that lacks
///     q + (x - q * c) * high
///
/// by fused operations. q is less than a unit in its last place from x / c, so that x - q * c is exact, and the sum is
/// x / c rounded correctly (Markstein, "Computation of elementary functions on the IBM RISC System/6000 processor",
/// 1990, theorem on q' = q + r y; high is 1 / c rounded correctly). Of numbers so large or so small that one of these
/// might not be normal, and infinities and NaN, some lane's sends all of them to a division; zeros keep their sign.
/// Integers that became floats need no question. True when something changed.
bool share_divisors(llvm::Function& run, const llvm::LoopInfo& loops);

}  // namespace lanza::compiler
