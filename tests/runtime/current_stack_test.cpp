// What is current on a thread.
#include <gtest/gtest.h>

#include <lanza/lanza.hpp>

#include <memory>
#include <thread>

#include "runtime/current_stack.hpp"
#include "runtime/fake_backend.hpp"

namespace lanza {
namespace {

TEST(Current, DeviceAndBack) {
  const fake::Scope scope;
  EXPECT_EQ(current_device(), Device("cuda:0"));
  {
    const Current outer(Device("cpu"));
    EXPECT_EQ(current_device(), Device("cpu"));
    {
      const Current inner(Device("cuda:1"));
      EXPECT_EQ(Buffer<float>(1).device(), Device("cuda:1"));
    }
    EXPECT_EQ(current_device(), Device("cpu"));
  }
  EXPECT_EQ(current_device(), Device("cuda:0"));
}

TEST(Current, ContextServesItsDeviceOnly) {
  const fake::Scope scope;
  const Context own = Device("cuda").create_context();
  const Current guard(own);
  EXPECT_EQ(current_context(), own);
  EXPECT_EQ(Device("cuda").context(), own);
  EXPECT_EQ(Buffer<>(1, Device("cuda")).context(), own);
  EXPECT_NE(Device("cuda:1").context(), own);
  const Current primary(Device("cuda"));
  EXPECT_NE(Device("cuda").context(), own);
}

TEST(Current, StreamIsUsedByDefault) {
  const fake::Scope scope;
  const Stream stream(Device("cuda"));
  EXPECT_NE(current_stream(), stream);
  const Current guard(stream);
  EXPECT_EQ(current_stream(), stream);
  const Context context = Device("cuda").context();
  EXPECT_EQ(&detail::resolve({}, *context.shared()), stream.shared().get());
  const Context other = Device("cuda:1").context();
  EXPECT_EQ(&detail::resolve({}, *other.shared()), &other.shared()->default_stream);
  const Current device(Device("cpu"));  // leaves the stream current for its own device
  EXPECT_EQ(&detail::resolve({}, *context.shared()), stream.shared().get());
}

TEST(Current, IsPerThread) {
  const fake::Scope scope;
  const Current guard(Device("cpu"));
  std::thread([] { EXPECT_EQ(current_device(), Device("cuda:0")); }).join();
}

TEST(Current, GuardsMayEndInAnyOrder) {
  const fake::Scope scope;
  auto first = std::make_unique<Current>(Device("cpu"));
  auto second = std::make_unique<Current>(Device("cuda:1"));
  first.reset();
  EXPECT_EQ(current_device(), Device("cuda:1"));
  second.reset();
  EXPECT_EQ(current_device(), Device("cuda:0"));
}

TEST(Current, GuardThatEndsOnAnotherThreadIsHarmless) {
  const fake::Scope scope;
  std::unique_ptr<Current> guard;
  std::thread([&] { guard = std::make_unique<Current>(Device("cpu")); }).join();
  guard.reset();
  EXPECT_EQ(current_device(), Device("cuda:0"));
}

TEST(Current, KeepsItsContextAlive) {
  const fake::Scope scope;
  {
    const Current guard(Device("cuda").create_context());
    EXPECT_EQ(scope.world->live["context"], 1);
  }
  EXPECT_EQ(scope.world->live["context"], 0);
}

}  // namespace
}  // namespace lanza
