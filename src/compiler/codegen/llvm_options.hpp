// LLVM's command line, which is global.
#pragma once

#include <string>

#include <llvm/ADT/ArrayRef.h>

namespace lanza::compiler {

/// Sets what we compile with, at the first call, which must come before the first compilation. Empty, or what is wrong
/// with it, at each call. Thread-safe.
const std::string& set_llvm_options();

/// Takes the options as a command line. Empty, or what LLVM says of them: most may be given once in a process.
std::string take_llvm_options(llvm::ArrayRef<const char*> options);

}  // namespace lanza::compiler
