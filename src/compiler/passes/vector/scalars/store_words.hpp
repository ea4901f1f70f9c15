// Bytes and shorts of a word that lanes store at places of their own are stored together.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: SPMD form. Out: members that fill an aligned word of 16 or 32 bits (`out[count++] = make_uchar2(value, run)`,
/// `uchar4`, `short2`), stored one after the other with no access to memory between them, at places that follow no
/// pattern along the lanes, are one store: lanes are scattered one by one, and a byte takes as long as a word. True
/// when something changed.
bool store_whole_words(llvm::Function& kernel, const GroupShape& group);

}  // namespace lanza::compiler
