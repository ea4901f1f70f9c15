// On a real GPU: everything that the fake driver can only pretend.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <thread>

#include "backend/backend.hpp"

namespace lanza::backend {
namespace {

using namespace std::chrono_literals;

Pointer address(const void* p) { return reinterpret_cast<Pointer>(p); }

/// Arguments packed as the signature lays them out.
class Arguments {
 public:
  template <class T>
  Arguments& add(T value) {
    size_ = (size_ + alignof(T) - 1) / alignof(T) * alignof(T);
    std::memcpy(bytes_ + size_, &value, sizeof value);
    size_ += sizeof value;
    return *this;
  }
  Launch launch(Dim3 grid, Dim3 block, std::size_t shared = 0, bool cooperative = false) const {
    return {.grid = grid,
            .block = block,
            .shared = shared,
            .arguments = bytes_,
            .argument_bytes = size_,
            .cooperative = cooperative};
  }

 private:
  alignas(16) unsigned char bytes_[256] = {};
  std::size_t size_ = 0;
};

class Gpu : public testing::Test {
 protected:
  void SetUp() override {
    if (cuda().device_count() == 0) GTEST_SKIP() << cuda().why_none();
    device = &cuda().device(0);
    context = device->primary_context();
  }

  std::unique_ptr<Kernel> compile(const std::string& source, Context& in, std::unique_ptr<Module>& module,
                                  std::vector<std::string> names = {}) {
    const CompileResult r = device->compile({.source = source, .names = std::move(names)});
    module = in.load(r.code, true);
    return module->kernel(r.code.kernels.at(0));
  }
  template <class T>
  Pointer upload(const std::vector<T>& host, Stream& on) {
    const Pointer p = context->allocate(host.size() * sizeof(T), on);
    context->copy(p, address(host.data()), host.size() * sizeof(T), Direction::HostToDevice, on);
    return p;
  }
  template <class T>
  std::vector<T> download(Pointer p, std::size_t n, Stream& on) {
    std::vector<T> host(n);
    context->copy(address(host.data()), p, n * sizeof(T), Direction::DeviceToHost, on);
    on.synchronize();
    return host;
  }

  Device* device = nullptr;
  std::shared_ptr<Context> context;
  std::unique_ptr<Module> module;
};

TEST_F(Gpu, SaysWhatItIs) {
  const auto [major, minor] = device->compute_capability();
  EXPECT_GE(major, 5);
  EXPECT_GT(device->memory_info().second, std::size_t{1} << 30);
  EXPECT_EQ(device->attribute("warp_size"), 32);
  for (const std::string& line : cuda().diagnosis()) std::printf("  %s\n", line.c_str());
}

TEST_F(Gpu, ASmallProgramGivesTheRightResult) {
  const auto kernel = compile(
      "__global__ void multiplicar(float *dest, const float *a, const float *b) { const int i = threadIdx.x; dest[i] = "
      "a[i] * b[i]; }",
      *context, module);
  Stream& s = context->default_stream();
  std::vector<float> a(400), b(400);
  std::iota(a.begin(), a.end(), 0.5f);
  std::iota(b.begin(), b.end(), -3.0f);
  const Pointer da = upload(a, s), db = upload(b, s), dest = context->allocate(1600, s);
  kernel->launch(s, Arguments().add(dest).add(da).add(db).launch(1, 400));
  const auto result = download<float>(dest, 400, s);
  for (std::size_t i = 0; i < 400; ++i) ASSERT_EQ(result[i], a[i] * b[i]);
  for (const Pointer p : {da, db, dest}) context->release(p, 1600, s);
}

TEST_F(Gpu, EveryArgumentArrives) {
  const auto kernel = compile(
      "struct P { char c; double d; }; extern \"C\" __global__ void k(double* out, char c, short s, long long l, P p, "
      "float4 v) {"
      " out[0] = c; out[1] = s; out[2] = l; out[3] = p.c; out[4] = p.d; out[5] = v.w; }",
      *context, module);
  struct P {
    char c;
    double d;
  };
  struct alignas(16) F4 {
    float x, y, z, w;
  };
  Stream& s = context->default_stream();
  const Pointer out = context->allocate(48, s);
  kernel->launch(
      s, Arguments().add(out).add(char{1}).add(short{2}).add(3LL).add(P{4, 5.5}).add(F4{0, 0, 0, 6}).launch(1, 1));
  EXPECT_EQ(download<double>(out, 6, s), (std::vector<double>{1, 2, 3, 4, 5.5, 6}));
  context->release(out, 48, s);
}

TEST_F(Gpu, CopiesOfEverySizeArriveWhole) {
  Stream& s = context->default_stream();
  for (const std::size_t n : {std::size_t{1}, std::size_t{65537}, std::size_t{8} << 20, (std::size_t{64} << 20) + 7}) {
    std::vector<unsigned char> in(n);
    for (std::size_t i = 0; i < n; ++i) in[i] = static_cast<unsigned char>(i * 7 + i / 4096);
    const std::vector<unsigned char> expected = in;
    const Pointer p = upload(in, s), q = context->allocate(n, s);
    std::fill(in.begin(), in.end(), 0);  // the source may be changed at once
    context->copy(q, p, n, Direction::DeviceToDevice, s);
    EXPECT_TRUE(download<unsigned char>(q, n, s) == expected) << n;
    context->release(p, n, s);
    context->release(q, n, s);
  }
}

TEST_F(Gpu, FillsOfEverySize) {
  Stream& s = context->default_stream();
  for (const std::size_t size : {1, 2, 4, 8, 16})
    for (const std::size_t count : {std::size_t{1}, std::size_t{1000003}}) {
      unsigned char value[16];
      for (std::size_t i = 0; i < 16; ++i) value[i] = static_cast<unsigned char>(17 * i + 1);
      const Pointer p = context->allocate(size * count, s);
      context->fill(p, value, size, count, s);
      const auto out = download<unsigned char>(p, size * count, s);
      for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], value[i % size]) << size;
      context->release(p, size * count, s);
    }
}

constexpr const char* wait_source =
    "__global__ void espera(long long cycles, int* flag) { const long long t = clock64(); while (clock64() - t < "
    "cycles) {} *flag = 1; }";

TEST_F(Gpu, StreamsWaitWithALimitAndForEvents) {
  const auto kernel = compile(wait_source, *context, module);
  const auto a = context->make_stream(0, true), b = context->make_stream(-1, true);
  const Pointer flag = context->allocate(4, *a);
  const int zero = 0;
  context->fill(flag, &zero, 4, 1, *a);
  a->synchronize();
  const auto start = context->make_event(true), end = context->make_event(true);
  start->record(*a);
  kernel->launch(*a, Arguments().add(200'000'000LL).add(flag).launch(1, 1));  // 0.1 s at 2 GHz
  end->record(*a);
  EXPECT_FALSE(a->query());
  EXPECT_FALSE(a->synchronize_for(5ms));
  b->wait(*end);
  EXPECT_EQ(download<int>(flag, 1, *b)[0], 1);
  EXPECT_TRUE(a->synchronize_for(1s));
  EXPECT_GT(end->milliseconds_since(*start), 20.0f);
  context->release(flag, 4, *a);
}

TEST_F(Gpu, ChangingTheSourceAfterTheCallIsAllowed) {
  const auto kernel = compile(wait_source, *context, module);
  Stream& s = context->default_stream();
  const Pointer flag = context->allocate(4, s);
  for (const std::size_t n : {std::size_t{256}, std::size_t{60000}, std::size_t{4} << 20, std::size_t{40} << 20}) {
    std::vector<int> in(n / 4, 7);
    const Pointer p = context->allocate(n, s);
    kernel->launch(s, Arguments().add(20'000'000LL).add(flag).launch(1, 1));
    context->copy(p, address(in.data()), n, Direction::HostToDevice, s);
    std::fill(in.begin(), in.end(), 9);
    EXPECT_EQ(download<int>(p, n / 4, s), std::vector<int>(n / 4, 7)) << n;
    context->release(p, n, s);
  }
  context->release(flag, 4, s);
}

TEST_F(Gpu, TemplatesVariablesAndSharedMemory) {
  const CompileResult r = device->compile({.source = R"(
    __constant__ float factor[2];
    template <class T> __global__ void suma(T* out, const T* in) {
      extern __shared__ unsigned char raw[]; T* s = reinterpret_cast<T*>(raw);
      s[threadIdx.x] = in[threadIdx.x] * factor[1]; __syncthreads();
      if (threadIdx.x == 0) { T t = 0; for (int i = 0; i < blockDim.x; ++i) t += s[i]; *out = t; } })",
                                           .names = {"suma<double>"}});
  const auto m = context->load(r.code, true);
  const auto kernel = m->kernel(r.code.kernels.at(0));
  const Memory factor = m->variable(r.code.variables.at(0));
  EXPECT_EQ(factor.size, 8u);
  Stream& s = context->default_stream();
  const float values[] = {0, 2};
  context->copy(factor.address, address(values), 8, Direction::HostToDevice, s);
  const std::vector<double> in(128, 1.5);
  const Pointer din = upload(in, s), out = context->allocate(8, s);
  kernel->launch(s, Arguments().add(out).add(din).launch(1, 128, 100'000));  // over 48 KiB
  EXPECT_EQ(download<double>(out, 1, s)[0], 384.0);
  EXPECT_THROW(kernel->launch(s, Arguments().add(out).add(din).launch(1, 128, 1 << 20)), InvalidArgument);
  context->release(din, 1024, s);
  context->release(out, 8, s);
}

TEST_F(Gpu, CooperativeLaunches) {
  const auto kernel = compile(R"(
    __device__ unsigned arrived;
    __global__ void k(unsigned* out) {
      if (threadIdx.x == 0) { atomicAdd(&arrived, 1u); while (*(volatile unsigned*)&arrived < gridDim.x) {} }
      __syncthreads(); if (blockIdx.x == 0 && threadIdx.x == 0) *out = arrived; })",
                              *context, module);
  Stream& s = context->default_stream();
  const Pointer out = context->allocate(4, s);
  const auto blocks = static_cast<unsigned>(device->attribute("multiprocessor_count"));
  kernel->launch(s, Arguments().add(out).launch(blocks, 128, 0, true));
  EXPECT_EQ(download<unsigned>(out, 1, s)[0], blocks);
  EXPECT_THROW(kernel->launch(s, Arguments().add(out).launch(1'000'000, 128, 0, true)), InvalidArgument);
  context->release(out, 4, s);
}

TEST_F(Gpu, OutOfMemoryLeavesADeviceThatWorks) {
  Stream& s = context->default_stream();
  const auto [free, total] = device->memory_info();
  EXPECT_THROW(context->allocate(total * 2, s), OutOfMemory);
  const std::size_t half = free * 6 / 10;
  const Pointer a = context->allocate(half, s);
  EXPECT_THROW(context->allocate(half, s), OutOfMemory);
  context->release(a, half, s);
  const Pointer b =
      context->allocate(half + (std::size_t{1} << 20), s);  // the pool's 0.6 are in the way until it gives them back
  context->release(b, half, s);
}

TEST_F(Gpu, MemoryStaysFlatOverManyAllocations) {
  Stream& s = context->default_stream();
  const std::size_t before = device->memory_info().first;
  for (int i = 0; i < 10000; ++i) context->release(context->allocate(1 << 20, s), 1 << 20, s);
  s.synchronize();
  EXPECT_LT(before - std::min(before, device->memory_info().first), std::size_t{256} << 20);
}

// After an illegal access the driver refuses all work of the process, new contexts too (driver 580, H200: cuCtxCreate
// and cuDevicePrimaryCtxRetain answer 700 also when the lost context was destroyed). So the fault happens in a child.
TEST_F(Gpu, AFaultNamesTheKernelAndTheProcessEndsCleanly) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto fault = [this] {
    const CompileResult r =
        device->compile({.source = "__global__ void escribe_fuera(int* p) { p[threadIdx.x] = 1; }"});
    const auto lost = device->create_context();
    const auto m = lost->load(r.code, true);
    const auto kernel = m->kernel(r.code.kernels.at(0));
    Stream& s = lost->default_stream();
    const Pointer p = lost->allocate(64, s);
    kernel->launch(s, Arguments().add(Pointer{0x10}).launch(1, 32));
    try {
      s.synchronize();
      std::fputs("no fault", stderr);
    } catch (const LaunchError& e) {
      std::fprintf(stderr, "%s: %s\n", e.kernel().c_str(), e.what());
    }
    try {
      s.synchronize();
    } catch (const LaunchError&) {
      std::fputs("still lost\n", stderr);
    }
    lost->release(p, 64, s);
  };
  EXPECT_EXIT((fault(), std::exit(0)), testing::ExitedWithCode(0),
              "escribe_fuera: kernel escribe_fuera failed.*CUDA_ERROR_ILLEGAL_ADDRESS.*new process(.|\n)*still lost");
}

TEST_F(Gpu, ThreadsShareAContext) {
  const auto kernel = compile("__global__ void inc(int* p) { atomicAdd(p, 1); }", *context, module);
  Stream& s = context->default_stream();
  const Pointer p = upload(std::vector<int>{0}, s);
  s.synchronize();
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      try {
        const auto own = context->make_stream(0, true);
        for (int i = 0; i < 500; ++i) {
          kernel->launch(*own, Arguments().add(p).launch(1, 32));
          context->release(context->allocate(4096, *own), 4096, *own);
        }
        own->synchronize();
      } catch (const Error&) {
        ++failures;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(download<int>(p, 1, s)[0], 8 * 500 * 32);
  context->release(p, 4, s);
}

TEST_F(Gpu, CopiesBetweenTwoDevices) {
  if (cuda().device_count() < 2) GTEST_SKIP() << "one GPU only";
  const auto other = cuda().device(1).primary_context();
  Stream &s = context->default_stream(), &t = other->default_stream();
  const std::vector<int> in(1 << 20, 42);
  const Pointer a = upload(in, s), b = other->allocate(in.size() * 4, t);
  s.synchronize();
  other->copy_from(*context, b, a, in.size() * 4, t);
  std::vector<int> out(in.size());
  other->copy(address(out.data()), b, in.size() * 4, Direction::DeviceToHost, t);
  t.synchronize();
  EXPECT_EQ(in, out);
  context->release(a, in.size() * 4, s);
  other->release(b, in.size() * 4, t);
}

}  // namespace
}  // namespace lanza::backend
