// The disk cache among processes: many writers, killed writers, a directory that cannot be written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <random>
#include <thread>

#include "support/disk_cache.hpp"
#include "support/environment.hpp"
#include "support/file.hpp"

namespace lanza {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

Hash128 key(std::uint64_t n) { return hash128(std::to_string(n)); }

// What an entry must hold: tells its key, so that mixed-up or torn content cannot pass.
std::string payload(std::uint64_t n, std::size_t size = 20'000) {
  const std::string unit = std::to_string(n) + ';';
  std::string text;
  while (text.size() < size) text += unit;
  return text;
}

pid_t start(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  return child;
}

int status_of(pid_t child) {
  int status = 0;
  return ::waitpid(child, &status, 0) == child ? status : -1;
}

TEST(DiskCacheProcesses, an_entry_is_a_hit_in_another_process) {
  const TemporaryDirectory directory;
  const DiskCache::Options options{.directory = directory.path() / "cache"};
  ASSERT_EQ(status_of(start([&] { return DiskCache(options).put(key(1), "code", "from the child") ? 0 : 1; })), 0);
  EXPECT_EQ(DiskCache(options).get(key(1), "code"), "from the child");
}

TEST(DiskCacheProcesses, sixteen_write_the_same_and_others_at_once) {
  const TemporaryDirectory directory;
  const DiskCache::Options options{.directory = directory.path() / "cache"};
  std::vector<pid_t> children;
  for (int p = 0; p < 16; ++p)
    children.push_back(start([&options, p] {
      DiskCache cache(options);
      for (int i = 0; i < 40; ++i) {
        const int shared = i % 8, own = 1000 + p * 40 + i;
        if (!cache.put(key(shared), "code", payload(shared)) || !cache.put(key(own), "code", payload(own))) return 1;
        if (cache.get(key(shared), "code") != payload(shared))
          return 2;  // some process wrote it before: it must be whole
      }
      return 0;
    }));
  for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
  DiskCache cache(options);
  EXPECT_EQ(cache.entries().size(), 8u + 16 * 40);
  for (int own = 1000; own < 1000 + 16 * 40; ++own) EXPECT_EQ(cache.get(key(own), "code"), payload(own)) << own;
  EXPECT_TRUE(fs::is_empty(options.directory / "tmp"));
}

TEST(DiskCacheProcesses, sixteen_share_the_capacity_while_they_evict) {
  const TemporaryDirectory directory;
  const DiskCache::Options options{.directory = directory.path() / "cache", .capacity = 1 << 20};
  std::vector<pid_t> children;
  for (int p = 0; p < 16; ++p)
    children.push_back(start([&options, p] {
      DiskCache cache(options);
      for (int i = 0; i < 20; ++i) {
        const int n = p * 20 + i;
        if (!cache.put(key(n), "code", payload(n))) return 1;
        if (const auto found = cache.get(key(n), "code"); found && *found != payload(n)) return 2;
      }
      return 0;
    }));
  for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
  DiskCache cache(options);
  std::uint64_t total = 0;
  for (const auto& entry : cache.entries()) total += entry.bytes;
  // While one evicts the others go on writing, how much is a matter of scheduling; of the 6.4 MB written most must be
  // gone.
  EXPECT_LE(total, 16 * 20 * 20'000 / 2);
  cache.trim();
  total = 0;
  for (const auto& entry : cache.entries()) total += entry.bytes;
  EXPECT_LE(total, options.capacity);
}

TEST(DiskCacheProcesses, a_killed_writer_leaves_whole_entries_and_leftovers_that_go) {
  const TemporaryDirectory directory;
  const DiskCache::Options options{.directory = directory.path() / "cache"};
  std::mt19937 random(1);
  for (int round = 0; round < 60; ++round) {
    const pid_t child = start([&options] {
      DiskCache cache(options);
      for (std::uint64_t i = 0;; ++i) cache.put(key(i % 16), "code", payload(i % 16, 1'000'000));
      return 0;
    });
    std::this_thread::sleep_for(std::chrono::microseconds(500 + random() % 20'000));
    ::kill(child, SIGKILL);
    ASSERT_TRUE(WIFSIGNALED(status_of(child)));
    DiskCache cache(options);
    for (int i = 0; i < 16; ++i) {
      const auto path = options.directory / key(i).hex().substr(0, 2) / (key(i).hex() + ".code");
      if (!fs::exists(path)) continue;
      ASSERT_EQ(cache.get(key(i), "code"), payload(i, 1'000'000)) << "round " << round;
    }
  }
  DiskCache cache(options);
  EXPECT_TRUE(cache.put(key(99), "code", "still works"));
  for (const auto& leftover : fs::directory_iterator(options.directory / "tmp"))
    fs::last_write_time(leftover.path(), fs::file_time_type::clock::now() - 1h);
  cache.trim();
  EXPECT_TRUE(fs::is_empty(options.directory / "tmp"));
}

// Root may write anywhere: the child becomes nobody.
int as_ordinary_user(const std::function<int()>& body) {
  return status_of(start([&] {
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) return 99;
    return body();
  }));
}

TEST(DiskCacheDeathTest, an_unwritable_directory_costs_only_speed_and_warns_once) {
  GTEST_FLAG_SET(death_test_style,
                 "threadsafe");  // a new process, which comes here again: one warning is one a process
  std::optional<TemporaryDirectory> made;
  if (!environment("LANZA_TEST_DIRECTORY")) {
    made.emplace();
    ::chmod(made->path().c_str(), 0555);
    ::setenv("LANZA_TEST_DIRECTORY", made->path().c_str(), 1);
  }
  EXPECT_EXIT(
      {
        if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(99);
        DiskCache cache({.directory = fs::path(*environment("LANZA_TEST_DIRECTORY")) / "cache"});
        if (cache.put(key(1), "code", "x") || cache.put(key(2), "code", "x") || cache.get(key(1), "code")) ::_exit(1);
        ::_exit(cache.why_unusable().find("cannot be written: Permission denied") != std::string::npos ? 0 : 2);
      },
      testing::ExitedWithCode(0), "^lanza: the cache of compiled code is not used: [^\n]*: Permission denied\n$");
  ::unsetenv("LANZA_TEST_DIRECTORY");
}

TEST(DiskCacheProcesses, a_read_only_cache_still_answers) {
  const TemporaryDirectory directory;
  const auto root = directory.path() / "cache";
  ::chmod(directory.path().c_str(), 01777);
  const int written = as_ordinary_user([&] {
    if (!DiskCache({.directory = root}).put(key(1), "code", "x")) return 1;
    for (const auto& path : {root / "tmp", root}) ::chmod(path.c_str(), 0555);
    return 0;
  });
  ASSERT_EQ(WEXITSTATUS(written), 0);
  EXPECT_EQ(WEXITSTATUS(as_ordinary_user([&] {
              DiskCache cache({.directory = root});
              if (cache.put(key(2), "code", "x")) return 1;
              return cache.get(key(1), "code") == "x" ? 0 : 2;
            })),
            0);
}

}  // namespace
}  // namespace lanza
