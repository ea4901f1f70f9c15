// Grids: order of blocks, blocks that wait for others, barriers of the grid, failures.
#include "backend/cpu/grid_run.hpp"

#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

#include "backend/cpu/alone.hpp"
#include "backend/cpu/services.hpp"
#include "backend/cpu/worker_pool.hpp"
#include "executor_fixture.hpp"

namespace lanza::testing {
namespace {

using GridRun = ExecutorTest;

struct Shared {
  std::atomic<std::uint64_t> value{0};
  std::uint64_t* out = nullptr;
};

LanzaLaunch launch_for(Dim3 grid, Dim3 block) {
  return {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, 0, 0, nullptr, &executor::services, nullptr};
}

void mark(ThreadContext t) { ++t.argument<std::uint64_t*>()[t.block->index[0]]; }

TEST_F(GridRun, EveryBlockRunsOnce) {
  for (unsigned n : {1u, 2u, 3u, 7u, 16u, 1000u, 100003u}) {
    std::vector<std::uint64_t> out(n);
    run(loop_kernel<mark>, n, 1, out.data());
    EXPECT_EQ(out, std::vector<std::uint64_t>(n, 1));
    run(loop_kernel<mark, 0>, n, 2, out.data());
    EXPECT_EQ(out, std::vector<std::uint64_t>(n, 3));
  }
}

// How many calls were alone, of how many.
struct Alone {
  unsigned alone = 0, calls = 0;
};

std::int32_t note_alone(const LanzaLaunch* launch, const void* arguments, LanzaBlock* block) {
  auto& noted = **static_cast<Alone* const*>(arguments);
  ++noted.calls;
  noted.alone += block->alone;
  if (block->end == 1000) launch->services->fail(block, LANZA_FAIL_TRAP, nullptr, nullptr, 0, nullptr);
  block->next = block->end;
  return LANZA_DONE;
}

constexpr LanzaKernelObject noting_alone{LANZA_KERNEL_ABI,
                                         LANZA_KERNEL_RANGES | LANZA_KERNEL_IN_ORDER | LANZA_KERNEL_ALONE,
                                         note_alone,
                                         0,
                                         {0, 0, 0},
                                         1,
                                         0,
                                         "{}"};

Alone run_alone(unsigned blocks, unsigned may_be_alone) {
  Alone noted;
  Alone* const arguments = &noted;
  executor::GridRun run(launch_for(blocks, 1), noting_alone, &arguments, false);
  run.may_be_alone(may_be_alone);
  EXPECT_TRUE(run.run_alone(executor::GridRun::never));
  EXPECT_EQ(run.was_alone(), noted.alone == noted.calls);
  EXPECT_EQ(run.stopped(), blocks == 1000);
  return noted;
}

TEST_F(GridRun, WhoRunsBesideOthersIsNotAlone) {
  const Alone alone = run_alone(100, 100);
  EXPECT_EQ(alone.calls, 4u);
  EXPECT_EQ(alone.alone, 4u);
  EXPECT_EQ(run_alone(100, 0).alone, 0u);
  executor::beside::enter();
  EXPECT_EQ(run_alone(100, 100).alone, 0u);
  executor::beside::leave();
  EXPECT_EQ(run_alone(100, 100).alone, 4u);
}

TEST_F(GridRun, WhoFailsIsNotAloneAnyMore) {
  EXPECT_EQ(run_alone(1000, 1000).alone, 4u);
  executor::beside::enter();  // does not wait for ever
  executor::beside::leave();
  EXPECT_EQ(run_alone(100, 100).alone, 4u);
}

// Blocks of each call.
std::int32_t note_range(const LanzaLaunch*, const void* arguments, LanzaBlock* block) {
  (*static_cast<std::vector<std::uint64_t>* const*>(arguments))->push_back(block->end - block->next);
  block->next = block->end;
  return LANZA_DONE;
}

std::vector<std::uint64_t> ranges_of_one_worker(std::uint32_t flags) {
  const LanzaKernelObject code{LANZA_KERNEL_ABI, LANZA_KERNEL_RANGES | flags, note_range, 0, {0, 0, 0}, 1, 0, "{}"};
  std::vector<std::uint64_t> ranges;
  auto* const arguments = &ranges;
  const auto run = std::make_shared<executor::GridRun>(launch_for(64, 256), code, &arguments, false);
  run->has_team_of(1);
  EXPECT_TRUE(run->lead());
  return ranges;
}

TEST_F(GridRun, WhatStridesByTheGridIsNotDivided) {
  EXPECT_EQ(ranges_of_one_worker(LANZA_KERNEL_GRID_STRIDES), std::vector<std::uint64_t>{64});
  const std::vector<std::uint64_t> divided = ranges_of_one_worker(0);
  EXPECT_GT(divided.size(), 1u);
  EXPECT_EQ(std::accumulate(divided.begin(), divided.end(), std::uint64_t{0}), 64u);
}

// Each worker counts the blocks of its calls for itself.
struct Counted {
  std::atomic<std::uint64_t> at_once{0}, later{0}, tables{0};
};

std::int32_t count_blocks(const LanzaLaunch*, const void* arguments, LanzaBlock* block) {
  auto& counted = **static_cast<Counted* const*>(arguments);
  const std::uint64_t blocks = block->end - block->next;
  if (!block->counters) {
    counted.at_once += blocks;
  } else if (auto& own = *reinterpret_cast<std::uint64_t*>(block->counters); blocks) {
    own += blocks;
  } else {
    counted.later += own;
    ++counted.tables;
  }
  block->next = block->end;
  return LANZA_DONE;
}

constexpr LanzaKernelObject counting{
    LANZA_KERNEL_ABI, LANZA_KERNEL_RANGES, count_blocks, 0, {0, 0, 0}, 1, 0, "{}", 0, 0, 0, 1024};

TEST_F(GridRun, WorkersCountForThemselvesAndOnce) {
  for (int i = 0; i < 3; ++i) {
    Counted counted;
    run(counting, 100003, 32, &counted);
    EXPECT_EQ(counted.later, 100003u);
    EXPECT_EQ(counted.at_once, 0u);
    EXPECT_LE(counted.tables, executor::worker_count());
  }
}

TEST_F(GridRun, FewThreadsCountAtOnce) {
  Counted counted;
  run(counting, 15, 32, &counted);
  EXPECT_EQ(counted.at_once, 15u);
  EXPECT_EQ(counted.tables, 0u);
}

TEST_F(GridRun, OneThreadCountsForItself) {
  Counted counted;
  Counted* argument = &counted;
  executor::GridRun run(launch_for(100, 32), counting, &argument, false);
  EXPECT_TRUE(run.run_alone(executor::GridRun::never));
  EXPECT_EQ(counted.later, 100u);
  EXPECT_EQ(counted.tables, 1u);
}

// Block i waits for block i + 1: all blocks of the grid must make progress, on however few workers.
Thread wait_for_the_next(ThreadContext t) {
  auto& shared = *t.argument<Shared*>();
  const unsigned n = t.block->launch->grid[0], me = t.block->index[0];
  while (shared.value.load() != n - 1 - me) co_await yield();
  shared.out[me] = shared.value++;
}

TEST_F(GridRun, ABlockMayWaitForALaterOne) {
  std::vector<std::uint64_t> out(200);
  Shared shared{0, out.data()};
  run(threads_kernel<wait_for_the_next, LANZA_KERNEL_BLOCKING>, 200, 1, &shared);
  for (unsigned i = 0; i < 200; ++i) EXPECT_EQ(out[i], 199 - i);
}

TEST_F(GridRun, ABlockMayWaitForALaterOneOnOneThread) {
  std::vector<std::uint64_t> out(50);
  Shared shared{0, out.data()};
  Shared* argument = &shared;
  executor::GridRun run(launch_for(50, 1), threads_kernel<wait_for_the_next, LANZA_KERNEL_BLOCKING>, &argument, false);
  EXPECT_TRUE(run.run_alone(executor::GridRun::never));
  EXPECT_FALSE(run.failure());
  for (unsigned i = 0; i < 50; ++i) EXPECT_EQ(out[i], 49 - i);
}

// The same in the middle of code that is no coroutine: it keeps its stack.
void wait_inside(ThreadContext t) {
  auto& shared = *t.argument<Shared*>();
  const unsigned n = t.block->launch->grid[0], me = t.block->index[0];
  while (shared.value.load() != n - 1 - me) t.block->launch->services->wait(t.block);
  shared.out[me] = shared.value++;
}
constexpr auto waiting_inside = LANZA_KERNEL_BLOCKING | LANZA_KERNEL_OWN_STACK;

TEST_F(GridRun, ABlockMayWaitInTheMiddleOfItsCode) {
  for (int launch = 0; launch < 3; ++launch) {
    std::vector<std::uint64_t> out(200);
    Shared shared{0, out.data()};
    run(loop_kernel<wait_inside, waiting_inside>, 200, 1, &shared);
    for (unsigned i = 0; i < 200; ++i) EXPECT_EQ(out[i], 199 - i);
  }
}

void wait_or_fail(ThreadContext t) {
  auto* services = t.block->launch->services;
  if (t.block->index[0] == 20) services->fail(t.block, LANZA_FAIL_TRAP, nullptr, nullptr, 0, nullptr);
  for (;;) services->wait(t.block);
}

TEST_F(GridRun, BlocksThatWaitAreDroppedWhenTheLaunchFails) {
  Shared shared{};
  Shared* argument = &shared;
  for (int launch = 0; launch < 3; ++launch) {
    executor::GridRun run(launch_for(50, 1), loop_kernel<wait_or_fail, waiting_inside>, &argument, false);
    EXPECT_TRUE(run.run_alone(executor::GridRun::never));
    EXPECT_TRUE(run.failure());
  }
}

// Decoupled look-back: block i waits for the one before it, as scans do.
Thread look_back(ThreadContext t) {
  auto& shared = *t.argument<Shared*>();
  const unsigned me = t.block->index[0];
  if (t.x == 0) {
    while (shared.value.load() != me) co_await yield();
    shared.out[me] = me ? shared.out[me - 1] + me : 0;
    ++shared.value;
  }
  co_await barrier();
}

TEST_F(GridRun, LookBackEnds) {
  std::vector<std::uint64_t> out(1000);
  Shared shared{0, out.data()};
  run(threads_kernel<look_back, LANZA_KERNEL_BLOCKING>, 1000, 32, &shared);
  EXPECT_EQ(out.back(), 999u * 1000 / 2);
}

// Three barriers of the whole grid: what every block wrote before is seen by all after.
Thread grid_phases(ThreadContext t) {
  auto* out = t.argument<std::uint64_t*>();
  const unsigned n = t.block->launch->grid[0], me = t.block->index[0];
  if (me % 5 == 4) co_return;  // some blocks end at once
  for (unsigned phase = 0; phase < 3; ++phase) {
    if (t.x == 0) out[phase * n + me] = phase + 1;
    co_await barrier();
    co_await grid_barrier();
    for (unsigned i = 0; i < n; ++i) {
      if (i % 5 != 4 && out[phase * n + i] != phase + 1) std::abort();
    }
  }
  if (t.x == 0) out[3 * n + me] = 1;
}

TEST_F(GridRun, CooperativeGridsMeetAtBarriers) {
  for (unsigned n : {1u, 3u, 64u}) {
    std::vector<std::uint64_t> out(4 * n);
    run(threads_kernel<grid_phases, LANZA_KERNEL_GRID_SYNC>, n, 33, out.data(), true);
    EXPECT_EQ(std::accumulate(out.begin() + 3 * n, out.end(), 0u), n - n / 5);
  }
}

// The same in the middle of code that is no coroutine. A round may take so long that helpers leave.
void phases_inside(ThreadContext t) {
  auto* out = t.argument<std::uint64_t*>();
  const unsigned n = t.block->launch->grid[0], me = t.block->index[0];
  if (me % 5 == 4) return;
  for (unsigned phase = 0; phase < 3; ++phase) {
    if (me == 1 && phase == 1) std::this_thread::sleep_for(std::chrono::milliseconds(3));
    out[phase * n + me] = phase + 1;
    t.block->launch->services->wait_for_grid(t.block);
    for (unsigned i = 0; i < n; ++i) {
      if (i % 5 != 4 && out[phase * n + i] != phase + 1) std::abort();
    }
  }
  out[3 * n + me] = 1;
}
constexpr auto meeting_inside = LANZA_KERNEL_GRID_SYNC | LANZA_KERNEL_OWN_STACK;

TEST_F(GridRun, CooperativeGridsMeetInTheMiddleOfTheirCode) {
  for (unsigned n : {1u, 3u, 64u, 1000u}) {
    std::vector<std::uint64_t> out(4 * n);
    run(loop_kernel<phases_inside, meeting_inside>, n, 1, out.data(), true);
    EXPECT_EQ(std::accumulate(out.begin() + 3 * n, out.end(), 0u), n - n / 5);
  }
}

TEST_F(GridRun, CooperativeGridsMeetOnOneThread) {
  std::vector<std::uint64_t> out(4 * 50);
  std::uint64_t* argument = out.data();
  executor::GridRun run(launch_for(50, 1), loop_kernel<phases_inside, meeting_inside>, &argument, true);
  EXPECT_TRUE(run.run_alone(executor::GridRun::never));
  EXPECT_EQ(std::accumulate(out.begin() + 150, out.end(), 0u), 40u);
}

// Blocks end in different rounds, the last one alone.
void rounds_inside(ThreadContext t) {
  auto& shared = *t.argument<Shared*>();
  for (unsigned round = 0; round < 40 * t.block->index[0]; ++round) {
    ++shared.value;
    t.block->launch->services->wait_for_grid(t.block);
  }
}

TEST_F(GridRun, BlocksThatHaveEndedAreNotWaitedFor) {
  Shared shared{};
  run(loop_kernel<rounds_inside, meeting_inside>, 30, 1, &shared, true);
  EXPECT_EQ(shared.value.load(), 40u * 30 * 29 / 2);
}

void meet_or_fail(ThreadContext t) {
  auto* services = t.block->launch->services;
  for (unsigned round = 0;; ++round) {
    if (round == 7 && t.block->index[0] == 20) services->fail(t.block, LANZA_FAIL_TRAP, nullptr, nullptr, 0, nullptr);
    services->wait_for_grid(t.block);
  }
}

TEST_F(GridRun, BlocksThatMeetAreDroppedWhenTheLaunchFails) {
  for (int launch = 0; launch < 10; ++launch) {
    const auto text = message_of<LaunchError>([&] { run(loop_kernel<meet_or_fail, meeting_inside>, 50, 1, 0, true); });
    EXPECT_EQ(text, "k: trap in block (20,0,0)");
  }
}

TEST_F(GridRun, AGridBarrierNeedsACooperativeLaunch) {
  std::vector<std::uint64_t> out(100);
  const auto text = message_of<LaunchError>(
      [&] { run(threads_kernel<grid_phases, LANZA_KERNEL_GRID_SYNC>, 3, 32, out.data(), false); });
  EXPECT_EQ(text, "k: waits at a barrier of the grid, which only a cooperative launch has (cooperative = true)");
}

// Block 5 fails an assertion in its fourth thread.
Thread failing(ThreadContext t) {
  co_await barrier();
  if (t.block->index[0] == 5 && t.id() == 3) {
    t.block->launch->services->fail(t.block, LANZA_FAIL_ASSERT, "i < n", "kernel.cu", 7, "void k(int)");
  }
  co_await barrier();
}

TEST_F(GridRun, AFailedAssertionNamesItsPlaceAndTheProcessGoesOn) {
  for (int i = 0; i < 100; ++i) {
    const auto text = message_of<LaunchError>([&] { run(threads_kernel<failing>, 10, Dim3(2, 4), 0); });
    EXPECT_EQ(text, "k: assertion `i < n` failed in block (5,0,0), thread (1,1,0): kernel.cu:7, void k(int)");
  }
  std::vector<std::uint64_t> out(10);
  run(loop_kernel<mark>, 10, 1, out.data());
  EXPECT_EQ(out[9], 1u);
}

void trapping(ThreadContext t) {
  if (t.block->index[0] == 2) t.block->launch->services->fail(t.block, LANZA_FAIL_TRAP, nullptr, nullptr, 0, nullptr);
}

TEST_F(GridRun, ATrapEndsTheLaunch) {
  EXPECT_EQ(message_of<LaunchError>([&] { run(loop_kernel<trapping>, 4, 4, 0); }), "k: trap in block (2,0,0)");
}

// A grid of a million blocks needs no more memory than what runs.
Thread big_block(ThreadContext t) {
  co_await barrier();
  if (t.x == 0) t.argument<Shared*>()->value.fetch_add(1, std::memory_order_relaxed);
}

TEST_F(GridRun, ManyBlocksRunInTheMemoryOfAFew) {
  Shared shared;
  run(threads_kernel<big_block>, 20000, 64, &shared);
  EXPECT_EQ(shared.value, 20000u);
}

TEST_F(GridRun, ARunThatTakesTooLongIsHandedOver) {
  std::vector<std::uint64_t> out(100);
  std::uint64_t* argument = out.data();
  executor::GridRun begun(launch_for(100, 1), loop_kernel<mark>, &argument, false);
  EXPECT_FALSE(begun.run_alone(executor::Clock::now()));
  auto rest = std::make_shared<executor::GridRun>(launch_for(100, 1), loop_kernel<mark>, &argument, false);
  rest->take_over(begun);
  EXPECT_TRUE(rest->lead());
  EXPECT_EQ(out, std::vector<std::uint64_t>(100, 1));
}

}  // namespace
}  // namespace lanza::testing
