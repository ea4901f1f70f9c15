// The public API on the real CPU backend: programs from source to result, and what is said about wrong ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanza/lanza.hpp>

#include <cstdlib>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

#include "compiler/loader.hpp"
#include "needs_compiler.hpp"

namespace lanza {
namespace {

using testing::Each;
using testing::HasSubstr;

class CpuTest : public testing::Test {
 protected:
  void SetUp() override { LANZA_NEEDS_COMPILER(); }
  Module compile_here(std::string_view source, std::vector<std::string> names = {}) {
    return compile(source, {.device = device_, .names = std::move(names)});
  }
  template <class E, class F>
  static std::string message(F f) {
    try {
      f();
    } catch (const E& error) {
      return error.what();
    } catch (const std::exception& error) {
      return std::string("another exception: ") + error.what();
    }
    return "no exception";
  }

  Device device_{"cpu"};
  Current current_{device_};
};

constexpr const char* multiplicar_source = R"(
__global__ void multiplicar(float *dest, float *a, float *b)
{
  const int i = threadIdx.x;
  dest[i] = a[i] * b[i];
}
)";

TEST_F(CpuTest, Multiplicar) {
  const Kernel multiplicar = compile_here(multiplicar_source).kernel("multiplicar");
  std::vector<float> a(400), b(400), dest(400);
  std::iota(a.begin(), a.end(), 1.0F);
  std::iota(b.begin(), b.end(), 0.5F);
  multiplicar({.grid = 1, .block = 400}, out(dest), in(a), in(b));
  for (std::size_t i = 0; i < dest.size(); ++i) ASSERT_EQ(dest[i], a[i] * b[i]) << i;
}

TEST_F(CpuTest, BuffersOnAStream) {
  const Kernel multiplicar = compile_here(multiplicar_source).kernel("multiplicar");
  const Stream stream;
  const std::vector<float> a(64, 3), b(64, 2);
  const Buffer<float> device_a(64), device_b(64), dest(64);
  copy(device_a, a, stream, false);
  copy(device_b, b, stream, false);
  const Event start = stream.record();
  multiplicar({.block = 64, .stream = stream}, dest, device_a, device_b);
  const Event end = stream.record();
  std::vector<float> result(64);
  copy(result, dest, stream);
  EXPECT_THAT(result, Each(6.0F));
  EXPECT_GE(end.time_since(start).count(), 0.0F);
}

TEST_F(CpuTest, TemplatesNamedAndNot) {
  const char* source = R"(
namespace algebra {
template <class T, int N>
__global__ void axpy(int n, T a, const T* x, T* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i] + N;
}
})";
  const Module module = compile_here(source, {"algebra::axpy<double, 1>"});
  std::vector<double> x(100, 2.0), y(100, 1.0);
  module.kernel("algebra::axpy<double, 1>")({.grid = 4, .block = 32}, 100, 3.0, in(x), inout(y));
  EXPECT_THAT(y, Each(8.0));
  module.kernel("axpy")({.grid = 4, .block = 32}, std::size_t{100}, 1.0F, in(x), inout(y));
  EXPECT_THAT(y, Each(11.0));
  std::vector<float> fx(10, 1.0F), fy(10, 0.0F);
  module.kernel("algebra::axpy<float, 5>")({.block = 32}, 10, 2.0F, in(fx), inout(fy));
  EXPECT_THAT(fy, Each(7.0F));
  EXPECT_THAT(message<NotFound>([&] { module.kernel("algebra::axpy<struct nada, 5>"); }),
              HasSubstr("no kernel 'algebra::axpy<struct nada, 5>' in kernel.cu"));
}

TEST_F(CpuTest, StructsByValue) {
  struct Point {
    float x;
    double y;
    int z;
  };
  const Kernel kernel = compile_here(R"(
struct Point { float x; double y; int z; };
__global__ void sum(Point p, float q, Point* out, double* result) {
  *result = p.x + p.y + p.z + q;
  out->x = p.x + 1; out->y = p.y + 1; out->z = p.z + 1;
})")
                            .kernel("sum");
  std::vector<Point> points(1);
  double result[1];
  kernel({.block = 1}, Point{1, 2, 3}, 4, out(points), out(result));
  EXPECT_EQ(result[0], 10.0);
  EXPECT_EQ(points[0].z, 4);
  struct Wrong {
    int x;
  };
  EXPECT_EQ(message<ArgumentTypeError>([&] { kernel({.block = 1}, Wrong{1}, 4, out(points), out(result)); }),
            "sum: argument 1 (p): expected Point (24 bytes), got a struct of 4 bytes");
}

TEST_F(CpuTest, Variables) {
  std::optional<Buffer<>> table;
  std::optional<Kernel> kernel;
  {
    const Module module = compile_here(R"(
__constant__ float table[4];
__device__ int calls = 3;
__global__ void look_up(float* dest) { dest[threadIdx.x] = table[threadIdx.x]; if (threadIdx.x == 0) ++calls; })");
    table = module.variable("table");
    kernel = module.kernel("look_up");
    EXPECT_EQ(message<NotFound>([&] { module.variable("tabla"); }),
              "no variable 'tabla' in kernel.cu; it has: table, calls");
  }
  EXPECT_EQ(table->size(), 16u);
  const float values[4] = {1, 2, 3, 4};
  copy(table->view<float>(), values);
  std::vector<float> dest(4);
  (*kernel)({.block = 4}, out(dest));
  EXPECT_THAT(dest, testing::ElementsAre(1, 2, 3, 4));
  std::vector<int> calls(1);
  copy(calls, kernel->module().variable("calls").view<int>());
  EXPECT_EQ(calls[0], 4);
}

TEST_F(CpuTest, ArgumentErrors) {
  const Module module = compile_here(R"(
__global__ void multiplicar(float *dest, const float *a, const float *b, int n) {}
__global__ void half_size(short s, unsigned long long u, bool flag) {})");
  const Kernel kernel = module.kernel("multiplicar"), scalars = module.kernel("half_size");
  std::vector<float> dest(400), a(400);
  const std::vector<float> constant(400);
  std::vector<double> wide(400);
  const LaunchConfig config{.block = 1};
  using A = ArgumentTypeError;
  using I = InvalidArgument;
  EXPECT_EQ(message<A>([&] { kernel(config, out(wide), in(a), in(a), 1); }),
            "multiplicar: argument 1 (dest): expected float*, got float64 array (400,); convert its elements to float");
  EXPECT_EQ(
      message<A>([&] { kernel(config, out(dest), in(wide), in(a), 1); }),
      "multiplicar: argument 2 (a): expected const float*, got float64 array (400,); convert its elements to float");
  EXPECT_EQ(message<A>([&] { kernel(config, out(dest), in(a)); }),
            "multiplicar: takes 4 arguments (float*, const float*, const float*, int), got 2");
  EXPECT_EQ(message<I>([&] { kernel({}, out(dest), in(a), in(a), 1); }),
            "multiplicar: must specify block size, e.g. block=256");
  EXPECT_EQ(
      message<I>([&] { kernel(config, constant, in(a), in(a), 1); }),
      "multiplicar: argument 1 (dest): float32 array (400,) is read-only, but the kernel may write float*; pass it "
      "with in()");
  EXPECT_EQ(message<A>([&] { kernel(config, out(dest), out(a), in(a), 1); }),
            "multiplicar: argument 2 (a): the kernel only reads const float*; pass it with in()");
  EXPECT_EQ(message<A>([&] { kernel(config, out(dest), in(a), in(a), 1.5); }),
            "multiplicar: argument 4 (n): expected int, got float64 1.5; convert with static_cast<int>()");
  EXPECT_EQ(message<I>([&] { kernel(config, out(dest), in(a), in(a), 3'000'000'000); }),
            "multiplicar: argument 4 (n): int64 3000000000 does not fit int (-2147483648 to 2147483647)");
  EXPECT_EQ(message<A>([&] { kernel(config, out(dest), in(a), 7, 1); }),
            "multiplicar: argument 3 (b): expected const float*, got int32 7");
  EXPECT_EQ(message<A>([&] { kernel(config, out(dest), in(a), in(a), in(a)); }),
            "multiplicar: argument 4 (n): expected int, got float32 array (400,)");
  EXPECT_EQ(message<I>([&] { scalars(config, 40000, 1, true); }),
            "half_size: argument 1 (s): int32 40000 does not fit short (-32768 to 32767)");
  EXPECT_EQ(message<I>([&] { scalars(config, 4, -1, true); }),
            "half_size: argument 2 (u): int32 -1 does not fit unsigned long long (0 to 18446744073709551615)");
  EXPECT_EQ(message<I>([&] { scalars(config, 4, 1, 2); }),
            "half_size: argument 3 (flag): int32 2 does not fit bool (0 or 1)");
}

TEST_F(CpuTest, LimitsAreErrors) {
  const Kernel kernel = compile_here(multiplicar_source).kernel("multiplicar");
  std::vector<float> x(4);
  EXPECT_THAT(message<InvalidArgument>([&] { kernel({.block = 1025}, out(x), in(x), in(x)); }), HasSubstr("1025"));
  EXPECT_NE(message<InvalidArgument>([&] { kernel({.grid = 0, .block = 4}, out(x), in(x), in(x)); }), "no exception");
  EXPECT_NE(message<InvalidArgument>([&] { kernel({.block = 0}, out(x), in(x), in(x)); }), "no exception");
}

TEST_F(CpuTest, CompileErrorsSayWhere) {
  try {
    compile("__global__ void k(int* a) {\n  a[0] = nada;\n}\n", {.filename = "mio.cu", .device = device_});
    FAIL();
  } catch (const CompileError& error) {
    EXPECT_EQ(error.details().file, "mio.cu");
    EXPECT_EQ(error.details().line, 2u);
    EXPECT_EQ(error.details().column, 10u);
    EXPECT_THAT(error.details().log, HasSubstr("nada"));
  }
}

TEST_F(CpuTest, ResultsAsOnAGpuWhenArgumentsOverlap) {
  const Kernel shift = compile_here(R"(
__global__ void shift(const int* a, int* b) { b[threadIdx.x] = a[threadIdx.x] + 1; })")
                           .kernel("shift");
  std::vector<int> data(64, 0);
  shift({.block = 32}, in(std::span(data).first(32)), out(std::span(data).subspan(4, 32)));
  for (int i = 0; i < 64; ++i) ASSERT_EQ(data[static_cast<std::size_t>(i)], i >= 4 && i < 36 ? 1 : 0) << i;
}

TEST_F(CpuTest, NoElements) {
  const Kernel kernel =
      compile_here("__global__ void k(const float* p, int* null) { *null = p == nullptr; }").kernel("k");
  std::vector<int> null(1, -1);
  kernel({.block = 1}, Buffer<float>(0), out(null));
  EXPECT_EQ(null[0], 1);
  kernel({.block = 1}, in(std::vector<float>()), out(null));
  EXPECT_EQ(null[0], 1);
  kernel({.block = 1}, nullptr, out(null));
  EXPECT_EQ(null[0], 1);
}

TEST_F(CpuTest, HandlesMayGoWhileTheWorkRuns) {
  std::vector<int> result(1);
  const Buffer<int> counter(1);
  fill(counter, 0);
  current_stream().synchronize();
  {
    const Stream stream;
    const Kernel kernel = compile_here(R"(
__global__ void slow(int* counter) {
  for (volatile int i = 0; i < 20000; ++i) {}
  atomicAdd(counter, 1);
})")
                              .kernel("slow");
    const Buffer<int> scratch(1024);
    for (int i = 0; i < 10; ++i) kernel({.grid = 8, .block = 1, .stream = stream}, counter);
  }
  device_.synchronize();
  copy(result, counter);
  EXPECT_EQ(result[0], 80);
}

TEST_F(CpuTest, ManyThreadsLaunchOneKernel) {
  const Kernel kernel = compile_here("__global__ void add(int* sum) { atomicAdd(sum, 1); }").kernel("add");
  const Buffer<int> sum(1);
  fill(sum, 0);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      const Stream stream(device_);
      for (int i = 0; i < 100; ++i) kernel({.block = 32, .stream = stream}, sum);
      stream.synchronize();
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<int> result(1);
  copy(result, sum);
  EXPECT_EQ(result[0], 4 * 100 * 32);
}

TEST_F(CpuTest, MemoryIsGivenBack) {
  const auto program = [&] {
    const Kernel multiplicar = compile_here(multiplicar_source).kernel("multiplicar");
    std::vector<float> a(400, 1), dest(400);
    for (int i = 0; i < 1000; ++i) {
      const Buffer<float> buffer(400);
      multiplicar({.block = 400}, out(dest), in(a), in(a));
    }
  };
  program();
  EXPECT_THROW(Buffer<char>(std::size_t{1} << 50), OutOfMemory);
  program();
}

TEST_F(CpuTest, ModuleSaysWhatItIs) {
  const Module module = compile_here(multiplicar_source);
  EXPECT_THAT(module.compiler(), HasSubstr("clang"));
  EXPECT_EQ(to_string("multiplicar", module.kernel("multiplicar").signature()),
            "multiplicar(float* dest, float* a, float* b)");
  EXPECT_THAT(module.image("bitcode"), testing::StartsWith("BC"));
  EXPECT_THROW(module.image("cubin"), NotFound);
  EXPECT_EQ(module.log(), "");
}

}  // namespace
}  // namespace lanza
