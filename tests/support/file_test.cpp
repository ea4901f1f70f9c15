// Whole files and temporary directories.
#include "support/file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <lanza/error.hpp>

namespace lanza {
namespace {

namespace fs = std::filesystem;

std::size_t files_in(const fs::path& directory) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory), {}));
}

TEST(File, written_and_read_back) {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "a";
  for (const std::string& content : {std::string("hola"), std::string(), std::string(1 << 20, '\0')}) {
    write_file_atomically(path, content);
    EXPECT_EQ(read_file(path), content);
  }
  EXPECT_EQ(files_in(directory.path()), 1u) << "no temporary file stays";
}

TEST(File, has_the_mode_asked_for) {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "a";
  struct stat status;
  write_file_atomically(path, "x");
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  write_file_atomically(path, "x", 0644);
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644u);
}

TEST(File, what_cannot_be_read_is_nothing_or_says_why) {
  const TemporaryDirectory directory;
  EXPECT_EQ(read_file(directory.path() / "absent"), std::nullopt);
  EXPECT_EQ(read_file(directory.path()), std::nullopt);
  EXPECT_THAT([&] { read_file_or_throw(directory.path() / "absent"); },
              testing::ThrowsMessage<NotFound>(testing::EndsWith("absent: cannot be read: No such file or directory")));
}

TEST(File, files_without_a_size_are_read_whole) {
  const auto status = read_file("/proc/self/status");
  ASSERT_TRUE(status);
  EXPECT_THAT(*status, testing::HasSubstr("VmRSS"));
}

TEST(File, what_cannot_be_written_says_why_and_keeps_the_old) {
  const TemporaryDirectory directory;
  EXPECT_THAT(
      [&] { write_file_atomically(directory.path() / "no/such", "x"); },
      testing::ThrowsMessage<Error>(testing::EndsWith("no/such: cannot be written: No such file or directory")));
  const auto busy = directory.path() / "busy";
  fs::create_directories(busy / "inner");
  EXPECT_THROW(write_file_atomically(busy, "x"), Error);
  EXPECT_EQ(files_in(directory.path()), 1u) << "the temporary file is removed after a failure";
}

TEST(TemporaryDirectory, is_private_and_goes_with_all_it_holds) {
  fs::path path;
  {
    const TemporaryDirectory directory("lanza-test");
    path = directory.path();
    EXPECT_THAT(path.filename().string(), testing::StartsWith("lanza-test-"));
    struct stat status;
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700u);
    fs::create_directories(path / "a/b");
    write_file_atomically(path / "a/b/c", "x");
  }
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace lanza
