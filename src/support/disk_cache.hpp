// The disk cache of compiled code: entries by 128-bit key and kind, checksummed, written atomically, capped in size
// with least-recently-used eviction, shared by any number of processes. Not used when the directory can be written by
// others or belongs to another user: it holds code.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/hash.hpp"

namespace lanza {

class DiskCache {
 public:
  struct Options {
    std::filesystem::path directory;  ///< made (0700) at the first write
    std::uint64_t capacity = 0;       ///< bytes; eviction starts above it; 0: no limit
    bool enabled = true;
  };
  /// From LANZA_CACHE_DIR (else $XDG_CACHE_HOME/lanza, else ~/.cache/lanza), LANZA_CACHE_SIZE ("512M"; default 1G) and
  /// LANZA_CACHE=0.
  static Options options_from_environment();
  /// The process's cache, made from the environment at first use.
  static DiskCache& process_wide();

  explicit DiskCache(Options);

  /// The payload, or nothing: absent, corrupt (then removed), or the cache is off. Never throws for anything on disk.
  std::optional<std::string> get(const Hash128& key, std::string_view kind);
  /// Path of a verified entry, to be mapped by dlopen: the file is the payload followed by a trailer, which an ELF
  /// loader ignores. Another process may evict it before it is mapped: a dlopen that fails is a miss.
  std::optional<std::filesystem::path> find(const Hash128& key, std::string_view kind);
  /// True when the entry is on disk afterwards. A cache that cannot be written only costs speed: false, and one warning
  /// a process.
  bool put(const Hash128& key, std::string_view kind, std::string_view payload) noexcept;

  struct Entry {
    std::filesystem::path path;
    std::string kind;
    std::uint64_t bytes = 0;
    std::filesystem::file_time_type used;
  };
  std::vector<Entry> entries() const;
  /// Folder of sources that debuggers look for (debug_source.hpp): not entries, and removed by clear() only.
  std::filesystem::path source_folder() const { return options_.directory / "source"; }
  /// Removes every entry, source and leftover temporary file; returns how many bytes.
  std::uint64_t clear();
  /// Evicts the least recently used down to 90 % of the capacity if it is exceeded.
  void trim() noexcept;
  const Options& options() const { return options_; }
  /// Why the cache is not used, or empty.
  std::string why_unusable() const;

 private:
  Options options_;
  mutable std::atomic<bool> parents_trusted_{false};

  class Directory;
  Directory open() const;
  Directory open_or_make() const;
  void count_written(const Directory&, std::uint64_t bytes) noexcept;
};

}  // namespace lanza
