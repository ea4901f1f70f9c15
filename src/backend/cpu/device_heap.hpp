// Device-side malloc and free: the host's heap, with a mark before each allocation, as kernels free what is none.
#pragma once

#include <cstdint>

namespace lanza::executor {

/// 16-byte aligned memory, which outlives the launch; null for no bytes, and when there is no memory.
void* allocate_on_heap(std::uint64_t bytes) noexcept;
/// False: that is not the beginning of an allocation, or it was freed before. Any address may be given.
bool release_to_heap(void* memory) noexcept;

}  // namespace lanza::executor
