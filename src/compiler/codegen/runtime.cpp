#include "compiler/codegen/runtime.hpp"

// Defined by runtime/embed.c.
extern "C" const char lanza_runtime_object[];
extern "C" const char lanza_runtime_object_end[];

namespace lanza::compiler {

llvm::StringRef runtime_object() {
  return {lanza_runtime_object, static_cast<size_t>(lanza_runtime_object_end - lanza_runtime_object)};
}

}  // namespace lanza::compiler
