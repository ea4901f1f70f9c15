// Memory of the CPU device: a caching, stream-ordered allocator over the system's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "backend/cpu/progress.hpp"

namespace lanza::executor {

/// Blocks are aligned to 256 bytes; those of 2 MiB and more lie in huge pages, and large ones begin at different places
/// of a page. A released block is used again by its own
/// stream at once (work there comes later), by others when that stream has come to the point of the release.
/// Thread-safe.
class Allocator {
 public:
  Allocator();
  ~Allocator();
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

  /// Throws OutOfMemory with bytes asked and available, after it gave back what it held.
  void* allocate(std::size_t bytes, const std::shared_ptr<Progress>& stream);
  /// `bytes` as allocated.
  void release(void* memory, std::size_t bytes, const std::shared_ptr<Progress>& stream) noexcept;
  /// Returns the blocks that nobody uses to the system; how many bytes.
  std::size_t give_back() noexcept;
  /// Bytes of released blocks that are kept.
  std::size_t cached() const noexcept;
  /// Size of the block that serves a request: at most an eighth more.
  static std::size_t rounded(std::size_t bytes) noexcept;

 private:
  struct Free {
    void* memory;
    std::shared_ptr<Progress> stream;  // which released it,
    std::uint64_t count;               // when so much had been submitted
    bool usable_by(const Progress* other) const noexcept { return stream.get() == other || stream->reached(count); }
  };
  void* reuse(std::size_t size, const Progress* stream) noexcept;
  void* from_system(std::size_t size);
  void keep_below(std::size_t limit) noexcept;

  mutable std::mutex mutex_;
  std::unordered_map<std::size_t, std::vector<Free>> bins_;  // by size
  std::size_t cached_ = 0;
  unsigned turn_ = 0;  // of the blocks that are mapped
  const std::size_t total_, kept_;
};

}  // namespace lanza::executor
