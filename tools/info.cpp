// `lanza info`: the devices, the cache and the version.
#include <lanza/cache.hpp>
#include <lanza/cuda.hpp>
#include <lanza/device.hpp>
#include <lanza/diagnosis.hpp>
#include <lanza/error.hpp>
#include <optional>

#include "tools/commands.hpp"
#include "tools/text.hpp"

namespace lanza::cli {
namespace {

// "132 multiprocessors, 270336 resident threads" or "2 cores".
std::string parallelism(const Device& device) {
  const auto units = static_cast<std::uint64_t>(device.attribute("multiprocessor_count"));
  if (device.kind() == DeviceKind::Cpu) return count_text(units, "thread", "threads");
  const auto resident = units * static_cast<std::uint64_t>(device.attribute("max_threads_per_multiprocessor"));
  return fmt::format("{}, {} resident threads", count_text(units, "multiprocessor", "multiprocessors"), resident);
}

void print_device(const Device& device, bool is_default) {
  print("{:<8} {}{}\n", device.id(), device.name(), is_default ? "  (default)" : "");
  const auto [major, minor] = device.compute_capability();
  const auto memory = device.memory_info();
  print("           compute capability {}.{}, {}\n", major, minor, parallelism(device));
  print("           memory {}, {} free\n", size_text(memory.total), size_text(memory.free));
}

}  // namespace

int info() {
  print("lanza {}\n\n", version());
  const auto all = devices();
  const Device best = default_device();
  for (const Device& device : all) print_device(device, device == best);
  if (!cuda::is_available()) print("{}\n", cuda::why_unavailable());
  print("\ncache\n");
  return cache_show();
}

}  // namespace lanza::cli
