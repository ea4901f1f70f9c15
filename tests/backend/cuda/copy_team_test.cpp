// Copies with several threads are whole.
#include "backend/cuda/copy_team.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace lanza::cuda_backend {
namespace {

TEST(CopyTeam, EverySizeArrivesWhole) {
  CopyTeam team;
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4095}, std::size_t{4096}, std::size_t{4097},
                                  std::size_t{1000003}, std::size_t{4} << 20}) {
    std::vector<unsigned char> from(bytes), to(bytes + 1, 0xEE);
    for (std::size_t i = 0; i < bytes; ++i) from[i] = static_cast<unsigned char>(i * 31 + i / 251);
    team.copy(to.data(), from.data(), bytes);
    EXPECT_TRUE(std::equal(from.begin(), from.end(), to.begin()));
    EXPECT_EQ(to.back(), 0xEE);
  }
}

TEST(CopyTeam, ManyCopiesInARow) {
  CopyTeam team;
  std::vector<int> from(30000), to(from.size());
  for (int round = 0; round < 500; ++round) {
    std::iota(from.begin(), from.end(), round);
    team.copy(to.data(), from.data(), from.size() * sizeof(int));
    ASSERT_EQ(from, to);
  }
}

TEST(CopyTeam, UnusedTeamsEnd) { const CopyTeam team; }

}  // namespace
}  // namespace lanza::cuda_backend
