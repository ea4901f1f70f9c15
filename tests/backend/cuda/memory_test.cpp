// Memory: the pool, what happens when it is empty, copies and fills as the driver sees them.
#include <cstring>
#include <numeric>

#include "backend/cuda/driver.hpp"
#include "backend/cuda/fixture.hpp"

namespace lanza::cuda_backend {
namespace {

using backend::Direction;
using backend::Pointer;
using testing::ElementsAre;
using testing::HasSubstr;

Pointer address(const void* p) { return reinterpret_cast<Pointer>(p); }

class MemoryTest : public OnFakeDriver {
 protected:
  void TearDown() override {
    context.reset();
    OnFakeDriver::TearDown();
  }
  backend::Stream& stream() { return context->default_stream(); }
  void to_device(Pointer d, const void* h, std::size_t n) {
    context->copy(d, address(h), n, Direction::HostToDevice, stream());
  }
  void to_host(void* h, Pointer d, std::size_t n) {
    context->copy(address(h), d, n, Direction::DeviceToHost, stream());
  }

  std::shared_ptr<backend::Context> context = device().primary_context();
};

TEST_F(MemoryTest, AllocationIsStreamOrdered) {
  fake.clear_log();
  const Pointer p = context->allocate(1600, stream());
  EXPECT_EQ(p % 256, 0u);
  context->release(p, 1600, stream());
  EXPECT_THAT(routines(), ElementsAre("cuMemAllocFromPoolAsync", "cuMemFreeAsync"));
}

TEST_F(MemoryTest, MemoryIsGivenBackBeforeOutOfMemory) {
  fake.set_memory(1000);
  const Pointer a = context->allocate(600, stream());
  context->release(a, 600, stream());  // the pool keeps it
  fake.clear_log();
  const Pointer b = context->allocate(900, stream());
  EXPECT_THAT(routines(),
              ElementsAre("cuMemAllocFromPoolAsync", "cuCtxSynchronize", "cuMemPoolTrimTo", "cuMemAllocFromPoolAsync"));
  context->release(b, 900, stream());
}

TEST_F(MemoryTest, OtherContextsPoolsGiveBackToo) {
  fake.set_memory(1000);
  const auto other = device().create_context();
  other->release(other->allocate(600, other->default_stream()), 600, other->default_stream());
  const Pointer b = context->allocate(900, stream());
  context->release(b, 900, stream());
}

TEST_F(MemoryTest, OutOfMemorySaysHowMuchWasAskedAndIsFree) {
  fake.set_memory(std::size_t{2} << 30);
  const std::string text = message_of<OutOfMemory>([&] { context->allocate(std::size_t{5} << 30, stream()); });
  EXPECT_THAT(text, HasSubstr("cannot allocate 5368709120 bytes (5.00 GiB) on cuda:0: 2.00 of 2.00 GiB are free"));
}

TEST_F(MemoryTest, OtherFailuresNameTheRoutineAndTheBytes) {
  fake.fail("cuMemAllocFromPoolAsync", CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(message_of<DriverError>([&] { context->allocate(64, stream()); }),
              HasSubstr("cuMemAllocFromPoolAsync(64 bytes) failed"));
}

TEST_F(MemoryTest, WithoutPoolsAllocationIsPlain) {
  fake.set_attribute(115, 0);
  const auto plain = device().create_context();
  fake.clear_log();
  const Pointer p = plain->allocate(64, plain->default_stream());
  plain->release(p, 64, plain->default_stream());
  EXPECT_THAT(routines(), ElementsAre("cuMemAlloc_v2", "cuMemFree_v2"));
  fake.set_memory(32);
  EXPECT_THROW(plain->allocate(64, plain->default_stream()), OutOfMemory);
}

TEST_F(MemoryTest, SmallCopiesAreOneCall) {
  const Pointer p = context->allocate(1600, stream());
  std::vector<float> in(400), out(400);
  std::iota(in.begin(), in.end(), 1.0f);
  fake.clear_log();
  to_device(p, in.data(), 1600);
  to_host(out.data(), p, 1600);
  EXPECT_THAT(routines(), ElementsAre("cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2"));
  EXPECT_EQ(in, out);
  fake.clear_log();
  context->copy(p, p, 0, Direction::DeviceToDevice, stream());
  EXPECT_THAT(calls(), ElementsAre());
  context->release(p, 1600, stream());
}

TEST_F(MemoryTest, LargePageableCopiesGoThroughTheRing) {
  const std::size_t n = (std::size_t{21} << 20) + 12345;
  std::vector<unsigned char> in(n), out(n);
  for (std::size_t i = 0; i < n; ++i) in[i] = static_cast<unsigned char>(i * 7 + i / 4096);
  const Pointer p = context->allocate(n, stream());
  fake.clear_log();
  to_device(p, in.data(), n);
  EXPECT_EQ(fake.calls("cuMemHostAlloc"), 4);
  EXPECT_EQ(fake.calls("cuMemcpyHtoDAsync_v2"), 6);
  to_host(out.data(), p, n);
  EXPECT_EQ(fake.calls("cuMemcpyDtoHAsync_v2"), 6);
  EXPECT_EQ(fake.calls("cuMemHostAlloc"), 4);
  EXPECT_EQ(in, out);
  context->release(p, n, stream());
}

TEST_F(MemoryTest, SmallPageLockedSourcesAreNotWhatTheDriverReads) {
  void* pinned = nullptr;
  auto* const raw = reinterpret_cast<CUcontext>(context->handle());
  driver().cuCtxPushCurrent_v2(raw);
  driver().cuMemHostAlloc(&pinned, 64, 0);
  std::memset(pinned, 5, 64);
  const Pointer p = context->allocate(64, stream());
  fake.clear_log();
  to_device(p, pinned, 64);
  EXPECT_THAT(calls(), ElementsAre(HasSubstr(", host, 64")));
  context->release(p, 64, stream());
  driver().cuMemFreeHost(pinned);
  CUcontext popped;
  driver().cuCtxPopCurrent_v2(&popped);
}

TEST_F(MemoryTest, PageLockedSourcesAreWaitedFor) {
  constexpr std::size_t bytes = 1 << 20;  // smaller ones go through the stream's ring
  void* pinned = nullptr;
  auto* const raw = reinterpret_cast<CUcontext>(context->handle());
  driver().cuCtxPushCurrent_v2(raw);
  driver().cuMemHostAlloc(&pinned, bytes, 0);
  std::memset(pinned, 5, bytes);
  const Pointer p = context->allocate(bytes, stream());
  fake.clear_log();
  to_device(p, pinned, bytes);
  EXPECT_THAT(routines(), ElementsAre("cuMemcpyHtoDAsync_v2", "cuEventCreate", "cuEventRecord", "cuEventSynchronize",
                                      "cuEventDestroy_v2"));
  context->release(p, bytes, stream());
  driver().cuMemFreeHost(pinned);
  CUcontext popped;
  driver().cuCtxPopCurrent_v2(&popped);
}

TEST_F(MemoryTest, CopiesBetweenDevices) {
  const auto other = device(1).primary_context();
  const Pointer a = context->allocate(16, stream()), b = other->allocate(16, other->default_stream());
  const std::vector<char> in(16, 'x');
  std::vector<char> out(16);
  to_device(a, in.data(), 16);
  fake.clear_log();
  other->copy_from(*context, b, a, 16, other->default_stream());
  EXPECT_THAT(routines(), ElementsAre("cuMemPoolSetAccess", "cuMemPoolSetAccess", "cuMemcpyPeerAsync"));
  fake.clear_log();
  other->copy_from(*context, b, a, 16, other->default_stream());
  EXPECT_THAT(routines(), ElementsAre("cuMemcpyPeerAsync"));
  other->copy(address(out.data()), b, 16, Direction::DeviceToHost, other->default_stream());
  EXPECT_EQ(in, out);
  context->release(a, 16, stream());
  other->release(b, 16, other->default_stream());
}

TEST_F(MemoryTest, FillsOfEverySizeAndPattern) {
  const std::size_t counts[] = {1, 3, 4096, 100003};
  for (const std::size_t size : {1, 2, 4, 8, 16})
    for (const bool uniform : {true, false})
      for (const std::size_t count : counts) {
        std::vector<unsigned char> value(size);
        for (std::size_t i = 0; i < size; ++i) value[i] = uniform ? 9 : static_cast<unsigned char>(i * 17 + 1);
        const Pointer p = context->allocate(size * count + 1, stream());
        context->fill(p, value.data(), size, count, stream());
        std::vector<unsigned char> out(size * count + 1);
        to_host(out.data(), p, out.size());
        for (std::size_t i = 0; i < size * count; ++i)
          ASSERT_EQ(out[i], value[i % size]) << size << " " << count << " " << i;
        EXPECT_EQ(out.back(), 0xCD) << "written past the end";
        context->release(p, out.size(), stream());
      }
}

TEST_F(MemoryTest, FillsThatAMemsetCanDoAreOneCall) {
  const Pointer p = context->allocate(64, stream());
  const std::uint64_t zero = 0, halves = 0x0000000700000007;
  fake.clear_log();
  context->fill(p, &zero, 8, 8, stream());
  context->fill(p, &halves, 8, 8, stream());
  EXPECT_THAT(routines(), ElementsAre("cuMemsetD8Async", "cuMemsetD32Async"));
  const std::uint16_t value = 0x1234;
  EXPECT_THROW(context->fill(p + 1, &value, 2, 4, stream()), InvalidArgument);
  EXPECT_THROW(context->fill(p, &value, 3, 4, stream()), InvalidArgument);
  context->release(p, 64, stream());
}

TEST_F(MemoryTest, StreamsOfOtherContextsAreRefused) {
  const auto other = device().create_context();
  EXPECT_THAT(message_of<InvalidArgument>([&] { context->allocate(64, other->default_stream()); }),
              HasSubstr("another context"));
}

}  // namespace
}  // namespace lanza::cuda_backend
