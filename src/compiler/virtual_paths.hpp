// Where the files of the plug-in and of a request stand. No real file has such a path.
#pragma once

#include <llvm/ADT/StringRef.h>

namespace lanza::compiler {

inline constexpr const char* virtual_root = "/__lanza__";
inline constexpr const char* prelude_path = "/__lanza__/prelude/prelude.cuh";
inline constexpr const char* user_headers_dir = "/__lanza__/include";
inline constexpr const char* library_headers_dir = "/__lanza__/library";
inline constexpr const char* request_headers_dir = "/__lanza__/headers";

inline bool is_virtual(llvm::StringRef path) { return path.starts_with(virtual_root); }
/// A file of the prelude, and none of the request's headers.
inline bool is_virtual_prelude(llvm::StringRef path) {
  return is_virtual(path) && !path.starts_with(request_headers_dir);
}

}  // namespace lanza::compiler
