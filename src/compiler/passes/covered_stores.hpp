// Stores that others write over before anybody reads are removed, in one walk through each block.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: any code. Out: in memory that the function keeps to itself, at constant distances from its begin, no store whose
/// bytes are all written again in the same block before anything may read one of them. Straight code of many groups
/// writes hundreds of such vectors, of which LLVM's elimination compares each with each for a tenth of the time of
/// compiling; behind this its walks may be short (`target.cpp`). True when something changed.
bool drop_covered_stores(llvm::Function& function);

}  // namespace lanza::compiler
