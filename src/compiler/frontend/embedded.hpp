// Files that are part of the plug-in, made by cmake/Prelude.cmake.
#pragma once

#include <cstddef>

namespace lanza::compiler {

struct EmbeddedFile {
  const char* name;  ///< null: the end of the list
  const char* data;
  std::size_t size;
};

}  // namespace lanza::compiler

extern "C" {
/// The prelude ("prelude/prelude.cuh", "prelude/sync_kinds.h") and the headers for users ("include/cuda_runtime.h").
extern const lanza::compiler::EmbeddedFile lanza_embedded_texts[];
/// The prelude, parsed, for some standards: "c++17". The PCH writer's own list is empty.
extern const lanza::compiler::EmbeddedFile lanza_embedded_pchs[];
}
