// Streams, and the order of a buffer's release after work on other streams.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanza/lanza.hpp>

#include <optional>

#include "runtime/fake_backend.hpp"
#include "runtime/records.hpp"

namespace lanza {
namespace {

using testing::ElementsAre;

class StreamTest : public testing::Test {
 protected:
  StreamTest() { fake::teach_multiplicar(world()); }
  fake::World& world() { return *scope_.world; }
  fake::Scope scope_;
};

TEST_F(StreamTest, DefaultStreamKeepsItsContext) {
  std::optional<Stream> stream = Device("cuda").create_context().default_stream();
  EXPECT_EQ(world().live["context"], 1);
  EXPECT_EQ(stream->device(), Device("cuda"));
  stream.reset();
  EXPECT_EQ(world().live["context"], 0);
}

TEST_F(StreamTest, FromHandle) {
  const Stream stream = Stream::from_handle(0x1234, Device("cuda"));
  EXPECT_EQ(world().count_of("adopt stream"), 1);
  stream.synchronize();
  EXPECT_TRUE(stream.query());
}

TEST_F(StreamTest, WaitForAnEventOfAnotherKindOfDevice) {
  const Stream stream(Device("cuda"));
  const Event event(Device("cpu"));
  event.record();
  world().clear_trace();
  stream.wait(event);
  EXPECT_THAT(world().trace, ElementsAre("synchronize event"));
  stream.wait(stream.record());
  EXPECT_EQ(world().count_of("wait"), 1);
}

TEST_F(StreamTest, BufferUsedElsewhereIsReleasedAfterThatWork) {
  const Kernel kernel = compile("", {.device = Device("cuda"), .cache = false}).kernel("multiplicar");
  const Stream other(Device("cuda"));
  std::optional<Buffer<float>> buffer(std::in_place, 400, Device("cuda"));
  world().clear_trace();
  kernel({.block = 1, .stream = other}, *buffer, *buffer, *buffer);
  // First use there: after what the buffer's own stream holds.
  EXPECT_THAT(world().trace, ElementsAre("make event", "record", "wait", "launch"));
  world().clear_trace();
  kernel({.block = 1, .stream = other}, *buffer, *buffer, *buffer);
  EXPECT_THAT(world().trace, ElementsAre("launch"));
  world().clear_trace();
  buffer.reset();
  EXPECT_THAT(world().trace, ElementsAre("make event", "record", "wait", "release"));
}

TEST_F(StreamTest, BufferUsedOnManyStreams) {
  std::optional<Buffer<float>> buffer(std::in_place, 1, Device("cuda"));
  constexpr int streams = 7;
  {
    std::vector<Stream> many;
    for (int i = 0; i < streams; ++i) many.emplace_back(Device("cuda"));
    for (int round = 0; round < 2; ++round) {
      for (const Stream& stream : many) fill(*buffer, 1.0F, stream);
    }
  }
  EXPECT_EQ(world().live["stream"], streams);  // the buffer holds them
  world().clear_trace();
  buffer.reset();
  EXPECT_EQ(world().count_of("wait"), streams);
  EXPECT_EQ(world().live["stream"], 0);
}

TEST_F(StreamTest, ReleaseIsDoneEvenWhenItCannotBeOrdered) {
  std::optional<Buffer<float>> buffer(std::in_place, 1, Device("cuda"));
  fill(*buffer, 1.0F, Stream(Device("cuda")));
  world().fail_at = world().calls + 1;
  buffer.reset();
  EXPECT_EQ(world().live["memory"], 0);
}

TEST_F(StreamTest, KeepsThingsUntilItIsSynchronised) {
  const Stream stream(Device("cuda"));
  auto thing = std::make_shared<int>(1);
  stream.shared()->keep(thing);
  EXPECT_EQ(thing.use_count(), 2);
  stream.synchronize();
  EXPECT_EQ(thing.use_count(), 1);
  const Context context = stream.context();
  context.default_stream().shared()->keep(thing);
  context.synchronize();
  EXPECT_EQ(thing.use_count(), 1);
}

TEST_F(StreamTest, WhatIsKeptDoesNotPileUp) {
  const Stream stream(Device("cuda"));
  auto thing = std::make_shared<int>(1);
  for (int i = 0; i < 10'000; ++i) stream.shared()->keep(thing);
  EXPECT_LE(thing.use_count(), 257);
}

TEST_F(StreamTest, DroppedStreamWaitsForWhatItKeeps) {
  auto thing = std::make_shared<int>(1);
  {
    const Stream stream(Device("cuda"));
    stream.shared()->keep(thing);
    world().clear_trace();
  }
  EXPECT_EQ(world().trace.front(), "synchronize");
  EXPECT_EQ(thing.use_count(), 1);
}

}  // namespace
}  // namespace lanza
