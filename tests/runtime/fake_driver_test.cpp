// The runtime on the real CUDA backend and a driver that records every call: order of destruction, copies, arguments,
// faults.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanza/lanza.hpp>

#include <algorithm>
#include <any>
#include <array>
#include <cstring>
#include <numeric>
#include <sstream>
#include <thread>
#include <vector>

#include "backend/cuda/fake_driver/fake_driver.hpp"
#include "runtime/backends.hpp"
#include "runtime/registry.hpp"

namespace lanza {
namespace {

// The CUDA device with a compiler that always answers the same: no NVRTC is needed here.
class Device_ final : public backend::Device {
 public:
  int index() const override { return 0; }
  std::string name() override { return real().name(); }
  std::pair<int, int> compute_capability() override { return real().compute_capability(); }
  std::pair<std::size_t, std::size_t> memory_info() override { return real().memory_info(); }
  std::vector<std::pair<std::string, std::int64_t>> attributes() override { return real().attributes(); }
  std::int64_t attribute(std::string_view name) override { return real().attribute(name); }
  std::shared_ptr<backend::Context> primary_context() override { return real().primary_context(); }
  std::shared_ptr<backend::Context> create_context() override { return real().create_context(); }
  std::string compiler_identity() override { return "none"; }
  backend::CompileResult compile(const backend::CompileRequest&) override {
    backend::CompileResult result;
    result.code.kind = "ptx";
    result.code.image = ".visible .entry multiplicar";
    backend::KernelInfo& kernel = result.code.kernels.emplace_back();
    kernel.symbol = kernel.name = "multiplicar";
    kernel.signature.bytes = 24;
    for (const char* name : {"dest", "a", "b"}) {
      Parameter& p = kernel.signature.parameters.emplace_back();
      p.name = name;
      p.type = "float*";
      p.kind = Parameter::Kind::Pointer;
      p.dtype = DType::Float32;
      p.element_size = 4;
      p.size = 8;
      p.offset = 8 * (kernel.signature.parameters.size() - 1);
    }
    return result;
  }

 private:
  static backend::Device& real() { return backend::cuda().device(0); }
};

class Backend_ final : public backend::Backend {
 public:
  int device_count() noexcept override { return backend::cuda().device_count(); }
  std::string why_none() override { return backend::cuda().why_none(); }
  backend::Device& device(int) override { return device_; }
  std::vector<std::string> diagnosis() override { return {}; }

 private:
  Device_ device_;
};

void multiply(const void* arguments, std::size_t, const unsigned*, const unsigned* block, void*) {
  float* pointers[3];
  std::memcpy(pointers, arguments, sizeof pointers);
  for (unsigned i = 0; i < block[0]; ++i) pointers[0][i] = pointers[1][i] * pointers[2][i];
}

class FakeDriverTest : public testing::Test {
 protected:
  FakeDriverTest() {
    driver_.reset();
    driver_.on_launch("multiplicar", multiply, nullptr);
    detail::replace_backends({.cuda = []() -> backend::Backend& {
      static Backend_& instance = *new Backend_;
      return instance;
    }});
  }
  ~FakeDriverTest() override {
    detail::replace_backends({});
    EXPECT_EQ(driver_.violations(), "");
    EXPECT_EQ(driver_.live(nullptr), 0) << driver_.log();
  }

  /// One handle of each kind, in a context of their own.
  static std::vector<std::any> make_handles() {
    const Device device("cuda");
    const Context context = device.create_context();
    const Current guard(context);
    const Module module = compile("", {.device = device, .cache = false});
    return {context, Stream(device), Event(device), Buffer<float>(16, device), module, module.kernel("multiplicar")};
  }
  int count(const char* routine) { return driver_.calls(routine); }
  /// Everything is gone, and the context went last.
  void expect_nothing_left() {
    ASSERT_EQ(driver_.live(nullptr), 0);
    ASSERT_EQ(driver_.violations(), "");
    std::istringstream log(driver_.log());
    std::string line, last;
    while (std::getline(log, line)) {
      if (!line.starts_with("cuCtxPopCurrent") && !line.starts_with("cuCtxPushCurrent")) last = line;
    }
    ASSERT_THAT(last, testing::StartsWith("cuCtxDestroy"));
  }

  const fake::Driver& driver_ = fake::driver();
};

TEST_F(FakeDriverTest, Multiplicar) {
  const Device device("cuda");
  const Kernel multiplicar = compile("", {.device = device, .cache = false}).kernel("multiplicar");
  std::vector<float> a(400, 3), b(400, 2), dest(400);
  driver_.clear_log();
  multiplicar({.block = 400}, out(dest), in(a), in(b));
  EXPECT_THAT(dest, testing::Each(6.0F));
  EXPECT_THAT(a, testing::Each(3.0F));
  EXPECT_EQ(count("cuMemcpyHtoDAsync_v2"), 2) << driver_.log();
  EXPECT_EQ(count("cuLaunchKernel"), 1) << driver_.log();
  EXPECT_EQ(count("cuMemcpyDtoHAsync_v2"), 1) << driver_.log();
}

TEST_F(FakeDriverTest, EveryOrderOfDropping) {
  std::vector<std::size_t> order(6);
  std::iota(order.begin(), order.end(), 0);
  do {
    driver_.clear_log();
    auto handles = make_handles();
    for (const std::size_t i : order) handles[i].reset();
    expect_nothing_left();
  } while (std::next_permutation(order.begin(), order.end()) && !HasFailure());
}

TEST_F(FakeDriverTest, EveryOrderAcrossThreads) {
  std::vector<std::size_t> order(6);
  std::iota(order.begin(), order.end(), 0);
  do {
    driver_.clear_log();
    auto handles = make_handles();
    for (const std::size_t i : order) std::thread([&] { handles[i].reset(); }).join();
    expect_nothing_left();
  } while (std::next_permutation(order.begin(), order.end()) && !HasFailure());
}

TEST_F(FakeDriverTest, TenThousandAllocations) {
  const Device device("cuda");
  const auto before = device.memory_info().free;
  for (int i = 0; i < 10'000; ++i) Buffer<float> buffer(1 << 16, device);
  device.synchronize();
  detail::release_primary_contexts();
  EXPECT_EQ(device.memory_info().free, before);
}

TEST_F(FakeDriverTest, FaultsAtEveryCall) {
  const auto program = [] {
    const Device device("cuda");
    const Context context = device.create_context();
    const Current guard(context);
    const Kernel kernel = compile("", {.device = device, .cache = false}).kernel("multiplicar");
    const Stream stream(device);
    std::vector<float> x(64, 1), dest(64);
    const Buffer<float> buffer(64, device);
    copy(buffer, x);
    const Event start = stream.record();
    kernel({.block = 64, .stream = stream}, out(dest), in(x), buffer);
    const Event end = stream.record();
    end.synchronize();
    end.time_since(start);
    fill(buffer, 2.0F);
    copy(dest, buffer);
  };
  constexpr int unknown = 999;
  // Not cuCtxPushCurrent: clean-up needs it, and what it cannot free stays. Names of newer drivers and older ones:
  // those that the backend does not call are tried in vain.
  constexpr std::array routines{"cuCtxCreate_v2",
                                "cuCtxCreate_v4",
                                "cuCtxSetCurrent",
                                "cuEventCreate",
                                "cuStreamCreateWithPriority",
                                "cuEventRecord",
                                "cuEventSynchronize",
                                "cuEventElapsedTime",
                                "cuEventElapsedTime_v2",
                                "cuMemAllocFromPoolAsync",
                                "cuMemAllocAsync",
                                "cuMemAlloc_v2",
                                "cuMemPoolCreate",
                                "cuModuleLoadDataEx",
                                "cuModuleLoadData",
                                "cuModuleGetFunction",
                                "cuMemcpyHtoDAsync_v2",
                                "cuMemcpyDtoHAsync_v2",
                                "cuLaunchKernel",
                                "cuLaunchKernelEx",
                                "cuStreamSynchronize",
                                "cuStreamWaitEvent",
                                "cuMemsetD32Async"};
  int faults = 0;
  for (const char* routine : routines) {
    driver_.clear_log();
    program();
    const int calls = driver_.calls(routine);
    for (int at = 1; at <= calls; ++at) {
      driver_.fail(routine, unknown, at);
      ++faults;
      try {
        program();
      } catch (const DriverError&) {
      }
      driver_.clear_failures();
    }
  }
  EXPECT_GT(faults, 12);
  EXPECT_NO_THROW(program());
}

}  // namespace
}  // namespace lanza
