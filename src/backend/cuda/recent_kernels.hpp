// The kernels launched on a stream since it was last known to be idle: they are named when an asynchronous fault is
// reported.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace lanza::cuda_backend {

/// Writing costs two plain stores. Threads that launch on one stream at the same time may lose a name, never corrupt
/// one.
class RecentKernels {
 public:
  static constexpr std::size_t kept = 8;

  /// `name` lives as long as the context.
  void add(const char* name) noexcept {
    const std::uint64_t n = count_.load(std::memory_order_relaxed);
    names_[n % kept].store(name, std::memory_order_relaxed);
    count_.store(n + 1, std::memory_order_release);
  }
  std::uint64_t count() const noexcept { return count_.load(std::memory_order_acquire); }
  /// Everything launched when count() was `n` is done.
  void done(std::uint64_t n) noexcept { done_.store(n, std::memory_order_relaxed); }

  /// Adds the names that may still run to `names`, each once.
  void collect(std::vector<std::string>& names) const {
    const std::uint64_t end = count(), done = done_.load(std::memory_order_relaxed);
    const std::uint64_t begin = end - done > kept ? end - kept : done;
    for (std::uint64_t i = end; i > begin; --i) {
      const char* name = names_[(i - 1) % kept].load(std::memory_order_relaxed);
      bool known = false;
      for (const std::string& n : names) known = known || n == name;
      if (name && !known) names.emplace_back(name);
    }
  }

 private:
  std::array<std::atomic<const char*>, kept> names_{};
  std::atomic<std::uint64_t> count_{0}, done_{0};
};

}  // namespace lanza::cuda_backend
