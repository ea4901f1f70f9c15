// Kernels on the CPU against the same work in C++ (twins.cpp): the faster of g++ and clang. All in one run,
// interleaved, least times; the baseline is measured twice, and what it differs from itself is the noise.
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <lanza/lanza.hpp>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "twins.hpp"

namespace {

using namespace lanza;
using bench::Twins;

struct Case {
  const char* name;
  std::function<void()> kernel;  // launches and waits
  std::function<void(const Twins&, int begin, int end)> twin;
  int units;                      // of the twin's work
  std::function<double()> error;  // greatest difference of the two results, relative to the greatest value
  double tolerance;
};

double microseconds(const std::function<void()>& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

// The twin's work over all threads; a chunk is a multiple of 16 units where there are as many.
void run_twin(const Case& c, const Twins& twins, int threads) {
  if (threads == 1) return c.twin(twins, 0, c.units);
  const int grain = c.units >= 16 * threads ? 16 : 1;
  const int chunks = std::min(c.units / grain, threads * 8);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (int i = 0; i < chunks; ++i) {
    const auto at = [&](int k) {
      return k == chunks ? c.units : static_cast<int>(static_cast<long>(c.units) * k / chunks / grain * grain);
    };
    c.twin(twins, at(i), at(i + 1));
  }
}

void measure(const Case& c, int threads, double seconds) {
  struct Contender {
    const char* name;
    std::function<void()> run;
    double least = INFINITY;
  };
  std::vector<Contender> contenders{{"lanza", c.kernel}};
  for (const auto& [name, twins] : {std::pair{"g++", bench::gcc_twins()}, {"clang", bench::clang_twins()}})
    if (twins) contenders.push_back({name, [&c, twins, threads] { run_twin(c, *twins, threads); }});
  for (const auto& contender : contenders) contender.run();
  const double error = c.error();

  double again = INFINITY;  // the faster baseline's second measurement
  std::size_t fastest = 1;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (int round = 0; round < 5 || std::chrono::steady_clock::now() < end; ++round) {
    for (auto& contender : contenders) contender.least = std::min(contender.least, microseconds(contender.run));
    if (round == 2)
      for (std::size_t i = 2; i < contenders.size(); ++i)
        if (contenders[i].least < contenders[fastest].least) fastest = i;
    again = std::min(again, microseconds(contenders[fastest].run));
  }
  const double baseline = std::min(contenders[fastest].least, again);
  std::printf("%-30s %10.1f", c.name, contenders[0].least);
  for (std::size_t i = 1; i < contenders.size(); ++i) std::printf(" %10.1f", contenders[i].least);
  std::printf(" %8.2f %8.1f%% %10.1e%s\n", contenders[0].least / baseline,
              100 * std::abs(contenders[fastest].least - again) / baseline, error,
              error > c.tolerance ? "  WRONG" : "");
  std::fflush(stdout);
}

double difference(std::span<const float> a, std::span<const float> b) {
  double greatest = 0, scale = 1e-30;
  for (std::size_t i = 0; i < a.size(); ++i) {
    greatest = std::max(greatest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    scale = std::max(scale, std::abs(static_cast<double>(b[i])));
  }
  return greatest / scale;
}

template <class T>
std::span<const float> floats(const std::vector<T>& values) {
  return {reinterpret_cast<const float*>(values.data()), values.size() * sizeof(T) / sizeof(float)};
}

struct Float4 {
  float x, y, z, w;
};

std::vector<float> random_floats(std::size_t n, float low, float high) {
  std::mt19937 generator(42);
  std::uniform_real_distribution<float> uniform(low, high);
  std::vector<float> values(n);
  for (float& value : values) value = uniform(generator);
  return values;
}

std::vector<Float4> random_bodies(std::size_t n) {
  const std::vector<float> values = random_floats(4 * n, -1, 1);
  std::vector<Float4> bodies(n);
  std::memcpy(bodies.data(), values.data(), n * sizeof(Float4));
  return bodies;
}

/// An array as the kernel and the twin each have it; results are compared.
template <class T>
struct Pair {
  explicit Pair(std::vector<T> values) : twin(std::move(values)), device(twin.size()) { copy(device, twin); }
  explicit Pair(std::size_t n) : Pair(std::vector<T>(n)) {}
  double error() const {
    std::vector<T> result(twin.size());
    copy(result, device);
    return difference(floats(result), floats(twin));
  }
  std::vector<T> twin;
  Buffer<T> device;
};

Dim3 blocks(int n, int block) { return Dim3(static_cast<unsigned>((n + block - 1) / block)); }

void run(int threads, double seconds) {
  const Current device(Device("cpu"));
  const Module module = load(BENCH_KERNELS);
  const Stream stream = current_stream();
  const auto launch = [&](const char* name, LaunchConfig config, auto&... arguments) {
    return [&stream, config, kernel = module.kernel(name), &arguments...] {
      kernel(config, arguments...);
      stream.synchronize();
    };
  };

  const int n = 1 << 20, size = 512, image = 1024, bodies = 4096, sums = 1 << 22;
  int width = image, limit = 256, length = n, matrix = size, points = size, count = bodies, total = sums;
  float factor = 1e-3f;
  Pair<float> x(random_floats(n, -2, 2)), y(random_floats(n, -2, 2)), z(n), stencil(n), out(image * image),
      weights(random_floats(25, 0, 1)), a(random_floats(size * size, -1, 1)), b(random_floats(size * size, -1, 1)),
      c(size * size), many(random_floats(sums, 0, 1)), partial(sums / 512), partial_warps(sums / 256);
  Pair<int> iterations(size * size);
  Pair<Float4> body(random_bodies(bodies)), acceleration(bodies);

  const std::vector<Case> cases{
      {"saxpy 1M", launch("saxpy", {.grid = blocks(n, 256), .block = 256}, length, factor, x.device, y.device),
       [&](const Twins& t, int begin, int end) { t.saxpy(begin, end, factor, x.twin.data(), y.twin.data()); }, n,
       [&] { return 0.0; }, 0},
      {"exp + sin + sqrt 1M",
       launch("elem", {.grid = blocks(n, 256), .block = 256}, length, x.device, x.device, z.device),
       [&](const Twins& t, int begin, int end) { t.elem(begin, end, x.twin.data(), x.twin.data(), z.twin.data()); }, n,
       [&] { return z.error(); }, 1e-6},
      {"matmul 512, tiles of 16",
       launch("matmul", {.grid = Dim3(32, 32), .block = Dim3(16, 16)}, a.device, b.device, c.device, matrix),
       [&](const Twins& t, int begin, int end) {
         t.matmul(begin, end, a.twin.data(), b.twin.data(), c.twin.data(), size);
       },
       size / 16, [&] { return c.error(); }, 1e-5},
      {"tree reduction 4M",
       launch("reduce", {.grid = blocks(sums, 512), .block = 256, .shared = 1024}, many.device, partial.device, total),
       [&](const Twins& t, int begin, int end) { t.sum(begin, end, many.twin.data(), partial.twin.data(), 512); },
       sums / 512, [&] { return partial.error(); }, 1e-5},
      {"warp-shuffle reduction 4M",
       launch("wreduce", {.grid = blocks(sums, 256), .block = 256}, many.device, partial_warps.device, total),
       [&](const Twins& t, int begin, int end) { t.sum(begin, end, many.twin.data(), partial_warps.twin.data(), 256); },
       sums / 256, [&] { return partial_warps.error(); }, 1e-5},
      {"stencil of radius 4, 1M",
       launch("stencil", {.grid = blocks(n, 256), .block = 256}, x.device, stencil.device, length),
       [&](const Twins& t, int begin, int end) { t.stencil(begin, end, x.twin.data(), stencil.twin.data(), n); }, n,
       [&] { return stencil.error(); }, 1e-5},
      {"convolution 5x5, 1024x1024",
       launch("conv2d", {.grid = Dim3(64, 64), .block = Dim3(16, 16)}, x.device, weights.device, out.device, width,
              width),
       [&](const Twins& t, int begin, int end) {
         t.conv2d(begin, end, x.twin.data(), weights.twin.data(), out.twin.data(), image, image);
       },
       image, [&] { return out.error(); }, 1e-5},
      {"mandelbrot 512x512x256",
       launch("mandel", {.grid = Dim3(16, 64), .block = Dim3(32, 8)}, iterations.device, points, points, limit),
       [&](const Twins& t, int begin, int end) { t.mandel(begin, end, iterations.twin.data(), size, size, limit); },
       size,
       [&] {
         std::vector<int> result(iterations.twin.size());
         copy(result, iterations.device);
         double different = 0;  // a point near the edge may take another number of iterations after one rounding
         for (std::size_t i = 0; i < result.size(); ++i) different += result[i] != iterations.twin[i];
         return different / static_cast<double>(result.size());
       },
       0.02},
      {"n-body 4096",
       launch("nbody", {.grid = blocks(bodies, 256), .block = 256}, body.device, acceleration.device, count),
       [&](const Twins& t, int begin, int end) {
         t.nbody(begin, end, floats(body.twin).data(), &acceleration.twin[0].x, bodies);
       },
       bodies, [&] { return acceleration.error(); }, 1e-4},
  };
  std::printf("\n%s, %d thread%s; microseconds, least of %.1f s each, all interleaved\n",
              lanza::current_device().name().c_str(), threads, threads == 1 ? "" : "s", seconds);
  std::printf("%-30s %10s%s%s %8s %9s %10s\n", "", "lanza", bench::gcc_twins() ? "        g++" : "",
              bench::clang_twins() ? "      clang" : "", "ratio", "noise", "error");
  for (const Case& c : cases) measure(c, threads, seconds);
}

}  // namespace

// usage: bench_cpu [THREADS [SECONDS]]; without THREADS: one, then all, each in a process of its own.
int main(int argc, char** argv) {
  if (!bench::gcc_twins() && !bench::clang_twins()) return std::fprintf(stderr, "built without a baseline\n"), 1;
  if (argc == 1) {
    const std::string self = "'" + std::string(argv[0]) + "' ";
    const unsigned all = std::max(1u, std::thread::hardware_concurrency());
    for (const unsigned threads : {1u, all})
      if (std::system((self + std::to_string(threads)).c_str()) != 0) return 1;
    return 0;
  }
  const int threads = std::atoi(argv[1]);
  if (threads < 1) return std::fprintf(stderr, "usage: bench_cpu [THREADS [SECONDS]]\n"), 2;
  setenv("LANZA_CPU_THREADS", argv[1], 1);  // before the device is used
  try {
    run(threads, argc > 2 ? std::atof(argv[2]) : 1);
  } catch (const lanza::Error& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
