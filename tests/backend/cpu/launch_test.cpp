// Launches: limits, arguments, attributes.
#include "backend/cpu/launch.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <vector>

#include "executor_fixture.hpp"

namespace lanza::testing {
namespace {

class Launch : public ExecutorTest {
 protected:
  static void nothing(ThreadContext) {}
  std::string refused(Dim3 grid, Dim3 block, std::size_t shared = 0) {
    const std::tuple<int> arguments(0);
    auto launch = launch_of(grid, block, arguments);
    launch.shared = shared;
    return message_of<InvalidArgument>(
        [&] { make_kernel(loop_kernel<nothing>, "multiplicar")->launch(stream, launch); });
  }
};

TEST_F(Launch, ABlockOverTheLimitIsRefused) {
  EXPECT_EQ(refused(1, 2048), "multiplicar: block 2048x1x1 has 2048 threads; the limit of cpu is 1024");
  EXPECT_EQ(refused(1, Dim3(33, 32)), "multiplicar: block 33x32x1 has 1056 threads; the limit of cpu is 1024");
  EXPECT_EQ(refused(1, Dim3(1, 1, 65)), "multiplicar: block 1x1x65 is too deep; the limit of cpu for z is 64");
  EXPECT_EQ(refused(1, Dim3(0, 1, 1)), "multiplicar: block 0x1x1 has no threads; every extent must be at least 1");
  EXPECT_EQ(refused(1, Dim3(4294967295u, 4294967295u, 4294967295u)).find("multiplicar: block 4294967295x"), 0u);
  EXPECT_EQ(refused(1, Dim3(1u << 31, 2, 1u << 31)).find("multiplicar: block 2147483648x"), 0u)
      << "the product overflows";
}

TEST_F(Launch, AGridThatIsEmptyOrTooLargeIsRefused) {
  EXPECT_EQ(refused(Dim3(0, 1, 1), 1), "multiplicar: grid 0x1x1 has no blocks; every extent must be at least 1");
  EXPECT_EQ(refused(Dim3(1, 70000), 1),
            "multiplicar: grid 1x70000x1 is too large; the limit of cpu is 2147483647x65535x65535");
}

TEST_F(Launch, SharedMemoryOverTheLimitIsRefused) {
  EXPECT_EQ(refused(1, 1, 300000),
            "multiplicar: 300000 bytes of shared memory (0 static, 300000 dynamic); the limit of cpu is 232448");
  refused(1, 1, SIZE_MAX);
}

TEST_F(Launch, TheKernelsOwnBoundsHold) {
  backend::KernelInfo info;
  info.name = "bounded";
  info.max_threads = 128;
  auto module = std::make_shared<executor::ModuleRecord>(
      executor::ModuleRecord{"", {}, {}, executor::Segment("", {}), false, ""});
  executor::Kernel kernel(module, info);
  const std::tuple<int> arguments(0);
  EXPECT_EQ(message_of<InvalidArgument>([&] { kernel.launch(stream, launch_of(1, 256, arguments)); }),
            "bounded: block 256x1x1 has 256 threads; the __launch_bounds__ of the kernel allow 128");
}

// Writes at both ends of the dynamic shared memory.
void use_shared(ThreadContext t) {
  auto* shared = t.shared<unsigned char>();
  if (reinterpret_cast<std::uintptr_t>(shared) % 64) std::abort();
  shared[0] = shared[t.block->launch->dynamic_shared - 1] = 1;
  ++*t.argument<std::uint64_t*>();
}

TEST_F(Launch, DynamicSharedMemoryIsThere) {
  std::uint64_t runs = 0;
  const std::tuple<std::uint64_t*> arguments(&runs);
  for (std::size_t bytes : {1ul, 64ul, 48ul << 10, 227ul << 10, 100ul}) {
    auto launch = launch_of(1, 1, arguments);
    launch.shared = bytes;
    make_kernel(loop_kernel<use_shared>)->launch(stream, launch);
    stream.synchronize();
  }
  EXPECT_EQ(runs, 5u);
}

void copy_argument(ThreadContext t) { *t.argument<std::uint64_t*>() = t.argument<std::uint64_t>(8); }

TEST_F(Launch, ArgumentsAreCopiedBeforeLaunchReturns) {
  auto kernel = make_kernel(loop_kernel<copy_argument>);
  for (std::uint64_t i = 0; i < 200; ++i) {
    std::uint64_t out = 0;
    alignas(16) struct {
      std::uint64_t* out;
      std::uint64_t value;
    } arguments{&out, i + 1};
    backend::Launch launch;
    launch.grid = launch.block = 1;
    launch.arguments = &arguments;
    launch.argument_bytes = sizeof arguments;
    kernel->launch(stream, launch);
    arguments.value = 0;
    stream.synchronize();
    ASSERT_EQ(out, i + 1);
  }
}

void read_global(ThreadContext t) {
  *t.argument<std::uint64_t*>() = *reinterpret_cast<std::uint64_t*>(t.block->launch->globals + 8);
}

TEST_F(Launch, GlobalsAreTheModules) {
  backend::Code code;
  code.kind = "bitcode";
  code.image = "some bitcode";
  code.data = std::string(24, '\0');
  code.data[8] = 42;
  auto module = context->load(code, false);
  const auto variable = module->variable({"v", "v", "", 8, 8, false});
  EXPECT_EQ(*reinterpret_cast<std::uint64_t*>(variable.address), 42u);
  *reinterpret_cast<std::uint64_t*>(variable.address) = 43;

  backend::KernelInfo info;
  info.name = "k";
  auto kernel = module->kernel(info);
  static_cast<executor::Kernel&>(*kernel).share()->install(
      Dim3(0, 0, 0), std::make_shared<executor::KernelObject>(loop_kernel<read_global>));
  std::uint64_t out = 0;
  const std::tuple<std::uint64_t*> arguments(&out);
  kernel->launch(stream, launch_of(1, 1, arguments));
  stream.synchronize();
  EXPECT_EQ(out, 43u);
  EXPECT_EQ(module->image("bitcode"), "some bitcode");
  EXPECT_THROW(module->image("ptx"), NotFound);
  EXPECT_THROW(module->variable({"w", "w", "", 20, 8, false}), InvalidArgument);
}

// One block of the launch says it: blocks run side by side.
void say(ThreadContext t, int what) {
  if (t.block->index[1] == 0) *t.argument<int*>() = what;
}
void say_fitting(ThreadContext t) { say(t, 1); }
void say_other(ThreadContext t) { say(t, 2); }

struct Asked {
  int* out;
  std::uint32_t width;
};

std::int32_t fits(const std::uint32_t grid[3], const void* arguments) {
  return static_cast<const Asked*>(arguments)->width * grid[1] < 1000;
}

// Whether what fits some launches was made before or after what fits all of them.
TEST_F(Launch, EachTakesCodeThatFitsIt) {
  LanzaKernelObject fitting = loop_kernel<say_fitting>;
  fitting.flags |= LANZA_KERNEL_NARROW;
  fitting.fits = fits;
  for (const bool fitting_first : {true, false}) {
    auto kernel = make_kernel(fitting_first ? fitting : loop_kernel<say_other>);
    kernel->share()->install(
        Dim3(1, 1, 1), std::make_shared<executor::KernelObject>(fitting_first ? loop_kernel<say_other> : fitting));
    std::vector<int> taken;
    for (const auto& [grid, width] : {std::pair(1u, 10u), {200u, 10u}, {1u, 10u}, {1u, 5000u}, {1u, 999u}}) {
      int out = 0;
      const Asked asked{&out, width};
      auto launch = launch_of(Dim3(1, grid), 1, std::tuple());
      launch.arguments = &asked;
      launch.argument_bytes = sizeof asked;
      kernel->launch(stream, launch);
      stream.synchronize();
      taken.push_back(out);
    }
    EXPECT_EQ(taken, (std::vector{1, 2, 1, 2, 1}));
  }
}

// Which blocks ran, of which grid; block 5 fails.
std::array<std::atomic<int>, 16> ran;
void note_block(ThreadContext t) {
  ran.at(t.block->index[0]) = static_cast<int>(t.block->launch->grid[0]);
  if (t.block->index[0] == 5) t.block->launch->services->fail(t.block, LANZA_FAIL_TRAP, nullptr, nullptr, 0, nullptr);
}

std::uint32_t blocks_of(const std::uint32_t[3], const void* arguments) {
  return *static_cast<const std::uint32_t*>(arguments);
}

TEST_F(Launch, AGridIsAsLongAsItHasTurns) {
  LanzaKernelObject striding = loop_kernel<note_block>;
  striding.blocks = blocks_of;
  auto kernel = make_kernel(striding);
  const auto count = [&](std::uint32_t turns, std::uint32_t asked) {
    for (auto& block : ran) block = 0;
    const std::tuple arguments(turns);
    kernel->launch(stream, launch_of(asked, 1, arguments));
    stream.synchronize();
    return std::count_if(ran.begin(), ran.end(), [&](const auto& grid) { return grid == static_cast<int>(turns); });
  };
  EXPECT_EQ(count(4, 1), 4);
  EXPECT_EQ(count(4, 16), 4);
  EXPECT_EQ(message_of<LaunchError>([&] { count(16, 3); }), "k: trap in block (2,0,0)") << "block 5 as it was launched";
}

Thread end_at_once(ThreadContext) { co_return; }

TEST_F(Launch, AKernelKnowsItsAttributesAndReport) {
  auto kernel = make_kernel(threads_kernel<end_at_once>);
  std::int64_t local = -1, most = -1;
  for (const auto& [name, value] : kernel->attributes()) {
    if (name == "local_size_bytes") local = value;
    if (name == "max_threads_per_block") most = value;
  }
  EXPECT_EQ(local, static_cast<std::int64_t>(test_frame_bytes));
  EXPECT_EQ(most, 1024);
  EXPECT_EQ(kernel->report(), R"({"engine": "threads"})");
}

}  // namespace
}  // namespace lanza::testing
