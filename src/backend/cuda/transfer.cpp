// Copies and fills of a context's memory.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "backend/cuda/context.hpp"
#include "backend/cuda/current.hpp"
#include "backend/cuda/device.hpp"
#include "backend/cuda/stream.hpp"

namespace lanza::cuda_backend {

bool Context::known_to_driver(const void* host) const noexcept {
  unsigned type = 0;
  return driver_.cuPointerGetAttribute.entry &&
         driver_.cuPointerGetAttribute.entry(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                             reinterpret_cast<CUdeviceptr>(host)) == CUDA_SUCCESS;
}

void Context::wait_for(Stream& stream) {
  CUevent event = nullptr;
  call(driver_.cuEventCreate, &event, unsigned{CU_EVENT_DISABLE_TIMING});
  CUresult result = driver_.cuEventRecord(event, stream.raw());
  if (result == CUDA_SUCCESS) result = driver_.cuEventSynchronize(event);
  cleanup(driver_.cuEventDestroy_v2, event);
  check(result, driver_.cuEventSynchronize.name);
}

// A copy on the stack is pageable for certain, whatever the source is, and stays in the core's cache.
void Context::copy_by_stack(backend::Pointer destination, const void* source, std::size_t bytes, Stream& stream) {
  std::array<std::byte, largest_by_stack> copy;
  std::memcpy(copy.data(), source, bytes);
  call(driver_.cuMemcpyHtoDAsync_v2, destination, static_cast<const void*>(copy.data()), bytes, stream.raw());
}

void Context::copy_from_host(backend::Pointer destination, const void* source, std::size_t bytes, Stream& stream) {
  if (bytes <= largest_by_stack) return copy_by_stack(destination, source, bytes, stream);
  if (bytes <= UploadRing::largest) return stream.uploads().to_device(destination, source, bytes, stream.raw());
  const bool known = known_to_driver(source);
  if (!known && bytes >= Staging::worthwhile) return staging_->to_device(destination, source, bytes, stream.raw());
  // Pageable memory: the driver has copied it to a buffer of its own when this returns.
  call(driver_.cuMemcpyHtoDAsync_v2, destination, source, bytes, stream.raw());
  // Page-locked memory is read later: the caller, who may change it, has to wait.
  if (known) wait_for(stream);
}

void Context::copy_to_host(void* destination, backend::Pointer source, std::size_t bytes, Stream& stream) {
  if (bytes >= Staging::worthwhile && !known_to_driver(destination))
    return staging_->to_host(destination, source, bytes, stream.raw());
  call(driver_.cuMemcpyDtoHAsync_v2, destination, source, bytes, stream.raw());
}

void Context::copy(backend::Pointer destination, backend::Pointer source, std::size_t bytes,
                   backend::Direction direction, backend::Stream& on) {
  if (bytes == 0) return;
  Stream& stream = stream_of(on, *this);
  const Current current(driver_, raw());
  switch (direction) {
    case backend::Direction::HostToDevice:
      return copy_from_host(destination, reinterpret_cast<const void*>(source), bytes, stream);
    case backend::Direction::DeviceToHost:
      return copy_to_host(reinterpret_cast<void*>(destination), source, bytes, stream);
    case backend::Direction::DeviceToDevice:
      return call(driver_.cuMemcpyDtoDAsync_v2, destination, source, bytes, stream.raw());
  }
}

void Context::copy_from(backend::Context& from, backend::Pointer destination, backend::Pointer source,
                        std::size_t bytes, backend::Stream& on) {
  if (bytes == 0) return;
  auto& other = static_cast<Context&>(from);
  Stream& stream = stream_of(on, *this);
  const Current current(driver_, raw());
  if (other.device_.index() != device_.index() && device_.can_access(other.device_)) {
    other.pool_->share_with(device_.raw());
    pool_->share_with(other.device_.raw());
  }
  call(driver_.cuMemcpyPeerAsync, destination, raw(), source, other.raw(), bytes, stream.raw());
}

namespace {

/// The shortest pattern of 1, 2, 4, 8 or 16 bytes that repeats in `value`.
std::size_t shortest_pattern(const unsigned char* value, std::size_t size) {
  while (size > 1 && std::memcmp(value, value + size / 2, size / 2) == 0) size /= 2;
  return size;
}

template <class T>
T read(const void* value) {
  T result;
  std::memcpy(&result, value, sizeof result);
  return result;
}

}  // namespace

void Context::fill(backend::Pointer destination, const void* value, std::size_t size, std::size_t count,
                   backend::Stream& on) {
  if (count == 0) return;
  if (size != 1 && size != 2 && size != 4 && size != 8 && size != 16)
    throw InvalidArgument(fmt::format("a fill value has 1, 2, 4, 8 or 16 bytes, not {}", size));
  const CUstream stream = stream_of(on, *this).raw();
  const Current current(driver_, raw());
  const std::size_t bytes = size * count, pattern = shortest_pattern(static_cast<const unsigned char*>(value), size);
  if (pattern > 1 && destination % std::min<std::size_t>(pattern, 4) != 0)
    throw InvalidArgument(
        fmt::format("a fill with values of {} bytes needs an address aligned to them, not {:#x}", size, destination));
  if (pattern == 1) return call(driver_.cuMemsetD8Async, destination, read<unsigned char>(value), bytes, stream);
  if (pattern == 2) return call(driver_.cuMemsetD16Async, destination, read<unsigned short>(value), bytes / 2, stream);
  if (pattern == 4) return call(driver_.cuMemsetD32Async, destination, read<unsigned>(value), bytes / 4, stream);

  // No memset takes longer patterns: each 32-bit word of the first elements is set as a column of a matrix, and what is
  // there is then copied behind itself, twice as much each time up to a piece that the L2 cache holds.
  constexpr std::size_t first_piece = std::size_t{64} << 10, largest_piece = std::size_t{16} << 20;
  std::size_t done = std::min(bytes, first_piece);
  for (std::size_t word = 0; word < pattern; word += 4)
    call(driver_.cuMemsetD2D32Async, destination + word, pattern,
         read<unsigned>(static_cast<const char*>(value) + word), std::size_t{1}, done / pattern, stream);
  while (done < bytes) {
    const std::size_t n = std::min({done, largest_piece, bytes - done});
    call(driver_.cuMemcpyDtoDAsync_v2, destination + done, destination, n, stream);
    done += n;
  }
}

}  // namespace lanza::cuda_backend
