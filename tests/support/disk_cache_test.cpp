// The disk cache in one process: what is a hit, what is a miss, what is removed, and where it refuses to work.
#include "support/disk_cache.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <lanza/error.hpp>

#include "support/file.hpp"
#include "support/scoped_environment.hpp"

namespace lanza {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::ScopedEnvironment;
using testing::HasSubstr;

Hash128 key(std::uint64_t n) { return hash128(std::to_string(n)); }

class DiskCacheTest : public testing::Test {
 protected:
  fs::path root() const { return directory_.path() / "cache"; }
  DiskCache cache(std::uint64_t capacity = 0) const { return DiskCache({.directory = root(), .capacity = capacity}); }
  fs::path path_of(const Hash128& k, const std::string& kind) const {
    return root() / k.hex().substr(0, 2) / (k.hex() + "." + kind);
  }

  static void set_age(const fs::path& path, std::chrono::seconds age) {
    fs::last_write_time(path, fs::file_time_type::clock::now() - age);
  }

 private:
  TemporaryDirectory directory_;
};

TEST_F(DiskCacheTest, absent_is_a_miss_and_makes_nothing) {
  EXPECT_EQ(cache().get(key(1), "code"), std::nullopt);
  EXPECT_EQ(cache().find(key(1), "code"), std::nullopt);
  EXPECT_FALSE(fs::exists(root()));
}

TEST_F(DiskCacheTest, what_was_put_is_found_by_another_object) {
  const std::string payload("a\0b", 3);
  EXPECT_TRUE(cache().put(key(1), "code", payload));
  EXPECT_EQ(cache().get(key(1), "code"), payload);
  EXPECT_EQ(cache().find(key(1), "code"), path_of(key(1), "code"));
}

TEST_F(DiskCacheTest, empty_and_large_payloads) {
  for (const std::size_t size : {0u, 1u, 47u, 48u, 5u << 20}) {
    const std::string payload(size, 'x');
    EXPECT_TRUE(cache().put(key(size), "code", payload));
    EXPECT_EQ(cache().get(key(size), "code"), payload);
  }
}

TEST_F(DiskCacheTest, key_and_kind_both_count) {
  cache().put(key(1), "code", "one");
  cache().put(key(1), "so", "another");
  EXPECT_EQ(cache().get(key(1), "code"), "one");
  EXPECT_EQ(cache().get(key(1), "so"), "another");
  EXPECT_EQ(cache().get(key(2), "code"), std::nullopt);
}

TEST_F(DiskCacheTest, put_again_replaces) {
  cache().put(key(1), "code", "old");
  cache().put(key(1), "code", "new");
  EXPECT_EQ(cache().get(key(1), "code"), "new");
  EXPECT_EQ(cache().entries().size(), 1u);
}

TEST_F(DiskCacheTest, directory_and_files_are_private) {
  ::umask(0);
  cache().put(key(1), "code", "x");
  for (const auto& [path, mode] :
       {std::pair{root(), 0700u}, {path_of(key(1), "code").parent_path(), 0700u}, {path_of(key(1), "code"), 0600u}}) {
    struct stat status;
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, mode) << path;
  }
  ::umask(022);
}

TEST_F(DiskCacheTest, kinds_cannot_leave_the_directory) {
  EXPECT_FALSE(cache().put(key(1), "../../evil", "x"));
  EXPECT_FALSE(cache().put(key(1), "", "x"));
  EXPECT_EQ(cache().get(key(1), "a/b"), std::nullopt);
}

// ---- damage --------------------------------------------------------------------------------------------------------

TEST_F(DiskCacheTest, every_flipped_byte_is_a_miss_and_removes_the_file) {
  cache().put(key(1), "code", "payload");
  const auto path = path_of(key(1), "code");
  const std::string whole = read_file_or_throw(path);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    write_file_atomically(path, damaged);
    EXPECT_EQ(cache().get(key(1), "code"), std::nullopt) << at;
    EXPECT_FALSE(fs::exists(path)) << at;
  }
}

TEST_F(DiskCacheTest, every_truncation_is_a_miss_and_removes_the_file) {
  cache().put(key(1), "code", "payload");
  const auto path = path_of(key(1), "code");
  const std::string whole = read_file_or_throw(path);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write_file_atomically(path, whole.substr(0, size));
    EXPECT_EQ(cache().find(key(1), "code"), std::nullopt) << size;
    EXPECT_FALSE(fs::exists(path)) << size;
  }
}

TEST_F(DiskCacheTest, appended_bytes_are_a_miss) {
  cache().put(key(1), "code", "payload");
  write_file_atomically(path_of(key(1), "code"), read_file_or_throw(path_of(key(1), "code")) + "more");
  EXPECT_EQ(cache().get(key(1), "code"), std::nullopt);
}

TEST_F(DiskCacheTest, a_foreign_file_is_a_miss) {
  fs::create_directories(path_of(key(1), "code").parent_path());
  ::chmod(root().c_str(), 0700);
  write_file_atomically(path_of(key(1), "code"), std::string(1000, 'z'));
  EXPECT_EQ(cache().get(key(1), "code"), std::nullopt);
  EXPECT_TRUE(cache().put(key(1), "code", "ours"));
  EXPECT_EQ(cache().get(key(1), "code"), "ours");
}

TEST_F(DiskCacheTest, an_entry_under_another_key_or_kind_is_a_miss) {
  cache().put(key(1), "code", "payload");
  fs::create_directories(path_of(key(2), "code").parent_path());
  fs::copy_file(path_of(key(1), "code"), path_of(key(2), "code"));
  fs::copy_file(path_of(key(1), "code"), path_of(key(1), "so"));
  EXPECT_EQ(cache().get(key(2), "code"), std::nullopt);
  EXPECT_EQ(cache().get(key(1), "so"), std::nullopt);
  EXPECT_EQ(cache().get(key(1), "code"), "payload");
}

TEST_F(DiskCacheTest, a_directory_or_link_in_an_entrys_place_is_a_miss) {
  cache().put(key(1), "code", "payload");
  const auto path = path_of(key(1), "code"), real = root() / "real";
  fs::rename(path, real);
  fs::create_symlink(real, path);
  EXPECT_EQ(cache().get(key(1), "code"), std::nullopt);
  fs::remove(path);
  fs::create_directories(path / "inner");
  EXPECT_EQ(cache().get(key(1), "code"), std::nullopt);
  EXPECT_FALSE(cache().put(key(1), "code", "x"));
}

// ---- shared objects ------------------------------------------------------------------------------------------------

TEST_F(DiskCacheTest, a_shared_object_is_loaded_as_it_lies) {
  ASSERT_TRUE(cache().put(key(1), "so", read_file_or_throw(PLAIN_LIBRARY)));
  const auto path = cache().find(key(1), "so");
  ASSERT_TRUE(path);
  EXPECT_GT(fs::file_size(*path), fs::file_size(PLAIN_LIBRARY)) << "the trailer is there";
  void* handle = ::dlopen(path->c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(handle) << ::dlerror();
  const auto answer = reinterpret_cast<int (*)()>(::dlsym(handle, "found_answer"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer(), 42);
  cache().clear();
  EXPECT_EQ(answer(), 42) << "a mapped object outlives its entry";
  ::dlclose(handle);
}

// ---- size ----------------------------------------------------------------------------------------------------------

TEST_F(DiskCacheTest, entries_tell_kind_size_and_use) {
  cache().put(key(1), "code", std::string(100, 'x'));
  set_age(path_of(key(1), "code"), 1h);
  write_file_atomically(root() / "foreign", "x");
  const auto entries = cache().entries();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].path, path_of(key(1), "code"));
  EXPECT_EQ(entries[0].kind, "code");
  EXPECT_EQ(entries[0].bytes, 140u);
  EXPECT_NEAR(std::chrono::duration<double>(fs::file_time_type::clock::now() - entries[0].used).count(), 3600, 10);
}

std::uint64_t total(const DiskCache& cache) {
  std::uint64_t bytes = 0;
  for (const auto& entry : cache.entries()) bytes += entry.bytes;
  return bytes;
}

TEST_F(DiskCacheTest, the_least_recently_used_go_first) {
  constexpr std::uint64_t capacity = 10'000;
  for (int i = 0; i < 12; ++i) {  // 12 x 1000 without a limit
    cache().put(key(i), "code", std::string(960, 'x'));
    set_age(path_of(key(i), "code"), std::chrono::hours(i + 1));
  }
  cache(capacity).trim();
  EXPECT_EQ(total(cache()), 9000u);
  for (int i = 0; i < 12; ++i) EXPECT_EQ(cache().get(key(i), "code").has_value(), i < 9) << i;
}

TEST_F(DiskCacheTest, a_hit_counts_as_use) {
  cache().put(key(1), "code", std::string(900, 'x'));
  cache().put(key(2), "code", std::string(900, 'x'));
  set_age(path_of(key(1), "code"), 3h);
  set_age(path_of(key(2), "code"), 2h);
  EXPECT_TRUE(cache().get(key(1), "code"));
  cache(1800).trim();
  EXPECT_TRUE(cache().get(key(1), "code"));
  EXPECT_FALSE(cache().get(key(2), "code"));
}

TEST_F(DiskCacheTest, a_recent_use_is_not_written_again) {
  cache().put(key(1), "code", "x");
  set_age(path_of(key(1), "code"), 30s);
  const auto before = fs::last_write_time(path_of(key(1), "code"));
  EXPECT_TRUE(cache().get(key(1), "code"));
  EXPECT_EQ(fs::last_write_time(path_of(key(1), "code")), before);
}

TEST_F(DiskCacheTest, putting_keeps_to_the_capacity_by_itself) {
  constexpr std::uint64_t capacity = 1 << 20, entry = 3000;
  auto limited = cache(capacity);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(limited.put(key(i), "code", std::string(entry, 'x')));
  EXPECT_LE(total(limited), capacity + capacity / 16 + entry);
  EXPECT_GE(total(limited), capacity / 2);
  EXPECT_TRUE(limited.get(key(999), "code"));
  EXPECT_FALSE(limited.get(key(0), "code"));
}

TEST_F(DiskCacheTest, many_small_entries_are_trimmed_too) {
  constexpr std::uint64_t capacity = 64 << 10;
  auto limited = cache(capacity);
  for (int i = 0; i < 2000; ++i) ASSERT_TRUE(limited.put(key(i), "code", "x"));
  EXPECT_LE(total(limited), capacity + capacity / 16);
}

TEST_F(DiskCacheTest, what_is_larger_than_the_capacity_is_not_kept) {
  EXPECT_FALSE(cache(1000).put(key(1), "code", std::string(950, 'x')));
  EXPECT_TRUE(cache(1000).put(key(1), "code", std::string(800, 'x')));
  EXPECT_TRUE(cache(1000).get(key(1), "code"));
}

TEST_F(DiskCacheTest, clear_removes_entries_and_old_leftovers_only) {
  cache().put(key(1), "code", std::string(60, 'x'));
  write_file_atomically(root() / "foreign", "mine");
  write_file_atomically(root() / "tmp/old", "0123456789");
  write_file_atomically(root() / "tmp/young", "0123456789");
  set_age(root() / "tmp/old", 1h);
  EXPECT_EQ(cache().clear(), 110u);
  EXPECT_EQ(cache().entries().size(), 0u);
  EXPECT_TRUE(fs::exists(root() / "foreign"));
  EXPECT_TRUE(fs::exists(root() / "tmp/young"));
  EXPECT_FALSE(fs::exists(root() / "tmp/old"));
  EXPECT_EQ(cache().clear(), 0u);
}

TEST_F(DiskCacheTest, clear_removes_sources_for_debuggers) {
  auto c = cache();
  c.put(key(1), "code", "abc");
  const auto entry = c.entries().at(0).bytes;
  fs::create_directories(c.source_folder() / "0123");
  write_file_atomically(c.source_folder() / "0123" / "kernel.cu", "12345");
  EXPECT_EQ(c.clear(), entry + 5);
  EXPECT_FALSE(fs::exists(c.source_folder()));

  const TemporaryDirectory elsewhere;
  write_file_atomically(elsewhere.path() / "mine", "12345");
  fs::create_directory_symlink(elsewhere.path(), c.source_folder());
  EXPECT_EQ(c.clear(), 0u);
  EXPECT_FALSE(fs::is_symlink(c.source_folder()));
  EXPECT_TRUE(fs::exists(elsewhere.path() / "mine"));
}

TEST_F(DiskCacheTest, trim_removes_leftovers_of_killed_processes) {
  cache().put(key(1), "code", "x");
  write_file_atomically(root() / "tmp/old", "x");
  set_age(root() / "tmp/old", 1h);
  cache().trim();
  EXPECT_FALSE(fs::exists(root() / "tmp/old"));
}

// ---- directories that are not used ---------------------------------------------------------------------------------

TEST_F(DiskCacheTest, off_is_off) {
  cache().put(key(1), "code", "x");
  DiskCache off({.directory = root(), .capacity = 0, .enabled = false});
  EXPECT_EQ(off.get(key(1), "code"), std::nullopt);
  EXPECT_FALSE(off.put(key(2), "code", "x"));
  EXPECT_EQ(off.why_unusable(), "LANZA_CACHE=0");
  EXPECT_EQ(cache().why_unusable(), "");
}

TEST_F(DiskCacheTest, others_may_not_write_to_it) {
  cache().put(key(1), "code", "x");
  for (const mode_t mode : {0770, 0707}) {
    ::chmod(root().c_str(), mode);
    EXPECT_EQ(cache().get(key(1), "code"), std::nullopt);
    EXPECT_FALSE(cache().put(key(2), "code", "x"));
    EXPECT_THAT(cache().why_unusable(), HasSubstr("others can write to it (mode 07"));
  }
  ::chmod(root().c_str(), 0755);
  EXPECT_EQ(cache().get(key(1), "code"), "x");
}

TEST_F(DiskCacheTest, another_owner) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a directory to another user";
  cache().put(key(1), "code", "x");
  ASSERT_EQ(::chown(root().c_str(), 12345, 12345), 0);
  EXPECT_EQ(cache().get(key(1), "code"), std::nullopt);
  EXPECT_FALSE(cache().put(key(2), "code", "x"));
  EXPECT_THAT(cache().why_unusable(), HasSubstr("it belongs to another user (uid 12345)"));
}

TEST_F(DiskCacheTest, a_symbolic_link) {
  fs::create_directory_symlink(root().parent_path(), root());
  EXPECT_FALSE(cache().put(key(1), "code", "x"));
  EXPECT_THAT(cache().why_unusable(), HasSubstr("symbolic link"));
  EXPECT_EQ(std::distance(fs::directory_iterator(root().parent_path()), {}), 1);
}

TEST_F(DiskCacheTest, a_file) {
  write_file_atomically(root(), "x");
  EXPECT_FALSE(cache().put(key(1), "code", "x"));
  EXPECT_THAT(cache().why_unusable(), HasSubstr("Not a directory"));
}

TEST_F(DiskCacheTest, below_a_directory_that_everybody_can_change) {
  const auto open = root().parent_path() / "open";
  fs::create_directory(open);
  ::chmod(open.c_str(), 0777);
  DiskCache below({.directory = open / "cache"});
  EXPECT_FALSE(below.put(key(1), "code", "x"));
  EXPECT_THAT(below.why_unusable(), HasSubstr("everybody can write to"));
  ::chmod(open.c_str(), 01777);  // as /tmp is
  EXPECT_TRUE(below.put(key(1), "code", "x"));
}

TEST_F(DiskCacheTest, no_directory_at_all) {
  DiskCache nowhere(DiskCache::Options{});
  EXPECT_FALSE(nowhere.put(key(1), "code", "x"));
  EXPECT_EQ(nowhere.get(key(1), "code"), std::nullopt);
  EXPECT_THAT(nowhere.why_unusable(), HasSubstr("set LANZA_CACHE_DIR"));
}

// ---- the environment -----------------------------------------------------------------------------------------------

TEST(DiskCacheOptions, from_the_environment) {
  const ScopedEnvironment directory("LANZA_CACHE_DIR", "/somewhere"), size("LANZA_CACHE_SIZE", "3M"),
      off("LANZA_CACHE", "0");
  const auto options = DiskCache::options_from_environment();
  EXPECT_EQ(options.directory, "/somewhere");
  EXPECT_EQ(options.capacity, 3u << 20);
  EXPECT_FALSE(options.enabled);
}

TEST(DiskCacheOptions, on_and_off) {
  for (const char* text : {"0", "off", "false", "no"}) {
    const ScopedEnvironment off("LANZA_CACHE", text);
    EXPECT_FALSE(DiskCache::options_from_environment().enabled) << text;
  }
  const ScopedEnvironment on("LANZA_CACHE", "on");
  EXPECT_TRUE(DiskCache::options_from_environment().enabled);
  const ScopedEnvironment folder("LANZA_CACHE", "/somewhere");
  EXPECT_THROW(DiskCache::options_from_environment(), InvalidArgument);
}

TEST(DiskCacheOptions, defaults) {
  const ScopedEnvironment directory("LANZA_CACHE_DIR", nullptr), size("LANZA_CACHE_SIZE", nullptr),
      on("LANZA_CACHE", nullptr);
  const ScopedEnvironment home("HOME", "/home/ana");
  {
    const ScopedEnvironment base("XDG_CACHE_HOME", "/fast");
    EXPECT_EQ(DiskCache::options_from_environment().directory, "/fast/lanza");
  }
  const ScopedEnvironment base("XDG_CACHE_HOME", nullptr);
  const auto options = DiskCache::options_from_environment();
  EXPECT_EQ(options.directory, "/home/ana/.cache/lanza");
  EXPECT_EQ(options.capacity, std::uint64_t{1} << 30);
  EXPECT_TRUE(options.enabled);
}

TEST(DiskCacheOptions, a_relative_directory_stays_where_it_was_meant) {
  const ScopedEnvironment directory("LANZA_CACHE_DIR", "here");
  EXPECT_EQ(DiskCache::options_from_environment().directory, fs::current_path() / "here");
}

TEST(DiskCacheOptions, a_wrong_size_is_an_error) {
  const ScopedEnvironment size("LANZA_CACHE_SIZE", "big");
  EXPECT_THROW(DiskCache::options_from_environment(), InvalidArgument);
}

}  // namespace
}  // namespace lanza
