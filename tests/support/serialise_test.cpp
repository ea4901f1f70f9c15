// Records written and read back, and reading that never trusts.
#include "support/serialise.hpp"

#include <gtest/gtest.h>

namespace lanza {
namespace {

TEST(Serialise, reads_what_was_written) {
  const std::string bytes = Writer().number(0).text("").number(~std::uint64_t{0}).text(std::string("a\0b", 3)).take();
  Reader reader(bytes);
  EXPECT_EQ(reader.number(), 0u);
  EXPECT_EQ(reader.text(), "");
  EXPECT_EQ(reader.number(), ~std::uint64_t{0});
  EXPECT_EQ(reader.text(), std::string("a\0b", 3));
  EXPECT_TRUE(reader.ok());
  EXPECT_TRUE(reader.at_end());
}

TEST(Serialise, numbers_are_little_endian) {
  EXPECT_EQ(Writer().number(0x0102).take(), std::string("\2\1\0\0\0\0\0\0", 8));
}

TEST(Serialise, every_truncation_is_noticed) {
  const std::string bytes = Writer().number(7).text("hola").take();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Reader reader(std::string_view(bytes).substr(0, size));
    reader.number();
    reader.text();
    EXPECT_FALSE(reader.ok()) << size;
  }
}

TEST(Serialise, a_size_beyond_the_end_is_noticed_without_allocating_it) {
  const std::string bytes = Writer().number(~std::uint64_t{0}).number(1).take();
  Reader reader(bytes);
  EXPECT_EQ(reader.text(), "");
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.number(), 0u);
}

}  // namespace
}  // namespace lanza
