// The files that a compile sees: request and prelude in memory, over the real ones, whose use is recorded.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <llvm/Support/VirtualFileSystem.h>

#include "compiler/frontend/compile.hpp"
#include "compiler/virtual_paths.hpp"

namespace lanza::compiler {

/// Path of the PCH for a standard ("c++17") and a set of preloaded headers ("half", or none); empty: there is none.
std::string pch_path(llvm::StringRef standard, llvm::StringRef headers = "");

/// The real files, with a record of every path that was read, or looked for and not found. In the folder of a CUDA
/// toolkit our headers stand in place of the toolkit's of the same name: those include each other by "name", which
/// would find what the prelude has already.
class RecordingFiles : public llvm::vfs::ProxyFileSystem {
 public:
  RecordingFiles();
  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine& path) override;
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine& path) override;
  bool exists(const llvm::Twine& path) override;

  /// A folder of headers, which may be a toolkit's.
  void see_include_dir(llvm::StringRef path);

  /// Absolute paths, sorted. Directories that exist are not among them.
  std::vector<Dependency> dependencies() const;

 private:
  struct IncludeDir {
    std::string path;
    std::optional<bool> toolkit;  // known when a header is asked for that we have too
  };

  void record(const llvm::Twine& path, bool present);
  llvm::ErrorOr<llvm::vfs::Status> real_status(const llvm::Twine& path);
  bool is_toolkit(IncludeDir& dir);
  std::string own_header(const llvm::Twine& path);

  std::vector<IncludeDir> include_dirs_;
  std::map<std::string, bool> seen_;
};

/// What was recorded, and the view that clang gets.
struct Files {
  llvm::IntrusiveRefCntPtr<RecordingFiles> real;
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> memory;
  llvm::IntrusiveRefCntPtr<llvm::vfs::OverlayFileSystem> all;
};

/// The embedded texts, and the PCH of that path (none: empty), in memory over the real files.
Files make_files(llvm::StringRef pch = "");

}  // namespace lanza::compiler
