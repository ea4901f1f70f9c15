// The devices of the process and their primary contexts.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include <lanza/device.hpp>

#include "runtime/records.hpp"

namespace lanza::detail {

/// One for each device that somebody asked for; lives until the process ends, so that a Device is a plain pointer to
/// it, valid also in destructors of static objects.
struct DeviceRecord {
  DeviceRecord(DeviceKind kind, int index, backend::Device& device, std::string id)
      : kind(kind), index(index), device(device), id(std::move(id)) {}

  const DeviceKind kind;
  const int index;
  backend::Device& device;
  const std::string id;  ///< "cuda:0", "cpu"

  std::mutex mutex;
  std::shared_ptr<ContextRecord> primary;  ///< made at first use, kept until release_primary_contexts()
};

/// Throws Unavailable or InvalidArgument as Device(name) does.
DeviceRecord& device_record(DeviceKind, int index);
/// The primary context of the device.
LANZA_API std::shared_ptr<ContextRecord> primary_context(DeviceRecord&);
/// The thread's current context if it is one of the device, else the primary one.
std::shared_ptr<ContextRecord> context_of(DeviceRecord&);

/// Gives up the runtime's own hold on primary contexts, so that each goes with the last handle of anything made in it;
/// one that is needed again is made anew. For a clean end of the process (Python calls it at exit) and for tests.
LANZA_API void release_primary_contexts() noexcept;

}  // namespace lanza::detail
