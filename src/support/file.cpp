// Whole files, and temporary directories.
#include "support/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <lanza/error.hpp>

#include "support/file_descriptor.hpp"
#include "support/log.hpp"

namespace lanza {
namespace {

// A temporary file beside its destination: removed unless it was renamed.
class PendingFile {
 public:
  explicit PendingFile(const std::filesystem::path& destination) : path_(destination.string() + ".XXXXXX") {
    file_ = FileDescriptor(::mkostemp(path_.data(), O_CLOEXEC));
  }
  ~PendingFile() {
    if (file_ && !renamed_) ::unlink(path_.c_str());
  }
  const FileDescriptor& file() const { return file_; }
  bool rename_to(const std::filesystem::path& destination) {
    return renamed_ = ::rename(path_.c_str(), destination.c_str()) == 0;
  }

 private:
  std::string path_;
  FileDescriptor file_;
  bool renamed_ = false;
};

}  // namespace

std::optional<std::string> read_all(const FileDescriptor& file) {
  struct stat status;
  if (::fstat(file.get(), &status) != 0) return std::nullopt;
  if (S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    return std::nullopt;
  }
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t done = 0;
  for (;;) {
    if (done == bytes.size())
      bytes.resize(bytes.size() + (status.st_size ? 1 : 4096));  // it grew, or tells no size (/proc)
    const ssize_t n = ::read(file.get(), bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::nullopt;
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  bytes.resize(done);
  return bytes;
}

bool write_all(const FileDescriptor& file, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file.get(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

std::optional<std::string> read_file(const std::filesystem::path& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  return read_all(file);
}

std::string read_file_or_throw(const std::filesystem::path& path) {
  errno = 0;
  if (auto bytes = read_file(path)) return *std::move(bytes);
  throw NotFound(fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno)));
}

void write_file_atomically(const std::filesystem::path& path, std::string_view bytes, unsigned mode) {
  PendingFile pending(path);
  const bool ok = pending.file() && write_all(pending.file(), bytes) && ::fchmod(pending.file().get(), mode) == 0 &&
                  ::fsync(pending.file().get()) == 0 && pending.rename_to(path);
  if (!ok) throw Error(fmt::format("{}: cannot be written: {}", path.string(), std::strerror(errno)));
}

TemporaryDirectory::TemporaryDirectory(std::string_view prefix) {
  std::string path = (std::filesystem::temp_directory_path() / fmt::format("{}-XXXXXX", prefix)).string();
  if (!::mkdtemp(path.data()))
    throw Error(fmt::format("{}: cannot make a temporary directory: {}", path, std::strerror(errno)));
  path_ = path;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
  if (error) log::warning("{}: cannot be removed: {}", path_.string(), error.message());
}

}  // namespace lanza
