// Uses the installed library: compiles and runs a kernel on the CPU, or says that there is no compiler.
#include <cstdio>
#include <lanza/lanza.hpp>
#include <numeric>
#include <vector>

int main() try {
  std::vector<int> values(1000), result(1000);
  std::iota(values.begin(), values.end(), 0);
  const auto module = lanza::compile(
      "__global__ void next(int *result, const int *values, int n) {"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;"
      "  if (i < n) result[i] = values[i] + 1; }",
      {.device = lanza::Device("cpu")});
  module.kernel("next")({.grid = 4, .block = 256}, lanza::out(result), lanza::in(values), 1000);
  for (int i = 0; i < 1000; ++i)
    if (result[static_cast<std::size_t>(i)] != i + 1) return 1;
  std::puts("right");
} catch (const lanza::Unavailable& error) {
  std::printf("unavailable: %s\n", error.what());
}
