// Launches through the public API: what is enqueued, in which order, with which bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanza/lanza.hpp>

#include <array>
#include <numeric>
#include <span>
#include <vector>

#include "runtime/fake_backend.hpp"

namespace lanza {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class LaunchTest : public testing::Test {
 protected:
  LaunchTest() { fake::teach_multiplicar(*scope_.world); }

  Kernel multiplicar(const char* device = "cuda") {
    return compile("multiplicar", {.device = Device(device), .cache = false}).kernel("multiplicar");
  }
  fake::World& world() { return *scope_.world; }

  fake::Scope scope_;
  std::vector<float> a_ = std::vector<float>(400, 3.0F), b_ = std::vector<float>(400, 2.0F),
                     dest_ = std::vector<float>(400, -1.0F);
};

TEST_F(LaunchTest, HostRangesAreCopiedAsTheirWrappersSay) {
  const Kernel kernel = multiplicar();
  world().clear_trace();
  kernel({.grid = 1, .block = 400}, out(dest_), in(a_), in(b_));
  EXPECT_THAT(world().trace, ElementsAre("allocate", "allocate", "to device", "allocate", "to device", "launch",
                                         "to host", "release", "release", "release", "synchronize"));
  EXPECT_THAT(dest_, testing::Each(6.0F));
  EXPECT_TRUE(world().launches.back().caller_waits);
}

TEST_F(LaunchTest, InIsNeverWrittenBackAndOutNeverUploaded) {
  const Kernel kernel = multiplicar();
  std::vector<float> seen;
  world().kernels["_multiplicar"] = [&](const backend::Launch& launch) {
    auto* dest = fake::argument<float*>(launch, 0);
    seen.assign(dest, dest + 400);
    std::fill_n(dest, 400, 1.0F);
    std::fill_n(fake::argument<float*>(launch, 8), 400, 9.0F);
  };
  kernel({.block = 400}, out(dest_), in(a_), in(b_));
  EXPECT_THAT(a_, testing::Each(3.0F));
  EXPECT_THAT(seen, testing::Not(testing::Contains(-1.0F)));
  EXPECT_THAT(dest_, testing::Each(1.0F));
}

TEST_F(LaunchTest, InoutAndUnwrappedRangesGoBothWays) {
  const Kernel kernel = multiplicar();
  world().clear_trace();
  kernel({.block = 400}, inout(dest_), a_, in(b_));
  EXPECT_EQ(world().count_of("to device"), 3);
  EXPECT_EQ(world().count_of("to host"), 2);
}

TEST_F(LaunchTest, UnwrappedRangeForConstPointerIsOnlyRead) {
  world().compile = [](const backend::CompileRequest&) {
    return fake::result({fake::kernel("leer", {fake::pointer("a", DType::Float32, true)})});
  };
  const Kernel kernel = compile("leer", {.device = Device("cuda"), .cache = false}).kernel("leer");
  world().clear_trace();
  const std::vector<float> constant(4);
  kernel({.block = 4}, constant);
  EXPECT_THAT(world().trace, ElementsAre("allocate", "to device", "launch", "release"));  // nothing to wait for
}

TEST_F(LaunchTest, EveryKindOfRangeIsTaken) {
  const Kernel kernel = multiplicar();
  float array[400];
  std::array<float, 400> other{};
  kernel({.block = 400}, out(array), in(std::span<const float>(a_)), in(std::vector<float>(400, 5.0F)));
  EXPECT_EQ(array[399], 15.0F);
  kernel({.block = 400}, out(std::span(other)), in(array), b_);
  EXPECT_EQ(other[0], 30.0F);
}

TEST_F(LaunchTest, BuffersCostNothingButTheLaunch) {
  const Kernel kernel = multiplicar();
  const Device cuda("cuda");
  const Buffer<float> a(400, cuda), b(400, cuda), dest(400, cuda);
  copy(a, a_);
  copy(b, b_);
  world().clear_trace();
  kernel({.block = 400}, dest, a, b);
  EXPECT_THAT(world().trace, ElementsAre("launch"));
  EXPECT_FALSE(world().launches.back().caller_waits);
  copy(dest_, dest);
  EXPECT_THAT(dest_, testing::Each(6.0F));
}

TEST_F(LaunchTest, ConfigurationReachesTheBackend) {
  const Kernel kernel = multiplicar();
  const Buffer<float> x(400, Device("cuda"));
  kernel(
      {.grid = {2, 3, 4}, .block = {4, 5, 6}, .shared = 128, .cooperative = true, .timeout = std::chrono::seconds(2)},
      x, x, x);
  const backend::Launch& launch = world().launches.back();
  EXPECT_EQ(launch.grid, Dim3(2, 3, 4));
  EXPECT_EQ(launch.block, Dim3(4, 5, 6));
  EXPECT_EQ(launch.shared, 128u);
  EXPECT_TRUE(launch.cooperative);
  EXPECT_EQ(launch.timeout, std::chrono::seconds(2));
  EXPECT_EQ(launch.argument_bytes, 24u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(launch.arguments) % 16, 0u);
}

TEST_F(LaunchTest, WithoutWaitNothingIsSynchronised) {
  const Kernel kernel = multiplicar();
  world().clear_trace();
  kernel({.block = 400, .wait = false}, out(dest_), in(a_), in(b_));
  EXPECT_EQ(world().count_of("synchronize"), 0);
  EXPECT_EQ(world().count_of("release"), 3);
}

TEST_F(LaunchTest, EmptyRangesAndBuffersAreNullPointers) {
  const Kernel kernel = multiplicar();
  world().kernels["_multiplicar"] = [](const backend::Launch& launch) {
    for (const std::size_t offset : {0, 8, 16}) EXPECT_EQ(fake::argument<std::uintptr_t>(launch, offset), 0u);
  };
  std::vector<float> none;
  world().clear_trace();
  kernel({.block = 1}, out(none), Buffer<float>(0, Device("cuda")), nullptr);
  EXPECT_THAT(world().trace, ElementsAre("launch"));
}

TEST_F(LaunchTest, LargeParameterListsArePacked) {
  struct Big {
    std::array<int, 500> values;
  };
  world().compile = [](const backend::CompileRequest&) {
    return fake::result(
        {fake::kernel("grande", {fake::record("big", "Big", sizeof(Big)), fake::scalar("n", DType::Int32)})});
  };
  Big big;
  std::iota(big.values.begin(), big.values.end(), 0);
  const Kernel kernel = compile("grande", {.device = Device("cuda"), .cache = false}).kernel("grande");
  world().kernels["_grande"] = [&](const backend::Launch& launch) {
    EXPECT_EQ(launch.argument_bytes, sizeof(Big) + 4);
    EXPECT_EQ(std::memcmp(launch.arguments, &big, sizeof big), 0);
    EXPECT_EQ(fake::argument<int>(launch, sizeof big), 7);
  };
  kernel({.block = 1}, big, 7);
  EXPECT_EQ(world().count_of("launch"), 1);
}

TEST_F(LaunchTest, KernelWithoutKnownParametersTakesArgumentsAsTheyCome) {
  world().compile = [](const backend::CompileRequest&) {
    auto info = fake::kernel("oculto", {});
    info.signature.known = false;
    return fake::result({info});
  };
  const Kernel kernel = compile("oculto", {.device = Device("cuda"), .cache = false}).kernel("oculto");
  const Buffer<float> buffer(4, Device("cuda"));
  struct Pair {
    std::int16_t a, b, c;
  };
  world().kernels["_oculto"] = [&](const backend::Launch& launch) {
    EXPECT_EQ(fake::argument<int>(launch, 0), 5);
    EXPECT_EQ(fake::argument<std::uintptr_t>(launch, 8), buffer.ptr());
    EXPECT_EQ(fake::argument<Pair>(launch, 16).c, 3);
    EXPECT_EQ(fake::argument<double>(launch, 24), 2.5);
    EXPECT_EQ(launch.argument_bytes, 32u);
  };
  kernel({.block = 1}, 5, buffer, Pair{1, 2, 3}, 2.5);
  EXPECT_EQ(world().count_of("launch"), 1);
}

// ---- errors, by their texts
// ------------------------------------------------------------------------------------------

template <class E, class F>
std::string message(F f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string("another exception: ") + error.what();
  }
  return "no exception";
}

TEST_F(LaunchTest, WrongElementType) {
  const Kernel kernel = multiplicar();
  std::vector<double> wrong(400);
  EXPECT_EQ(message<ArgumentTypeError>([&] { kernel({.block = 400}, out(wrong), in(a_), in(b_)); }),
            "multiplicar: argument 1 (dest): expected float*, got float64 array (400,); convert its elements to float");
  EXPECT_EQ(
      message<ArgumentTypeError>([&] { kernel({.block = 400}, out(dest_), Buffer<int>(8, Device("cuda")), in(b_)); }),
      "multiplicar: argument 2 (a): expected float*, got int32 buffer (8,); convert its elements to float");
  EXPECT_EQ(message<ArgumentTypeError>([&] { kernel({.block = 400}, out(dest_), in(a_), 5); }),
            "multiplicar: argument 3 (b): expected float*, got int32 5");
  EXPECT_EQ(world().count_of("launch"), 0);
  EXPECT_EQ(world().count_of("to device"), 0);
}

TEST_F(LaunchTest, WrongCount) {
  const Kernel kernel = multiplicar();
  EXPECT_EQ(message<ArgumentTypeError>([&] { kernel({.block = 400}, out(dest_), in(a_)); }),
            "multiplicar: takes 3 arguments (float*, float*, float*), got 2");
}

TEST_F(LaunchTest, MissingBlock) {
  const Kernel kernel = multiplicar();
  EXPECT_EQ(message<InvalidArgument>([&] { kernel({.grid = 1}, out(dest_), in(a_), in(b_)); }),
            "multiplicar: must specify block size, e.g. block=256");
}

TEST_F(LaunchTest, ReadOnlyRange) {
  const Kernel kernel = multiplicar();
  const std::vector<float> constant(400);
  EXPECT_EQ(
      message<InvalidArgument>([&] { kernel({.block = 400}, constant, in(a_), in(b_)); }),
      "multiplicar: argument 1 (dest): float32 array (400,) is read-only, but the kernel may write float*; pass it "
      "with in()");
}

TEST_F(LaunchTest, MemoryOfAnotherDeviceOrContext) {
  const Kernel kernel = multiplicar();
  EXPECT_EQ(
      message<InvalidArgument>([&] { kernel({.block = 400}, out(dest_), Buffer<float>(4, Device("cuda:1")), in(b_)); }),
      "multiplicar: argument 2 (a): the memory is on cuda:1, the kernel on cuda:0; copy it to a buffer there");
  EXPECT_EQ(message<InvalidArgument>([&] { kernel({.block = 400}, Buffer<float>(4, Device("cpu")), in(a_), in(b_)); }),
            "multiplicar: argument 1 (dest): the memory is on cpu, the kernel on cuda:0; copy it to a buffer there");
  const Context other = Device("cuda").create_context();
  const Current guard(other);
  const Buffer<float> foreign(4, Device("cuda"));
  EXPECT_EQ(message<InvalidArgument>([&] { kernel({.block = 400}, foreign, in(a_), in(b_)); }),
            "multiplicar: argument 1 (dest): the buffer belongs to another context of cuda:0 than the kernel; copy it");
}

TEST_F(LaunchTest, StreamOfAnotherDevice) {
  const Kernel kernel = multiplicar();
  const Stream stream(Device("cuda:1"));
  EXPECT_EQ(message<InvalidArgument>([&] { kernel({.block = 400, .stream = stream}, out(dest_), in(a_), in(b_)); }),
            "the stream is one of cuda:1, the work that was given to it is on cuda:0");
}

TEST_F(LaunchTest, ResultForWhatIsOnlyRead) {
  world().compile = [](const backend::CompileRequest&) {
    return fake::result({fake::kernel("leer", {fake::pointer("a", DType::Float32, true)})});
  };
  const Kernel kernel = compile("leer", {.device = Device("cuda"), .cache = false}).kernel("leer");
  EXPECT_EQ(message<ArgumentTypeError>([&] { kernel({.block = 1}, out(dest_)); }),
            "leer: argument 1 (a): the kernel only reads const float*; pass it with in()");
}

TEST_F(LaunchTest, FailuresGiveEverythingBack) {
  const Kernel kernel = multiplicar();
  world().kernels["_multiplicar"] = [](const backend::Launch&) { throw LaunchError("fake: over the limit"); };
  EXPECT_THROW(kernel({.block = 400}, out(dest_), in(a_), in(b_)), LaunchError);
  EXPECT_EQ(world().live["memory"], 0);
  EXPECT_THAT(dest_, testing::Each(-1.0F));
}

}  // namespace
}  // namespace lanza
