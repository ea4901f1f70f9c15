#include "compiler/frontend/files.hpp"

#include <mutex>

#include <llvm/ADT/StringMap.h>
#include <llvm/Support/Path.h>

#include "compiler/frontend/embedded.hpp"

using namespace llvm;

namespace lanza::compiler {

std::string pch_path(StringRef standard, StringRef headers) {
  const std::string name = (standard + (headers.empty() ? "" : "-") + headers).str();
  for (const EmbeddedFile* file = lanza_embedded_pchs; file->name; ++file)
    if (name == file->name) return std::string(virtual_root) + "/" + name + ".pch";
  return {};
}

namespace {

/// Shared by all compiles: nobody moves it to a working folder of his own.
class EmbeddedFiles : public vfs::ProxyFileSystem {
 public:
  using ProxyFileSystem::ProxyFileSystem;
  std::error_code setCurrentWorkingDirectory(const Twine&) override { return {}; }
};

IntrusiveRefCntPtr<vfs::FileSystem> embed(const EmbeddedFile* first, const EmbeddedFile* last, StringRef suffix,
                                          bool text) {
  auto files = makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
  for (const EmbeddedFile* file = first; file != last; ++file) {
    const std::string path = (Twine(virtual_root) + "/" + file->name + suffix).str();
    files->addFile(path, /*ModificationTime=*/0,
                   MemoryBuffer::getMemBuffer({file->data, file->size}, path, /*RequiresNullTerminator=*/text));
  }
  return makeIntrusiveRefCnt<EmbeddedFiles>(std::move(files));
}

// Adding a file hashes its text, which for all PCHs takes as long as the rest of a small compile: once a process, and
// only for those that are used.
IntrusiveRefCntPtr<vfs::FileSystem> embedded_texts() {
  static const auto files = [] {
    const EmbeddedFile* last = lanza_embedded_texts;
    while (last->name) ++last;
    return embed(lanza_embedded_texts, last, "", true);
  }();
  return files;
}

}  // namespace

RecordingFiles::RecordingFiles() : ProxyFileSystem(vfs::getRealFileSystem()) {}

void RecordingFiles::record(const Twine& path, bool present) {
  SmallString<256> absolute;
  path.toVector(absolute);
  if (is_virtual(absolute)) return;
  makeAbsolute(absolute);
  if (is_virtual(absolute)) return;
  sys::path::remove_dots(absolute, /*remove_dot_dot=*/false);
  auto [entry, inserted] = seen_.emplace(absolute.str().str(), present);
  entry->second = entry->second || present;
}

void RecordingFiles::see_include_dir(StringRef path) {
  SmallString<256> folder(path);
  makeAbsolute(folder);
  sys::path::remove_dots(folder, /*remove_dot_dot=*/false);
  include_dirs_.push_back({folder.str().str() + "/", {}});
}

bool RecordingFiles::is_toolkit(IncludeDir& dir) {
  if (!dir.toolkit)
    dir.toolkit =
        bool(real_status(dir.path + "cuda_runtime_api.h")) && bool(real_status(dir.path + "crt/host_config.h"));
  return *dir.toolkit;
}

// Ours for a header of a toolkit; empty: there is none.
std::string RecordingFiles::own_header(const Twine& path) {
  SmallString<256> absolute;
  path.toVector(absolute);
  makeAbsolute(absolute);
  sys::path::remove_dots(absolute, /*remove_dot_dot=*/false);
  for (IncludeDir& dir : include_dirs_) {
    if (!absolute.str().starts_with(dir.path)) continue;
    std::string own = user_headers_dir + ("/" + absolute.substr(dir.path.size())).str();
    const auto found = embedded_texts()->status(own);
    if (found && !found->isDirectory() && is_toolkit(dir)) return own;
  }
  return {};
}

ErrorOr<vfs::Status> RecordingFiles::status(const Twine& path) {
  if (const std::string own = own_header(path); !own.empty()) return embedded_texts()->status(own);
  return real_status(path);
}

ErrorOr<vfs::Status> RecordingFiles::real_status(const Twine& path) {
  ErrorOr<vfs::Status> result = ProxyFileSystem::status(path);
  // A pipe or a device would block, or never end.
  if (result && !result->isDirectory() && !result->isRegularFile())
    result = std::make_error_code(std::errc::no_such_file_or_directory);
  if (!result || !result->isDirectory()) record(path, bool(result));
  return result;
}

ErrorOr<std::unique_ptr<vfs::File>> RecordingFiles::openFileForRead(const Twine& path) {
  if (const std::string own = own_header(path); !own.empty()) return embedded_texts()->openFileForRead(own);
  const ErrorOr<vfs::Status> found = real_status(path);
  if (!found) return found.getError();
  return ProxyFileSystem::openFileForRead(path);
}

bool RecordingFiles::exists(const Twine& path) { return bool(status(path)); }

std::vector<Dependency> RecordingFiles::dependencies() const {
  std::vector<Dependency> list;
  for (const auto& [path, present] : seen_) list.push_back({path, present});
  return list;
}

namespace {

IntrusiveRefCntPtr<vfs::FileSystem> embedded_pch(StringRef path) {
  static std::mutex lock;
  static StringMap<IntrusiveRefCntPtr<vfs::FileSystem>> known;
  const std::lock_guard guard(lock);
  IntrusiveRefCntPtr<vfs::FileSystem>& files = known[path];
  for (const EmbeddedFile* file = lanza_embedded_pchs; file->name && !files; ++file)
    if (pch_path(file->name) == path) files = embed(file, file + 1, ".pch", false);
  return files;
}

}  // namespace

Files make_files(StringRef pch) {
  Files files;
  files.real = makeIntrusiveRefCnt<RecordingFiles>();
  files.memory = makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
  files.all = makeIntrusiveRefCnt<vfs::OverlayFileSystem>(files.real);
  files.all->pushOverlay(embedded_texts());
  if (!pch.empty()) files.all->pushOverlay(embedded_pch(pch));
  files.all->pushOverlay(files.memory);
  return files;
}

}  // namespace lanza::compiler
