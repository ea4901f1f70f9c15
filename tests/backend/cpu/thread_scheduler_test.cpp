// The thread engine's scheduler: one test a rule of sync_kinds.h.
#include "backend/cpu/thread_scheduler.hpp"

#include <atomic>
#include <numeric>
#include <vector>

#include "executor_fixture.hpp"

namespace lanza::testing {
namespace {

using ThreadScheduler = ExecutorTest;
using Out = std::uint64_t*;

// Sum of the thread numbers by a tree in shared memory.
Thread tree_reduction(ThreadContext t) {
  auto* shared = t.shared<std::uint32_t>();
  const unsigned n = t.block->launch->block[0];
  shared[t.x] = t.x;
  co_await barrier();
  for (unsigned s = n / 2; s > 0; s /= 2) {
    if (t.x < s) shared[t.x] += shared[t.x + s];
    co_await barrier();
  }
  if (t.x == 0) t.argument<Out>()[t.block->index[0]] = shared[0];
}

TEST_F(ThreadScheduler, BarriersOrderTheThreadsOfABlock) {
  for (unsigned n : {1u, 2u, 32u, 64u, 256u, 1024u}) {
    std::vector<std::uint64_t> out(10);
    run(threads_kernel<tree_reduction>, 10, n, out.data());
    for (const auto sum : out) EXPECT_EQ(sum, n * (n - 1) / 2) << n;
  }
}

Thread indices(ThreadContext t) {
  const auto& size = t.block->launch->block;
  const unsigned n = size[0] * size[1] * size[2];
  const auto& grid = t.block->launch->grid;
  const auto b = t.block->index[0] + grid[0] * (t.block->index[1] + grid[1] * t.block->index[2]);
  co_await barrier();
  t.argument<Out>()[std::uint64_t{b} * n + t.id()] = t.x * 10000 + t.y * 100 + t.z + 1000000 * std::uint64_t{b};
}

TEST_F(ThreadScheduler, BlocksAndThreadsHaveThreeDimensions) {
  const Dim3 grid(3, 2, 4), block(5, 3, 7);
  std::vector<std::uint64_t> out(grid.count() * block.count());
  run(threads_kernel<indices>, grid, block, out.data());
  for (std::uint64_t b = 0, i = 0; b < grid.count(); ++b) {
    for (unsigned z = 0; z < 7; ++z) {
      for (unsigned y = 0; y < 3; ++y) {
        for (unsigned x = 0; x < 5; ++x, ++i) ASSERT_EQ(out[i], x * 10000 + y * 100 + z + 1000000 * b);
      }
    }
  }
}

// Every third thread leaves before the barriers.
Thread early_return(ThreadContext t) {
  if (t.x % 3 == 0) co_return;
  auto* counter = t.shared<std::uint32_t>();
  if (t.x == 1) *counter = 0;
  co_await barrier();
  ++*counter;
  co_await barrier();
  t.argument<Out>()[t.x] = *counter;
}

TEST_F(ThreadScheduler, ThreadsThatHaveEndedAreNotWaitedForAtBarriers) {
  std::vector<std::uint64_t> out(100);
  run(threads_kernel<early_return>, 1, 100, out.data());
  for (unsigned i = 0; i < 100; ++i) EXPECT_EQ(out[i], i % 3 ? 66u : 0u);
}

// The last to arrive ends instead: the others must go on.
Thread last_one_leaves(ThreadContext t) {
  if (t.x == 99) {
    for (int i = 0; i < 5; ++i) co_await yield();
    co_return;
  }
  co_await barrier();
  t.argument<Out>()[t.x] = 1;
}

TEST_F(ThreadScheduler, AnEndingThreadOpensTheBarrierThatWaitedForIt) {
  std::vector<std::uint64_t> out(100);
  run(threads_kernel<last_one_leaves>, 1, 100, out.data());
  EXPECT_EQ(std::accumulate(out.begin(), out.end(), 0u), 99u);
}

// Half of the block takes another __syncthreads than the other half.
Thread barriers_at_two_places(ThreadContext t) {
  auto* shared = t.shared<std::uint32_t>();
  if (t.x % 2) {
    shared[t.x] = 1;
    co_await barrier();
  } else {
    shared[t.x] = 2;
    co_await barrier();
  }
  t.argument<Out>()[t.x] = shared[(t.x + 1) % 64];
}

TEST_F(ThreadScheduler, BarriersMatchAcrossPlaces) {
  std::vector<std::uint64_t> out(64);
  run(threads_kernel<barriers_at_two_places>, 1, 64, out.data());
  for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(out[i], i % 2 ? 2u : 1u);
}

// Two groups of 64 threads meet at barriers of their own, a different number of times, then all at barrier 0.
Thread named_barriers(ThreadContext t) {
  auto* shared = t.shared<std::uint32_t>();
  const unsigned group = t.x / 64;
  for (unsigned i = 0; i < 3 + group * 4; ++i) {
    shared[t.x] = i;
    co_await barrier(1 + group, 64);
    if (shared[group * 64 + (t.x + 1) % 64] != i) std::abort();
    co_await barrier(1 + group, 64);
  }
  co_await barrier();
  t.argument<Out>()[t.x] = shared[127 - t.x];
}

TEST_F(ThreadScheduler, BarriersWithACountServeAPartOfTheBlock) {
  std::vector<std::uint64_t> out(128);
  run(threads_kernel<named_barriers>, 1, 128, out.data());
  for (unsigned i = 0; i < 128; ++i) EXPECT_EQ(out[i], i < 64 ? 6u : 2u);
}

Thread counting_barrier(ThreadContext t) {
  const auto first = co_await barrier_count(t.x % 4 == 0);
  const auto second = co_await barrier_count(false);
  const auto third = co_await barrier_count(true);
  t.argument<Out>()[t.x] = first * 1000000 + second * 1000 + third;
}

TEST_F(ThreadScheduler, CountingBarriersCountPredicates) {
  std::vector<std::uint64_t> out(100);
  run(threads_kernel<counting_barrier>, 1, 100, out.data());
  for (const auto value : out) EXPECT_EQ(value, 25u * 1000000 + 100);
}

// Sum over each warp by shuffles of 64 bits.
Thread shuffle_sum(ThreadContext t) {
  std::uint64_t sum = (std::uint64_t{1} << 40) + t.x;
  for (unsigned offset = 16; offset; offset /= 2) sum += co_await shuffle(~0u, sum, (t.x % 32 + offset) & 31);
  t.argument<Out>()[t.x] = sum;
}

TEST_F(ThreadScheduler, ShufflesMoveSixtyFourBits) {
  std::vector<std::uint64_t> out(96);
  run(threads_kernel<shuffle_sum>, 1, 96, out.data());
  for (unsigned i = 0; i < 96; ++i) EXPECT_EQ(out[i], (std::uint64_t{32} << 40) + i / 32 * 1024 + 496);
}

// Lanes that diverged shuffle with masks of their own; a source outside of the mask gives the own value.
Thread partial_masks(ThreadContext t) {
  const bool odd = t.x & 1;
  const std::uint32_t mask = odd ? 0xaaaaaaaa : 0x55555555;
  std::uint64_t value;
  if (odd) {
    value = co_await shuffle(mask, t.x, (t.x + 2) & 31);
  } else {
    value = co_await shuffle(mask, t.x, (t.x + 3) & 31);  // an odd lane: no member
  }
  const auto votes = co_await ballot(mask, t.x < 16);
  t.argument<Out>()[t.x] = value * 0x100000000 + votes;
}

TEST_F(ThreadScheduler, PartialMasksAreServedApart) {
  std::vector<std::uint64_t> out(32);
  run(threads_kernel<partial_masks>, 1, 32, out.data());
  for (unsigned i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i] >> 32, i & 1 ? (i + 2) & 31 : i) << i;
    EXPECT_EQ(out[i] & 0xffffffff, i & 1 ? 0xaaaau : 0x5555u) << i;
  }
}

// Lanes 20 and up have ended, one of them late: the full mask means those that live.
Thread exited_lanes(ThreadContext t) {
  if (t.x == 31) {
    for (int i = 0; i < 3; ++i) co_await yield();
    co_return;
  }
  if (t.x >= 20) co_return;
  const auto votes = co_await ballot(~0u, 1);
  const auto source = co_await shuffle(~0u, t.x + 100, 25);  // has ended: the own value
  t.argument<Out>()[t.x] = votes * 1000 + source;
}

TEST_F(ThreadScheduler, LanesThatHaveEndedAreNoMembers) {
  std::vector<std::uint64_t> out(32);
  run(threads_kernel<exited_lanes>, 1, 32, out.data());
  for (unsigned i = 0; i < 20; ++i) EXPECT_EQ(out[i], 0xfffffull * 1000 + i + 100);
}

Thread narrow_block(ThreadContext t) { t.argument<Out>()[t.x] = co_await ballot(~0u, 1); }

TEST_F(ThreadScheduler, AnIncompleteWarpHasItsOwnLanesOnly) {
  std::vector<std::uint64_t> out(37);
  run(threads_kernel<narrow_block>, 1, 37, out.data());
  EXPECT_EQ(out[0], 0xffffffffu);
  EXPECT_EQ(out[36], 0x1fu);
}

Thread matches(ThreadContext t) {
  const std::uint64_t value = (std::uint64_t{t.x % 3} << 40) + 5;
  const auto any = co_await match_any(~0u, value);
  const auto different = co_await match_all(~0u, value);
  const auto same = co_await match_all(0x0000ffff << (t.x & 16), 7);
  t.argument<Out>()[t.x * 3] = any;
  t.argument<Out>()[t.x * 3 + 1] = different;
  t.argument<Out>()[t.x * 3 + 2] = same;
}

TEST_F(ThreadScheduler, MatchComparesSixtyFourBits) {
  std::vector<std::uint64_t> out(96);
  run(threads_kernel<matches>, 1, 32, out.data());
  for (unsigned i = 0; i < 32; ++i) {
    std::uint32_t expected = 0;
    for (unsigned j = 0; j < 32; ++j) expected |= static_cast<std::uint32_t>(j % 3 == i % 3) << j;
    EXPECT_EQ(out[i * 3], expected);
    EXPECT_EQ(out[i * 3 + 1], 0u);
    EXPECT_EQ(out[i * 3 + 2], 0xffffu << (i & 16));
  }
}

Thread reductions(ThreadContext t) {
  const auto value = static_cast<std::uint32_t>(static_cast<int>(t.x) - 10);
  for (unsigned op = LANZA_REDUCE_ADD; op <= LANZA_REDUCE_XOR; ++op) {
    t.argument<Out>()[t.x * 8 + op] = co_await reduce(0xff, static_cast<LanzaReduce>(op), value);
  }
}

TEST_F(ThreadScheduler, ReductionsCombineTheMembers) {
  std::vector<std::uint64_t> out(64);
  run(threads_kernel<reductions>, 1, 8, out.data());
  const auto n = [](int i) { return static_cast<std::uint64_t>(static_cast<std::uint32_t>(i)); };
  std::uint32_t all = ~0u, any = 0, parity = 0;
  for (int i = -10; i < -2; ++i) all &= i, any |= i, parity ^= i;
  const std::uint64_t expected[8] = {n(-52), n(-10), n(-3), n(-10), n(-3), all, any, parity};
  for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(out[i], expected[i % 8]) << i % 8;
}

// Warp-synchronous code: each statement of the whole warp before the next, though the lanes came apart before.
Thread lock_step(ThreadContext t) {
  auto* shared = t.shared<volatile std::uint32_t>();
  shared[t.x] = t.x + 1;
  if (t.x % 2) co_await yield();
  co_await lockstep(1);
  for (unsigned s = 16; s; s /= 2) {
    const std::uint32_t other = shared[(t.x + s) % 32];
    co_await lockstep(2);
    shared[t.x] = shared[t.x] + other;
    co_await lockstep(3);
  }
  t.argument<Out>()[t.x] = shared[t.x];
}

TEST_F(ThreadScheduler, LockStepPointsKeepAWarpTogether) {
  std::vector<std::uint64_t> out(32);
  run(threads_kernel<lock_step>, 1, 32, out.data());
  for (const auto sum : out) EXPECT_EQ(sum, 528u);
}

Thread active_lanes(ThreadContext t) {
  if (t.x < 10) {
    t.argument<Out>()[t.x] = co_await active_mask(1);
  } else {
    t.argument<Out>()[t.x] = co_await active_mask(2);
  }
}

TEST_F(ThreadScheduler, TheActiveMaskHoldsTheLanesAtThePlace) {
  std::vector<std::uint64_t> out(32);
  run(threads_kernel<active_lanes>, 1, 32, out.data());
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], i < 10 ? 0x3ffu : 0xfffffc00u);
}

// A lock that a lane holds across a suspend, taken by all the others of its warp and block.
Thread spin_lock(ThreadContext t) {
  auto* lock = t.shared<std::uint32_t>();
  auto* counter = lock + 1;
  if (t.x == 0) lock[0] = lock[1] = 0;
  co_await barrier();
  while (*lock) co_await yield();
  *lock = 1;
  const auto seen = *counter;
  co_await yield();
  *counter = seen + 1;
  *lock = 0;
  co_await barrier();
  if (t.x == 0) *t.argument<Out>() = *counter;
}

TEST_F(ThreadScheduler, SpinningThreadsLetTheHolderOfALockGoOn) {
  std::uint64_t out = 0;
  run(threads_kernel<spin_lock, LANZA_KERNEL_BLOCKING>, 1, 128, &out);
  EXPECT_EQ(out, 128u);
}

Thread deadlocked(ThreadContext t) {
  if (t.x == 31) {
    co_await sync_warp();
  } else {
    co_await barrier();
  }
}

TEST_F(ThreadScheduler, ADeadlockIsReportedWithWhatTheThreadsWaitAt) {
  const auto text = message_of<LaunchError>([&] { run(threads_kernel<deadlocked>, 1, 32, 0); });
  EXPECT_EQ(
      text,
      "k: deadlock in block (0,0,0): threads 0-30 wait at __syncthreads, thread 31 at __syncwarp(mask 0xffffffff)");
  std::vector<std::uint64_t> out(32);
  run(threads_kernel<tree_reduction>, 1, 32, out.data());
  EXPECT_EQ(out[0], 496u) << "the process goes on";
}

Thread deadlocked_in_one_block(ThreadContext t) {
  if (t.block->index[1] == 2) co_await barrier(t.x % 4 ? 3 : 5, 0);
}

TEST_F(ThreadScheduler, ADeadlockNamesBlockAndBarriers) {
  const auto text = message_of<LaunchError>([&] { run(threads_kernel<deadlocked_in_one_block>, Dim3(1, 4), 8, 0); });
  EXPECT_EQ(text,
            "k: deadlock in block (0,2,0): threads 0, 4 wait at barrier 5 of all threads, threads 1-3, 5-7 at barrier "
            "3 of all threads");
}

// A nested coroutine: the callee's frame lies on the thread's stack of frames and is the one to resume.
struct NestedFrame {
  void (*resume)(LanzaFrame*);
  void (*destroy)(LanzaFrame*);
  LanzaNestedRecord nested;
};
struct CalleeFrame {
  void (*resume)(LanzaFrame*);
  void (*destroy)(LanzaFrame*);
  NestedFrame* root;
  int depth;
};

void set_word(LanzaRecord& record, std::uint32_t word) { std::memcpy(static_cast<void*>(&record), &word, sizeof word); }

void callee_resume(LanzaFrame* self) {
  auto* frame = reinterpret_cast<CalleeFrame*>(self);
  NestedFrame* root = frame->root;
  if (frame->depth-- > 0) {
    set_word(root->nested.record, LANZA_SYNC_BARRIER);
    return;
  }
  root->nested.top = reinterpret_cast<char*>(frame);
  root->nested.current = reinterpret_cast<LanzaFrame*>(root);
  set_word(root->nested.record, LANZA_SYNC_RETURN);
}

void root_resume(LanzaFrame* self) {
  const LanzaRecord& r = self->record;
  const_cast<Out>(*static_cast<const Out*>(r.block->arguments))[r.tid[0]] = r.tid[0] + 1000;
  set_word(self->record, LANZA_SYNC_DONE);
}

void nested_start(void* memory, LanzaBlock* block, std::uint32_t x, std::uint32_t, std::uint32_t) {
  auto* root = new (memory) NestedFrame{};
  root->resume = root_resume;
  root->nested.record.tid[0] = static_cast<std::uint16_t>(x);
  root->nested.record.block = block;
  char* top = block->stacks + x * block->stack_bytes;
  auto* callee = new (top) CalleeFrame{callee_resume, nullptr, root, 3};
  root->nested.top = top + sizeof *callee;
  root->nested.current = reinterpret_cast<LanzaFrame*>(callee);
  callee_resume(root->nested.current);
}

std::int32_t run_nested(const LanzaLaunch* launch, const void*, LanzaBlock* block) {
  static const LanzaThreads threads{nested_start, sizeof(NestedFrame), 16, 1, 0};
  return launch->services->run_threads(block, &threads);
}

TEST_F(ThreadScheduler, NestedCoroutinesAreResumedInnermostFirst) {
  const LanzaKernelObject object{LANZA_KERNEL_ABI, 0, run_nested, 0, {0, 0, 0}, 0, 128, "{}"};
  std::vector<std::uint64_t> out(64);
  run(object, 1, 64, out.data());
  for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(out[i], i + 1000);
}

}  // namespace
}  // namespace lanza::testing
