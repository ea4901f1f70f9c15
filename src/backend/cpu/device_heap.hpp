// Device-side malloc and free.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace lanza::executor {

/// What the kernels of a context have allocated. As CUDA has it, memory outlives its launch, also one that failed,
/// until a kernel frees it or the context ends. It is bounded: beyond the limit kernels get a null pointer, which CUDA
/// gives when its heap is full. What a kernel writes beside its memory does no harm to the books. Thread-safe.
class DeviceHeap {
 public:
  explicit DeviceHeap(std::uint64_t limit) : limit_(limit) {}
  ~DeviceHeap();
  DeviceHeap(const DeviceHeap&) = delete;
  DeviceHeap& operator=(const DeviceHeap&) = delete;

  /// 16-byte aligned; null for no bytes, and when there is no memory.
  void* allocate(std::uint64_t bytes) noexcept;
  /// False: that is not the beginning of an allocation, or it was freed before. Any address may be given.
  bool release(void* memory) noexcept;
  std::uint64_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

 private:
  struct alignas(64) Shelf {
    std::mutex mutex;
    std::unordered_map<void*, std::uint64_t> sizes;
  };
  Shelf& shelf_of(const void* memory) noexcept;

  const std::uint64_t limit_;
  std::atomic<std::uint64_t> bytes_{0};
  std::array<Shelf, 32> shelves_;  // so that threads seldom wait for each other
};

}  // namespace lanza::executor
