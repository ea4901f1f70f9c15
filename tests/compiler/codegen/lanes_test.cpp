// Kernels without synchronisation points, from CUDA C++ to a result.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <llvm/Support/CommandLine.h>

#include <numeric>
#include <thread>

#include "kernel_fixture.hpp"

namespace lanza::compiler::testing {
namespace {

using ::testing::HasSubstr;

const char kSaxpy[] = R"(
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = index_x;
  if (i < n) y[i] = a * x[i] + y[i];
})";

void expect_saxpy(const std::string& object) {
  LoadedKernel kernel(object);
  std::vector<float> x(1000), y(1024, 1.0f);
  std::iota(x.begin(), x.end(), 0.0f);
  Arguments arguments = pack(1000, 2.0f, x.data(), y.data());
  EXPECT_EQ(kernel.run({.grid = {4}, .block = {256}}, arguments.data()), LANZA_DONE);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(y[i], 2.0f * i + 1) << i;
  for (int i = 1000; i < 1024; ++i) ASSERT_EQ(y[i], 1.0f) << i;
}

TEST(Lanes, RunAKernel) {
  const std::string bitcode = bitcode_of(kSaxpy);
  Specialised result = specialise(request_for(bitcode, "saxpy"));
  ASSERT_TRUE(result.ok) << result.log;
  EXPECT_TRUE(result.generic);
  LoadedKernel kernel(result.object);
  EXPECT_EQ(kernel.table().abi, unsigned(LANZA_KERNEL_ABI));
  EXPECT_EQ(kernel.table().flags, unsigned(LANZA_KERNEL_RANGES));
  EXPECT_EQ(kernel.table().frame_bytes, 0u);
  EXPECT_THAT(kernel.table().report, HasSubstr("\"engine\":\"lanes\""));
  expect_saxpy(result.object);
}

TEST(Lanes, HaveNoUndefinedSymbols) {
  const std::string bitcode = bitcode_of(kSaxpy);
  Specialised result = specialise(request_for(bitcode, "saxpy"));
  ASSERT_TRUE(result.ok) << result.log;
  EXPECT_EQ(undefined_symbols(result.object), "");
}

const char kRows[] = R"(
struct Rows { unsigned char tag; unsigned first; };
extern "C" __global__ void rows(float* y, Rows rows, unsigned pitch) {
  unsigned at = ctaid_y * pitch + rows.first + index_x;
  y[at] = at;
})";

TEST(Lanes, OfOneBlockDimAskWhetherALaunchFits) {
  const std::string bitcode = bitcode_of(kRows), kernel = "rows", target = "native";
  LanzaSpecialiseRequest request = request_for(bitcode, kernel, target);
  request.block[0] = 64;
  request.block[1] = request.block[2] = 1;
  const Specialised narrow = specialise(request);
  request.wide = 1;
  const Specialised wide = specialise(request);
  ASSERT_TRUE(narrow.ok && wide.ok) << narrow.log << wide.log;
  LoadedKernel code(narrow.object);
  EXPECT_EQ(LoadedKernel(wide.object).table().fits, nullptr);
  ASSERT_NE(code.table().fits, nullptr);
  struct Rows {
    unsigned char tag;
    unsigned first;
  };
  auto fits = [&](unsigned rows, unsigned columns, unsigned first, unsigned pitch) {
    const uint32_t grid[3] = {columns, rows, 1};
    // Nothing is read behind them.
    Arguments arguments = pack(static_cast<float*>(nullptr), Rows{255, first}, pitch);
    return code.table().fits(grid, arguments.data()) != 0;
  };
  EXPECT_TRUE(fits(100, 10, 5, 700));
  EXPECT_TRUE(fits(1 << 15, 1, 0, 0x10000 - 3));
  EXPECT_FALSE(fits((1 << 15) + 1, 1, 0, 0x10000));
  EXPECT_FALSE(fits(100, 10, 0u - 5, 700));
  EXPECT_FALSE(fits(2, 1, 0, 0u - 1));
  EXPECT_FALSE(fits(2, 1, 0x7fffffff, 1));
  EXPECT_TRUE(fits(1, 1, 0x7fffffff - 63, 0));
  EXPECT_FALSE(fits(1, 1, 0x7fffffff - 62, 0));
}

std::string compiled(const std::string& cuda, const std::string& kernel, const std::string& target = "native",
                     const std::string& flags = "") {
  const std::string bitcode = bitcode_of(cuda, flags);
  Specialised result = specialise(request_for(bitcode, kernel, target));
  EXPECT_TRUE(result.ok) << result.log;
  return result.object;
}

TEST(Lanes, KeepTheOptionsOfLlvmBehindALink) {
  compiled(kSaxpy, "saxpy");
  const auto option = llvm::cl::getRegisteredOptions().find("dag-maps-huge-region");
  ASSERT_NE(option, llvm::cl::getRegisteredOptions().end());
  EXPECT_EQ(option->second->getNumOccurrences(), 1);
}

TEST(Lanes, AreTheSameBytesEveryTime) {
  const std::string bitcode = bitcode_of(kSaxpy);
  const Specialised first = specialise(request_for(bitcode, "saxpy"));
  // The target machine that the second compile finds has served others.
  const std::string other = bitcode_of("__global__ void k(double* x) { x[0] = x[1] * x[2] / x[3]; }");
  ASSERT_TRUE(specialise(request_for(other, "_Z1kPd")).ok);
  const Specialised second = specialise(request_for(bitcode, "saxpy"));
  ASSERT_TRUE(first.ok && second.ok);
  EXPECT_EQ(first.object, second.object);
}

TEST(Lanes, CompileOnSeveralThreadsAtOnce) {
  const std::string bitcode = bitcode_of(kSaxpy);
  const Specialised expected = specialise(request_for(bitcode, "saxpy"));
  std::vector<Specialised> results(4);
  {
    std::vector<std::jthread> threads;
    for (Specialised& result : results)
      threads.emplace_back([&] { result = specialise(request_for(bitcode, "saxpy")); });
  }
  for (const Specialised& result : results) EXPECT_EQ(result.object, expected.object) << result.log;
}

TEST(Lanes, ServeEveryTarget) {
  for (const char* target : {"native", "x86-64-v4", "x86-64-v3", "x86-64-v2", "x86-64"}) {
    const std::string bitcode = bitcode_of(kSaxpy);
    Specialised result = specialise(request_for(bitcode, "saxpy", target));
    ASSERT_TRUE(result.ok) << target << ": " << result.log;
    if (std::string(target) != "x86-64-v4" || __builtin_cpu_supports("avx512f")) expect_saxpy(result.object);
    EXPECT_EQ(undefined_symbols(result.object), "") << target;
  }
}

TEST(Lanes, RefuseWhatTheyDoNotKnow) {
  const std::string bitcode = bitcode_of(kSaxpy);
  EXPECT_THAT(specialise(request_for(bitcode, "saxpy", "pdp-11")).log, HasSubstr("unknown CPU target 'pdp-11'"));
  EXPECT_THAT(specialise(request_for(bitcode, "daxpy")).log, HasSubstr("no kernel daxpy"));
  EXPECT_THAT(specialise(request_for("no bitcode", "saxpy")).log, HasSubstr("damaged"));
}

TEST(Lanes, VisitEveryThreadOfEveryBlockOnce) {
  LoadedKernel kernel(compiled(R"(
extern "C" __global__ void visit(unsigned* counts, unsigned nx, unsigned ny) {
  unsigned x = ctaid_x * ntid_x + tid_x, y = ctaid_y * ntid_y + tid_y;
  unsigned z = ctaid_z * __nvvm_read_ptx_sreg_ntid_z() + tid_z;
  counts[(z * ny + y) * nx + x] += 1 + ctaid_x;
})",
                               "visit"));
  const Dim grid{3, 2, 2}, block{5, 3, 2};
  const unsigned nx = 15, ny = 6, nz = 4;
  std::vector<unsigned> counts(nx * ny * nz);
  Arguments arguments = pack(counts.data(), nx, ny);
  ASSERT_EQ(kernel.run({.grid = grid, .block = block}, arguments.data()), LANZA_DONE);
  for (unsigned i = 0; i < counts.size(); ++i) ASSERT_EQ(counts[i], 1 + i % nx / 5) << i;
}

TEST(Lanes, RecursionKeepsItsThread) {
  LoadedKernel kernel(compiled(R"(
__device__ int walk(int n) { return n == 0 ? int(tid_x) : walk(n - 1) + int(ctaid_x); }
extern "C" __global__ void recurse(int* out, int n) { out[index_x] = walk(n); })",
                               "recurse"));
  std::vector<int> out(64);
  Arguments arguments = pack(out.data(), 10);
  ASSERT_EQ(kernel.run({.grid = {2}, .block = {32}}, arguments.data()), LANZA_DONE);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(out[i], i % 32 + 10 * (i / 32));
}

TEST(Lanes, CallThroughPointers) {
  LoadedKernel kernel(compiled(R"(
struct Shape { __device__ virtual int area() const = 0; };
struct Square : Shape { int a; __device__ Square(int a) : a(a) {} __device__ int area() const override { return a * a + int(tid_x); } };
struct Strip : Shape { int a; __device__ Strip(int a) : a(a) {} __device__ int area() const override { return 2 * a; } };
__device__ int twice(int x) { return 2 * x + int(tid_x); }
__device__ int thrice(int x) { return 3 * x; }
extern "C" __global__ void call(int* out, int which) {
  int (*f)(int) = (index_x & 1) ? twice : thrice;
  Square square(index_x);
  Strip strip(index_x);
  const Shape* shapes[2] = {&square, &strip};
  out[index_x] = f(index_x) + shapes[(index_x + which) & 1]->area();
})",
                               "call"));
  std::vector<int> out(64);
  Arguments arguments = pack(out.data(), 1);
  ASSERT_EQ(kernel.run({.grid = {2}, .block = {32}}, arguments.data()), LANZA_DONE);
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(out[i], (i & 1 ? 2 * i + i % 32 : 3 * i) + ((i + 1) & 1 ? 2 * i : i * i + i % 32)) << i;
}

TEST(Lanes, AStructByValueBelongsToItsThread) {
  LoadedKernel kernel(compiled(R"(
struct Pair { int a; double b; int c[4]; };
extern "C" __global__ void change(char first, Pair p, double* out) {
  p.c[tid_x & 3] += tid_x;
  p.a += 1;
  out[tid_x] = first + p.a + p.b + p.c[0] + p.c[1] + p.c[2] + p.c[3];
})",
                               "change"));
  struct Pair {
    int a;
    double b;
    int c[4];
  };
  std::vector<double> out(32);
  Arguments arguments = pack(char(3), Pair{10, 0.5, {1, 2, 3, 4}}, out.data());
  ASSERT_EQ(kernel.run({.grid = {1}, .block = {32}}, arguments.data()), LANZA_DONE);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(out[i], 3 + 11 + 0.5 + 10 + i);
}

TEST(Lanes, PrintAndFail) {
  LoadedKernel kernel(compiled(R"(
extern "C" __global__ void speak(int limit) {
  vprintf("hello\n", nullptr);
  if (int(tid_x) == limit) __lanza_fail(1, "tid_x != limit", "kernel.cu", 4, "speak");
})",
                               "speak"));
  EXPECT_TRUE(kernel.table().flags & LANZA_KERNEL_PRINTS);
  Arguments arguments = pack(2);
  EXPECT_EQ(kernel.run({.grid = {1}, .block = {8}}, arguments.data()), LANZA_FAILED);
  EXPECT_EQ(kernel.printed, (std::vector<std::string>{"hello\n", "hello\n", "hello\n"}));
  EXPECT_EQ(kernel.failure.kind, unsigned(LANZA_FAIL_ASSERT));
  EXPECT_EQ(kernel.failure.message, "tid_x != limit");
  EXPECT_EQ(kernel.failure.line, 4u);
}

TEST(Lanes, AtomicsOnGlobalMemory) {
  LoadedKernel kernel(compiled(R"(
extern "C" __global__ void count(int* n, float* sum, double* total) {
  __atomic_fetch_add(n, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(sum, 0.5f, __ATOMIC_RELAXED);
  __atomic_fetch_add(total, 0.25, __ATOMIC_RELAXED);
})",
                               "count"));
  int n = 0;
  float sum = 0;
  double total = 0;
  Arguments arguments = pack(&n, &sum, &total);
  ASSERT_EQ(kernel.run({.grid = {4}, .block = {32}}, arguments.data()), LANZA_DONE);
  EXPECT_EQ(n, 128);
  EXPECT_EQ(sum, 64.0f);
  EXPECT_EQ(total, 32.0);
}

TEST(Lanes, PrivateArraysBelongToTheirThread) {
  LoadedKernel kernel(compiled(R"(
extern "C" __global__ void local(const int* index, int* out) {
  int a[16];
  for (int k = 0; k < 16; ++k) a[k] = k * index_x;
  a[index[index_x]] = -1;
  int sum = 0;
  for (int k = 0; k < 16; ++k) sum += a[(k + index[index_x]) & 15] * k;
  out[index_x] = sum;
})",
                               "local"));
  std::vector<int> index(64), out(64);
  for (int i = 0; i < 64; ++i) index[i] = i * 7 % 16;
  Arguments arguments = pack(index.data(), out.data());
  ASSERT_EQ(kernel.run({.grid = {2}, .block = {32}}, arguments.data()), LANZA_DONE);
  for (int i = 0; i < 64; ++i) {
    int a[16], sum = 0;
    for (int k = 0; k < 16; ++k) a[k] = k * i;
    a[index[i]] = -1;
    for (int k = 0; k < 16; ++k) sum += a[(k + index[i]) & 15] * k;
    EXPECT_EQ(out[i], sum) << i;
  }
}

TEST(Lanes, RespectBoundsInTwoDimensions) {
  LoadedKernel kernel(compiled(R"(
extern "C" __global__ void image(int* out, int width, int height) {
  int x = ctaid_x * ntid_x + tid_x, y = ctaid_y * ntid_y + tid_y;
  if (x < width && y < height) out[y * width + x] += 1000 * y + x;
})",
                               "image"));
  const int width = 37, height = 11;
  // In ranges that begin and end in the middle of rows of blocks.
  for (uint64_t step : {1, 2, 5, 100}) {
    std::vector<int> out(width * height + 8);
    Arguments arguments = pack(out.data(), width, height);
    for (uint64_t first = 0; first < 15; first += step)
      ASSERT_EQ(
          kernel.run({.grid = {5, 3}, .block = {8, 4}, .first = first, .last = std::min<uint64_t>(first + step, 15)},
                     arguments.data()),
          LANZA_DONE);
    for (int i = 0; i < width * height; ++i) ASSERT_EQ(out[i], 1000 * (i / width) + i % width) << i;
    for (int i = width * height; i < width * height + 8; ++i) ASSERT_EQ(out[i], 0);
  }
}

TEST(Lanes, RespectBoundsOfEveryKind) {
  LoadedKernel kernel(compiled(R"(
extern "C" __global__ void fill(int* out, unsigned n, long long limit, unsigned long size) {
  unsigned i = index_x;
  if (i >= n || i >= size / 2) return;
  if ((long long)int(i) >= limit - 1) return;
  out[i] += 1;
})",
                               "fill"));
  struct {
    unsigned n;
    long long limit;
    unsigned long size;
    int expected;
  } cases[] = {{100, 1000, 1000, 100}, {1000, 50, 1000, 49}, {1000, 1000, 66, 33},
               {0, 5, 5, 0},           {1000, -5, 1000, 0},  {~0u, 1ll << 40, ~0ul, 256}};
  for (auto& c : cases) {
    std::vector<int> out(256);
    Arguments arguments = pack(out.data(), c.n, c.limit, c.size);
    ASSERT_EQ(kernel.run({.grid = {4}, .block = {64}}, arguments.data()), LANZA_DONE);
    for (int i = 0; i < 256; ++i) ASSERT_EQ(out[i], i < c.expected) << i << " of " << c.expected;
  }
}

// 32-bit indices wrap where the grid is that large: signed they are negative, and below every bound.
TEST(Lanes, WrapAsTheirTypeDoes) {
  LoadedKernel kernel(compiled(R"(
extern "C" __global__ void wrap(long long* out, int n) {
  int i = index_x;
  if (i < n) out[i & 511] = i;
})",
                               "wrap"));
  const uint64_t middle = (1ull << 31) / 192;  // a block of 192 threads straddles 2^31
  std::vector<long long> out(512, 5);
  Arguments arguments = pack(out.data(), 10);
  ASSERT_EQ(kernel.run({.grid = {1u << 26}, .block = {192}, .first = middle, .last = middle + 1}, arguments.data()),
            LANZA_DONE);
  for (uint64_t t = 0; t < 192; ++t) {
    const auto i = static_cast<int>(static_cast<uint32_t>(middle * 192 + t));
    ASSERT_EQ(out[i & 511], i < 10 ? i : 5) << i;
  }
}

}  // namespace
}  // namespace lanza::compiler::testing
