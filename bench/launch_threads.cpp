// What it costs to spread a launch over all threads: kernels limited by memory and by arithmetic against OpenMP, from
// sizes that are over before a thread wakes up to sizes where that does not matter.
//
// Both pools keep their threads awake for a while after work, and where they alternate one's awake threads hold the
// cores that the other needs. So each contender runs in bursts, with a rest before each in which the others go to sleep
// (`burst`: the least and the median of its launches after the first few; `cold`: the first launch after the rest).
// `alternating` is what a program sees that mixes both.
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <lanza/lanza.hpp>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace lanza;
using Clock = std::chrono::steady_clock;

constexpr char source[] = R"(
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
extern "C" __global__ void polynomial(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i], s = 0;
  for (int k = 0; k < 64; ++k) s = s * v + a;
  y[i] = s;
})";

void saxpy(int n, float a, const float* __restrict x, float* __restrict y) {
#pragma omp parallel for simd schedule(static)
  for (int i = 0; i < n; ++i) y[i] = a * x[i] + y[i];
}

void polynomial(int n, float a, const float* __restrict x, float* __restrict y) {
#pragma omp parallel for simd schedule(static)
  for (int i = 0; i < n; ++i) {
    const float v = x[i];
    float s = 0;
    for (int k = 0; k < 64; ++k) s = s * v + a;
    y[i] = s;
  }
}

struct Times {
  double least, median, cold;
};

double microseconds(const std::function<void()>& f) {
  const auto start = Clock::now();
  f();
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

/// Bursts of each, by turns, for so long.
std::vector<Times> measure(const std::vector<std::function<void()>>& contenders, double seconds) {
  constexpr auto rest = std::chrono::milliseconds(30);
  constexpr int warm_up = 5, burst = 40;
  std::vector<std::vector<double>> warm(contenders.size()), cold(contenders.size());
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end || cold[0].size() < 3) {
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      std::this_thread::sleep_for(rest);
      cold[i].push_back(microseconds(contenders[i]));
      for (int k = 1; k < warm_up; ++k) contenders[i]();
      for (int k = 0; k < burst; ++k) warm[i].push_back(microseconds(contenders[i]));
    }
  }
  std::vector<Times> times;
  for (std::size_t i = 0; i < contenders.size(); ++i)
    times.push_back({*std::min_element(warm[i].begin(), warm[i].end()), median(warm[i]), median(cold[i])});
  return times;
}

std::pair<double, double> alternate(const std::function<void()>& a, const std::function<void()>& b, double seconds) {
  double least_a = INFINITY, least_b = INFINITY;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end) least_a = std::min(least_a, microseconds(a)), least_b = std::min(least_b, microseconds(b));
  return {least_a, least_b};
}

void run(int threads, double seconds) {
  omp_set_num_threads(threads);
  const Device cpu("cpu");
  const Current current(cpu);
  const Module module = compile(source);
  const Stream stream = current_stream();
  std::printf("\n%s, %d threads; microseconds of a launch and its wait\n", cpu.name().c_str(), threads);
  std::printf("%-22s | %8s %8s %8s | %8s %8s %8s | %6s %6s %6s | %s\n", "", "least", "median", "cold", "OpenMP",
              "median", "cold", "least", "median", "cold", "alternating");
  for (const char* name : {"saxpy", "polynomial"}) {
    const Kernel kernel = module.kernel(name);
    const auto twin = name == std::string("saxpy") ? saxpy : polynomial;
    for (const int n : {1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22}) {
      std::vector<float> x(static_cast<std::size_t>(n), 1.5f), y(x);
      Buffer<float> device_x(x.size()), device_y(x.size());
      copy(device_x, x);
      copy(device_y, y);
      const auto lanza = [&] {
        kernel({.grid = static_cast<unsigned>(n / 256), .block = 256}, n, 1e-3f, device_x, device_y);
        stream.synchronize();
      };
      const auto openmp = [&] { twin(n, 1e-3f, x.data(), y.data()); };
      const auto times = measure({lanza, openmp}, seconds);
      const auto [mixed, mixed_openmp] = alternate(lanza, openmp, seconds / 4);
      const Times &l = times[0], &o = times[1];
      std::printf("%-10s %11d | %8.1f %8.1f %8.1f | %8.1f %8.1f %8.1f | %6.2f %6.2f %6.2f | %.1f / %.1f = %.2f\n", name,
                  n, l.least, l.median, l.cold, o.least, o.median, o.cold, l.least / o.least, l.median / o.median,
                  l.cold / o.cold, mixed, mixed_openmp, mixed / mixed_openmp);
      std::fflush(stdout);
    }
  }
}

}  // namespace

// usage: bench_launch_threads [THREADS [SECONDS]]
int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : static_cast<int>(std::thread::hardware_concurrency());
  if (threads < 1) return std::fprintf(stderr, "usage: bench_launch_threads [THREADS [SECONDS]]\n"), 2;
  setenv("LANZA_CPU_THREADS", std::to_string(threads).c_str(), 1);  // before the device is used
  try {
    run(threads, argc > 2 ? std::atof(argv[2]) : 1);
  } catch (const lanza::Error& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
