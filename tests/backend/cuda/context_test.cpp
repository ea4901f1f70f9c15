// Contexts, streams and events: what is called, in which order, and that the thread's current context is left alone.
#include <dlfcn.h>

#include <cstdlib>
#include <thread>

#include "backend/cuda/driver.hpp"
#include "backend/cuda/fixture.hpp"

namespace lanza::cuda_backend {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ContextTest : public OnFakeDriver {
 protected:
  static CUcontext current() {
    CUcontext c = nullptr;
    driver().cuCtxGetCurrent(&c);
    return c;
  }
};

TEST_F(ContextTest, DevicesSayWhatTheyAre) {
  EXPECT_EQ(backend::cuda().device_count(), 2);
  EXPECT_EQ(backend::cuda().why_none(), "");
  EXPECT_EQ(device().name(), "Fake GPU");
  EXPECT_EQ(device().compute_capability(), std::pair(9, 0));
  EXPECT_EQ(device().attribute("multiprocessor_count"), 132);
  EXPECT_THROW(device().attribute("colour"), NotFound);
  EXPECT_GE(device().attributes().size(), 150u);
  EXPECT_EQ(device().memory_info().second, std::size_t{4} << 30);
  EXPECT_THAT(message_of<InvalidArgument>([] { backend::cuda().device(2); }),
              HasSubstr("no device cuda:2; there are 2: cuda:0 to cuda:1"));
  EXPECT_THROW(backend::cuda().device(-1), InvalidArgument);
}

TEST_F(ContextTest, ThePrimaryContextLivesWhileSomebodyHoldsIt) {
  auto first = device().primary_context();
  const auto second = device().primary_context();
  EXPECT_EQ(first, second);
  EXPECT_EQ(fake.calls("cuDevicePrimaryCtxRetain"), 1);
  first.reset();
  EXPECT_EQ(fake.calls("cuDevicePrimaryCtxRelease_v2"), 0);
}

TEST_F(ContextTest, WhatIsMadeInAContextGoesBeforeIt) {
  device().create_context();
  EXPECT_THAT(routines(),
              ElementsAre("cuCtxCreate_v2", "cuMemPoolCreate", "cuMemPoolSetAttribute", "cuStreamCreateWithPriority",
                          "cuStreamDestroy_v2", "cuMemPoolDestroy", "cuCtxDestroy_v2"));
}

TEST_F(ContextTest, AFailureWhileAContextIsMadeLeavesNothing) {
  for (const char* routine : {"cuCtxCreate_v2", "cuMemPoolCreate", "cuStreamCreateWithPriority"}) {
    fake.fail(routine, CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_THROW(device().create_context(), OutOfMemory) << routine;
    EXPECT_EQ(fake.live(nullptr), 0) << routine;
  }
}

TEST_F(ContextTest, TheThreadsContextIsLeftAsItWas) {
  EXPECT_EQ(current(), nullptr);
  const auto a = device(0).primary_context();
  const auto b = device(1).create_context();
  EXPECT_EQ(current(), nullptr);
  auto* const raw_b = reinterpret_cast<CUcontext>(b->handle());
  driver().cuCtxPushCurrent_v2(raw_b);
  {
    const auto stream = a->make_stream(0, true);
    const auto event = a->make_event(true);
    event->record(*stream);
    stream->synchronize();
    a->release(a->allocate(64, *stream), 64, *stream);
    EXPECT_EQ(current(), raw_b);
    fake.fail("cuStreamSynchronize", CUDA_ERROR_UNKNOWN);
    EXPECT_THROW(stream->synchronize(), DriverError);
    EXPECT_EQ(current(), raw_b);
  }
  CUcontext popped;
  driver().cuCtxPopCurrent_v2(&popped);
  EXPECT_EQ(popped, raw_b);
  EXPECT_EQ(current(), nullptr);
}

TEST_F(ContextTest, ObjectsMayBeDroppedOnAnotherThread) {
  auto context = device().primary_context();
  auto stream = context->make_stream(0, false);
  auto event = context->make_event(false);
  std::thread([&] {
    event.reset();
    stream.reset();
    context.reset();
  }).join();
  EXPECT_EQ(fake.live(nullptr), 0);
}

TEST_F(ContextTest, StreamsHaveFlagsAndPriority) {
  const auto context = device().primary_context();
  fake.clear_log();
  context->make_stream(-3, true);
  EXPECT_THAT(calls(),
              ElementsAre("cuStreamCreateWithPriority(1, -3)", "cuStreamDestroy_v2(stream#" + std::to_string(2) + ")"))
      << "numbers count since the process began";
}

TEST_F(ContextTest, AnIdleStreamCostsOneQuery) {
  const auto context = device().primary_context();
  fake.clear_log();
  EXPECT_TRUE(context->default_stream().synchronize_for(std::chrono::seconds(1)));
  EXPECT_THAT(routines(), ElementsAre("cuStreamQuery"));
}

TEST_F(ContextTest, WaitingHasALimit) {
  const auto context = device().primary_context();
  backend::Stream& stream = context->default_stream();
  fake.fail("cuStreamQuery", CUDA_ERROR_NOT_READY, 1, 1 << 30);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(stream.synchronize_for(std::chrono::milliseconds(20)));
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(20));
  EXPECT_FALSE(stream.query());
  fake.fail("cuStreamQuery", CUDA_ERROR_NOT_READY, 1, 5);
  EXPECT_TRUE(stream.synchronize_for(std::chrono::seconds(10)));
}

TEST_F(ContextTest, ForeignStreamsAreUsedAndNotDestroyed) {
  const auto context = device().primary_context();
  const auto own = context->make_stream(0, false);
  {
    const auto adopted = context->adopt_stream(own->handle());
    EXPECT_EQ(adopted->handle(), own->handle());
  }
  EXPECT_EQ(fake.calls("cuStreamDestroy_v2"), 0);
  const auto other = device().create_context();
  EXPECT_THAT(message_of<InvalidArgument>([&] { other->adopt_stream(own->handle()); }),
              HasSubstr("belongs to another context"));
  EXPECT_NO_THROW(context->adopt_stream(0));  // the legacy stream
}

TEST_F(ContextTest, EventsOrderStreamsAndTellTime) {
  const auto context = device().primary_context();
  const auto a = context->make_stream(0, false), b = context->make_stream(0, false);
  const auto start = context->make_event(true), end = context->make_event(true), untimed = context->make_event(false);
  EXPECT_TRUE(start->query());
  EXPECT_NO_THROW(start->synchronize());
  EXPECT_THAT(message_of<InvalidArgument>([&] { end->milliseconds_since(*start); }), HasSubstr("never recorded"));
  fake.clear_log();
  b->wait(*start);  // nothing to wait for
  EXPECT_THAT(routines(), ElementsAre());
  start->record(*a);
  b->wait(*start);
  end->record(*b);
  EXPECT_GE(end->milliseconds_since(*start), 0.0f);
  EXPECT_THAT(routines(), ElementsAre("cuEventRecord", "cuStreamWaitEvent", "cuEventRecord", "cuEventSynchronize",
                                      "cuEventSynchronize", "cuEventElapsedTime"));
  EXPECT_THAT(message_of<InvalidArgument>([&] { untimed->milliseconds_since(*start); }), HasSubstr("timing=false"));
  const auto other = device().create_context();
  EXPECT_THROW(start->record(other->default_stream()), InvalidArgument);
}

TEST_F(ContextTest, ADriverThatIsGoneAtTheEndIsTolerated) {
  auto context = device().primary_context();
  fake.fail("cuStreamDestroy_v2", CUDA_ERROR_DEINITIALIZED);
  fake.fail("cuDevicePrimaryCtxRelease_v2", CUDA_ERROR_DEINITIALIZED);
  EXPECT_NO_THROW(context.reset());
  // The fake lost nothing in truth: give it back what it was told it no longer has.
  fake.clear_failures();
  driver().cuDevicePrimaryCtxRelease_v2(0);
  EXPECT_THAT(fake.violations(), HasSubstr("destroyed before stream"));
  EXPECT_EQ(fake.live("primary"), 0);
  fake.reset();
  const auto again = device().create_context();
}

TEST_F(ContextTest, DiagnosisSaysWhatWasFound) {
  const auto lines = backend::cuda().diagnosis();
  ASSERT_GE(lines.size(), 3u);
  EXPECT_THAT(lines[0], HasSubstr("fake/libcuda.so.1 (CUDA 13.0)"));
  EXPECT_THAT(lines[1], HasSubstr("cuda:0: Fake GPU, compute capability 9.0, PCI 0000:01:00.0"));
}

}  // namespace
}  // namespace lanza::cuda_backend
