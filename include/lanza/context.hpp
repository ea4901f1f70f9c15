// Contexts: what owns the memory, modules, streams and events of a device.
#pragma once

#include <cstdint>
#include <memory>

#include <lanza/device.hpp>

namespace lanza {

/// A handle that shares ownership of a context. A context is released after the last handle of anything made in it.
/// Handles are never empty: moving one copies it. Thread-safe as std::shared_ptr is: different handles of one context
/// may be used from different threads at once.
class LANZA_API Context {
 public:
  Context(const Context&) = default;
  Context& operator=(const Context&) = default;

  Device device() const noexcept;
  std::uintptr_t handle() const;  ///< CUcontext; for the CPU an address that identifies it
  /// Waits for all work of all streams; reports what failed.
  void synchronize() const;
  /// The stream that work goes to when none is named.
  Stream default_stream() const;

  friend bool operator==(const Context&, const Context&) = default;

  explicit Context(std::shared_ptr<detail::ContextRecord> record) noexcept : record_(std::move(record)) {}
  const std::shared_ptr<detail::ContextRecord>& shared() const noexcept { return record_; }

 private:
  std::shared_ptr<detail::ContextRecord> record_;
};

/// The context that is current on this thread (see Current), else that of the default device.
LANZA_API Context current_context();

}  // namespace lanza
