// Choices within choices, which keep one value, are one choice.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

namespace lanza::compiler {

/// In: run form at its end, before split_masks(). Out, without AVX-512: of vectors
///
///     a ? (b ? old : (c ? new : old)) : old
///
/// as conditions within conditions leave them (`if (d < best[7]) while (...)`), is `a && !b && c ? new : old`: a blend
/// takes up to three of a core's operations, and what is made of masks one, which other choices share. LLVM knows the
/// half of these, of which no condition is turned round. True when something changed.
bool join_choices(llvm::Function& run, const llvm::TargetMachine& host);

}  // namespace lanza::compiler
