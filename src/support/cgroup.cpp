// Reads cpu.max (version 2) and cpu.cfs_quota_us (version 1), in the process's group and those above it.
#include "support/cgroup.hpp"

#include <algorithm>
#include <string>

#include "support/file.hpp"
#include "support/text.hpp"

namespace lanza {
namespace {

namespace fs = std::filesystem;

std::optional<double> ratio(std::string_view quota, std::string_view period) {
  const auto q = leading_number(quota), p = leading_number(period);
  if (!q || !p || *q <= 0 || *p <= 0) return std::nullopt;  // -1: no limit
  return static_cast<double>(*q) / static_cast<double>(*p);
}

// "150000 100000" or "max 100000".
std::optional<double> quota_v2(const fs::path& group) {
  const std::string text = read_file(group / "cpu.max").value_or("");
  const std::size_t space = std::min(text.find(' '), text.size());
  return ratio(std::string_view(text).substr(0, space), std::string_view(text).substr(space));
}

std::optional<double> quota_v1(const fs::path& group) {
  return ratio(read_file(group / "cpu.cfs_quota_us").value_or(""), read_file(group / "cpu.cfs_period_us").value_or(""));
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

bool names_cpu(std::string_view controllers) {
  const auto names = split(controllers, ',');
  return std::find(names.begin(), names.end(), "cpu") != names.end();
}

}  // namespace

std::optional<double> cgroup_cpu_quota(const fs::path& membership, const fs::path& mount) {
  const std::string text = read_file(membership).value_or("");
  std::optional<double> result;
  for (const std::string_view line : split(text, '\n')) {  // "4:cpu,cpuacct:/group" (version 1) or "0::/group"
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    std::optional<double> quota;
    if (controllers.empty()) quota = least(mount, group, quota_v2);
    if (names_cpu(controllers)) quota = least(mount / controllers, group, quota_v1);
    if (names_cpu(controllers) && !quota) quota = least(mount / "cpu", group, quota_v1);
    if (quota) result = std::min(*quota, result.value_or(*quota));
  }
  return result;
}

}  // namespace lanza
