#include "compiler/frontend/files.hpp"

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

ErrorOr<vfs::Status> RecordingFiles::status(const Twine& path) {
  ErrorOr<vfs::Status> result = ProxyFileSystem::status(path);
  // A pipe or a device would block, or never end.
  if (result && !result->isDirectory() && !result->isRegularFile())
    result = std::make_error_code(std::errc::no_such_file_or_directory);
  if (!result || !result->isDirectory()) record(path, bool(result));
  return result;
}

ErrorOr<std::unique_ptr<vfs::File>> RecordingFiles::openFileForRead(const Twine& path) {
  const ErrorOr<vfs::Status> found = status(path);
  if (!found) return found.getError();
  return ProxyFileSystem::openFileForRead(path);
}

bool RecordingFiles::exists(const Twine& path) { return bool(status(path)); }

std::vector<Dependency> RecordingFiles::dependencies() const {
  std::vector<Dependency> list;
  for (const auto& [path, present] : seen_) list.push_back({path, present});
  return list;
}

static void add_embedded(vfs::InMemoryFileSystem& files, const std::string& path, const EmbeddedFile& file, bool text) {
  files.addFile(path, /*ModificationTime=*/0,
                MemoryBuffer::getMemBuffer({file.data, file.size}, path, /*RequiresNullTerminator=*/text));
}

Files make_files() {
  Files files;
  files.real = makeIntrusiveRefCnt<RecordingFiles>();
  files.memory = makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
  for (const EmbeddedFile* file = lanza_embedded_texts; file->name; ++file)
    add_embedded(*files.memory, std::string(virtual_root) + "/" + file->name, *file, true);
  for (const EmbeddedFile* file = lanza_embedded_pchs; file->name; ++file)
    add_embedded(*files.memory, pch_path(file->name), *file, false);
  files.all = makeIntrusiveRefCnt<vfs::OverlayFileSystem>(files.real);
  files.all->pushOverlay(files.memory);
  if (auto folder = files.real->getCurrentWorkingDirectory()) files.memory->setCurrentWorkingDirectory(*folder);
  return files;
}

}  // namespace lanza::compiler
