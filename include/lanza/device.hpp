// Devices: what can run kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <lanza/export.hpp>
#include <lanza/fwd.hpp>

namespace lanza {

enum class DeviceKind : std::uint8_t { Cpu, Cuda };

/// A device, as a value: its kind and index. Owns nothing; copies are equal. Thread-safe.
class LANZA_API Device {
 public:
  /// "cpu", "cuda" (the first) or "cuda:1". Throws InvalidArgument for another name or an index that does not exist
  /// (the message lists what there is), Unavailable when there is no CUDA device (and says why).
  explicit Device(std::string_view name);
  explicit Device(const char* name) : Device(std::string_view(name)) {}

  DeviceKind kind() const noexcept;
  int index() const noexcept;
  std::string id() const;    ///< as the constructor takes it: "cuda:0", "cpu"
  std::string name() const;  ///< of the product: "NVIDIA H200"
  /// Major and minor. The CPU answers with the level of CUDA that its kernels see.
  std::pair<int, int> compute_capability() const;

  struct MemoryInfo {
    std::size_t free, total;  ///< bytes
  };
  MemoryInfo memory_info() const;

  /// Name and value, with the lower-case names of CUdevice_attribute: "max_threads_per_block", "warp_size", ...
  std::vector<std::pair<std::string, std::int64_t>> attributes() const;
  /// One of them. Throws NotFound for a name that the device does not know.
  std::int64_t attribute(std::string_view name) const;

  /// Waits for all work of the device's current context (Device::context()); reports what failed in it.
  void synchronize() const;
  /// The thread's current context if it is one of this device, else the primary context, which is made at its first
  /// use.
  Context context() const;
  /// A context of its own. Everything made in it keeps it alive.
  Context create_context() const;

  friend bool operator==(const Device&, const Device&) = default;

  explicit Device(detail::DeviceRecord& record) noexcept : record_(&record) {}
  detail::DeviceRecord& record() const noexcept { return *record_; }

 private:
  detail::DeviceRecord* record_;  // one for each device of the process, never destroyed
};

/// Every device that works: the CUDA devices, then the CPU.
LANZA_API std::vector<Device> devices();
/// The first CUDA device that works, else the CPU. LANZA_DEVICE ("cpu", "cuda:1") overrides it; throws as Device(name)
/// does for a bad value of it.
LANZA_API Device default_device();
/// The device that is current on this thread (see Current), else the default device.
LANZA_API Device current_device();

}  // namespace lanza
