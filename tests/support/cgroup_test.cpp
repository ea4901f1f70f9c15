// Quotas of control groups, in directories that look like the kernel's.
#include "support/cgroup.hpp"

#include <gtest/gtest.h>

#include "support/file.hpp"

namespace lanza {
namespace {

class Cgroup : public testing::Test {
 protected:
  void put(const std::string& path, const std::string& text) {
    const auto file = directory_.path() / path;
    std::filesystem::create_directories(file.parent_path());
    write_file_atomically(file, text);
  }
  std::optional<double> quota() { return cgroup_cpu_quota(directory_.path() / "cgroup", directory_.path() / "fs"); }

 private:
  TemporaryDirectory directory_;
};

TEST_F(Cgroup, none_without_files) { EXPECT_EQ(quota(), std::nullopt); }

TEST_F(Cgroup, version_2) {
  put("cgroup", "0::/user/job\n");
  put("fs/user/job/cpu.max", "150000 100000\n");
  EXPECT_EQ(quota(), 1.5);
}

TEST_F(Cgroup, version_2_takes_the_least_of_the_groups_above) {
  put("cgroup", "0::/user/job\n");
  put("fs/user/job/cpu.max", "max 100000\n");
  put("fs/user/cpu.max", "400000 100000\n");
  put("fs/cpu.max", "800000 100000\n");
  EXPECT_EQ(quota(), 4.0);
}

TEST_F(Cgroup, version_2_seen_from_inside_a_container) {
  put("cgroup", "0::/docker/0123\n");  // not visible: the mount is the group
  put("fs/cpu.max", "200000 100000\n");
  EXPECT_EQ(quota(), 2.0);
}

TEST_F(Cgroup, version_1) {
  put("cgroup", "5:memory:/job\n4:cpu,cpuacct:/job\n");
  put("fs/cpu,cpuacct/job/cpu.cfs_quota_us", "250000\n");
  put("fs/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 2.5);
}

TEST_F(Cgroup, version_1_without_a_limit) {
  put("cgroup", "4:cpu:/job\n");
  put("fs/cpu/job/cpu.cfs_quota_us", "-1\n");
  put("fs/cpu/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), std::nullopt);
}

TEST_F(Cgroup, nonsense_is_no_limit) {
  put("cgroup", "rubbish\n0::/a\n:\n");
  put("fs/a/cpu.max", "many\n");
  put("fs/cpu.max", "100 0\n");
  EXPECT_EQ(quota(), std::nullopt);
}

}  // namespace
}  // namespace lanza
