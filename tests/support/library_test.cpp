// The library search: each place in its order, and the record of what was tried.
#include "support/library.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/file.hpp"
#include "support/scoped_environment.hpp"

namespace lanza {
namespace {

namespace fs = std::filesystem;
using test::ScopedEnvironment;
using testing::Contains;
using testing::HasSubstr;

// A copy of the library under a name of its own, since what is loaded once is found as loaded ever after.
class Library : public testing::Test {
 protected:
  std::string fresh_name() {
    static int number = 0;
    return "libfresh" + std::to_string(number++) + ".so.1";
  }
  fs::path put(const fs::path& folder, const std::string& name) {
    fs::create_directories(directory.path() / folder);
    const auto path = directory.path() / folder / name;
    fs::copy_file(PLAIN_LIBRARY, path);
    return path;
  }
  void expect_found(const LibrarySearch& search, const fs::path& path) {
    EXPECT_EQ(search.locate(), path);
    const auto result = search.run();
    ASSERT_TRUE(result.library) << testing::PrintToString(result.attempts);
    EXPECT_EQ(result.library->path(), path.string());
    const auto answer = result.library->function<int()>("found_answer");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer(), 42);
    EXPECT_EQ(result.library->symbol("no_such_symbol"), nullptr);
    EXPECT_THAT(result.attempts.back(), HasSubstr(path.string() + ": loaded"));
  }

  TemporaryDirectory directory;
  ScopedEnvironment no_conda{"CONDA_PREFIX", nullptr}, no_venv{"VIRTUAL_ENV", nullptr}, no_path{"PYTHONPATH", nullptr},
      no_home{"CUDA_HOME", nullptr}, no_cuda_path{"CUDA_PATH", nullptr}, no_override{"LANZA_TEST_LIBRARY", nullptr};
};

TEST_F(Library, nothing_found_lists_every_attempt) {
  const ScopedEnvironment home("CUDA_HOME", "/nowhere");
  const LibrarySearch search{.environment = "LANZA_TEST_LIBRARY", .names = {"libno-such.so.2", "libno-such.so.1"}};
  const auto result = search.run();
  EXPECT_FALSE(result.library);
  EXPECT_THAT(result.attempts, Contains(HasSubstr("libno-such.so.1: cannot open shared object file")));
  EXPECT_THAT(result.attempts, Contains("/nowhere/lib64/libno-such.so.2: no such file (CUDA toolkit)"));
  EXPECT_EQ(search.locate(), fs::path());
}

TEST_F(Library, the_variable_decides_alone) {
  const std::string name = fresh_name();
  const auto path = put("a", name);
  const LibrarySearch search{.environment = "LANZA_TEST_LIBRARY", .names = {"libc.so.6"}};
  {
    const ScopedEnvironment wrong("LANZA_TEST_LIBRARY", "/nowhere/lib.so");
    const auto result = search.run();
    EXPECT_FALSE(result.library);
    ASSERT_EQ(result.attempts.size(), 1u);
    EXPECT_THAT(result.attempts[0], HasSubstr("/nowhere/lib.so: cannot open shared object file"));
    EXPECT_EQ(search.locate(), fs::path());
  }
  const ScopedEnvironment right("LANZA_TEST_LIBRARY", path.string());
  expect_found(search, path);
}

TEST_F(Library, what_is_loaded_already_is_taken) {
  const LibrarySearch search{.names = {"libc.so.6"}};
  const auto result = search.run();
  ASSERT_TRUE(result.library);
  EXPECT_THAT(result.attempts, testing::ElementsAre(HasSubstr("already loaded")));
  EXPECT_EQ(search.locate(), fs::path(result.library->path()));
}

TEST_F(Library, wheels_given_by_the_binding) {
  const std::string name = fresh_name();
  const auto path = put("site/nvidia/cu13/lib", name);
  add_wheel_directory(directory.path() / "site");
  expect_found({.names = {name}, .wheel_folders = {"nvidia/none/lib", "nvidia/cu13/lib"}}, path);
}

TEST_F(Library, wheels_of_virtual_environments_and_PYTHONPATH) {
  const std::string first = fresh_name(), second = fresh_name();
  const auto in_environment = put("venv/lib/python3.11/site-packages/nvidia/lib", first);
  const auto on_path = put("path/nvidia/lib", second);
  const ScopedEnvironment venv("VIRTUAL_ENV", (directory.path() / "venv").string());
  const ScopedEnvironment path("PYTHONPATH", "/nowhere:" + (directory.path() / "path").string());
  expect_found({.names = {first}, .wheel_folders = {"nvidia/lib"}}, in_environment);
  expect_found({.names = {second}, .wheel_folders = {"nvidia/lib"}}, on_path);
}

TEST_F(Library, conda_and_toolkit) {
  const std::string first = fresh_name(), second = fresh_name();
  const auto conda_file = put("conda/lib", first), toolkit_file = put("toolkit/lib64", second);
  const ScopedEnvironment conda("CONDA_PREFIX", (directory.path() / "conda").string());
  const ScopedEnvironment home("CUDA_HOME", (directory.path() / "toolkit").string());
  expect_found({.names = {first}}, conda_file);
  const LibrarySearch without_toolkit{.names = {second}, .toolkit = false};
  EXPECT_FALSE(without_toolkit.run().library);
  expect_found({.names = {second}}, toolkit_file);
}

TEST_F(Library, a_file_that_is_no_library_is_passed_over) {
  const std::string name = fresh_name();
  fs::create_directories(directory.path() / "conda/lib");
  write_file_atomically(directory.path() / "conda/lib" / name, "no ELF");
  const auto path = put("toolkit/lib64", name);
  const ScopedEnvironment conda("CONDA_PREFIX", (directory.path() / "conda").string());
  const ScopedEnvironment home("CUDA_PATH", (directory.path() / "toolkit").string());
  const auto result = LibrarySearch{.names = {name}}.run();
  ASSERT_TRUE(result.library);
  EXPECT_EQ(result.library->path(), path.string());
  EXPECT_THAT(result.attempts, Contains(HasSubstr("file too short")));
}

TEST(OwnLibraryPath, is_this_program) { EXPECT_EQ(own_library_path(), fs::canonical("/proc/self/exe")); }

}  // namespace
}  // namespace lanza
