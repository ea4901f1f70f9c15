// The public face of the process's disk cache.
#include <lanza/cache.hpp>

#include "support/disk_cache.hpp"

namespace lanza::cache {

std::filesystem::path directory() { return DiskCache::process_wide().options().directory; }
std::uint64_t capacity() { return DiskCache::process_wide().options().capacity; }
std::uint64_t clear() { return DiskCache::process_wide().clear(); }
std::string why_unusable() { return DiskCache::process_wide().why_unusable(); }

std::vector<Entry> entries() {
  std::vector<Entry> result;
  for (DiskCache::Entry& e : DiskCache::process_wide().entries())
    result.push_back({std::move(e.path), std::move(e.kind), e.bytes, e.used});
  return result;
}

}  // namespace lanza::cache
