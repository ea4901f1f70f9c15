// The freestanding runtime, as an object file inside the plug-in.
#pragma once

#include <llvm/ADT/StringRef.h>

namespace lanza::compiler {

/// The bytes of runtime/freestanding.c, compiled.
llvm::StringRef runtime_object();

}  // namespace lanza::compiler
