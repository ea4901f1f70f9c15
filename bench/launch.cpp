// What a launch costs through the public C++ API: on a backend that does nothing, against the bare virtual call with
// the arguments already packed; and, with --cpu, an empty kernel on the CPU.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <lanza/lanza.hpp>
#include <string_view>
#include <vector>

#include "runtime/fake_backend.hpp"
#include "runtime/records.hpp"

namespace {

using namespace lanza;

constexpr int rounds = 200;  // of a fraction of a millisecond each, so that the least of them met no other process

/// Nanoseconds of one call: `calls` of them.
template <class F>
double measure(int calls, F f) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) f();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / calls;
}

struct Row {
  const char* what;
  std::vector<double> times{};
  double least() const { return *std::min_element(times.begin(), times.end()); }
};

void print(const std::vector<Row>& rows) {
  const double baseline = rows.front().least();
  std::printf("%-56s %10s %10s %8s\n", "", "least ns", "median ns", "ratio");
  for (Row row : rows) {
    std::sort(row.times.begin(), row.times.end());
    std::printf("%-56s %10.1f %10.1f %8.2f\n", row.what, row.times.front(), row.times[row.times.size() / 2],
                row.times.front() / baseline);
  }
}

void bench_nothing() {
  const fake::Scope scope(1);
  scope.world->compile = [](const backend::CompileRequest&) {
    return fake::result({fake::kernel("none", {}),
                         fake::kernel("four", {fake::pointer("x", DType::Float32), fake::pointer("y", DType::Float32),
                                               fake::pointer("z", DType::Float32), fake::scalar("n", DType::Int32)}),
                         fake::kernel("struct", {fake::record("p", "Point", 12)})});
  };
  const Device device("cuda");
  const Module module = compile("", {.device = device, .cache = false});
  const Kernel none = module.kernel("none"), four = module.kernel("four"), record = module.kernel("struct");
  const Buffer<float> x(16, device), y(16, device), z(16, device);
  const Stream stream(device);
  struct Point {
    float x, y, z;
  };
  scope.world->recording = false;

  alignas(16) unsigned char packed[28] = {};
  backend::Launch bare{.grid = 1, .block = 256, .arguments = packed, .argument_bytes = sizeof packed};
  backend::Stream& bare_stream = module.context().shared()->default_stream.stream;
  backend::Kernel& bare_kernel = *four.shared()->kernel;
  const std::size_t n = 16;

  std::vector<Row> rows{{"bare backend call, arguments packed (the floor)"},
                        {"the same again (spread)"},
                        {"no arguments"},
                        {"3 buffers, int"},
                        {"3 buffers, std::size_t for int"},
                        {"3 buffers, int, on a named stream"},
                        {"struct by value"}};
  constexpr int calls = 4'000;
  for (int round = 0; round < rounds; ++round) {
    rows[0].times.push_back(measure(calls, [&] { bare_kernel.launch(bare_stream, bare); }));
    rows[1].times.push_back(measure(calls, [&] { bare_kernel.launch(bare_stream, bare); }));
    rows[2].times.push_back(measure(calls, [&] { none({.block = 256}); }));
    rows[3].times.push_back(measure(calls, [&] { four({.block = 256}, x, y, z, 16); }));
    rows[4].times.push_back(measure(calls, [&] { four({.block = 256}, x, y, z, n); }));
    rows[5].times.push_back(measure(calls, [&] { four({.block = 256, .stream = stream}, x, y, z, 16); }));
    rows[6].times.push_back(measure(calls, [&] { record({.block = 256}, Point{1, 2, 3}); }));
  }
  std::printf("A backend that does nothing\n");
  print(rows);
  scope.world->recording = true;
}

void bench_cpu() {
  const Current device(Device("cpu"));
  const Module module = compile(R"(
__global__ void nothing() {}
__global__ void four(float* x, const float* y, const float* z, int n) {
  if (threadIdx.x < n) x[threadIdx.x] = y[threadIdx.x] + z[threadIdx.x];
})");
  const Kernel nothing = module.kernel("nothing"), four = module.kernel("four");
  std::vector<float> x(256), y(256), z(256);
  const Buffer<float> device_x(256), device_y(256), device_z(256);
  const Stream stream = current_stream();

  std::vector<Row> rows{{"empty kernel, launch"},
                        {"empty kernel, launch and synchronize"},
                        {"1 block of 256, 3 buffers, launch and synchronize"},
                        {"1 block of 256, host ranges in place"}};
  constexpr int calls = 1'000;
  for (int round = 0; round < rounds; ++round) {
    rows[0].times.push_back(measure(calls, [&] { nothing({.block = 1}); }));
    stream.synchronize();
    rows[1].times.push_back(measure(calls, [&] {
      nothing({.block = 1});
      stream.synchronize();
    }));
    rows[2].times.push_back(measure(calls, [&] {
      four({.block = 256}, device_x, device_y, device_z, 256);
      stream.synchronize();
    }));
    rows[3].times.push_back(measure(calls, [&] { four({.block = 256}, out(x), in(y), in(z), 256); }));
  }
  std::printf("\nThe CPU: %s\n", lanza::current_device().name().c_str());
  print(rows);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    bench_nothing();
    if (argc == 2 && std::string_view(argv[1]) == "--cpu") bench_cpu();
  } catch (const lanza::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
