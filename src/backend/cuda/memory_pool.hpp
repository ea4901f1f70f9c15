// Stream-ordered device memory: a pool of the driver, or plain allocations where the device has no pools.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "backend/cuda/driver.hpp"

namespace lanza::cuda_backend {

/// The pools of one device, for giving back what all of them keep.
class PoolRegistry {
 public:
  void add(CUmemoryPool);
  void remove(CUmemoryPool);
  /// Gives every unused byte back to the device.
  void trim(const Driver&);

 private:
  std::mutex mutex_;
  std::vector<CUmemoryPool> pools_;
};

/// Called with the context current.
class MemoryPool {
 public:
  MemoryPool(const Driver&, CUdevice, PoolRegistry&, bool supported);
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  /// The driver's own code: the caller decides what to do about a lack of memory.
  CUresult allocate(CUdeviceptr*, std::size_t bytes, CUstream) noexcept;
  void release(CUdeviceptr, CUstream) noexcept;
  /// Lets another device reach the memory directly (it goes through the host otherwise).
  void share_with(CUdevice) noexcept;
  const char* routine() const;

 private:
  const Driver& driver_;
  PoolRegistry& registry_;
  CUmemoryPool pool_ = nullptr;           ///< null: plain allocations
  std::atomic<std::uint64_t> shared_{0};  ///< a bit a device
};

}  // namespace lanza::cuda_backend
