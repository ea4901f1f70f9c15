// Buffers: sizes, parts and views, and how memory comes and goes.
#include <gtest/gtest.h>

#include <lanza/lanza.hpp>

#include <limits>
#include <optional>

#include "runtime/fake_backend.hpp"

namespace lanza {
namespace {

class BufferTest : public testing::Test {
 protected:
  fake::World& world() { return *scope_.world; }
  fake::Scope scope_;
  Device device_{"cuda"};
};

TEST_F(BufferTest, SizesAndAddress) {
  const Buffer<float> buffer(100, device_);
  EXPECT_EQ(buffer.size(), 100u);
  EXPECT_EQ(buffer.size_bytes(), 400u);
  EXPECT_EQ(buffer.ptr() % 256, 0u);
  EXPECT_EQ(buffer.device(), device_);
}

TEST_F(BufferTest, NoElementsIsANullPointer) {
  const Buffer<float> buffer(0, device_);
  EXPECT_EQ(buffer.ptr(), 0u);
  EXPECT_EQ(buffer.device(), device_);
  EXPECT_EQ(buffer.subspan(0, 0).size(), 0u);
  EXPECT_EQ(buffer.view<double>().size(), 0u);
  EXPECT_EQ(world().count_of("allocate"), 0);
}

TEST_F(BufferTest, AllocatedInTheContextOfItsStream) {
  const Context own = device_.create_context();
  const Buffer<float> buffer(4, device_, own.default_stream());
  EXPECT_EQ(buffer.context(), own);
  EXPECT_THROW(Buffer<float>(4, Device("cpu"), own.default_stream()), InvalidArgument);
}

TEST_F(BufferTest, TooMuchIsOutOfMemory) {
  EXPECT_THROW(Buffer<double>(std::numeric_limits<std::size_t>::max(), device_), OutOfMemory);
  EXPECT_THROW(Buffer<double>(std::size_t{1} << 50, device_), OutOfMemory);
  EXPECT_EQ(world().live["memory"], 0);
}

TEST_F(BufferTest, PartsShareTheMemory) {
  std::optional<Buffer<float>> buffer(std::in_place, 100, device_);
  std::optional<Buffer<float>> part = buffer->subspan(10, 20);
  EXPECT_EQ(part->ptr(), buffer->ptr() + 40);
  EXPECT_EQ(part->size(), 20u);
  EXPECT_EQ(part->subspan(20, 0).size(), 0u);
  buffer.reset();
  EXPECT_EQ(world().live["memory"], 1);
  part.reset();
  EXPECT_EQ(world().live["memory"], 0);
}

TEST_F(BufferTest, PartsBeyondTheEnd) {
  const Buffer<float> buffer(100, device_);
  EXPECT_THROW(buffer.subspan(90, 11), InvalidArgument);
  EXPECT_THROW(buffer.subspan(101, 0), InvalidArgument);
  EXPECT_THROW(buffer.subspan(1, std::numeric_limits<std::size_t>::max()), InvalidArgument);
  try {
    buffer.subspan(90, 11);
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "elements [90, 90 + 11) are beyond the end of a buffer of 100 elements");
  }
}

TEST_F(BufferTest, ViewsAsAnotherType) {
  const Buffer<float> buffer(3, device_);
  EXPECT_EQ(buffer.view<int>().size(), 3u);
  EXPECT_EQ(buffer.view<std::byte>().size(), 12u);
  EXPECT_EQ(buffer.view<int>().ptr(), buffer.ptr());
  EXPECT_THROW(buffer.view<double>(), InvalidArgument);
}

TEST_F(BufferTest, TenThousandAllocationsLeaveNothing) {
  for (int i = 0; i < 10'000; ++i) Buffer<float> buffer(64, device_);
  EXPECT_EQ(world().live["memory"], 0);
  EXPECT_EQ(world().live["event"], 0);
}

TEST_F(BufferTest, MovedFromHandlesAreNotEmpty) {
  Buffer<float> buffer(3, device_);
  const Buffer<float> moved = std::move(buffer);
  EXPECT_EQ(buffer.subspan(0, 1).ptr(), moved.ptr());  // NOLINT: that is what is tested
}

}  // namespace
}  // namespace lanza
