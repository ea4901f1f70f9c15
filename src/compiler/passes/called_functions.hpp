// Functions of numbers that long code calls again and again stay functions: a kernel with hundreds of copies of expf
// takes seconds to compile, and more memory for its code than the first cache has.
#pragma once

#include <llvm/IR/Module.h>

namespace lanza::compiler {

/// In: `kernel` and what it reaches, nothing inlined. Out: where all copies of functions of numbers would be long, what
/// calls those with many copies calls lane functions (lane_functions.hpp) instead; a function `NAME.body` is what NAME
/// does for one thread. Not of functions that access memory but their own variables and constants, nor, where they are
/// the user's, of those with loops or arrays: a call needs no condition. To be asked for all engines alike, as products
/// and sums are joined within a function only.
void keep_called_functions(llvm::Function& kernel);

/// Of functions that ask for no thread: bodies of lane functions, also those of several lanes.
inline constexpr char kComputesOnly[] = "lanza-computes-only";

/// What the lane function `name` does for one thread; null: it is not of the kernel's code.
llvm::Function* body_of_lane_function(llvm::Module& module, llvm::StringRef name);

/// Out: calls of lane functions of one thread are calls of their bodies.
void lower_called_functions(llvm::Module& module);

}  // namespace lanza::compiler
