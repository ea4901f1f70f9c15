// The tickets by which threads share the blocks of a grid.
#include "backend/cpu/block_tickets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <new>
#include <thread>
#include <vector>

#include "backend/cpu/cache_aligned.hpp"
#include "backend/cpu/taken_parts.hpp"

namespace lanza::testing {
namespace {

using executor::TakenParts;

// All blocks that several threads take, each under its own number.
std::vector<int> taken(executor::BlockTickets& tickets, std::uint64_t total, unsigned threads) {
  std::vector<std::atomic<int>> times(total);
  std::vector<std::thread> workers;
  for (unsigned w = 0; w < threads; ++w) {
    workers.emplace_back([&, w] {
      executor::BlockRange range;
      while (tickets.take(w, range))
        for (std::uint64_t i = range.first; i < range.last; ++i) ++times[i];
    });
  }
  for (auto& worker : workers) worker.join();
  return {times.begin(), times.end()};
}

TEST(BlockTickets, EveryBlockIsTakenOnce) {
  for (std::uint64_t total : {1ull, 2ull, 7ull, 64ull, 1000ull, 100003ull}) {
    for (unsigned parts : {1u, 2u, 3u, 64u}) {
      executor::BlockTickets split(total), ahead(total), ordered(total), backwards(total);
      split.split(parts);
      ahead.split(parts, {.head_start = 50});
      backwards.split(parts, {.head_start = 5, .grain = 3, .backwards = true});
      EXPECT_EQ(taken(backwards, total, 4), std::vector<int>(total, 1)) << total << " in " << parts;
      EXPECT_EQ(taken(ahead, total, 4), std::vector<int>(total, 1)) << total << " in " << parts;
      ordered.keep_order(total / (8 * parts));
      EXPECT_EQ(split.left(), total);
      EXPECT_EQ(taken(split, total, 4), std::vector<int>(total, 1)) << total << " in " << parts;
      EXPECT_EQ(taken(ordered, total, 4), std::vector<int>(total, 1));
      EXPECT_EQ(split.left() + ordered.left(), 0u);
    }
  }
}

TEST(BlockTickets, AWorkerBeginsWithItsOwnPartAndInOrderAllAscend) {
  executor::BlockTickets split(1000);
  split.split(4);
  executor::BlockRange range;
  for (unsigned worker : {2u, 0u, 3u, 1u}) {
    ASSERT_TRUE(split.take(worker, range));
    EXPECT_EQ(range.first, 250 * worker);
  }
  std::uint64_t expected = 0;
  executor::BlockTickets ordered(1000);
  ordered.keep_order(30);
  while (ordered.take(3, range)) {
    EXPECT_EQ(range.first, expected);
    expected = range.last;
  }
  EXPECT_EQ(expected, 1000u);
}

TEST(BlockTickets, BackwardsAPartIsTakenFromItsEndInSmallTakes) {
  executor::BlockTickets tickets(1600);
  tickets.split(2, {.backwards = true});
  executor::BlockRange range;
  for (std::uint64_t worker : {1u, 0u}) {
    std::uint64_t expected = 800 * (worker + 1);
    while (expected > 800 * worker) {
      ASSERT_TRUE(tickets.take(static_cast<unsigned>(worker), range));
      EXPECT_EQ(range.last, expected);
      EXPECT_LE(range.last - range.first, 75u);  // a part's sixteenth, or what is less than half of one more
      expected = range.first;
    }
    EXPECT_EQ(expected, 800 * worker);
  }
}

TEST(BlockTickets, TheFirstPartIsLargerByTheHeadStart) {
  executor::BlockTickets tickets(1000);
  tickets.split(4, {.head_start = 200});
  executor::BlockRange range;
  ASSERT_TRUE(tickets.take(0, range));
  EXPECT_EQ(range.last, 200u);  // half of 400
  for (std::uint64_t worker : {1u, 2u, 3u}) {
    ASSERT_TRUE(tickets.take(static_cast<unsigned>(worker), range));
    EXPECT_EQ(range.first, 200 + 200 * worker);
    EXPECT_EQ(range.last, range.first + 100);
  }
}

TEST(CacheAligned, MemoryBeginsAtACacheLine) {
  executor::CacheAligned<char> bytes;
  std::vector<char*> all;
  for (std::size_t size = 1; size < 300; ++size) {
    all.push_back(bytes.allocate(size));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(all.back()) % executor::cache_line, 0u);
    std::fill_n(all.back(), size, 'x');
  }
  for (std::size_t size = 1; size < 300; ++size) {
    EXPECT_EQ(std::count(all[size - 1], all[size - 1] + size, 'x'), static_cast<std::ptrdiff_t>(size));
    bytes.deallocate(all[size - 1], size);
  }
  EXPECT_THROW(executor::CacheAligned<double>().allocate(SIZE_MAX / 8), std::bad_array_new_length);
}

TEST(BlockTickets, NoTakeIsSmallerThanAGrainAndOwnOnesAreFour) {
  executor::BlockTickets tickets(2000);
  tickets.split(2, {.grain = 100});
  executor::BlockRange range;
  std::vector<std::uint64_t> firsts, lasts;
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(tickets.take(0, range));
    firsts.push_back(range.first), lasts.push_back(range.last);
  }
  // What is left of its own part, 500 of 1000, is no two takes. Then a half of the other part, and of what is left.
  EXPECT_EQ(firsts, (std::vector<std::uint64_t>{0, 500, 1000, 1500}));
  EXPECT_EQ(lasts, (std::vector<std::uint64_t>{500, 1000, 1500, 1750}));
}

TEST(BlockTickets, APatientWorkerLeavesTheLastGrainsToOneThatHasCome) {
  executor::BlockTickets tickets(2000), absent(500);
  tickets.split(2, {.grain = 150});
  executor::BlockRange range;
  ASSERT_TRUE(tickets.take(1, range));
  EXPECT_EQ(range.last, 1600u);
  ASSERT_TRUE(tickets.take(0, range, true) && tickets.take(0, range, true));
  EXPECT_EQ(range.last, 1000u);
  ASSERT_TRUE(tickets.take(0, range, true));
  EXPECT_EQ(range.first, 1600u);  // 400 are more than two grains
  EXPECT_EQ(range.last, 1800u);
  EXPECT_FALSE(tickets.take(0, range, true));
  ASSERT_TRUE(tickets.take(0, range));
  EXPECT_EQ(range.last, 2000u);

  absent.split(2, {.grain = 150});
  std::uint64_t last = 0;
  while (absent.take(0, range, true)) last = range.last;
  EXPECT_EQ(last, 500u);
}

TEST(BlockTickets, PartsOfWhatAnotherRunHasLeft) {
  executor::BlockTickets begun(100), rest(100);
  executor::BlockRange range;
  begun.keep_order(33);
  ASSERT_TRUE(begun.take(0, range));
  rest.take_over(begun);
  rest.split(3);
  std::vector<int> expected(100, 1);
  std::fill_n(expected.begin(), 33, 0);
  EXPECT_EQ(taken(rest, 100, 3), expected);
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
