// Kernel launches in device code, which clang 19 has no syntax for.
#pragma once

#include <string>

#include <llvm/ADT/StringRef.h>

namespace lanza::compiler {

/// The text with each launch, also those of macros, as the prelude takes it (child_launch.cuh):
///   name<T><<<grid, block>>>(x)  becomes  __lanza_launch<name<T>>( grid, block)  (x)
/// Lines stay what they are, and only columns behind a kernel's name move. A text without launches is not even read.
std::string rewrite_launches(llvm::StringRef text);

}  // namespace lanza::compiler
