// Copies of records that lie one behind the other are copies of their words.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: SPMD form. Out: where each lane copies a record (`out[i] = in[i]` of float4s) to the one behind, or in front of,
/// the lane before, and what they copy lies so too, or is one record, or records of three or four words that lie
/// anywhere, the copy is loads of words, then stores: whole vectors for all lanes. Records up to 16 words, which are of
/// 4 bytes where records are aligned so, that are no thread's own; from anywhere else each lane copies in one go
/// better. True when something changed.
bool split_copies(llvm::Function& kernel, const GroupShape& group);

}  // namespace lanza::compiler
