// Contexts of the CPU device: streams, memory, copies, modules.
#pragma once

#include <memory>

#include "backend/backend.hpp"
#include "backend/cpu/allocator.hpp"
#include "backend/cpu/stream.hpp"

namespace lanza::executor {

class Context final : public backend::Context {
 public:
  Context() : default_stream_(group_, StreamKind::Default, memory_) {}

  std::uintptr_t handle() const override { return reinterpret_cast<std::uintptr_t>(this); }
  void synchronize() override;

  backend::Stream& default_stream() override { return default_stream_; }
  std::unique_ptr<backend::Stream> make_stream(int priority, bool non_blocking) override;
  std::unique_ptr<backend::Stream> adopt_stream(std::uintptr_t handle) override;
  std::unique_ptr<backend::Event> make_event(bool timing) override;

  backend::Pointer allocate(std::size_t bytes, backend::Stream&) override;
  void release(backend::Pointer, std::size_t bytes, backend::Stream&) noexcept override;

  void copy(backend::Pointer destination, backend::Pointer source, std::size_t bytes, backend::Direction,
            backend::Stream&) override;
  void copy_from(backend::Context& other, backend::Pointer destination, backend::Pointer source, std::size_t bytes,
                 backend::Stream& stream) override;
  void fill(backend::Pointer destination, const void* value, std::size_t size, std::size_t count,
            backend::Stream&) override;
  bool uses_host_memory() const override { return true; }

  std::unique_ptr<backend::Module> load(const backend::Code&, bool use_cache) override;

 private:
  // Kept by the streams' queues too: kernels may still run when the context is gone.
  std::shared_ptr<ContextMemory> memory_ = std::make_shared<ContextMemory>();
  std::shared_ptr<StreamGroup> group_ = std::make_shared<StreamGroup>();
  Stream default_stream_;
};

}  // namespace lanza::executor
