// Gathers whose lanes lie as is known where a row begins at a multiple of a power of two.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: code with vectors. Out, for gathers of all lanes by quotients by powers of two (`block[(row * n + i) / 32]`):
///
///     if (what all lanes share of the dividends is a multiple of these) loads; else the gather
///
/// where these loads are few: then it is known which lanes share an element and which lie side by side, where
/// otherwise each group would have to look. True when something changed.
bool split_aligned_gathers(llvm::Function& run);

}  // namespace lanza::compiler
