// From CUDA source to results, through the compiler plug-in: the whole CPU backend, on the thread engine and as the
// compiler chooses.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

#include "compiler/loader.hpp"
#include "executor_fixture.hpp"
#include "needs_compiler.hpp"

namespace lanza::testing {
namespace {

class CudaSource : public ExecutorTest, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    LANZA_NEEDS_COMPILER();
    setenv("LANZA_CPU_MODE", GetParam(), 1);
  }
  void TearDown() override {
    unsetenv("LANZA_CPU_MODE");
    backend::set_print_sink({});
  }

  void compile(std::string source, std::vector<std::string> names = {}) {
    backend::CompileRequest request;
    request.source = std::move(source);
    request.names = std::move(names);
    code = device().compile(request).code;
    module = context->load(code, false);
  }
  const backend::KernelInfo& info(std::string_view name) {
    for (const auto& k : code.kernels) {
      if (k.name == name || k.expression == name) return k;
    }
    throw NotFound("no kernel " + std::string(name));
  }

  // Packs arguments as the signature says; a size that does not fit is a mistake of the test or of the compiler.
  template <class... A>
  void launch_with(std::size_t shared, std::string_view name, Dim3 grid, Dim3 block, A... values) {
    const auto& k = info(name);
    ASSERT_EQ(k.signature.parameters.size(), sizeof...(A));
    alignas(16) std::byte packed[256] = {};
    std::size_t i = 0;
    const auto put = [&](const auto& value) {
      const auto& p = k.signature.parameters[i++];
      ASSERT_EQ(p.size, sizeof value) << p.name;
      std::memcpy(packed + p.offset, &value, sizeof value);
    };
    (put(values), ...);
    backend::Launch l;
    l.grid = grid, l.block = block, l.shared = shared;
    l.arguments = packed, l.argument_bytes = k.signature.bytes;
    auto kernel = module->kernel(k);
    kernel->launch(stream, l);
    stream.synchronize();
  }
  template <class... A>
  void launch(std::string_view name, Dim3 grid, Dim3 block, A... values) {
    launch_with(0, name, grid, block, values...);
  }

  backend::Code code;
  std::unique_ptr<backend::Module> module;
};

INSTANTIATE_TEST_SUITE_P(Modes, CudaSource, ::testing::Values("threads", "auto"),
                         [](const auto& i) { return std::string(i.param); });

TEST_P(CudaSource, Saxpy) {
  compile(
      "__global__ void saxpy(float a, const float* x, float* y, int n) { int i = blockIdx.x * blockDim.x + "
      "threadIdx.x; if (i < n) y[i] = a * x[i] + y[i]; }");
  std::vector<float> x(1000), y(1000, 1);
  std::iota(x.begin(), x.end(), 0.0f);
  launch("saxpy", 8, 128, 2.0f, x.data(), y.data(), 1000);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(y[i], 2.0f * i + 1);
}

TEST_P(CudaSource, TiledMatrixProduct) {
  compile(R"(
    __global__ void matmul(const float* a, const float* b, float* c, int n) {
      __shared__ float s[16][16], t[16][16];
      int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
      float sum = 0;
      for (int k = 0; k < n; k += 16) {
        s[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
        t[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
        __syncthreads();
        for (int i = 0; i < 16; i++) sum += s[threadIdx.y][i] * t[i][threadIdx.x];
        __syncthreads();
      }
      c[y * n + x] = sum;
    })");
  const int n = 64;
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (int i = 0; i < n * n; ++i) a[i] = static_cast<float>(i % 7), b[i] = static_cast<float>(i % 5);
  launch("matmul", Dim3(4, 4), Dim3(16, 16), a.data(), b.data(), c.data(), n);
  for (int y = 0; y < n; ++y) {
    for (int x = 0; x < n; ++x) {
      float sum = 0;
      for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
      ASSERT_EQ(c[y * n + x], sum) << x << " " << y;
    }
  }
}

TEST_P(CudaSource, TreeReductionInDynamicSharedMemory) {
  compile(R"(
    __global__ void sum(const int* in, int* out, int n) {
      extern __shared__ int s[];
      int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
      s[t] = i < n ? in[i] : 0;
      __syncthreads();
      for (int k = blockDim.x / 2; k; k >>= 1) { if (t < k) s[t] += s[t + k]; __syncthreads(); }
      if (t == 0) atomicAdd(out, s[0]);
    })");
  std::vector<int> in(10000);
  std::iota(in.begin(), in.end(), 0);
  int out = 0;
  launch_with(1024, "sum", 40, 256, in.data(), &out, 10000);
  EXPECT_EQ(out, 10000 * 9999 / 2);
}

TEST_P(CudaSource, VolatileTailOfAReduction) {
  compile(R"(
    __global__ void sum(const int* in, int* out) {
      __shared__ volatile int s[64];
      int t = threadIdx.x;
      s[t] = in[t];
      __syncthreads();
      if (t < 32) { s[t] += s[t + 32]; s[t] += s[t + 16]; s[t] += s[t + 8]; s[t] += s[t + 4]; s[t] += s[t + 2]; s[t] += s[t + 1]; }
      if (t == 0) *out = s[0];
    })");
  std::vector<int> in(64);
  std::iota(in.begin(), in.end(), 1);
  int out = 0;
  launch("sum", 1, 64, in.data(), &out);
  EXPECT_EQ(out, 64 * 65 / 2);
}

TEST_P(CudaSource, WarpOperations) {
  compile(R"(
    __global__ void warp(int* sums, unsigned* votes, long long* wide, unsigned* masks) {
      int t = threadIdx.x, v = t;
      for (int d = 16; d; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
      sums[t] = __shfl_sync(0xffffffffu, v, 0);
      votes[t] = __ballot_sync(0xffffffffu, t % 3 == 0);
      wide[t] = __shfl_xor_sync(0xffffffffu, (1ll << 40) + t, 1);
      if (t & 1) masks[t] = __match_any_sync(0xaaaaaaaau, t / 8); else masks[t] = __any_sync(0x55555555u, t == 2);
    })");
  std::vector<int> sums(32);
  std::vector<unsigned> votes(32), masks(32);
  std::vector<long long> wide(32);
  launch("warp", 1, 32, sums.data(), votes.data(), wide.data(), masks.data());
  unsigned thirds = 0;
  for (unsigned i = 0; i < 32; i += 3) thirds |= 1u << i;
  for (unsigned i = 0; i < 32; ++i) {
    EXPECT_EQ(sums[i], 496);
    EXPECT_EQ(votes[i], thirds);
    EXPECT_EQ(wide[i], (1ll << 40) + (i ^ 1));
    EXPECT_EQ(masks[i], i & 1 ? 0xaau << (i / 8 * 8) : 1u);
  }
}

TEST_P(CudaSource, BlockScanWithTheBarrierInADeviceFunction) {
  compile(R"(
    __device__ int scan(int* s, int v) {
      int t = threadIdx.x;
      s[t] = v; __syncthreads();
      for (int d = 1; d < blockDim.x; d *= 2) { int o = t >= d ? s[t - d] : 0; __syncthreads(); s[t] += o; __syncthreads(); }
      return s[t];
    }
    __global__ void k(int* out) { __shared__ int s[1024]; out[blockIdx.x * blockDim.x + threadIdx.x] = scan(s, threadIdx.x + 1); })");
  for (unsigned n : {1u, 31u, 33u, 100u, 1024u}) {
    std::vector<int> out(3 * n);
    launch("k", 3, n, out.data());
    for (unsigned i = 0; i < 3 * n; ++i) ASSERT_EQ(out[i], static_cast<int>((i % n + 1) * (i % n + 2) / 2));
  }
}

TEST_P(CudaSource, Atomics) {
  compile(R"(
    __global__ void k(unsigned* histogram, unsigned long long* total, float* sum, int* most, unsigned* locked) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      atomicAdd(&histogram[i % 10], 1u);
      atomicAdd(total, (unsigned long long)i);
      atomicAdd(sum, 0.5f);
      atomicMax(most, i);
      unsigned old = *locked, seen;
      do { seen = old; old = atomicCAS(locked, seen, seen + 2); } while (old != seen);
    })");
  std::vector<unsigned> histogram(10);
  unsigned long long total = 0;
  float sum = 0;
  int most = -1;
  unsigned locked = 0;
  launch("k", 100, 100, histogram.data(), &total, &sum, &most, &locked);
  EXPECT_EQ(histogram, std::vector<unsigned>(10, 1000));
  EXPECT_EQ(total, 9999ull * 10000 / 2);
  EXPECT_EQ(sum, 5000.0f);
  EXPECT_EQ(most, 9999);
  EXPECT_EQ(locked, 20000u);
}

TEST_P(CudaSource, ASpinLockBetweenThreadsAndBlocks) {
  compile(R"(
    __device__ int lock;
    __global__ void k(int* counter) {
      bool done = false;
      while (!done) {
        if (atomicCAS(&lock, 0, 1) == 0) {
          int v = *(volatile int*)counter;
          *(volatile int*)counter = v + 1;
          __threadfence();
          atomicExch(&lock, 0);
          done = true;
        }
      }
    })");
  int counter = 0;
  launch("k", 20, 64, &counter);
  EXPECT_EQ(counter, 20 * 64);
}

TEST_P(CudaSource, Printf) {
  std::string printed;
  backend::set_print_sink([&](std::string_view text) { printed += text; });
  compile(
      R"(__global__ void k(float f) { if (threadIdx.x < 2) printf("block %d, thread %u: %5.2f %s\n", blockIdx.x, threadIdx.x, f, "ok"); })");
  launch("k", 3, 32, 1.5f);
  std::string expected;
  for (int b = 0; b < 3; ++b) {
    for (int t = 0; t < 2; ++t)
      expected += "block " + std::to_string(b) + ", thread " + std::to_string(t) + ":  1.50 ok\n";
  }
  EXPECT_EQ(printed, expected);
}

TEST_P(CudaSource, TemplatesByNameExpression) {
  compile("template <class T, int N> __global__ void fill(T* out, T v) { out[threadIdx.x] = v * N; }",
          {"fill<double, 3>", "fill<int, 2>"});
  std::vector<double> doubles(8);
  std::vector<int> ints(8);
  launch("fill<double, 3>", 1, 8, doubles.data(), 1.5);
  launch("fill<int, 2>", 1, 8, ints.data(), 21);
  EXPECT_EQ(doubles, std::vector<double>(8, 4.5));
  EXPECT_EQ(ints, std::vector<int>(8, 42));
}

TEST_P(CudaSource, DeviceVariables) {
  compile(R"(
    __constant__ float table[4] = {1, 2, 3, 4};
    __device__ int counter = 5;
    __device__ int* pointer = &counter;
    __global__ void k(float* out) { out[threadIdx.x] = table[threadIdx.x]; if (threadIdx.x == 0) ++*pointer; })");
  std::vector<float> out(4);
  launch("k", 1, 4, out.data());
  EXPECT_EQ(out, (std::vector<float>{1, 2, 3, 4}));
  for (const auto& v : code.variables) {
    const auto memory = module->variable(v);
    if (v.name == "counter") {
      EXPECT_EQ(*reinterpret_cast<int*>(memory.address), 6);
    } else if (v.name == "table") {
      EXPECT_EQ(memory.size, 16u);
    }
  }
  EXPECT_EQ(code.variables.size(), 3u);
}

TEST_P(CudaSource, EarlyReturnBeforeBarriers) {
  compile(R"(
    __global__ void k(int* out, int n) {
      __shared__ int s[256];
      if (threadIdx.x >= n) return;
      s[threadIdx.x] = threadIdx.x;
      __syncthreads();
      out[threadIdx.x] = s[n - 1 - threadIdx.x];
    })");
  std::vector<int> out(256, -1);
  launch("k", 1, 256, out.data(), 77);
  for (int i = 0; i < 256; ++i) EXPECT_EQ(out[i], i < 77 ? 76 - i : -1);
}

TEST_P(CudaSource, ADeadlockIsALaunchError) {
  compile(R"(
__global__ void k(int* p) {
  if (threadIdx.x == 31)
    __syncwarp();
  else
    __syncthreads();
  p[0] = 1;
})");
  int out = 0;
  EXPECT_EQ(message_of<LaunchError>([&] { launch("k", 1, 32, &out); }),
            "k: deadlock in block (0,0,0): threads 0-30 wait at __syncthreads (kernel.cu:6), thread 31 at "
            "__syncwarp(mask 0xffffffff) (kernel.cu:4)");
}

TEST_P(CudaSource, ATrapIsALaunchError) {
  compile("__global__ void k(int* p) { if (p[blockIdx.x]) __trap(); }");
  std::vector<int> in{0, 0, 1, 0};
  EXPECT_EQ(message_of<LaunchError>([&] { launch("k", 4, 32, in.data()); }).find("k: trap"), 0u);
}

TEST_P(CudaSource, AMistakeIsACompileErrorWithItsPlace) {
  try {
    compile("__global__ void k(int* p) {\n  p[0] = undeclared;\n}");
    FAIL() << "no exception";
  } catch (const CompileError& e) {
    EXPECT_EQ(std::string(e.what()).find("kernel.cu:2:10: error: use of undeclared identifier 'undeclared'"), 0u)
        << e.what();
    EXPECT_EQ(e.details().line, 2u);
    EXPECT_EQ(e.details().column, 10u);
    EXPECT_FALSE(e.details().log.empty());
  }
}

}  // namespace
}  // namespace lanza::testing
