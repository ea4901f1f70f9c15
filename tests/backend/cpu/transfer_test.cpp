// Copies and fills, small and by all threads.
#include "backend/cpu/transfer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

namespace lanza::testing {
namespace {

constexpr std::size_t mega = std::size_t{1} << 20;
constexpr std::size_t sizes[] = {0, 1, 100, mega - 1, 16 * mega, 16 * mega + 12345};

std::vector<unsigned char> numbers(std::size_t count) {
  std::vector<unsigned char> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<unsigned char>(i * 2654435761u >> 13);
  return bytes;
}

TEST(LargeTransfer, CopiesEveryByteAndNoOther) {
  for (const std::size_t bytes : sizes) {
    const auto source = numbers(bytes);
    std::vector<unsigned char> destination(bytes + 2, 99);
    executor::copy_memory(destination.data() + 1, source.data(), bytes);
    EXPECT_TRUE(std::equal(source.begin(), source.end(), destination.begin() + 1)) << bytes;
    EXPECT_EQ(destination.front(), 99);
    EXPECT_EQ(destination.back(), 99);
  }
}

TEST(LargeTransfer, SourceAndDestinationMayOverlap) {
  const auto source = numbers(16 * mega);
  for (const std::size_t shift : {std::size_t{1}, mega}) {
    auto up = source, down = source;
    executor::copy_memory(up.data() + shift, up.data(), up.size() - shift);
    executor::copy_memory(down.data(), down.data() + shift, down.size() - shift);
    EXPECT_TRUE(std::equal(up.begin() + static_cast<long>(shift), up.end(), source.begin()));
    EXPECT_TRUE(std::equal(source.begin() + static_cast<long>(shift), source.end(), down.begin()));
  }
}

TEST(LargeTransfer, FillsWithElementsOfEverySize) {
  const auto value = numbers(16);
  for (const std::size_t size : {1u, 2u, 4u, 8u, 16u}) {
    for (const std::size_t bytes : sizes) {
      const std::size_t count = bytes / size;
      std::vector<unsigned char> destination(count * size + 1, 99);
      executor::fill_memory(destination.data(), value.data(), size, count);
      bool right = destination.back() == 99;
      for (std::size_t i = 0; i < count * size; ++i) right = right && destination[i] == value[i % size];
      EXPECT_TRUE(right) << count << " elements of " << size;
    }
  }
}

}  // namespace
}  // namespace lanza::testing
