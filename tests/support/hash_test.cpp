// Hashes: known values, and fields that never run together.
#include "support/hash.hpp"

#include <gtest/gtest.h>

#include <set>

namespace lanza {
namespace {

TEST(Hash, is_xxh3_128) {
  // From xxhsum -H2 of an empty input and of "a".
  EXPECT_EQ(hash128("").hex(), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(hash128("a").hex(), "a96faf705af16834e6c632b61e964e1f");
}

TEST(Hash, hex_has_32_digits_with_leading_zeros) {
  EXPECT_EQ((Hash128{1, 0xab}.hex()), "000000000000000100000000000000ab");
}

TEST(Hasher, keeps_fields_apart) {
  std::set<Hash128> seen;
  seen.insert(Hasher().add("ab").add("c").finish());
  seen.insert(Hasher().add("a").add("bc").finish());
  seen.insert(Hasher().add("abc").finish());
  seen.insert(Hasher().add("abc").add("").finish());
  seen.insert(Hasher().add("").add("abc").finish());
  seen.insert(Hasher().add(std::uint64_t{0}).finish());
  seen.insert(Hasher().add(std::string_view("\0\0\0\0\0\0\0\0", 8)).finish());
  seen.insert(Hasher().add(std::uint64_t{0x74}).add(std::uint64_t{0}).finish());
  seen.insert(Hasher().add("").finish());
  seen.insert(Hasher().finish());
  EXPECT_EQ(seen.size(), 10u);
}

TEST(Hasher, is_the_same_every_time_and_can_go_on) {
  Hasher hasher;
  hasher.add("a");
  const Hash128 first = hasher.finish();
  EXPECT_EQ(first, hasher.finish());
  EXPECT_EQ(first, Hasher().add("a").finish());
  EXPECT_EQ(hasher.add("b").finish(), Hasher().add("a").add("b").finish());
}

}  // namespace
}  // namespace lanza
