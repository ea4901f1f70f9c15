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
  EXPECT_EQ(board.call(request_of(context), 3), 0u) << "nobody waits";
  for (unsigned seat : {4u, 1u, 2u}) board.sit_down(seat);
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

TEST(CallBoard, CarriesOneCallUntilAllHaveAnsweredOrAreTakenBack) {
  CallBoard board(3);
  int one = 0, other = 0;
  HelpRequest request;
  for (unsigned seat : {0u, 1u, 2u}) board.sit_down(seat);
  ASSERT_EQ(board.call(request_of(one), 2), 2u);
  ASSERT_TRUE(board.answer(0, request));
  EXPECT_EQ(board.call(request_of(other), 1), 0u);
  EXPECT_EQ(board.take_back(&other, 0), 0u);
  EXPECT_EQ(board.take_back(&one, 5), 1u);
  EXPECT_EQ(board.take_back(&one, 5), 0u);
  EXPECT_FALSE(board.answer(1, request));
  EXPECT_EQ(board.core_to_avoid(1), 5);
  EXPECT_EQ(board.core_to_avoid(1), -1);
  // Both of those that wait still do.
  EXPECT_EQ(board.call(request_of(other), 9), 2u);
  EXPECT_TRUE(board.answer(1, request) && board.answer(2, request));
  EXPECT_EQ(request.context, &other);
  EXPECT_EQ(request.number, 1u);
}

TEST(CallBoard, WhoLeavesAnswersWhatCameBefore) {
  CallBoard board(2);
  int context = 0;
  HelpRequest request;
  board.sit_down(0);
  EXPECT_FALSE(board.get_up(0, request));
  EXPECT_EQ(board.call(request_of(context), 1), 0u);
  board.sit_down(0);
  ASSERT_EQ(board.call(request_of(context), 1), 1u);
  EXPECT_TRUE(board.get_up(0, request));
  EXPECT_EQ(request.context, &context);
  EXPECT_EQ(board.take_back(&context, 0), 0u);
}

// Each call is answered by each helper that it counts, with the request that belongs to it, or is taken back.
TEST(CallBoard, NoCallIsLostAmongCallersAndHelpers) {
  constexpr unsigned seats = 3, callers = 2, calls = 20000;
  CallBoard board(seats);
  std::atomic<unsigned> answered[callers] = {}, expected[callers] = {}, taken_back{0};
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (unsigned seat = 0; seat < seats; ++seat) {
    threads.emplace_back([&, seat] {
      HelpRequest request;
      while (!over) {
        board.sit_down(seat);
        bool called = false;
        for (int i = 0; i < 50 && !called; ++i) called = board.answer(seat, request);
        if (called || board.get_up(seat, request)) ++*static_cast<std::atomic<unsigned>*>(request.context);
        std::this_thread::yield();
      }
    });
  }
  for (unsigned caller = 0; caller < callers; ++caller) {
    threads.emplace_back([&, caller] {
      for (unsigned i = 0; i < calls; ++i) {
        expected[caller] += board.call({.help = nothing, .context = &answered[caller]}, 1 + i % seats);
        if (i % 3 == 0) taken_back += board.take_back(&answered[caller], -1);
        if (i % 16 == 0) std::this_thread::yield();
      }
      taken_back += board.take_back(&answered[caller], -1);
    });
  }
  for (unsigned caller = 0; caller < callers; ++caller) threads[seats + caller].join();
  over = true;
  for (unsigned seat = 0; seat < seats; ++seat) threads[seat].join();
  EXPECT_EQ(answered[0] + answered[1] + taken_back, expected[0] + expected[1]);
  EXPECT_GT(answered[0] + answered[1], 0u);
}

}  // namespace
}  // namespace lanza::testing
