// Events: marks in a stream, to wait for and to measure time between.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include <lanza/context.hpp>
#include <lanza/launch.hpp>

namespace lanza {

/// A handle that shares ownership of an event; never empty, thread-safe as Context is.
class LANZA_API Event {
 public:
  struct Options {
    bool timing = true;  ///< false: cheaper, but time_since() throws
  };
  explicit Event(const Device& device = current_device());
  Event(const Device&, Options);
  Event(const Event&) = default;
  Event& operator=(const Event&) = default;

  /// Marks the work that the stream holds now. The stream must be of the event's device.
  void record(StreamView = {}) const;
  /// Waits until the marked work is done; at once when nothing was recorded.
  void synchronize() const;
  /// True when the marked work is done, or nothing was recorded.
  bool query() const;
  /// Time on the device from `start` to this event; waits for neither: synchronise first. Throws InvalidArgument when
  /// one of them was not recorded or has no timing, or when they are of different devices.
  std::chrono::duration<float, std::milli> time_since(const Event& start) const;

  Device device() const noexcept;
  std::uintptr_t handle() const;  ///< CUevent

  explicit Event(std::shared_ptr<detail::EventRecord> record) noexcept : record_(std::move(record)) {}
  const std::shared_ptr<detail::EventRecord>& shared() const noexcept { return record_; }

 private:
  std::shared_ptr<detail::EventRecord> record_;
};

}  // namespace lanza
