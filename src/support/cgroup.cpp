// Reads cpu.max (version 2) and cpu.cfs_quota_us (version 1), in the process's group and those above it.
#include "support/cgroup.hpp"

#include <algorithm>
#include <sstream>
#include <string>

#include "support/file.hpp"

namespace lanza {
namespace {

namespace fs = std::filesystem;

// "150000 100000" or "max 100000".
std::optional<double> quota_v2(const fs::path& group) {
  std::istringstream text(read_file(group / "cpu.max").value_or(""));
  double quota = 0, period = 0;
  if (text >> quota >> period && quota > 0 && period > 0) return quota / period;
  return std::nullopt;
}

std::optional<double> quota_v1(const fs::path& group) {
  std::istringstream text(read_file(group / "cpu.cfs_quota_us").value_or("") + ' ' +
                          read_file(group / "cpu.cfs_period_us").value_or(""));
  double quota = 0, period = 0;
  if (text >> quota >> period && quota > 0 && period > 0) return quota / period;  // -1: no limit
  return std::nullopt;
}

// In a container the path may name a group that cannot be seen from inside; the mount is then the group itself.
template <class Quota>
std::optional<double> least(const fs::path& mount, const fs::path& group, Quota quota) {
  std::optional<double> result;
  for (fs::path at = group.relative_path();; at = at.parent_path()) {
    if (const auto q = quota(mount / at)) result = std::min(*q, result.value_or(*q));
    if (at.empty()) return result;
  }
}

bool names_cpu(const std::string& controllers) {
  std::istringstream list(controllers);
  for (std::string name; std::getline(list, name, ',');)
    if (name == "cpu") return true;
  return false;
}

}  // namespace

std::optional<double> cgroup_cpu_quota(const fs::path& membership, const fs::path& mount) {
  std::istringstream lines(read_file(membership).value_or(""));
  std::optional<double> result;
  for (std::string line; std::getline(lines, line);) {  // "4:cpu,cpuacct:/group" (version 1) or "0::/group"
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    std::optional<double> quota;
    if (controllers.empty()) quota = least(mount, group, quota_v2);
    if (names_cpu(controllers)) quota = least(mount / controllers, group, quota_v1);
    if (names_cpu(controllers) && !quota) quota = least(mount / "cpu", group, quota_v1);
    if (quota) result = std::min(*quota, result.value_or(*quota));
  }
  return result;
}

}  // namespace lanza
