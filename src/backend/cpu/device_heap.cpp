// The host's heap, and books of what kernels hold of it.
#include "backend/cpu/device_heap.hpp"

#include <cstdlib>
#include <new>

namespace lanza::executor {

DeviceHeap::~DeviceHeap() {
  for (const Shelf& shelf : shelves_)
    for (const auto& [memory, size] : shelf.sizes) std::free(memory);
}

DeviceHeap::Shelf& DeviceHeap::shelf_of(const void* memory) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  return shelves_[(address / 16 ^ address / 4096) % shelves_.size()];
}

void* DeviceHeap::allocate(std::uint64_t bytes) noexcept {
  if (bytes == 0 || bytes > limit_) return nullptr;
  if (bytes_.fetch_add(bytes, std::memory_order_relaxed) <= limit_ - bytes) {
    if (void* memory = std::malloc(bytes)) {
      Shelf& shelf = shelf_of(memory);
      try {
        std::lock_guard lock(shelf.mutex);
        shelf.sizes.emplace(memory, bytes);
        return memory;
      } catch (const std::bad_alloc&) {
        std::free(memory);
      }
    }
  }
  bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  return nullptr;
}

bool DeviceHeap::release(void* memory) noexcept {
  if (!memory) return true;
  {
    Shelf& shelf = shelf_of(memory);
    std::lock_guard lock(shelf.mutex);
    const auto found = shelf.sizes.find(memory);
    if (found == shelf.sizes.end()) return false;
    bytes_.fetch_sub(found->second, std::memory_order_relaxed);
    shelf.sizes.erase(found);
  }
  std::free(memory);
  return true;
}

}  // namespace lanza::executor
