// The processor, from /proc and the scheduler.
#include "support/cpu.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <lanza/error.hpp>
#include <memory>
#include <optional>
#include <thread>

#include "support/cgroup.hpp"
#include "support/environment.hpp"
#include "support/file.hpp"
#include "support/file_descriptor.hpp"
#include "support/hash.hpp"

namespace lanza {
namespace {

// The first processor's block only: writing the whole file costs the kernel milliseconds where there are many cores.
std::string first_processor() {
  const FileDescriptor file(::open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC));
  std::string text;
  char part[4096];
  for (ssize_t n; file && (n = ::read(file.get(), part, sizeof part)) > 0;) {
    text.append(part, static_cast<std::size_t>(n));
    if (const auto end = text.find("\n\n"); end != std::string::npos) return text.substr(0, end + 1);
  }
  return text;
}

// Value of "key\t: value".
std::string field(const std::string& block, std::string_view key) {
  for (std::size_t at = 0; at < block.size();) {
    const std::size_t end = std::min(block.find('\n', at), block.size());
    const std::string_view line = std::string_view(block).substr(at, end - at);
    const auto colon = line.find(':');
    if (line.starts_with(key) && colon != line.npos && line.find_first_not_of(" \t", key.size()) == colon)
      return std::string(line.substr(std::min(line.find_first_not_of(" \t", colon + 1), line.size())));
    at = end + 1;
  }
  return {};
}

std::optional<unsigned> threads_from_environment() {
  const auto text = environment("LANZA_CPU_THREADS");
  if (!text) return std::nullopt;
  unsigned threads = 0;
  const char* end = text->data() + text->size();
  const auto [rest, error] = std::from_chars(text->data(), end, threads);
  if (error != std::errc() || rest != end || threads == 0)
    throw InvalidArgument(fmt::format("LANZA_CPU_THREADS: expected a number of threads from 1, got '{}'", *text));
  return threads;
}

// The affinity mask may be of any size: the kernel says with EINVAL that ours is too small.
unsigned threads_in_affinity_mask() {
  for (int cpus = 1024; cpus <= 1 << 20; cpus *= 2) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(CPU_ALLOC(cpus), [](cpu_set_t* s) { CPU_FREE(s); });
    const std::size_t bytes = CPU_ALLOC_SIZE(cpus);
    if (set && ::sched_getaffinity(0, bytes, set.get()) == 0)
      return static_cast<unsigned>(CPU_COUNT_S(bytes, set.get()));
  }
  return std::thread::hardware_concurrency();
}

}  // namespace

std::string cpu_name() {
  static const std::string name = [] {
    const std::string block = first_processor();
    std::string name = field(block, "model name");
    if (name.empty() && !field(block, "CPU part").empty())
      name = fmt::format("ARM implementer {} part {}", field(block, "CPU implementer"), field(block, "CPU part"));
    return name.empty() ? "unknown processor" : name;
  }();
  return name;
}

std::string cpu_digest() {
  static const std::string digest = [] {
    const std::string block = first_processor();
    Hasher hasher;
    for (const char* key :
         {"vendor_id", "cpu family", "model", "flags", "CPU implementer", "CPU part", "CPU variant", "Features"})
      hasher.add(field(block, key));
    return hasher.finish().hex();
  }();
  return digest;
}

unsigned cpu_threads() {
  if (const auto threads = threads_from_environment()) return *threads;
  const unsigned cores = std::max(threads_in_affinity_mask(), 1u);
  const auto quota = cgroup_cpu_quota();
  return quota ? std::clamp(static_cast<unsigned>(std::ceil(std::min(*quota, 1e6))), 1u, cores) : cores;
}

HostMemory host_memory() {
  const std::string text = read_file("/proc/meminfo").value_or("");
  const auto bytes = [&](std::string_view key) -> std::size_t {
    const std::string value = field(text, key);  // "24689472 kB"
    std::size_t kib = 0;
    std::from_chars(value.data(), value.data() + value.size(), kib);
    return kib << 10;
  };
  return {bytes("MemAvailable"), bytes("MemTotal")};
}

}  // namespace lanza
