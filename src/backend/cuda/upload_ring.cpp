// The ring in two halves: while copies read one, the other is filled; an event ends the use of each.
#include "backend/cuda/upload_ring.hpp"

#include <cstring>

#include "backend/cuda/context.hpp"

namespace lanza::cuda_backend {

UploadRing::UploadRing(Context& context) : context_(context) {}

UploadRing::~UploadRing() {
  const Driver& driver = context_.driver();
  for (Half& half : halves_) {
    if (half.in_flight) cleanup(driver.cuEventSynchronize, half.event);
    if (half.event) cleanup(driver.cuEventDestroy_v2, half.event);
  }
  if (memory_) cleanup(driver.cuMemFreeHost, memory_);
}

void UploadRing::prepare() {
  const Driver& driver = context_.driver();
  for (Half& half : halves_)
    if (!half.event) context_.call(driver.cuEventCreate, &half.event, unsigned{CU_EVENT_DISABLE_TIMING});
  context_.call(driver.cuMemHostAlloc, &memory_, 2 * half_bytes, unsigned{CU_MEMHOSTALLOC_PORTABLE});
}

void UploadRing::enter_other_half(CUstream stream) {
  const Driver& driver = context_.driver();
  Half& full = halves_[half_];
  if (!full.in_flight) context_.call(driver.cuEventRecord, full.event, stream);  // else by leave(), on another stream
  full.in_flight = true;
  Half& next = halves_[1 - half_];
  if (next.in_flight) context_.call(driver.cuEventSynchronize, next.event);
  next.in_flight = false;
  half_ = 1 - half_;
  used_ = 0;
}

void UploadRing::to_device(CUdeviceptr destination, const void* source, std::size_t bytes, CUstream stream) {
  const std::lock_guard lock(mutex_);
  if (!memory_) prepare();
  if (used_ + bytes > half_bytes) enter_other_half(stream);
  char* const staged = static_cast<char*>(memory_) + half_ * half_bytes + used_;
  std::memcpy(staged, source, bytes);
  context_.call(context_.driver().cuMemcpyHtoDAsync_v2, destination, static_cast<const void*>(staged), bytes, stream);
  used_ += (bytes + 63) / 64 * 64;
}

bool UploadRing::leave(CUstream stream) noexcept {
  const std::lock_guard lock(mutex_);
  if (!memory_) return true;
  const auto& record = context_.driver().cuEventRecord;
  const CUresult result = record.entry(halves_[half_].event, stream);
  halves_[half_].in_flight = result == CUDA_SUCCESS;
  used_ = half_bytes;  // the next stream begins in the other half
  return result == CUDA_SUCCESS;
}

UploadRing* UploadRings::take() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) {
    idle_.reserve(all_.size() + 1);  // so that give_back needs no memory
    all_.push_back(std::make_unique<UploadRing>(context_));
    return all_.back().get();
  }
  UploadRing* const ring = idle_.back();
  idle_.pop_back();
  return ring;
}

void UploadRings::give_back(UploadRing* ring) noexcept {
  const std::lock_guard lock(mutex_);
  idle_.push_back(ring);
}

}  // namespace lanza::cuda_backend
