// Allocations, and the ranges of them that buffers share.
#include <fmt/format.h>

#include <lanza/buffer.hpp>

#include "runtime/current_stack.hpp"
#include "runtime/records.hpp"
#include "runtime/registry.hpp"
#include "support/log.hpp"

namespace lanza::detail {
namespace {

// On the stream given, in its context, else on the current one of the device.
StreamRecord& stream_for(const Device& device, StreamView view, ContextRecord& current) {
  StreamRecord* const stream = view.record();
  if (!stream) return current_stream_record(current);
  if (&stream->context.device == &device.record()) return *stream;
  throw InvalidArgument(
      fmt::format("a buffer of {} cannot be allocated on a stream of {}", device.id(), id_of(stream->context)));
}

std::shared_ptr<BufferRecord> allocate(std::size_t bytes, const Device& device, StreamView view) {
  const auto current = context_of(device.record());
  return std::make_shared<BufferRecord>(share(stream_for(device, view, *current)), bytes);
}

}  // namespace

void order_after(StreamRecord& waiter, StreamRecord& done) {
  const auto event = done.context.context->make_event(false);
  event->record(done.stream);
  waiter.stream.wait(*event);
}

BufferRecord::BufferRecord(std::shared_ptr<StreamRecord> allocated_on, std::size_t bytes)
    : context(allocated_on->context.shared_from_this()), stream(std::move(allocated_on)), bytes(bytes) {
  if (bytes != 0) address = context->context->allocate(bytes, stream->stream);
}

BufferRecord::BufferRecord(std::shared_ptr<ContextRecord> context, std::shared_ptr<const void> owner,
                           backend::Memory memory)
    : context(std::move(context)), owner(std::move(owner)), address(memory.address), bytes(memory.size) {}

BufferRecord::~BufferRecord() {
  if (!stream || bytes == 0) return;
  for (const auto& user : users_) {
    try {
      order_after(*stream, *user);
    } catch (const std::exception& error) {
      log::warning("a buffer's release could not be ordered after its uses: {}", error.what());
    }
  }
  context->context->release(address, bytes, stream->stream);
}

void BufferRecord::use_elsewhere(StreamRecord& user) {
  for (const auto& seen : seen_) {
    if (seen.load(std::memory_order_acquire) == &user) return;
  }
  std::lock_guard lock(mutex_);
  for (const auto& known : users_) {
    if (known.get() == &user) return;
  }
  // The allocation itself is ordered on our stream only: what had the memory before may still be at work there.
  order_after(user, *stream);
  users_.push_back(share(user));  // holds the stream, so that no other one can take its address
  if (users_.size() <= seen_.size()) seen_[users_.size() - 1].store(&user, std::memory_order_release);
}

Storage::Storage(std::size_t bytes, const Device& device, StreamView stream)
    : Storage(allocate(bytes, device, stream)) {}

Storage::Storage(std::shared_ptr<BufferRecord> record) noexcept
    : record_(std::move(record)), address_(record_->address), bytes_(record_->bytes) {}

Device Storage::device() const noexcept { return Device(record_->context->device); }
Context Storage::context() const noexcept { return Context(record_->context); }

Storage Storage::part(std::size_t offset, std::size_t count, std::size_t element_size) const {
  const std::size_t size = bytes_ / element_size;
  if (offset > size || count > size - offset) {
    throw InvalidArgument(fmt::format("elements [{}, {} + {}) are beyond the end of a buffer of {} elements", offset,
                                      offset, count, size));
  }
  Storage part = *this;
  part.bytes_ = count * element_size;
  part.address_ = count == 0 ? 0 : address_ + offset * element_size;
  return part;
}

std::size_t bytes_of(std::size_t count, std::size_t size) {
  std::size_t bytes;
  if (!__builtin_mul_overflow(count, size, &bytes)) return bytes;
  throw OutOfMemory(
      fmt::format("a buffer of {} elements of {} bytes is more than any address space holds", count, size));
}

std::size_t elements_in_view(std::size_t bytes, std::size_t to, std::string_view type) {
  if (bytes % to == 0) return bytes / to;
  throw InvalidArgument(
      fmt::format("a buffer of {} bytes cannot be viewed as {}: no multiple of {} bytes", bytes, type, to));
}

}  // namespace lanza::detail
