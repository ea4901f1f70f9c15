// Pools: making them keep what is released, sharing and trimming them.
#include "backend/cuda/memory_pool.hpp"

#include <algorithm>
#include <limits>

#include "backend/cuda/driver_error.hpp"

namespace lanza::cuda_backend {

void PoolRegistry::add(CUmemoryPool pool) {
  const std::lock_guard lock(mutex_);
  pools_.push_back(pool);
}

void PoolRegistry::remove(CUmemoryPool pool) {
  const std::lock_guard lock(mutex_);
  std::erase(pools_, pool);
}

void PoolRegistry::trim(const Driver& driver) {
  const std::lock_guard lock(mutex_);
  for (CUmemoryPool pool : pools_) cleanup(driver.cuMemPoolTrimTo, pool, std::size_t{0});
}

MemoryPool::MemoryPool(const Driver& driver, CUdevice device, PoolRegistry& registry, bool supported)
    : driver_(driver), registry_(registry) {
  if (!supported || !driver_.cuMemAllocFromPoolAsync) return;
  CUmemPoolProps properties;
  properties.location.id = device;
  call(driver_.cuMemPoolCreate, &pool_, &properties);
  // Without this the pool returns its memory to the device whenever a stream is synchronised.
  std::uint64_t everything = std::numeric_limits<std::uint64_t>::max();
  cleanup(driver_.cuMemPoolSetAttribute, pool_, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, static_cast<void*>(&everything));
  registry_.add(pool_);
}

MemoryPool::~MemoryPool() {
  if (!pool_) return;
  registry_.remove(pool_);
  cleanup(driver_.cuMemPoolDestroy, pool_);
}

const char* MemoryPool::routine() const {
  return pool_ ? driver_.cuMemAllocFromPoolAsync.name : driver_.cuMemAlloc_v2.name;
}

CUresult MemoryPool::allocate(CUdeviceptr* address, std::size_t bytes, CUstream stream) noexcept {
  if (pool_) return driver_.cuMemAllocFromPoolAsync.entry(address, bytes, pool_, stream);
  return driver_.cuMemAlloc_v2.entry(address, bytes);
}

void MemoryPool::release(CUdeviceptr address, CUstream stream) noexcept {
  if (pool_) return cleanup(driver_.cuMemFreeAsync, address, stream);
  cleanup(driver_.cuMemFree_v2, address);  // waits for the device, so that work in flight may still use the memory
}

void MemoryPool::share_with(CUdevice device) noexcept {
  const std::uint64_t bit = std::uint64_t{1} << (device & 63);
  if (!pool_ || (shared_.fetch_or(bit) & bit)) return;
  const CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, device}, 3};
  cleanup(driver_.cuMemPoolSetAccess, pool_, &access, std::size_t{1});
}

}  // namespace lanza::cuda_backend
