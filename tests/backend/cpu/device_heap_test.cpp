// Device-side malloc: memory of launches that fail, its bound, and what is freed with the context.
#include "backend/cpu/device_heap.hpp"

#include <malloc.h>

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "backend/cpu/stream.hpp"
#include "executor_fixture.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

namespace lanza::testing {
namespace {

using executor::DeviceHeap;

TEST(DeviceHeap, TakesBackWhatItGaveAndNothingElse) {
  DeviceHeap heap(1000);
  void* memory = heap.allocate(100);
  ASSERT_TRUE(memory);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 16, 0u);
  EXPECT_EQ(heap.bytes(), 100u);
  EXPECT_TRUE(heap.release(nullptr));
  EXPECT_FALSE(heap.release(static_cast<char*>(memory) + 16));
  EXPECT_FALSE(heap.release(reinterpret_cast<void*>(16)));
  EXPECT_FALSE(DeviceHeap(1000).release(memory));
  EXPECT_TRUE(heap.release(memory));
  EXPECT_FALSE(heap.release(memory));
  EXPECT_EQ(heap.bytes(), 0u);
}

TEST(DeviceHeap, IsBounded) {
  DeviceHeap heap(1000);
  EXPECT_FALSE(heap.allocate(0));
  EXPECT_FALSE(heap.allocate(1001));
  EXPECT_FALSE(heap.allocate(UINT64_MAX));
  void* most = heap.allocate(1000);
  ASSERT_TRUE(most);
  EXPECT_FALSE(heap.allocate(1));
  EXPECT_TRUE(heap.release(most));
  EXPECT_TRUE(heap.allocate(1));
}

TEST(DeviceHeap, ServesManyThreads) {
  DeviceHeap heap(std::uint64_t{1} << 30);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&heap] {
      std::vector<void*> mine;
      for (int i = 0; i < 2000; ++i) {
        mine.push_back(heap.allocate(16));
        if (i % 3 == 0) {
          std::swap(mine[mine.size() / 2], mine.back());
          EXPECT_TRUE(heap.release(mine.back()));
          mine.pop_back();
        }
      }
      for (void* memory : mine) EXPECT_TRUE(heap.release(memory));
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(heap.bytes(), 0u);
}

constexpr std::uint64_t asked = 1000;

// Keeps the memory that it was given where the host sees it, and fails.
void allocate_and_trap(ThreadContext t) {
  const auto* services = t.block->launch->services;
  void* memory = services->allocate(t.block, asked);
  t.argument<void**>()[0] = memory;
  static_cast<char*>(memory)[asked - 1] = 7;
  services->fail(t.block, LANZA_FAIL_TRAP, nullptr, nullptr, 0, nullptr);
}

using DeviceHeapOfAContext = ExecutorTest;

TEST_F(DeviceHeapOfAContext, KeepsTheMemoryOfAFailedLaunchUntilTheContextEnds) {
  const DeviceHeap& heap = executor::Stream::of(stream).queue().memory().heap;
  constexpr unsigned launches = 200;
  const auto before = mallinfo2().uordblks;
  char* memory = nullptr;
  for (unsigned i = 0; i < launches; ++i) EXPECT_THROW(run(loop_kernel<allocate_and_trap>, 1, 1, &memory), LaunchError);
  EXPECT_EQ(memory[asked - 1], 7) << "another kernel may have a pointer to it";
  EXPECT_EQ(heap.bytes(), launches * asked);
  context.reset();
  if (sanitized) return;  // they keep freed memory
  // The stream's thread lets go of the context when it ends, a little later.
  const auto most = before + launches * asked / 4;
  for (int look = 0; look < 400 && mallinfo2().uordblks >= most; ++look)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_LT(mallinfo2().uordblks, most);
}

}  // namespace
}  // namespace lanza::testing
