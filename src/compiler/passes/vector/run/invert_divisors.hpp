// Quotients by what a loop does not change are products with its inverse.
#pragma once

#include <llvm/Analysis/LoopInfo.h>

namespace lanza::compiler {

/// In: run form at its end. Out: scalar quotients and remainders of 32 bits by a number that
/// a loop does not change are, for n and d without signs,
///
///     ((n + 1) * inverse) >> 64,  where inverse = (2^64 - 1) / d stands in front of the outermost such loop,
///
/// a multiplication instead of a division, of which no two overlap. Exact for all n below 2^32 and all d above 0 (A. D.
/// Robison, "N-bit unsigned division via N-bit multiply-add", ARITH 2005, theorem of the rounded-down inverse: with
/// 2^64 - 1 = inverse * d + e, e < d, the product lacks (n + 1) (1 + e) / (d 2^64) <= 1 / d of (n + 1) / d). Signs are
/// taken off first and put back where they may be there. True when something changed.
bool invert_divisors(const llvm::LoopInfo& loops);

}  // namespace lanza::compiler
