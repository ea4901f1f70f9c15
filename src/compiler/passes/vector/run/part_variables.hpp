// Variables of the block that copies of its code have in common.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: run form in which each copy of the code, as version_blocks() makes them, is reached from the choice between them
/// alone. Out: a variable of the block, dead until its lifetime begins, of which what one copy writes never reaches
/// another, is one for each of them. So the code for most blocks has it in registers even where that for the few at
/// the edges indexes it in a loop. True when something changed.
bool part_variables(llvm::Function& run);

}  // namespace lanza::compiler
