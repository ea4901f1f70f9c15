// Build ids: read from ELF notes, replaced by a hash, never trusted.
#include <gtest/gtest.h>

#include "support/file.hpp"
#include "support/hash.hpp"
#include "support/library.hpp"

namespace lanza {
namespace {

TEST(BuildId, is_that_of_the_linker) { EXPECT_EQ(build_id(FOUND_LIBRARY), "feedbeef"); }

TEST(BuildId, is_a_hash_of_the_content_where_there_is_none) {
  EXPECT_EQ(build_id(PLAIN_LIBRARY), hash128(read_file_or_throw(PLAIN_LIBRARY)).hex());
  const TemporaryDirectory directory;
  write_file_atomically(directory.path() / "text", "no ELF");
  EXPECT_EQ(build_id(directory.path() / "text"), hash128("no ELF").hex());
}

TEST(BuildId, is_empty_for_what_cannot_be_read) {
  EXPECT_EQ(build_id("/no/such/file"), "");
  EXPECT_EQ(build_id("/"), "");
}

TEST(BuildId, survives_every_truncation_and_damaged_headers) {
  const std::string whole = read_file_or_throw(FOUND_LIBRARY);
  const TemporaryDirectory directory;
  const auto path = directory.path() / "damaged";
  for (std::size_t size = 0; size < std::min<std::size_t>(whole.size(), 1500); size += 7) {
    write_file_atomically(path, std::string_view(whole).substr(0, size));
    EXPECT_FALSE(build_id(path).empty());
  }
  for (std::size_t at = 4; at < 1000; at += 3) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(0xff);
    write_file_atomically(path, damaged);
    EXPECT_FALSE(build_id(path).empty());
  }
}

}  // namespace
}  // namespace lanza
