// Environment variables and sizes.
#include "support/environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanza/error.hpp>

#include "support/scoped_environment.hpp"

namespace lanza {
namespace {

TEST(Environment, unset_and_empty_are_nothing) {
  const test::ScopedEnvironment unset("LANZA_TEST_A", nullptr), empty("LANZA_TEST_B", ""), set("LANZA_TEST_C", "x y");
  EXPECT_EQ(environment("LANZA_TEST_A"), std::nullopt);
  EXPECT_EQ(environment("LANZA_TEST_B"), std::nullopt);
  EXPECT_EQ(environment("LANZA_TEST_C"), "x y");
}

TEST(ParseSize, takes_units) {
  EXPECT_EQ(parse_size("512", "S"), 512u);
  EXPECT_EQ(parse_size("0", "S"), 0u);
  EXPECT_EQ(parse_size("3K", "S"), 3072u);
  EXPECT_EQ(parse_size("64m", "S"), 64u << 20);
  EXPECT_EQ(parse_size("2G", "S"), std::uint64_t{2} << 30);
  EXPECT_EQ(parse_size("18446744073709551615", "S"), ~std::uint64_t{0});
}

TEST(ParseSize, refuses_the_rest_with_the_name_and_the_text) {
  for (const char* text : {"", "K", "-1", "1.5G", "1KB", " 1", "1 ", "18446744073709551616", "17179869184G", "0x10"})
    EXPECT_THROW(parse_size(text, "S"), InvalidArgument) << text;
  EXPECT_THAT([] { parse_size("viel", "LANZA_CACHE_SIZE"); },
              testing::ThrowsMessage<InvalidArgument>(
                  "LANZA_CACHE_SIZE: expected a size in bytes such as 512, 512K, 64M or 2G, got 'viel'"));
}

}  // namespace
}  // namespace lanza
