// How a kernel's blocks are shared: parts that nobody clears, and the way that took less.
#include "backend/cpu/sharing_history.hpp"

#include <gtest/gtest.h>

#include "backend/cpu/block_tickets.hpp"
#include "backend/cpu/taken_parts.hpp"

namespace lanza::testing {
namespace {

using executor::SharingHistory;
using executor::TakenParts;
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

constexpr unsigned tries = 32;

TEST(SharingHistory, TriesBothByTurnsAndKeepsTheFaster) {
  SharingHistory history;
  const Work one{.threads = 1000}, other{.threads = 2000}, keyed{.threads = 1000, .key = 77};
  EXPECT_EQ(whole_of(history, one, 4, 100, 200), 4u);
  EXPECT_EQ(whole_of(history, one, 4, 100, 200), 0u);
  EXPECT_EQ(whole_of(history, one, tries - 8, 100, 200), tries / 2 - 4);
  EXPECT_EQ(whole_of(history, other, tries, 200, 100), tries / 2);
  EXPECT_EQ(whole_of(history, keyed, tries, 99, 100), tries / 2);
  EXPECT_EQ(whole_of(history, one, 40, 100, 200), 40u);
  EXPECT_EQ(whole_of(history, other, 40, 200, 100), 0u);
  EXPECT_EQ(whole_of(history, keyed, 40, 99, 100), 0u) << "not clearly faster";
}

TEST(SharingHistory, OneSlowLaunchChangesNothing) {
  SharingHistory history;
  const Work work{.threads = 1};
  whole_of(history, work, tries, 100, 150);
  EXPECT_EQ(whole_of(history, work, 20, 1000, 150), 20u);
}

TEST(SharingHistory, TriesBothAnewEverMoreRarely) {
  SharingHistory history;
  const Work work{.threads = 1};
  constexpr unsigned first = 4 * tries;
  whole_of(history, work, first, 100, 150);
  EXPECT_EQ(whole_of(history, work, 2 * first + 1, 150, 100), tries / 2);
  EXPECT_EQ(whole_of(history, work, tries, 100, 150), tries / 2);
  EXPECT_EQ(whole_of(history, work, 3 * first, 100, 150), 3 * first);
}

TEST(SharingHistory, ForgetsTheOldestOfManyKinds) {
  SharingHistory history;
  for (std::uint64_t threads = 1; threads <= 9; ++threads) whole_of(history, {.threads = threads}, tries, 100, 200);
  EXPECT_EQ(whole_of(history, {.threads = 9}, 6, 100, 200), 6u);
  EXPECT_EQ(whole_of(history, {.threads = 1}, tries, 100, 200), tries / 2) << "tried anew";
}

TEST(TakenParts, ANewLaunchHasTakenNothing) {
  TakenParts memory(2);
  const auto two_more = [](std::uint64_t taken) { return taken + 2; };
  for (int launch = 0; launch < 70000; ++launch) {  // more than launches have numbers
    TakenParts::Launch parts = memory.begin();
    ASSERT_EQ(parts.taken_of(0), 0u) << launch;
    ASSERT_FALSE(parts.is_begun(0)) << launch;
    ASSERT_TRUE(parts.take(0, two_more) && parts.take(0, two_more));
    parts.note_begun(0);
    ASSERT_EQ(parts.taken_of(0), 4u);
    ASSERT_TRUE(parts.is_begun(0));
    if (launch == 0) {
      ASSERT_TRUE(parts.take(1, two_more));  // and never again, until the number comes that this launch had
    }
    ASSERT_EQ(parts.taken_of(1), launch == 0 ? 2u : 0u) << launch;
    ASSERT_FALSE(parts.take(1, [](std::uint64_t taken) { return taken; })) << "no more";
  }
}

}  // namespace
}  // namespace lanza::testing
