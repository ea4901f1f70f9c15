// The limit that a control group (a container, a batch system) puts on a process's use of the processor.
#pragma once

#include <filesystem>
#include <optional>

namespace lanza {

/// Cores' worth of time a second that the process may use, the least of its group and the groups above; nothing without
/// a limit. `membership` is /proc/self/cgroup, `mount` /sys/fs/cgroup: version 2 and version 1 are both understood.
std::optional<double> cgroup_cpu_quota(const std::filesystem::path& membership = "/proc/self/cgroup",
                                       const std::filesystem::path& mount = "/sys/fs/cgroup");

}  // namespace lanza
