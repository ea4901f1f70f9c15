// Whole files: reading, and writing so that others see the old content or the new, never a part.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace lanza {

/// Content, or nothing when it cannot be read.
std::optional<std::string> read_file(const std::filesystem::path&);
/// Temporary file in the same directory, fsync, rename. Throws Error with the path and the system's reason.
void write_file_atomically(const std::filesystem::path&, std::string_view bytes, unsigned mode = 0600);
/// Content of a file or throws NotFound.
std::string read_file_or_throw(const std::filesystem::path&);

/// A directory in the system's temporary directory, mode 0700, removed with all it holds by the destructor.
class TemporaryDirectory {
 public:
  explicit TemporaryDirectory(std::string_view prefix = "lanza");
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace lanza
