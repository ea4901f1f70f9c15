// Object file to shared object, by lld in process.
#pragma once

#include <string>

#include <llvm/ADT/StringRef.h>

namespace lanza::compiler {

/// Links `object` and what it needs of the freestanding runtime to a shared object without undefined symbols. False and
/// lld's words in `error` otherwise. Thread-safe: lld has global state, one link runs at a time.
bool link_shared_object(llvm::StringRef object, std::string& linked, std::string& error);

}  // namespace lanza::compiler
