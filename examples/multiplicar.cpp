// The C++ twin of programs/multiplicar.py: multiplies two vectors on the device and prints the difference from the
// host's result.
#include <cstdio>
#include <lanza/lanza.hpp>
#include <random>
#include <vector>

#include "options.hpp"

int main(int argc, char** argv) {
  const lanza::Current current(device_option(argc, argv));

  const lanza::Module mod = lanza::compile(R"(
__global__ void multiplicar(float *dest, float *a, float *b)
{
  const int i = threadIdx.x;
  dest[i] = a[i] * b[i];
}
)");
  const lanza::Kernel multiplicar = mod.kernel("multiplicar");

  std::mt19937 generator;
  std::normal_distribution<float> normal;
  std::vector<float> a(400), b(400), dest(400);
  for (float& x : a) x = normal(generator);
  for (float& x : b) x = normal(generator);

  multiplicar({.grid = 1, .block = 400}, lanza::out(dest), lanza::in(a), lanza::in(b));

  int wrong = 0;
  for (std::size_t i = 0; i < dest.size(); ++i) {
    const float difference = dest[i] - a[i] * b[i];
    wrong += difference != 0;
    std::printf("%g%c", difference, i % 20 == 19 ? '\n' : ' ');
  }
  return wrong == 0 ? 0 : 1;
}
