// Contexts: making and releasing them, what is made in them, and the exception for a failure in them.
#include "backend/cuda/context.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backend/cuda/current.hpp"
#include "backend/cuda/device.hpp"
#include "backend/cuda/event.hpp"
#include "backend/cuda/module.hpp"
#include "backend/cuda/stream.hpp"

namespace lanza::cuda_backend {

Context::Holder::Holder(const Driver& d, CUdevice dev, Kind k) : driver(d), device(dev), kind(k) {
  if (kind == Kind::Primary) {
    cuda_backend::call(driver.cuDevicePrimaryCtxRetain, &raw, device);
    return;
  }
  cuda_backend::call(driver.cuCtxCreate_v2, &raw, unsigned{CU_CTX_SCHED_AUTO}, device);
  CUcontext popped;  // creating makes it current; the thread is left as it was
  cuda_backend::call(driver.cuCtxPopCurrent_v2, &popped);
}

Context::Holder::~Holder() {
  if (kind == Kind::Primary) {
    cleanup(driver.cuDevicePrimaryCtxRelease_v2, device);
  } else {
    cleanup(driver.cuCtxDestroy_v2, raw);
  }
}

Context::Context(Device& device, Kind kind)
    : device_(device), driver_(device.driver()), holder_(driver_, device.raw(), kind) {
  const Current current(driver_, raw());
  pool_ = std::make_unique<MemoryPool>(driver_, device.raw(), device.pools(),
                                       device.attribute("memory_pools_supported") != 0);
  staging_ = std::make_unique<Staging>(*this);
  upload_rings_ = std::make_unique<UploadRings>(*this);
  CUstream stream = nullptr;
  call(driver_.cuStreamCreateWithPriority, &stream, unsigned{CU_STREAM_DEFAULT}, 0);
  default_stream_ = std::make_unique<Stream>(*this, stream, true);
}

Context::~Context() {
  const Current current(driver_, raw(), std::nothrow);
  default_stream_.reset();
  upload_rings_.reset();
  staging_.reset();
  pool_.reset();
}

void Context::synchronize() {
  const Current current(driver_, raw());
  std::vector<std::pair<Stream*, std::uint64_t>> launched;
  {
    const std::lock_guard lock(streams_mutex_);
    for (Stream* s : streams_) launched.emplace_back(s, s->recent().count());
  }
  call(driver_.cuCtxSynchronize);
  const std::lock_guard lock(streams_mutex_);
  for (auto [stream, count] : launched)
    if (std::find(streams_.begin(), streams_.end(), stream) != streams_.end()) stream->recent().done(count);
}

backend::Stream& Context::default_stream() { return *default_stream_; }

std::unique_ptr<backend::Stream> Context::make_stream(int priority, bool non_blocking) {
  const Current current(driver_, raw());
  CUstream stream = nullptr;
  // The driver brings a priority outside the device's range to the nearest inside.
  call(driver_.cuStreamCreateWithPriority, &stream, unsigned{non_blocking ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT},
       priority);
  return std::make_unique<Stream>(*this, stream, true);
}

std::unique_ptr<backend::Stream> Context::adopt_stream(std::uintptr_t handle) {
  const Current current(driver_, raw());
  auto* const stream = reinterpret_cast<CUstream>(handle);
  // 0, 1 and 2 are the legacy and the per-thread stream, which every context has.
  if (handle > 2) {
    CUcontext owner = nullptr;
    call(driver_.cuStreamGetCtx, stream, &owner);
    if (owner != raw())
      throw InvalidArgument(
          fmt::format("the stream {:#x} belongs to another context than this one of cuda:{}", handle, device_.index()));
  }
  return std::make_unique<Stream>(*this, stream, false);
}

std::unique_ptr<backend::Event> Context::make_event(bool timing) { return std::make_unique<Event>(*this, timing); }

backend::Pointer Context::allocate(std::size_t bytes, backend::Stream& stream) {
  const Stream& on = stream_of(stream, *this);
  const Current current(driver_, raw());
  CUdeviceptr address = 0;
  CUresult result = pool_->allocate(&address, bytes, on.raw());
  if (result == CUDA_ERROR_OUT_OF_MEMORY) [[unlikely]] {
    // What was released is free only when the work before it is done, and a pool keeps it until told otherwise.
    call(driver_.cuCtxSynchronize);
    device_.pools().trim(driver_);
    result = pool_->allocate(&address, bytes, on.raw());
    if (result == CUDA_ERROR_OUT_OF_MEMORY) throw_out_of_memory(bytes);
  }
  if (result != CUDA_SUCCESS) [[unlikely]]
    fail(result, pool_->routine(), fmt::format("{} bytes", bytes));
  return address;
}

void Context::throw_out_of_memory(std::size_t bytes) {
  std::size_t free = 0, total = 0;
  call(driver_.cuMemGetInfo_v2, &free, &total);
  constexpr double GiB = 1 << 30;
  throw OutOfMemory(fmt::format(
      "cannot allocate {} bytes ({:.2f} GiB) on cuda:{}: {:.2f} of {:.2f} GiB are free, after giving back what "
      "was kept for reuse; free some buffers, or work in smaller pieces",
      bytes, bytes / GiB, device_.index(), free / GiB, total / GiB));
}

void Context::release(backend::Pointer address, std::size_t, backend::Stream& stream) noexcept {
  const Current current(driver_, raw(), std::nothrow);
  if (current.ok()) pool_->release(address, static_cast<Stream&>(stream).raw());
}

std::unique_ptr<backend::Module> Context::load(const backend::Code& code, bool) {
  return std::make_unique<Module>(*this, code);
}

void Context::fail(CUresult result, const char* routine, const std::string& details) const {
  std::vector<std::string> kernels;
  if (classify(result) == Failure::KernelFault) {
    const std::lock_guard lock(streams_mutex_);
    for (Stream* s : streams_) s->recent().collect(kernels);
  }
  throw_result(result, routine, details, kernels);
}

const char* Context::keep_name(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return names_.insert(name).first->c_str();
}

void Context::add(Stream& stream) {
  const std::lock_guard lock(streams_mutex_);
  streams_.push_back(&stream);
}

void Context::remove(Stream& stream) {
  const std::lock_guard lock(streams_mutex_);
  std::erase(streams_, &stream);
}

}  // namespace lanza::cuda_backend
