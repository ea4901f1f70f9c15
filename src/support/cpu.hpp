// The processor that this process runs on, as far as cache keys and reports need it.
#pragma once

#include <string>

namespace lanza {

/// "AMD EPYC 9554": from /proc/cpuinfo.
std::string cpu_name();
/// Digest of vendor, family, model and feature flags: two machines with the same digest run the same "native" code.
std::string cpu_digest();
/// Cores this process may use (its affinity mask and cgroup quota, at least 1), or LANZA_CPU_THREADS.
unsigned cpu_threads();
/// Bytes of memory: free (MemAvailable) and total.
struct HostMemory {
  std::size_t free, total;
};
HostMemory host_memory();

}  // namespace lanza
