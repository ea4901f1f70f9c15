// The loader's cache: compared with what dlopen does, and fed with damaged ones.
#include "support/linker_cache.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>

#include "support/file.hpp"
#include "support/scoped_environment.hpp"

namespace lanza {
namespace {

namespace fs = std::filesystem;

TEST(LinkerCache, finds_what_dlopen_finds) {
  void* handle = ::dlopen("libstdc++.so.6", RTLD_LAZY);
  ASSERT_TRUE(handle);
  const link_map* map = nullptr;
  ASSERT_EQ(::dlinfo(handle, RTLD_DI_LINKMAP, &map), 0);
  const fs::path found = system_library("libstdc++.so.6");
  ASSERT_FALSE(found.empty());
  EXPECT_TRUE(fs::equivalent(found, map->l_name)) << found << " and " << map->l_name;
}

TEST(LinkerCache, LD_LIBRARY_PATH_comes_first) {
  const TemporaryDirectory directory;
  write_file_atomically(directory.path() / "libstdc++.so.6", "");
  const test::ScopedEnvironment path("LD_LIBRARY_PATH", "/nowhere:" + directory.path().string());
  EXPECT_EQ(system_library("libstdc++.so.6"), directory.path() / "libstdc++.so.6");
}

TEST(LinkerCache, what_is_not_there_is_empty) { EXPECT_EQ(system_library("libno-such-library.so.9"), fs::path()); }

TEST(LinkerCache, survives_damage) {
  EXPECT_EQ(find_in_linker_cache("", "libc.so.6"), fs::path());
  EXPECT_EQ(find_in_linker_cache("glibc-ld.so.cache1.1", "libc.so.6"), fs::path());
  const std::string whole = read_file("/etc/ld.so.cache").value_or("");
  if (whole.empty()) GTEST_SKIP() << "no /etc/ld.so.cache on this machine";
  EXPECT_FALSE(find_in_linker_cache(whole, "libc.so.6").empty());
  for (std::size_t size = 0; size < whole.size(); size += 61) find_in_linker_cache(whole.substr(0, size), "libc.so.6");
  for (std::size_t at = 20; at < std::min<std::size_t>(whole.size(), 600); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(0xff);
    find_in_linker_cache(damaged, "libno-such-library.so.9");
  }
}

}  // namespace
}  // namespace lanza
