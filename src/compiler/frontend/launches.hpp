// Kernel launches in device code, which clang 19 knows from host code only.
#pragma once

#include <string>

#include <llvm/ADT/StringRef.h>

namespace lanza::compiler {

/// The text with each launch, also those of macros, in a lambda of its own:
///   name<T><<<grid, block>>>(x)  becomes  [&]{name<T><<<grid, block>>>(x);}()
/// A lambda counts as code for host and device: there clang accepts the launch, and reports only when the lambda is
/// emitted (allow_launches). Lines stay what they are. A text without launches is not even read.
std::string rewrite_launches(llvm::StringRef text);

}  // namespace lanza::compiler
