// Calls to helpers that wait: who answers which, and what taking back and leaving do to it.
#include "backend/cpu/call_board.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace lanza::testing {
namespace {

using executor::CallBoard;
using executor::HelpRequest;

void nothing(void*, unsigned) {}

HelpRequest request_of(int& context, unsigned number = 0) {
  return {.help = nothing, .context = &context, .numbered = true, .number = number};
}

TEST(CallBoard, CallsTheLowestOfThoseThatWait) {
  CallBoard board(5);
  int context = 0;
  HelpRequest request;
  EXPECT_EQ(board.call(request_of(context), 3), 0u) << "nobody is here";
  for (unsigned seat : {4u, 1u, 2u}) board.arrive(seat);
  EXPECT_EQ(board.count_waiting(), 3u);
  EXPECT_EQ(board.call(request_of(context, 7), 2), 2u);
  EXPECT_FALSE(board.answer(4, request));
  EXPECT_TRUE(board.answer(2, request));
  EXPECT_EQ(request.context, &context);
  EXPECT_EQ(request.number, 8u);
  EXPECT_TRUE(board.answer(1, request));
  EXPECT_EQ(request.number, 7u);
  EXPECT_FALSE(board.answer(1, request)) << "once";
  EXPECT_EQ(board.count_waiting(), 1u);
}

TEST(CallBoard, WhoWasCalledWaitsWhenReleased) {
  CallBoard board(3);
  int one = 0, other = 0;
  HelpRequest request;
  for (unsigned seat : {0u, 1u, 2u}) board.arrive(seat);
  ASSERT_EQ(board.call(request_of(one), 1), 1u);
  ASSERT_TRUE(board.answer(0, request));
  ASSERT_EQ(board.call(request_of(other), 9), 2u) << "but for the one that is busy";
  ASSERT_TRUE(board.answer(1, request) && board.answer(2, request));
  board.release(&one);
  EXPECT_EQ(board.count_waiting(), 1u);
  board.release_seat(2);
  EXPECT_EQ(board.count_waiting(), 2u);
  ASSERT_EQ(board.call(request_of(one), 9), 2u);
  EXPECT_FALSE(board.answer(1, request));
  EXPECT_TRUE(board.answer(0, request) && board.answer(2, request));
  EXPECT_EQ(request.number, 1u);
}

TEST(CallBoard, CarriesOneCallUntilAllHaveAnsweredOrAreTakenBack) {
  CallBoard board(3);
  int one = 0, other = 0;
  HelpRequest request;
  for (unsigned seat : {0u, 1u, 2u}) board.arrive(seat);
  ASSERT_EQ(board.call(request_of(one), 2), 2u);
  ASSERT_TRUE(board.answer(0, request));
  EXPECT_EQ(board.call(request_of(other), 1), 0u);
  EXPECT_EQ(board.take_back(&other, 0), 0u);
  EXPECT_EQ(board.take_back(&one, 5), 1u);
  EXPECT_EQ(board.take_back(&one, 5), 0u);
  EXPECT_FALSE(board.answer(1, request));
  EXPECT_EQ(board.core_to_avoid(1), 5);
  EXPECT_EQ(board.core_to_avoid(1), -1);
  EXPECT_EQ(board.call(request_of(other), 9), 2u) << "both of those that still wait";
  EXPECT_TRUE(board.answer(1, request) && board.answer(2, request));
  EXPECT_EQ(request.context, &other);
  EXPECT_EQ(request.number, 1u);
}

TEST(CallBoard, WhoWasCalledDoesNotGoWithoutAnAnswer) {
  CallBoard board(2);
  int context = 0;
  HelpRequest request;
  board.arrive(0);
  EXPECT_TRUE(board.leave(0));
  EXPECT_EQ(board.call(request_of(context), 1), 0u);
  board.arrive(0);
  ASSERT_EQ(board.call(request_of(context), 1), 1u);
  EXPECT_FALSE(board.leave(0));
  EXPECT_TRUE(board.answer(0, request));
  EXPECT_TRUE(board.leave(0));
  board.arrive(0);
  EXPECT_EQ(board.count_waiting(), 0u) << "it was not released";
}

// Each call is answered by each helper that it counts, with the request that belongs to it, or is taken back.
TEST(CallBoard, NoCallIsLostAmongCallersAndHelpers) {
  constexpr unsigned seats = 3, callers = 2, calls = 20000;
  CallBoard board(seats);
  std::atomic<unsigned> answered[callers] = {};
  std::atomic<unsigned> all{0};
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (unsigned seat = 0; seat < seats; ++seat) {
    threads.emplace_back([&, seat] {
      HelpRequest request;
      while (!over) {
        board.arrive(seat);
        do {
          for (int i = 0; i < 50; ++i) {
            if (board.answer(seat, request)) ++*static_cast<std::atomic<unsigned>*>(request.context);
            if (i == 25) std::this_thread::yield();  // one processor, too, has callers while somebody waits
          }
        } while (!board.leave(seat));
        std::this_thread::yield();
      }
    });
  }
  for (unsigned caller = 0; caller < callers; ++caller) {
    threads.emplace_back([&, caller] {
      // On a machine that does other things helpers may come late.
      for (unsigned i = 0, expected = 0; i < calls || (answered[caller] == 0 && i < 10 * calls); ++i) {
        expected += board.call({.help = nothing, .context = &answered[caller]}, 1 + i % seats);
        if (i % 3 == 0) expected -= board.take_back(&answered[caller], -1);
        for (int turn = 0; turn < 1000000 && answered[caller] != expected; ++turn) std::this_thread::yield();
        ASSERT_EQ(answered[caller], expected) << i;
        board.release(&answered[caller]);
        if (i % 16 == 0) std::this_thread::yield();
      }
      all += answered[caller];
    });
  }
  for (unsigned caller = 0; caller < callers; ++caller) threads[seats + caller].join();
  over = true;
  for (unsigned seat = 0; seat < seats; ++seat) threads[seat].join();
  EXPECT_GT(all, 0u);
}

}  // namespace
}  // namespace lanza::testing
