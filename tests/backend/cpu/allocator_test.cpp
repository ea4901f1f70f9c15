// The caching allocator: reuse, order of streams, memory given back, memory that is not there.
#include "backend/cpu/allocator.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <set>
#include <vector>

#include "backend/cpu/stream.hpp"
#include "executor_fixture.hpp"

namespace lanza::testing {
namespace {

using executor::Allocator;

class AllocatorTest : public ExecutorTest {
 protected:
  const std::shared_ptr<executor::Progress>& progress(backend::Stream& s) { return executor::Stream::of(s).progress(); }
  Allocator memory;
};

TEST_F(AllocatorTest, BlocksAreAlignedAndHoldWhatWasAskedFor) {
  for (std::size_t bytes : {1ul, 255ul, 256ul, 257ul, 4097ul, 1ul << 20, (1ul << 20) + 1, 3ul << 20, 100ul << 20}) {
    auto* p = static_cast<char*>(memory.allocate(bytes, progress(stream)));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 256, 0u);
    EXPECT_GE(Allocator::rounded(bytes), bytes);
    EXPECT_LE(Allocator::rounded(bytes), bytes + std::max<std::size_t>(bytes / 8, 4096) + 256);
    p[0] = p[bytes - 1] = 1;
    memory.release(p, bytes, progress(stream));
  }
}

TEST_F(AllocatorTest, LargeBlocksBeginAtDifferentPlacesOfAPage) {
  for (std::size_t bytes : {128ul << 10, 1ul << 20, 3ul << 20}) {
    std::vector<char*> blocks;
    for (int i = 0; i < 16; ++i) blocks.push_back(static_cast<char*>(memory.allocate(bytes, progress(stream))));
    std::set<std::uintptr_t> places;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      std::memset(blocks[i], 1, bytes);
      places.insert(reinterpret_cast<std::uintptr_t>(blocks[i]) % 4096);
      const std::ptrdiff_t apart = i ? std::abs(blocks[i] - blocks[i - 1]) % 4096 : 2048;
      EXPECT_TRUE(apart >= 1024 && apart <= 3072) << "neighbours are read and written together: " << apart;
    }
    EXPECT_EQ(places.size(), 16u) << bytes;
    for (char* block : blocks) memory.release(block, bytes, progress(stream));
    EXPECT_EQ(memory.give_back(), 16 * Allocator::rounded(bytes));
  }
}

TEST_F(AllocatorTest, SizesThatAreRoundedAgainStayThemselves) {
  for (std::size_t bytes = 1; bytes < (8u << 20); bytes += 1 + bytes / 7) {
    const auto size = Allocator::rounded(bytes);
    EXPECT_EQ(Allocator::rounded(size), size) << bytes;
  }
}

TEST_F(AllocatorTest, AReleasedBlockIsUsedAgain) {
  void* first = memory.allocate(1000, progress(stream));
  memory.release(first, 1000, progress(stream));
  EXPECT_EQ(memory.cached(), Allocator::rounded(1000));
  EXPECT_EQ(memory.allocate(1020, progress(stream)), first);
  EXPECT_EQ(memory.cached(), 0u);
  memory.release(first, 1020, progress(stream));
}

Thread spin(ThreadContext t) {
  while (!*t.argument<std::atomic<bool>*>()) co_await yield();
}

TEST_F(AllocatorTest, AnotherStreamWaitsUntilTheReleaseIsReached) {
  auto a = context->make_stream(0, true), b = context->make_stream(0, true);
  std::atomic<bool> flag{false};
  const std::tuple<std::atomic<bool>*> arguments(&flag);
  auto kernel = make_kernel(threads_kernel<spin, LANZA_KERNEL_BLOCKING>);
  void* block = memory.allocate(5000, progress(*a));
  kernel->launch(*a, launch_of(1, 1, arguments));
  memory.release(block, 5000, progress(*a));
  void* other = memory.allocate(5000, progress(*b));
  EXPECT_NE(other, block) << "the kernel may still use it";
  EXPECT_EQ(memory.give_back(), 0u);
  void* same = memory.allocate(5000, progress(*a));
  EXPECT_EQ(same, block) << "in the same stream later work comes later";
  memory.release(same, 5000, progress(*a));
  flag = true;
  a->synchronize();
  EXPECT_EQ(memory.allocate(5000, progress(*b)), block);
  memory.release(block, 5000, progress(*b));
  memory.release(other, 5000, progress(*b));
}

TEST_F(AllocatorTest, MemoryIsGivenBack) {
  void* small = memory.allocate(100, progress(stream));
  void* large = memory.allocate(10 << 20, progress(stream));
  memory.release(small, 100, progress(stream));
  memory.release(large, 10 << 20, progress(stream));
  EXPECT_EQ(memory.give_back(), Allocator::rounded(100) + Allocator::rounded(10 << 20));
  EXPECT_EQ(memory.cached(), 0u);
}

TEST_F(AllocatorTest, WhatIsKeptIsBounded) {
  const std::size_t large = std::size_t{1} << 30;
  const auto total = device().memory_info().second;
  for (std::size_t i = 0; i < total / large + 1; ++i) {
    memory.release(memory.allocate(large + (i << 28), progress(stream)), large + (i << 28), progress(stream));
    if (large + ((i + 1) << 28) > total / 4) break;
  }
  EXPECT_LE(memory.cached(), std::max<std::size_t>(256u << 20, total / 8));
}

TEST_F(AllocatorTest, AnAbsurdSizeIsOutOfMemory) {
  const auto text = message_of<OutOfMemory>([&] { memory.allocate(std::size_t{1} << 60, progress(stream)); });
  EXPECT_NE(text.find("1152921504606846976 bytes asked for"), std::string::npos) << text;
  EXPECT_NE(text.find("available"), std::string::npos);
  EXPECT_THROW(memory.allocate(SIZE_MAX, progress(stream)), OutOfMemory);
  EXPECT_THROW(memory.allocate(device().memory_info().second, progress(stream)), OutOfMemory) << "more than is free";
}

TEST_F(AllocatorTest, ManyRoundsStayFlat) {
  std::set<void*> seen;
  for (int i = 0; i < 10000; ++i) {
    void* p = memory.allocate(4096, progress(stream));
    seen.insert(p);
    memory.release(p, 4096, progress(stream));
  }
  EXPECT_EQ(seen.size(), 1u);
}

// ---- copies and fills, through the context
// -----------------------------------------------------------------------------

using Transfer = ExecutorTest;

TEST_F(Transfer, FillSetsElementsOfEverySize) {
  for (std::size_t size : {1u, 2u, 4u, 8u, 16u}) {
    for (std::size_t count : {1u, 3u, 255u, 5000u}) {
      unsigned char value[16];
      for (unsigned i = 0; i < 16; ++i) value[i] = static_cast<unsigned char>(i * 17 + 1);
      std::string out(size * count + 1, '\x7e');
      context->fill(reinterpret_cast<backend::Pointer>(out.data()), value, size, count, stream);
      stream.synchronize();
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(std::memcmp(out.data() + i * size, value, size), 0) << size << " " << i;
      EXPECT_EQ(out.back(), '\x7e');
    }
  }
  const int zero = 0;
  EXPECT_THROW(context->fill(0, &zero, 3, 1, stream), InvalidArgument);
}

TEST_F(Transfer, TheSourceMayBeChangedWhenACopyToTheDeviceReturns) {
  std::atomic<bool> flag{false};
  const std::tuple<std::atomic<bool>*> arguments(&flag);
  make_kernel(threads_kernel<spin, LANZA_KERNEL_BLOCKING>)->launch(stream, launch_of(1, 1, arguments));
  std::vector<int> host(1000, 5), device_memory(1000), back(1000);
  const auto at = [](auto& v) { return reinterpret_cast<backend::Pointer>(v.data()); };
  context->copy(at(device_memory), at(host), 4000, backend::Direction::HostToDevice, stream);
  host.assign(1000, 6);
  context->copy(at(back), at(device_memory), 4000, backend::Direction::DeviceToHost, stream);
  EXPECT_EQ(device_memory[0], 0) << "the kernel before still runs";
  flag = true;
  stream.synchronize();
  EXPECT_EQ(back, std::vector<int>(1000, 5));
}

}  // namespace
}  // namespace lanza::testing
