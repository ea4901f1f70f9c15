// What the CUDA backend costs over the driver's own calls: launches, allocation, copies, fills. Needs a GPU. Both sides
// are measured in turns and the smallest time of each counts; the baseline is measured twice, and the spread between
// the two is printed with the ratio.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#include "backend/backend.hpp"
#include "backend/cuda/current.hpp"
#include "backend/cuda/driver_error.hpp"

namespace {

using namespace lanza;
using namespace lanza::cuda_backend;
using backend::Pointer;
using Clock = std::chrono::steady_clock;
using Action = std::function<void()>;

double microseconds(const Action& action) {
  const auto start = Clock::now();
  action();
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

/// Smallest time of `rounds`, each with `before` untimed.
struct Timer {
  double best = std::numeric_limits<double>::max();
  void add(const Action& before, const Action& action) {
    before();
    best = std::min(best, microseconds(action));
  }
};

/// One line: ours against the driver's. `scale`: repetitions within an action; `bytes` adds a rate.
void compare(const std::string& what, int rounds, int scale, const Action& before, const Action& raw,
             const Action& ours, double bytes = 0) {
  Timer first, second, mine;
  for (int i = 0; i < rounds; ++i) {
    first.add(before, raw);
    mine.add(before, ours);
    second.add(before, raw);
  }
  const double base = std::min(first.best, second.best) / scale, own = mine.best / scale;
  const double spread = 100 * std::abs(first.best - second.best) / std::min(first.best, second.best);
  fmt::print("| {:<46} | {:>10.3f} | {:>10.3f} | {:>6.3f} | {:>5.1f} % |", what, base, own, own / base, spread);
  if (bytes > 0) fmt::print(" {:>7.1f} | {:>7.1f} |", bytes / base / 1e3, bytes / own / 1e3);
  fmt::print("\n");
}

Pointer address(const void* p) { return reinterpret_cast<Pointer>(p); }

void header(const char* title, bool rates) {
  fmt::print("\n{}\n\n| {:<46} | {:>10} | {:>10} | {:>6} | {:>7} |{}\n", title, "what", "driver, us", "ours, us",
             "ratio", "spread", rates ? "    GB/s |    GB/s |" : "");
  fmt::print("|---|---|---|---|---|{}\n", rates ? "---|---|" : "");
}

struct Bench {
  backend::Device& device = backend::cuda().device(0);
  std::shared_ptr<backend::Context> context = device.primary_context();
  backend::Stream& stream = context->default_stream();
  const Driver& driver = cuda_backend::driver();
  CUstream raw_stream = reinterpret_cast<CUstream>(stream.handle());
  CUcontext raw_context = reinterpret_cast<CUcontext>(context->handle());
  Action idle = [this] { stream.synchronize(); };

  void launches() {
    const backend::CompileResult r =
        device.compile({.source = "__global__ void nada(float* a, float* b, float* c, int n) {}"});
    const auto module = context->load(r.code, true);
    const auto kernel = module->kernel(r.code.kernels.at(0));
    auto* const function = reinterpret_cast<CUfunction>(kernel->handle());
    struct alignas(16) {
      Pointer a = 1, b = 2, c = 3;
      int n = 4;
    } arguments;
    void* pointers[] = {&arguments.a, &arguments.b, &arguments.c, &arguments.n};
    std::size_t bytes = 28;
    void* packed[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &arguments, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                      CU_LAUNCH_PARAM_END};
    const backend::Launch launch{.grid = 1, .block = 128, .arguments = &arguments, .argument_bytes = bytes};
    constexpr int burst = 100;
    const auto repeat = [](const Action& one) {
      return [one] {
        for (int i = 0; i < burst; ++i) one();
      };
    };
    const Action raw = [&] { driver.cuLaunchKernel(function, 1, 1, 1, 128, 1, 1, 0, raw_stream, pointers, nullptr); };
    const Action raw_packed = [&] {
      driver.cuLaunchKernel(function, 1, 1, 1, 128, 1, 1, 0, raw_stream, nullptr, packed);
    };
    const Action ours = [&] { kernel->launch(stream, launch); };
    const auto current = [&](const Action& action) {
      return [&, action] {
        const Current c(driver, raw_context);
        action();
      };
    };
    header("Launch of an empty kernel with 4 arguments, bursts of 100 into an idle stream", false);
    compare("pointers; ours, context current", 300, burst, idle, current(repeat(raw)), current(repeat(ours)));
    compare("pointers; ours, no context current", 300, burst, idle, current(repeat(raw)), repeat(ours));
    compare("pointers; packed by the raw driver", 300, burst, idle, current(repeat(raw)), current(repeat(raw_packed)));
    compare("launch and synchronize", 300, 1, idle, current([&] {
              raw();
              driver.cuStreamSynchronize(raw_stream);
            }),
            [&] {
              ours();
              stream.synchronize();
            });
    compare("launch and synchronize_for", 300, 1, idle, current([&] {
              raw();
              driver.cuStreamSynchronize(raw_stream);
            }),
            [&] {
              ours();
              stream.synchronize_for(std::chrono::seconds(1));
            });
    compare("query of an idle stream", 300, burst, idle, current(repeat([&] { driver.cuStreamQuery(raw_stream); })),
            repeat([&] { stream.query(); }));
  }

  void allocations() {
    CUmemoryPool pool = nullptr;
    CUmemPoolProps properties;
    const Current current(driver, raw_context);
    call(driver.cuMemPoolCreate, &pool, &properties);
    std::uint64_t all = ~std::uint64_t{0};
    call(driver.cuMemPoolSetAttribute, pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, static_cast<void*>(&all));
    header("Allocation and release of 1 MiB, 100 in a row", false);
    const auto repeat = [](const Action& one) {
      return [one] {
        for (int i = 0; i < 100; ++i) one();
      };
    };
    const Action ours = repeat([&] { context->release(context->allocate(1 << 20, stream), 1 << 20, stream); });
    compare("cuMemAllocFromPoolAsync + cuMemFreeAsync", 200, 100, idle, repeat([&] {
              CUdeviceptr p = 0;
              driver.cuMemAllocFromPoolAsync(&p, 1 << 20, pool, raw_stream);
              driver.cuMemFreeAsync(p, raw_stream);
            }),
            ours);
    compare("cuMemAlloc + cuMemFree", 50, 100, idle, repeat([&] {
              CUdeviceptr p = 0;
              driver.cuMemAlloc_v2(&p, 1 << 20);
              driver.cuMemFree_v2(p);
            }),
            ours);
    call(driver.cuMemPoolDestroy, pool);
  }

  void copies() {
    const Current current(driver, raw_context);
    header("Copies between pageable host memory and the device, synchronised", true);
    for (const std::size_t n : {std::size_t{4} << 10, std::size_t{64} << 10, std::size_t{1} << 20, std::size_t{4} << 20,
                                std::size_t{8} << 20, std::size_t{32} << 20, std::size_t{256} << 20}) {
      std::vector<char> host(n, 1);
      const Pointer p = context->allocate(n, stream);
      const int rounds = n > (std::size_t{16} << 20) ? 8 : 50;
      const std::string size = n >= (1 << 20) ? fmt::format("{} MiB", n >> 20) : fmt::format("{} KiB", n >> 10);
      compare(
          "to the device, " + size, rounds, 1, idle,
          [&] {
            driver.cuMemcpyHtoDAsync_v2(p, host.data(), n, raw_stream);
            driver.cuStreamSynchronize(raw_stream);
          },
          [&] {
            context->copy(p, address(host.data()), n, backend::Direction::HostToDevice, stream);
            stream.synchronize();
          },
          double(n));
      compare(
          "to the host, " + size, rounds, 1, idle,
          [&] {
            driver.cuMemcpyDtoHAsync_v2(host.data(), p, n, raw_stream);
            driver.cuStreamSynchronize(raw_stream);
          },
          [&] {
            context->copy(address(host.data()), p, n, backend::Direction::DeviceToHost, stream);
            stream.synchronize();
          },
          double(n));
      context->release(p, n, stream);
    }
    const std::size_t n = std::size_t{256} << 20;
    void* pinned = nullptr;
    call(driver.cuMemHostAlloc, &pinned, n, 0u);
    std::memset(pinned, 1, n);
    const Pointer p = context->allocate(n, stream);
    compare(
        "to the device, 256 MiB, page-locked", 8, 1, idle,
        [&] {
          driver.cuMemcpyHtoDAsync_v2(p, pinned, n, raw_stream);
          driver.cuStreamSynchronize(raw_stream);
        },
        [&] {
          context->copy(p, address(pinned), n, backend::Direction::HostToDevice, stream);
          stream.synchronize();
        },
        double(n));
    call(driver.cuMemFreeHost, pinned);
    context->release(p, n, stream);
  }

  void fills() {
    const Current current(driver, raw_context);
    header("Fills: of 4 bytes by the driver, of 8 and 16 by ours", true);
    const unsigned char value[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    for (const std::size_t n : {std::size_t{4} << 10, std::size_t{1} << 20, std::size_t{256} << 20}) {
      const Pointer p = context->allocate(n, stream);
      for (const std::size_t size : {std::size_t{4}, std::size_t{8}, std::size_t{16}})
        compare(
            fmt::format("{} KiB, values of {} bytes", n >> 10, size), 50, 1, idle,
            [&] {
              driver.cuMemsetD32Async(p, 0x04030201, n / 4, raw_stream);
              driver.cuStreamSynchronize(raw_stream);
            },
            [&] {
              context->fill(p, value, size, n / size, stream);
              stream.synchronize();
            },
            double(n));
      context->release(p, n, stream);
    }
  }

  void compiling() {
    const std::string source =
        "__global__ void multiplicar(float *dest, float *a, float *b) { const int i = threadIdx.x; dest[i] = a[i] * "
        "b[i]; }";
    fmt::print("\nCompiling multiplicar: ");
    backend::CompileResult result;
    fmt::print("first {:.1f} ms", microseconds([&] { result = device.compile({.source = source}); }) / 1e3);
    Timer warm, load;
    for (int i = 0; i < 10; ++i) {
      warm.add([] {}, [&] { result = device.compile({.source = source}); });
      load.add([] {}, [&] { context->load(result.code, true)->kernel(result.code.kernels.at(0)); });
    }
    fmt::print(", warm {:.1f} ms; loading it {:.3f} ms\n", warm.best / 1e3, load.best / 1e3);
  }
};

}  // namespace

int main() {
  if (backend::cuda().device_count() == 0) {
    fmt::print("not measured: {}\n", backend::cuda().why_none());
    return 0;
  }
  try {
    Bench bench;
    fmt::print("{}\n", bench.device.name());
    bench.compiling();
    bench.launches();
    bench.allocations();
    bench.copies();
    bench.fills();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
