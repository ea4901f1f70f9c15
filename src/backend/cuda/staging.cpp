// The ring of page-locked chunks.
#include "backend/cuda/staging.hpp"

#include <algorithm>

#include "backend/cuda/context.hpp"

namespace lanza::cuda_backend {

Staging::Staging(Context& context) : context_(context) {}

Staging::~Staging() {
  const Driver& driver = context_.driver();
  for (Chunk& c : ring_) {
    if (c.in_flight) cleanup(driver.cuEventSynchronize, c.event);
    if (c.event) cleanup(driver.cuEventDestroy_v2, c.event);
    if (c.memory) cleanup(driver.cuMemFreeHost, c.memory);
  }
}

void Staging::prepare() {
  if (ready_) return;
  const Driver& driver = context_.driver();
  for (Chunk& c : ring_) {
    if (!c.memory)
      context_.call(driver.cuMemHostAlloc, &c.memory, std::size_t{chunk_bytes}, unsigned{CU_MEMHOSTALLOC_PORTABLE});
    if (!c.event) context_.call(driver.cuEventCreate, &c.event, unsigned{CU_EVENT_DISABLE_TIMING});
  }
  ready_ = true;
}

void Staging::wait(Chunk& c) {
  if (!c.in_flight) return;
  context_.call(context_.driver().cuEventSynchronize, c.event);
  c.in_flight = false;
}

void Staging::to_device(CUdeviceptr destination, const void* source, std::size_t bytes, CUstream stream) {
  const std::lock_guard lock(mutex_);
  prepare();
  const Driver& driver = context_.driver();
  for (std::size_t done = 0; done < bytes; ++next_) {
    Chunk& c = chunk(next_);
    const std::size_t n = std::min(chunk_bytes, bytes - done);
    wait(c);
    team_.copy(c.memory, static_cast<const char*>(source) + done, n);
    context_.call(driver.cuMemcpyHtoDAsync_v2, destination + done, static_cast<const void*>(c.memory), n, stream);
    context_.call(driver.cuEventRecord, c.event, stream);
    c.in_flight = true;
    done += n;
  }
}

void Staging::to_host(void* destination, CUdeviceptr source, std::size_t bytes, CUstream stream) {
  const std::lock_guard lock(mutex_);
  prepare();
  const Driver& driver = context_.driver();
  std::size_t asked = 0, oldest = next_;
  for (std::size_t done = 0; done < bytes; ++oldest) {
    for (; asked < bytes && next_ - oldest < chunk_count; ++next_) {
      Chunk& c = chunk(next_);
      const std::size_t n = std::min(chunk_bytes, bytes - asked);
      wait(c);
      context_.call(driver.cuMemcpyDtoHAsync_v2, c.memory, source + asked, n, stream);
      context_.call(driver.cuEventRecord, c.event, stream);
      c.in_flight = true;
      asked += n;
    }
    const std::size_t n = std::min(chunk_bytes, bytes - done);
    wait(chunk(oldest));
    team_.copy(static_cast<char*>(destination) + done, chunk(oldest).memory, n);
    done += n;
  }
}

}  // namespace lanza::cuda_backend
