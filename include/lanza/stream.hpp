// Streams: queues of work that a device does in order.
#pragma once

#include <cstdint>
#include <memory>

#include <lanza/context.hpp>
#include <lanza/event.hpp>
#include <lanza/launch.hpp>

namespace lanza {

/// A handle that shares ownership of a stream; never empty, thread-safe as Context is.
class LANZA_API Stream {
 public:
  struct Options {
    int priority = 0;           ///< lower numbers go first; clamped to what the device has
    bool non_blocking = false;  ///< true: not ordered with the legacy default stream
  };
  explicit Stream(const Device& device = current_device());
  Stream(const Device&, Options);
  Stream(const Stream&) = default;
  Stream& operator=(const Stream&) = default;

  /// A stream that somebody else made (a CUstream) and goes on owning: it must outlive every use through this handle.
  static Stream from_handle(std::uintptr_t handle, const Device&);

  /// Waits for all work; throws LaunchError, naming the kernel, when some of it failed.
  void synchronize() const;
  /// True when all work is done.
  bool query() const;
  /// Work enqueued from now on waits for the event. An event of another kind of device is waited for by the calling
  /// thread.
  void wait(const Event&) const;
  /// A new event that marks the work that the stream holds now.
  Event record() const;

  Device device() const noexcept;
  Context context() const noexcept;
  std::uintptr_t handle() const;  ///< CUstream; for the CPU an address that identifies it

  friend bool operator==(const Stream&, const Stream&) = default;

  explicit Stream(std::shared_ptr<detail::StreamRecord> record) noexcept : record_(std::move(record)) {}
  const std::shared_ptr<detail::StreamRecord>& shared() const noexcept { return record_; }

 private:
  std::shared_ptr<detail::StreamRecord> record_;
};

/// The stream that is current on this thread (see Current), else the default stream of current_context().
LANZA_API Stream current_stream();

}  // namespace lanza
