// Faults injected at every call of the backend while a whole program runs: each becomes an exception, and nothing is
// left behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanza/lanza.hpp>

#include <vector>

#include "runtime/fake_backend.hpp"

namespace lanza {
namespace {

// Contexts, modules, streams, events, buffers, copies and launches of every kind.
void program() {
  const Device device("cuda");
  const Context context = device.create_context();
  const Current guard(context);
  const Module module = compile("source", {.device = device, .cache = false});
  const Kernel multiplicar = module.kernel("multiplicar");
  const Stream stream(device), other(device, {.priority = -1});
  const std::vector<float> a(8, 3), b(8, 2);
  std::vector<float> dest(8);

  multiplicar({.block = 8}, out(dest), in(a), in(b));
  multiplicar({.block = 8, .stream = stream, .wait = false}, inout(dest), in(a), in(b));
  stream.synchronize();

  const Buffer<float> device_a(8, device), device_dest(8, device, stream);
  copy(device_a, a);
  fill(device_dest, 0.0F, stream);
  const Event start = stream.record();
  multiplicar({.block = 8, .stream = stream}, device_dest, device_a, device_a);
  const Event end = stream.record();
  other.wait(end);
  copy(device_a, device_dest, other);
  copy(dest, device_a);
  end.time_since(start);

  const Buffer<float> elsewhere(8, Device("cuda:1"));
  copy(elsewhere, device_a);
  const Buffer<float> on_cpu(8, Device("cpu"));
  copy(on_cpu, elsewhere);
  compile("source", {.device = Device("cpu"), .cache = false}).kernel("multiplicar")({.block = 8}, on_cpu, in(a), dest);
  context.synchronize();
}

TEST(Fault, AtEveryCall) {
  int total = 0;
  {
    const fake::Scope scope;
    fake::teach_multiplicar(*scope.world);
    program();
    total = scope.world->calls;
  }
  ASSERT_GT(total, 60);
  for (int at = 1; at <= total; ++at) {
    fake::World* world = nullptr;
    {
      const fake::Scope scope;
      world = scope.world;
      fake::teach_multiplicar(*world);
      world->fail_at = at;
      try {
        program();
        // The only faults that may go unseen are those of clean-up, which happens in destructors.
        EXPECT_THAT(world->failed, testing::AnyOf("make event", "record", "wait"));
      } catch (const DriverError&) {
      }
      world->fail_at = 0;
      EXPECT_NO_THROW(program()) << "after a fault at call " << at;  // the process goes on
    }
    EXPECT_EQ(world->alive(), 0) << "fault at call " << at;
    EXPECT_THAT(world->violations, testing::IsEmpty()) << "fault at call " << at;
  }
}

}  // namespace
}  // namespace lanza
