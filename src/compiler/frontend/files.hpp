// The files that a compile sees: request and prelude in memory, over the real ones, whose use is recorded.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <llvm/Support/VirtualFileSystem.h>

#include "compiler/frontend/compile.hpp"

namespace lanza::compiler {

// Where the files of the plug-in and of the request stand. No real file has such a path.
inline constexpr const char* virtual_root = "/__lanza__";
inline constexpr const char* prelude_path = "/__lanza__/prelude/prelude.cuh";
inline constexpr const char* user_headers_dir = "/__lanza__/include";
inline constexpr const char* request_headers_dir = "/__lanza__/headers";

inline bool is_virtual(llvm::StringRef path) { return path.starts_with(virtual_root); }
/// A file of the prelude, and none of the request's headers.
inline bool is_virtual_prelude(llvm::StringRef path) {
  return is_virtual(path) && !path.starts_with(request_headers_dir);
}
/// Path of the PCH for a standard ("c++17"); empty: there is none.
std::string pch_path(llvm::StringRef standard);

/// The real files, with a record of every path that was read, or looked for and not found.
class RecordingFiles : public llvm::vfs::ProxyFileSystem {
 public:
  RecordingFiles();
  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine& path) override;
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine& path) override;
  bool exists(const llvm::Twine& path) override;

  /// Absolute paths, sorted. Directories that exist are not among them.
  std::vector<Dependency> dependencies() const;

 private:
  void record(const llvm::Twine& path, bool present);
  std::map<std::string, bool> seen_;
};

/// What was recorded, and the view that clang gets.
struct Files {
  llvm::IntrusiveRefCntPtr<RecordingFiles> real;
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> memory;
  llvm::IntrusiveRefCntPtr<llvm::vfs::OverlayFileSystem> all;
};

/// Prelude and PCHs in memory over the real files.
Files make_files();

}  // namespace lanza::compiler
