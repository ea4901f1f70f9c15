// Entries lie in <directory>/<2 hex>/<32 hex>.<kind>. Beside them: tmp/ (files being written), lock (held while
// evicting) and journal, whose length tells how much was written since the last eviction.
#include "support/disk_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <lanza/error.hpp>
#include <string_view>

#include "support/cache_entry.hpp"
#include "support/environment.hpp"
#include "support/file_descriptor.hpp"
#include "support/log.hpp"

namespace lanza {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::uint64_t default_capacity = std::uint64_t{1} << 30;
constexpr auto leftover_age =
    10min;  // writing an entry takes milliseconds: an older temporary file is of a killed process
constexpr std::time_t touch_interval = 60;  // seconds; finer use times are not worth a write a hit
constexpr int hash_digits = 32;

// Eviction walks the whole directory, so it is due only when a sixteenth of the capacity was written, or this many
// entries. The journal grows by a byte for each such part of a sixteenth, at least one an entry: its length is the sum,
// appending is atomic.
constexpr std::uint64_t journal_limit = 1024;

constexpr std::string_view hexadecimal = "0123456789abcdef";

bool is_hex(std::string_view text) { return text.find_first_not_of(hexadecimal) == text.npos; }

bool is_kind(std::string_view kind) {
  return !kind.empty() && kind.size() <= 32 &&
         kind.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") == kind.npos;
}

// Kind of the entry that a file of that name is; empty for other files.
std::string_view kind_of(std::string_view filename) {
  if (filename.size() <= hash_digits || filename[hash_digits] != '.' || !is_hex(filename.substr(0, hash_digits)))
    return {};
  const auto kind = filename.substr(hash_digits + 1);
  return is_kind(kind) ? kind : std::string_view();
}

std::string relative_path(const Hash128& key, std::string_view kind) {
  const std::string hex = key.hex();
  return fmt::format("{}/{}.{}", hex.substr(0, 2), hex, kind);
}

void warn_once(const fs::path& directory, std::string_view reason) {
  static std::atomic<bool> said{false};
  if (said.exchange(true)) return;
  log::warning("the cache of compiled code is not used: {}: {}", directory.string(), reason);
}

// Why a directory may not hold code that we run, or empty.
std::string distrust(const struct stat& status) {
  if (status.st_uid != ::geteuid()) return fmt::format("it belongs to another user (uid {})", status.st_uid);
  if (status.st_mode & (S_IWGRP | S_IWOTH))
    return fmt::format("others can write to it (mode {:04o}); run chmod go-w on it", status.st_mode & 07777);
  return {};
}

// A directory that anybody may rename away protects nothing in it.
std::string distrust_parents(const fs::path& directory) {
  std::error_code error;
  for (fs::path at = fs::canonical(directory, error); at.has_relative_path();) {
    at = at.parent_path();
    struct stat status;
    if (::stat(at.c_str(), &status) == 0 && (status.st_mode & S_IWOTH) && !(status.st_mode & S_ISVTX))
      return fmt::format("everybody can write to {} above it", at.string());
  }
  return {};
}

fs::path default_directory() {
  if (const auto base = environment("XDG_CACHE_HOME"); base && fs::path(*base).is_absolute())
    return fs::path(*base) / "lanza";
  if (const auto home = environment("HOME")) return fs::path(*home) / ".cache/lanza";
  const passwd* user = ::getpwuid(::geteuid());
  return user && user->pw_dir && *user->pw_dir ? fs::path(user->pw_dir) / ".cache/lanza" : fs::path();
}

void touch_if_old(const FileDescriptor& file, const struct stat& status) {
  if (std::time(nullptr) - status.st_mtime > touch_interval) ::futimens(file.get(), nullptr);
}

template <class Visit>
void for_each_in(const fs::path& directory, Visit visit) {
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) visit(*at);
}

// What killed processes left behind; returns how many bytes. Younger files are being written.
std::uint64_t remove_leftovers(const fs::path& directory) {
  const auto older_than = fs::file_time_type::clock::now() - leftover_age;
  std::uint64_t bytes = 0;
  for_each_in(directory / "tmp", [&](const fs::directory_entry& file) {
    std::error_code error;
    if (const auto time = file.last_write_time(error); error || time >= older_than) return;
    const auto size = file.file_size(error);
    if (!error && fs::remove(file.path(), error)) bytes += size;
  });
  return bytes;
}

// A folder with all that it holds; returns how many bytes. A link is removed and not followed.
std::uint64_t remove_folder(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  if (!fs::is_symlink(folder, error)) {
    for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
      std::error_code no_size;
      const auto size = at->is_regular_file(no_size) ? at->file_size(no_size) : 0;
      if (!no_size) bytes += size;
    }
  }
  fs::remove_all(folder, error);
  return bytes;
}

}  // namespace

// The opened, trusted directory: all files are reached through its descriptor, so that nobody can slip in another one.
class DiskCache::Directory {
 public:
  FileDescriptor fd;
  std::string problem;  ///< why it is not used; empty when it is merely absent

  explicit operator bool() const { return bool(fd); }

  static Directory open(const fs::path& path) {
    Directory directory;
    if (path.empty()) {
      directory.problem = "there is no home directory; set LANZA_CACHE_DIR";
      return directory;
    }
    FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat status;
    if (!fd) {
      const int code = errno;
      const bool link = ::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
      if (link)
        directory.problem = "it is a symbolic link; set LANZA_CACHE_DIR to where it leads";
      else if (code != ENOENT)
        directory.problem = std::strerror(code);
      return directory;
    }
    if (::fstat(fd.get(), &status) != 0)
      directory.problem = std::strerror(errno);
    else
      directory.problem = distrust(status);
    if (directory.problem.empty()) directory.fd = std::move(fd);
    return directory;
  }

  FileDescriptor open_file(const std::string& name, int flags) const {
    return FileDescriptor(::openat(fd.get(), name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, 0600));
  }
  /// For writing; makes the folder that it stands in.
  FileDescriptor create_file(const std::string& name, int flags) const {
    FileDescriptor file = open_file(name, flags | O_CREAT);
    if (file || errno != ENOENT) return file;
    make_folder_of(name);
    return open_file(name, flags | O_CREAT);
  }
  bool rename(const std::string& from, const std::string& to) const {
    if (::renameat(fd.get(), from.c_str(), fd.get(), to.c_str()) == 0) return true;
    if (errno != ENOENT) return false;
    make_folder_of(to);
    return ::renameat(fd.get(), from.c_str(), fd.get(), to.c_str()) == 0;
  }
  void remove(const std::string& name) const { ::unlinkat(fd.get(), name.c_str(), 0); }

  /// A whole file of the cache, checked; one that is not intact is removed.
  std::optional<std::string> read_entry(const Hash128& key, std::string_view kind) const {
    const std::string name = relative_path(key, kind);
    const FileDescriptor file = open_file(name, O_RDONLY);
    struct stat status;
    if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    auto bytes = read_all(file);
    const auto payload = bytes ? verify_cache_file(key, kind, *bytes) : std::nullopt;
    if (!payload) {
      log::info("the cache entry {} is damaged and was removed", name);
      remove(name);
      return std::nullopt;
    }
    touch_if_old(file, status);
    bytes->resize(*payload);
    return bytes;
  }

  /// Empty, or why it could not be written.
  std::string write_entry(const Hash128& key, std::string_view kind, std::string_view payload) const {
    const CacheTrailer trailer = make_cache_trailer(key, kind, payload);
    std::uint64_t random = 0;
    if (::getrandom(&random, sizeof random, 0) != sizeof random) return std::strerror(errno);
    const std::string temporary = fmt::format("tmp/{}-{:016x}", ::getpid(), random);
    const FileDescriptor file = create_file(temporary, O_WRONLY | O_EXCL);
    if (!file) return std::strerror(errno);
    if (write_all(file, payload) && write_all(file, {trailer.data(), trailer.size()}) && ::fdatasync(file.get()) == 0 &&
        rename(temporary, relative_path(key, kind)))
      return {};
    const std::string reason = std::strerror(errno);
    remove(temporary);
    return reason;
  }

 private:
  void make_folder_of(const std::string& name) const {
    ::mkdirat(fd.get(), name.substr(0, name.find('/')).c_str(), 0700);
  }
};

static bool is_on(std::string_view text) {
  for (const std::string_view off : {"0", "off", "false", "no"})
    if (text == off) return false;
  for (const std::string_view on : {"1", "on", "true", "yes"})
    if (text == on) return true;
  throw InvalidArgument(fmt::format("LANZA_CACHE is '{}'; it takes 0 or 1 (LANZA_CACHE_DIR names the folder)", text));
}

DiskCache::Options DiskCache::options_from_environment() {
  Options options;
  const auto directory = environment("LANZA_CACHE_DIR");
  options.directory = directory ? fs::absolute(*directory) : default_directory();
  const auto size = environment("LANZA_CACHE_SIZE");
  options.capacity = size ? parse_size(*size, "LANZA_CACHE_SIZE") : default_capacity;
  options.enabled = is_on(environment("LANZA_CACHE").value_or("1"));
  return options;
}

DiskCache& DiskCache::process_wide() {
  static DiskCache& cache = *new DiskCache(options_from_environment());  // used until the process ends
  return cache;
}

DiskCache::DiskCache(Options options) : options_(std::move(options)) {}

DiskCache::Directory DiskCache::open() const {
  Directory directory = Directory::open(options_.directory);
  if (!directory || parents_trusted_) return directory;
  directory.problem = distrust_parents(options_.directory);
  if (!directory.problem.empty())
    directory.fd = {};
  else
    parents_trusted_ = true;
  return directory;
}

DiskCache::Directory DiskCache::open_or_make() const {
  Directory directory = open();
  if (directory || !directory.problem.empty()) return directory;
  std::error_code error;
  fs::create_directories(options_.directory.parent_path(), error);
  if (::mkdir(options_.directory.c_str(), 0700) != 0 && errno != EEXIST) {
    directory.problem = fmt::format("it cannot be made: {}", std::strerror(errno));
    return directory;
  }
  return open();
}

std::optional<std::string> DiskCache::get(const Hash128& key, std::string_view kind) try {
  if (!options_.enabled || !is_kind(kind)) return std::nullopt;
  const Directory directory = open();
  return directory ? directory.read_entry(key, kind) : std::nullopt;
} catch (const std::exception& error) {  // no memory, say
  log::warning("the cache cannot be read: {}", error.what());
  return std::nullopt;
}

std::optional<fs::path> DiskCache::find(const Hash128& key, std::string_view kind) {
  if (!get(key, kind)) return std::nullopt;
  return options_.directory / relative_path(key, kind);
}

bool DiskCache::put(const Hash128& key, std::string_view kind, std::string_view payload) noexcept try {
  if (!options_.enabled || !is_kind(kind)) return false;
  const std::uint64_t bytes = payload.size() + cache_trailer_size;
  if (options_.capacity && bytes > options_.capacity / 10 * 9) return false;  // would be evicted at once
  const Directory directory = open_or_make();
  std::string problem = directory.problem;
  if (directory) problem = directory.write_entry(key, kind, payload);
  if (!problem.empty()) {
    warn_once(options_.directory, problem);
    return false;
  }
  count_written(directory, bytes);
  return true;
} catch (const std::exception& error) {
  log::warning("the cache cannot be written: {}", error.what());
  return false;
}

void DiskCache::count_written(const Directory& directory, std::uint64_t bytes) noexcept {
  if (!options_.capacity) return;
  static constexpr std::array<char, journal_limit> marks{};
  const double parts = static_cast<double>(bytes) / static_cast<double>(options_.capacity) * 16 * journal_limit;
  const auto count = static_cast<std::size_t>(std::clamp(parts, 1.0, double{journal_limit}));
  const FileDescriptor journal = directory.create_file("journal", O_WRONLY | O_APPEND);
  struct stat status;
  const bool counted = journal && write_all(journal, {marks.data(), count}) && ::fstat(journal.get(), &status) == 0;
  if (!counted || static_cast<std::uint64_t>(status.st_size) >= journal_limit) trim();
}

void DiskCache::trim() noexcept try {
  const Directory directory = open();
  if (!directory) return;
  const FileDescriptor lock = directory.create_file("lock", O_RDWR);
  if (!lock || (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK))
    return;  // another process is at it
  if (const FileDescriptor journal = directory.open_file("journal", O_WRONLY)) {
    if (::ftruncate(journal.get(), 0) != 0)
      log::debug("the cache's journal cannot be shortened: {}", std::strerror(errno));
  }
  remove_leftovers(options_.directory);

  auto all = entries();
  std::uint64_t total = 0;
  for (const Entry& entry : all) total += entry.bytes;
  if (!options_.capacity || total <= options_.capacity) return;
  std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : all) {
    if (total <= options_.capacity / 10 * 9) break;
    std::error_code error;
    fs::remove(entry.path, error);
    if (!error) total -= entry.bytes;
  }
} catch (const std::exception& error) {
  log::warning("the cache cannot be trimmed: {}", error.what());
}

std::vector<DiskCache::Entry> DiskCache::entries() const {
  std::vector<Entry> result;
  if (!open()) return result;
  for (const char high : hexadecimal)
    for (const char low : hexadecimal)
      for_each_in(options_.directory / std::string{high, low}, [&](const fs::directory_entry& file) {
        const std::string name = file.path().filename().string();
        const std::string_view kind = kind_of(name);
        std::error_code error;
        if (kind.empty() || !file.is_regular_file(error)) return;
        Entry entry{file.path(), std::string(kind), file.file_size(error), file.last_write_time(error)};
        if (!error) result.push_back(std::move(entry));
      });
  return result;
}

std::uint64_t DiskCache::clear() {
  if (!open()) return 0;
  std::uint64_t bytes = remove_leftovers(options_.directory) + remove_folder(source_folder());
  for (const Entry& entry : entries()) {
    std::error_code error;
    if (fs::remove(entry.path, error)) bytes += entry.bytes;
  }
  return bytes;
}

std::string DiskCache::why_unusable() const {
  if (!options_.enabled) return "LANZA_CACHE=0";
  const Directory directory = open();
  std::string problem = directory.problem;
  if (problem.empty()) {
    fs::path at = options_.directory;
    struct stat status;
    while (::stat(at.c_str(), &status) != 0 && at.has_relative_path()) at = at.parent_path();
    if (::faccessat(AT_FDCWD, at.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
      problem = fmt::format("{} cannot be written: {}", at.string(), std::strerror(errno));
  }
  return problem.empty() ? problem : fmt::format("{}: {}", options_.directory.string(), problem);
}

}  // namespace lanza
