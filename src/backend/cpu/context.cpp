// Contexts of the CPU device.
#include "backend/cpu/context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>

#include "backend/cpu/event.hpp"
#include "backend/cpu/module.hpp"
#include "backend/cpu/transfer.hpp"

namespace lanza::executor {
namespace {

void* memory(backend::Pointer address) { return reinterpret_cast<void*>(address); }

}  // namespace

void Context::synchronize() {
  std::optional<LaunchError> first;
  for (const auto& queue : group_->all()) {
    const auto& progress = queue->progress();
    progress->wait(progress->submitted());
    queue->printer()->flush();
    auto error = queue->take_error();
    if (error && !first) first = std::move(error);
  }
  if (first) throw std::move(*first);
}

// Priorities are accepted and mean nothing: the system schedules the threads.
std::unique_ptr<backend::Stream> Context::make_stream(int, bool non_blocking) {
  return std::make_unique<Stream>(group_, non_blocking ? StreamKind::NonBlocking : StreamKind::Blocking, memory_);
}

std::unique_ptr<backend::Stream> Context::adopt_stream(std::uintptr_t handle) {
  auto [queue, kind] = group_->find(handle);
  if (!queue) throw InvalidArgument(fmt::format("{:#x} is not the handle of a stream of this context on cpu", handle));
  return std::make_unique<Stream>(group_, std::move(queue), kind);
}

std::unique_ptr<backend::Event> Context::make_event(bool timing) { return std::make_unique<Event>(timing); }

backend::Pointer Context::allocate(std::size_t bytes, backend::Stream& stream) {
  return reinterpret_cast<backend::Pointer>(memory_->buffers.allocate(bytes, Stream::of(stream).progress()));
}

void Context::release(backend::Pointer address, std::size_t bytes, backend::Stream& stream) noexcept {
  memory_->buffers.release(memory(address), bytes, Stream::of(stream).progress());
}

void Context::copy(backend::Pointer destination, backend::Pointer source, std::size_t bytes,
                   backend::Direction direction, backend::Stream& s) {
  if (bytes == 0) return;
  Stream& stream = Stream::of(s);
  if (stream.try_begin()) {
    copy_memory(memory(destination), memory(source), bytes);
    stream.queue().end();
    return;
  }
  if (direction != backend::Direction::HostToDevice) {
    stream.run([=] { copy_memory(memory(destination), memory(source), bytes); });
    return;
  }
  // The caller may change the source when we return.
  const std::shared_ptr<std::byte[]> kept(new (std::nothrow) std::byte[bytes]);
  if (!kept)
    throw OutOfMemory(
        fmt::format("out of memory on cpu: {} bytes to keep the source of a copy behind running work", bytes));
  copy_memory(kept.get(), memory(source), bytes);
  stream.run([=] { copy_memory(memory(destination), kept.get(), bytes); });
}

void Context::copy_from(backend::Context&, backend::Pointer destination, backend::Pointer source, std::size_t bytes,
                        backend::Stream& stream) {
  copy(destination, source, bytes, backend::Direction::DeviceToDevice, stream);
}

void Context::fill(backend::Pointer destination, const void* value, std::size_t size, std::size_t count,
                   backend::Stream& stream) {
  if (size != 1 && size != 2 && size != 4 && size != 8 && size != 16) {
    throw InvalidArgument(fmt::format("fill: elements of {} bytes cannot be set; it takes 1, 2, 4, 8 or 16", size));
  }
  if (count == 0) return;
  std::array<std::byte, 16> kept{};
  std::memcpy(kept.data(), value, size);
  Stream::of(stream).run([=] { fill_memory(memory(destination), kept.data(), size, count); });
}

std::unique_ptr<backend::Module> Context::load(const backend::Code& code, bool use_cache) {
  return std::make_unique<Module>(code, use_cache);
}

}  // namespace lanza::executor
