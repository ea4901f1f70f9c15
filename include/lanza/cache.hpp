// The disk cache of compiled code, as people look at it. Compiling uses it by itself.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <lanza/export.hpp>

namespace lanza::cache {

struct Entry {
  std::filesystem::path path;
  std::string kind;         ///< what it holds: "code" (a compiled source), "so" (a kernel for the CPU), ...
  std::uint64_t bytes = 0;  ///< of the file
  std::filesystem::file_time_type used;  ///< the last time that it was found or written, to a minute
};

/// Where the entries lie: LANZA_CACHE_DIR, else $XDG_CACHE_HOME/lanza, else ~/.cache/lanza. It may not exist yet.
LANZA_API std::filesystem::path directory();
/// Bytes above which the least recently used entries go: LANZA_CACHE_SIZE, else 1 GiB. 0: no limit.
LANZA_API std::uint64_t capacity();
/// Every entry, in no order. Thread-safe, as all functions here; other processes may add and remove meanwhile.
LANZA_API std::vector<Entry> entries();
/// Removes all entries; returns how many bytes they had.
LANZA_API std::uint64_t clear();
/// Why nothing is kept: LANZA_CACHE=0, a directory that cannot be written or that others can write. Empty: all is well.
LANZA_API std::string why_unusable();

}  // namespace lanza::cache
