// Which way of sharing its blocks a kernel keeps.
#include "backend/cpu/sharing_history.hpp"

#include <gtest/gtest.h>

namespace lanza::testing {
namespace {

using executor::SharingHistory;
using executor::Work;

// Launches of which each takes as long as its way does; how many took whole parts.
unsigned whole_of(SharingHistory& history, const Work& work, unsigned launches, double whole_ns, double small_ns) {
  unsigned count = 0;
  for (unsigned i = 0; i < launches; ++i) {
    const bool whole = history.wants_whole(work);
    history.record(work, whole, whole ? whole_ns : small_ns);
    count += whole;
  }
  return count;
}

constexpr unsigned turn = 8;

TEST(SharingHistory, TriesBothAndKeepsTheFaster) {
  SharingHistory history;
  const Work one{.threads = 1000}, other{.threads = 2000}, keyed{.threads = 1000, .key = 77};
  EXPECT_EQ(whole_of(history, one, turn, 100, 200), turn);
  EXPECT_EQ(whole_of(history, one, turn, 100, 200), 0u);
  EXPECT_EQ(whole_of(history, one, turn, 100, 200), turn);
  EXPECT_EQ(whole_of(history, other, 3 * turn, 200, 100), turn);
  EXPECT_EQ(whole_of(history, keyed, 3 * turn, 99, 100), turn) << "not clearly faster";
}

TEST(SharingHistory, TheOtherWayHasItsTurnEverMoreRarely) {
  SharingHistory history;
  const Work work{.threads = 1};
  EXPECT_EQ(whole_of(history, work, 100 * turn, 200, 100), 7 * turn);
  EXPECT_EQ(whole_of(history, work, 1000 * turn, 200, 100), 4 * turn);
  EXPECT_GT(whole_of(history, work, 1000 * turn, 50, 100), 480 * turn) << "from its next turn on";
}

TEST(SharingHistory, TheFirstOfATurnDoesNotCount) {
  SharingHistory history;
  const Work work{.threads = 1};
  const auto launch = [&](double whole_ns, double small_ns) {
    const bool whole = history.wants_whole(work);
    history.record(work, whole, whole ? whole_ns : small_ns);
    return whole;
  };
  for (unsigned i = 0; i < 2 * turn; ++i) launch(i % turn == 0 ? 9000 : 100, i % turn == 0 ? 1 : 200);
  EXPECT_TRUE(launch(9000, 1));
}

TEST(SharingHistory, AWayThatHasBecomeSlowerIsLeft) {
  SharingHistory history;
  const Work work{.threads = 1};
  whole_of(history, work, 3 * turn, 100, 150);
  EXPECT_LE(whole_of(history, work, 5 * turn, 300, 150), 2 * turn);
}

TEST(SharingHistory, OneSlowLaunchChangesNothing) {
  SharingHistory history;
  const Work work{.threads = 1};
  whole_of(history, work, 100 * turn, 100, 150);
  ASSERT_TRUE(history.wants_whole(work));
  history.record(work, true, 1e9);
  EXPECT_GT(whole_of(history, work, 20 * turn, 100, 150), 19 * turn);
}

TEST(SharingHistory, ForgetsTheOldestOfManyKinds) {
  SharingHistory history;
  for (std::uint64_t threads = 1; threads <= 9; ++threads) whole_of(history, {.threads = threads}, 2 * turn, 100, 200);
  EXPECT_EQ(whole_of(history, {.threads = 9}, turn, 100, 200), turn);
  EXPECT_EQ(whole_of(history, {.threads = 1}, 2 * turn, 100, 200), turn) << "tried anew";
}

}  // namespace
}  // namespace lanza::testing
