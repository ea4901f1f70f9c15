// A CUDA context and what is made in it: the device's primary one by default, or an own one.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "backend/backend.hpp"
#include "backend/cuda/driver_error.hpp"
#include "backend/cuda/memory_pool.hpp"
#include "backend/cuda/staging.hpp"
#include "backend/cuda/upload_ring.hpp"

namespace lanza::cuda_backend {

class Device;
class Stream;

class Context final : public backend::Context {
 public:
  enum class Kind { Primary, Own };
  Context(Device&, Kind);
  ~Context() override;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  std::uintptr_t handle() const override { return reinterpret_cast<std::uintptr_t>(raw()); }
  void synchronize() override;
  backend::Stream& default_stream() override;
  std::unique_ptr<backend::Stream> make_stream(int priority, bool non_blocking) override;
  std::unique_ptr<backend::Stream> adopt_stream(std::uintptr_t handle) override;
  std::unique_ptr<backend::Event> make_event(bool timing) override;
  backend::Pointer allocate(std::size_t bytes, backend::Stream&) override;
  void release(backend::Pointer, std::size_t bytes, backend::Stream&) noexcept override;
  void copy(backend::Pointer destination, backend::Pointer source, std::size_t bytes, backend::Direction,
            backend::Stream&) override;
  void copy_from(backend::Context& other, backend::Pointer destination, backend::Pointer source, std::size_t bytes,
                 backend::Stream&) override;
  void fill(backend::Pointer destination, const void* value, std::size_t size, std::size_t count,
            backend::Stream&) override;
  bool uses_host_memory() const override { return false; }
  std::unique_ptr<backend::Module> load(const backend::Code&, bool use_cache) override;

  Device& device() const { return device_; }
  const Driver& driver() const { return driver_; }
  CUcontext raw() const { return holder_.raw; }

  /// Calls a routine; a failure becomes an exception that names the kernels in flight when it is a kernel's fault.
  template <class... P, class... A>
  void call(const Routine<CUresult(P...)>& routine, A... arguments) {
    check(routine(arguments...), routine.name);
  }
  void check(CUresult result, const char* routine) {
    if (result != CUDA_SUCCESS) [[unlikely]]
      fail(result, routine, {});
  }
  [[noreturn]] void fail(CUresult, const char* routine, const std::string& details) const;

  /// A copy of the name that lives as long as the context.
  const char* keep_name(const std::string&);
  UploadRings& upload_rings() { return *upload_rings_; }
  void add(Stream&);
  void remove(Stream&);

 private:
  void copy_from_host(backend::Pointer destination, const void* source, std::size_t bytes, Stream&);
  static constexpr std::size_t largest_by_stack = std::size_t{8} << 10;
  void copy_by_stack(backend::Pointer destination, const void* source, std::size_t bytes, Stream&);
  void copy_to_host(void* destination, backend::Pointer source, std::size_t bytes, Stream&);
  /// True for page-locked and managed memory, which the driver copies without a stop in between.
  bool known_to_driver(const void*) const noexcept;
  /// Waits for the work enqueued so far without waiting for what comes later.
  void wait_for(Stream&);
  void throw_out_of_memory(std::size_t bytes);

  /// The driver's context, given back after everything else.
  struct Holder {
    Holder(const Driver&, CUdevice, Kind);
    ~Holder();
    const Driver& driver;
    CUdevice device;
    Kind kind;
    CUcontext raw = nullptr;
  };

  Device& device_;
  const Driver& driver_;
  Holder holder_;
  std::mutex mutex_;
  std::vector<Stream*> streams_;
  std::unordered_set<std::string> names_;
  mutable std::mutex streams_mutex_;
  std::unique_ptr<MemoryPool> pool_;
  std::unique_ptr<Staging> staging_;
  std::unique_ptr<UploadRings> upload_rings_;
  std::unique_ptr<Stream> default_stream_;
};

}  // namespace lanza::cuda_backend
