// Object files to shared object, by lld in process.
#pragma once

#include <string>

#include <llvm/ADT/ArrayRef.h>

namespace lanza::compiler {

/// Links `objects` and what they need of the freestanding runtime to a shared object without undefined symbols. False
/// and lld's words in `error` otherwise. Thread-safe: lld has global state, one link runs at a time.
bool link_shared_object(llvm::ArrayRef<std::string> objects, std::string& linked, std::string& error);

}  // namespace lanza::compiler
