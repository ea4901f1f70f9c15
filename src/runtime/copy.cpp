// Copies and fills: on one device, between devices, and between backends.
#include <fmt/format.h>

#include <lanza/copy.hpp>

#include <cstring>
#include <memory>

#include "runtime/current_stack.hpp"
#include "runtime/records.hpp"
#include "runtime/registry.hpp"

namespace lanza::detail {
namespace {

using backend::Direction;

void check_sizes(std::size_t destination, std::size_t source) {
  if (destination == source) return;
  throw InvalidArgument(
      fmt::format("copy: the destination has {} bytes, the source {}; they must agree", destination, source));
}

StreamRecord& own_stream(BufferRecord& memory) {
  return memory.stream ? *memory.stream : current_stream_record(*memory.context);
}

// Between backends: through host memory, which for the CPU is the buffer itself. The CPU's side must be idle before the
// other backend's stream touches its memory, so this waits, whatever the caller asked for.
void copy_through_host(const Storage& destination, const Storage& source, StreamRecord& stream) {
  ContextRecord& to = *destination.record()->context;
  ContextRecord& from = *source.record()->context;
  StreamRecord& source_stream = own_stream(*source.record());
  source.record()->use_on(source_stream);
  const std::size_t bytes = source.bytes();

  if (to.uses_host_memory) {
    stream.synchronize();
    from.context->copy(destination.address(), source.address(), bytes, Direction::DeviceToHost, source_stream.stream);
    return source_stream.synchronize();
  }
  if (from.uses_host_memory) {
    source_stream.synchronize();
    to.context->copy(destination.address(), source.address(), bytes, Direction::HostToDevice, stream.stream);
    return stream.synchronize();
  }
  const auto staging = std::make_unique_for_overwrite<std::byte[]>(bytes);
  const auto host = reinterpret_cast<backend::Pointer>(staging.get());
  from.context->copy(host, source.address(), bytes, Direction::DeviceToHost, source_stream.stream);
  source_stream.synchronize();
  to.context->copy(destination.address(), host, bytes, Direction::HostToDevice, stream.stream);
  stream.synchronize();
}

}  // namespace

void copy(const Storage& destination, const void* source, std::size_t bytes, StreamView view, bool wait) {
  check_sizes(destination.bytes(), bytes);
  ContextRecord& context = *destination.record()->context;
  StreamRecord& stream = resolve(view, context);
  if (bytes == 0) return;
  destination.record()->use_on(stream);
  context.context->copy(destination.address(), reinterpret_cast<backend::Pointer>(source), bytes,
                        Direction::HostToDevice, stream.stream);
  if (wait) stream.synchronize();
}

void copy(void* destination, std::size_t bytes, const Storage& source, StreamView view, bool wait) {
  check_sizes(bytes, source.bytes());
  ContextRecord& context = *source.record()->context;
  StreamRecord& stream = resolve(view, context);
  if (bytes == 0) return;
  source.record()->use_on(stream);
  context.context->copy(reinterpret_cast<backend::Pointer>(destination), source.address(), bytes,
                        Direction::DeviceToHost, stream.stream);
  if (wait) stream.synchronize();
}

void copy(const Storage& destination, const Storage& source, StreamView view, bool wait) {
  check_sizes(destination.bytes(), source.bytes());
  ContextRecord& to = *destination.record()->context;
  ContextRecord& from = *source.record()->context;
  StreamRecord& stream = resolve(view, to);
  if (source.bytes() == 0) return;
  destination.record()->use_on(stream);
  if (to.device.kind != from.device.kind) return copy_through_host(destination, source, stream);
  if (StreamRecord& own = own_stream(*source.record()); &own != &stream) order_after(stream, own);
  source.record()->use_on(stream);
  if (&to == &from) {
    to.context->copy(destination.address(), source.address(), source.bytes(), Direction::DeviceToDevice, stream.stream);
  } else {
    to.context->copy_from(*from.context, destination.address(), source.address(), source.bytes(), stream.stream);
  }
  if (wait) stream.synchronize();
}

void fill(const Storage& memory, const void* value, std::size_t size, std::size_t count, StreamView view) {
  ContextRecord& context = *memory.record()->context;
  StreamRecord& stream = resolve(view, context);
  if (count == 0) return;
  memory.record()->use_on(stream);
  if (size <= 16 && (size & (size - 1)) == 0) {
    return context.context->fill(memory.address(), value, size, count, stream.stream);
  }
  const auto pattern = std::make_unique_for_overwrite<std::byte[]>(size * count);
  for (std::size_t i = 0; i < count; ++i) std::memcpy(pattern.get() + i * size, value, size);
  context.context->copy(memory.address(), reinterpret_cast<backend::Pointer>(pattern.get()), size * count,
                        Direction::HostToDevice, stream.stream);
}

}  // namespace lanza::detail
