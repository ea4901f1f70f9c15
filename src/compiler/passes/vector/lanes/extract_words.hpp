// Bytes, shorts and indices of a vector, one after the other, by way of words.
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: code after its last simplification, which would undo it. Out: where a block takes several single bytes, shorts,
/// or 32-bit numbers that are indices or computed with out of one vector, it takes out words of 64 bits, and parts of
/// those by shifts: x86 moves an element from a vector at the same cost whatever its size. Numbers of which bits are
/// known are hidden before (hidden_values.hpp), or stay as they are where no register holds them.
void extract_words(llvm::Function& function, const llvm::TargetTransformInfo& host);

}  // namespace lanza::compiler
