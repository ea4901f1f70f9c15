// The stack of what is current on a thread: the runtime's side of lanza::Current and of Python's `with`.
#pragma once

#include <cstdint>
#include <memory>

#include "runtime/records.hpp"

namespace lanza::detail {

/// Pushes on this thread's stack and returns a token for pop_current(). `context` null: the device's primary context,
/// made when it is needed; `stream` null: the default stream of the context.
std::uint64_t push_current(DeviceRecord&, std::shared_ptr<ContextRecord> context, std::shared_ptr<StreamRecord> stream);
/// Removes that entry, wherever it is in this thread's stack. Harmless when it is not there (another thread, a thread
/// that ends).
void pop_current(std::uint64_t token) noexcept;

/// The device on top of this thread's stack, or null.
DeviceRecord* current_device_record() noexcept;
/// The thread's current context if it belongs to the device, else null. The record is the stack's: share it before the
/// stack changes.
ContextRecord* current_context_record(const DeviceRecord&) noexcept;
/// The thread's current stream if it belongs to the context, else the context's default stream. No lock, no allocation.
StreamRecord& current_stream_record(ContextRecord&) noexcept;

/// What a view means in that context. Throws InvalidArgument when its stream belongs to another context.
LANZA_API StreamRecord& resolve(StreamView, ContextRecord&);

}  // namespace lanza::detail
