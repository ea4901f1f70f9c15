// Small copies to the device go through a ring of page-locked memory.
#include "backend/cuda/upload_ring.hpp"

#include <vector>

#include "backend/cuda/fixture.hpp"

namespace lanza::cuda_backend {
namespace {

using backend::Direction;
using backend::Pointer;
using testing::ElementsAre;

constexpr std::size_t size = 16'000;  // 16 of them fill a half of the ring

class UploadRingTest : public OnFakeDriver {
 protected:
  void SetUp() override {
    OnFakeDriver::SetUp();
    context = device().primary_context();
    stream = context->make_stream(0, true);
    memory = context->allocate(size, *stream);
    fake.clear_log();
  }
  void TearDown() override {
    context->release(memory, size, context->default_stream());
    stream.reset();
    context.reset();
    OnFakeDriver::TearDown();
  }
  void upload(const std::vector<unsigned char>& bytes) {
    context->copy(memory, reinterpret_cast<Pointer>(bytes.data()), bytes.size(), Direction::HostToDevice, *stream);
  }
  std::vector<unsigned char> download(std::size_t n) {
    std::vector<unsigned char> bytes(n);
    context->copy(reinterpret_cast<Pointer>(bytes.data()), memory, n, Direction::DeviceToHost, *stream);
    return bytes;
  }

  std::shared_ptr<backend::Context> context;
  std::unique_ptr<backend::Stream> stream;
  Pointer memory = 0;
};

TEST_F(UploadRingTest, EveryCopyArrivesAndEachHalfIsWaitedForBeforeItIsUsedAgain) {
  for (int i = 0; i < 40; ++i) {
    const std::vector<unsigned char> bytes(size - i, static_cast<unsigned char>(i + 1));
    upload(bytes);
    ASSERT_EQ(download(bytes.size()), bytes) << i;
  }
  EXPECT_EQ(fake.calls("cuMemHostAlloc"), 1);
  EXPECT_EQ(fake.calls("cuMemcpyHtoDAsync_v2"), 40);
  EXPECT_EQ(fake.calls("cuEventRecord"), 2);       // the ends of the first half and of the second
  EXPECT_EQ(fake.calls("cuEventSynchronize"), 1);  // the first half, before its second use
  EXPECT_EQ(fake.calls("cuPointerGetAttribute"), 0);
}

TEST_F(UploadRingTest, AStreamThatEndsHandsItsRingOnWithoutWaiting) {
  upload(std::vector<unsigned char>(size, 1));
  stream = context->make_stream(0, true);
  EXPECT_EQ(fake.calls("cuEventSynchronize"), 0);
  EXPECT_EQ(fake.calls("cuEventRecord"), 1);
  upload(std::vector<unsigned char>(size, 2));
  EXPECT_EQ(download(size), std::vector<unsigned char>(size, 2));
  EXPECT_EQ(fake.calls("cuMemHostAlloc"), 1);
  EXPECT_EQ(fake.calls("cuEventRecord"), 1) << "the old stream's copies would not be waited for";
  for (int i = 0; i < 16; ++i) upload(std::vector<unsigned char>(size, 3));
  EXPECT_EQ(fake.calls("cuEventSynchronize"), 1);  // before the old stream's half is used again
}

TEST_F(UploadRingTest, ARingThatCannotBeWaitedForIsNotUsedAgain) {
  upload(std::vector<unsigned char>(size, 1));
  fake.fail("cuEventRecord", CUDA_ERROR_INVALID_HANDLE);
  stream = context->make_stream(0, true);
  upload(std::vector<unsigned char>(size, 2));
  EXPECT_EQ(fake.calls("cuMemHostAlloc"), 2);
}

TEST_F(UploadRingTest, NothingIsLeftWhenTheContextEnds) {
  upload(std::vector<unsigned char>(size, 1));
  context->release(memory, size, *stream);
  stream.reset();
  context = device().create_context();
  stream = context->make_stream(0, false);
  memory = context->allocate(size, *stream);
  upload(std::vector<unsigned char>(size, 1));
  const int before = fake.live("host");
  context->release(memory, size, *stream);
  stream.reset();
  context.reset();
  EXPECT_EQ(fake.live("host"), before - 1);
  context = device().primary_context();
  memory = context->allocate(size, context->default_stream());
}

}  // namespace
}  // namespace lanza::cuda_backend
