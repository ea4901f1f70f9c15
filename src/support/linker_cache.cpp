// Reads glibc's ld.so.cache (sysdeps/generic/dl-cache.h: magic, counts, then entries of 24 bytes whose strings are
// offsets).
#include "support/linker_cache.hpp"

#include <cstdint>
#include <cstring>
#include <string>

#include "support/environment.hpp"
#include "support/file.hpp"
#include "support/text.hpp"

namespace lanza {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "glibc-ld.so.cache1.1";
constexpr std::size_t header_size = 48, entry_size = 24;

// Entry flags of a 64-bit ELF library of this machine.
#if defined(__x86_64__)
constexpr std::uint32_t native_flags = 0x0303;
constexpr const char* multiarch = "x86_64-linux-gnu";
#elif defined(__aarch64__)
constexpr std::uint32_t native_flags = 0x0a03;
constexpr const char* multiarch = "aarch64-linux-gnu";
#else
#error "Add this machine's flags of ld.so.cache and its multiarch directory"
#endif

std::uint32_t word(std::string_view bytes, std::size_t offset) {
  std::uint32_t value = 0;
  if (offset + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::string_view text(std::string_view bytes, std::uint32_t offset) {
  if (offset >= bytes.size()) return {};
  bytes.remove_prefix(offset);
  return bytes.substr(0, std::min(bytes.find('\0'), bytes.size()));
}

fs::path find_in(const fs::path& directory, std::string_view name) {
  std::error_code error;
  fs::path path = directory / name;
  return fs::is_regular_file(path, error) ? path : fs::path();
}

}  // namespace

fs::path find_in_linker_cache(std::string_view cache, std::string_view name) {
  // An old-format table may stand before the new one; distributions have not written it for years.
  const auto start = cache.find(magic);
  if (start == cache.npos) return {};
  cache.remove_prefix(start);
  const std::uint32_t count = word(cache, magic.size());
  for (std::size_t i = 0, at = header_size; i < count && at + entry_size <= cache.size(); ++i, at += entry_size)
    if (word(cache, at) == native_flags && text(cache, word(cache, at + 4)) == name)
      return text(cache, word(cache, at + 8));
  return {};
}

fs::path system_library(std::string_view name) {
  const std::string directories = environment("LD_LIBRARY_PATH").value_or("");
  for (const std::string_view directory :
       directories.empty() ? std::vector<std::string_view>() : split(directories, ':'))
    if (auto path = find_in(directory.empty() ? "." : directory, name); !path.empty()) return path;
  std::error_code error;
  if (auto path = find_in_linker_cache(read_file("/etc/ld.so.cache").value_or(""), name); fs::exists(path, error))
    return path;
  for (const fs::path root : {"/lib", "/usr/lib", "/lib64", "/usr/lib64"})
    for (const fs::path& directory : {root / multiarch, root})
      if (auto path = find_in(directory, name); !path.empty()) return path;
  return {};
}

}  // namespace lanza
