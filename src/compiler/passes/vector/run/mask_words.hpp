// Words whose bits are lanes' votes.
#pragma once

#include <llvm/IR/Instructions.h>

namespace lanza::compiler {

/// The mask that `word` is made of, bit by bit, as a ballot is before anything has been simplified; null: it is
/// something else.
llvm::Instruction* mask_of_word(llvm::Instruction& word);

}  // namespace lanza::compiler
