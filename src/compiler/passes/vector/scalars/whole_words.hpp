// Bytes and shorts of a word that lanes find by themselves are loaded together.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: SPMD form. Out: members of one aligned word of 32 bits (`uchar4 c = in[y0 * w + x0]`, `short2`, `half2`) that
/// are loaded one after the other, with no write between them, from places that follow no pattern along the lanes are
/// one load of the word, and shifts: lanes are gathered one by one, and a byte takes as long as a word (an image
/// enlarged by bilinear interpolation of 4 channels: less than half the time). Neighbours, rows, edges and private
/// arrays stay: other passes know those. Of shared memory, whose end is known, all of the word is loaded before, too.
/// True when something changed.
bool load_whole_words(llvm::Function& kernel, const GroupShape& group);

}  // namespace lanza::compiler
