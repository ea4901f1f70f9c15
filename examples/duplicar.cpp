// The C++ twin of programs/duplicar.py: doubles a matrix in the device's memory; the host's own stays as it was.
#include <array>
#include <cstdio>
#include <lanza/lanza.hpp>
#include <random>

#include "options.hpp"

using Matrix = std::array<float, 16>;

static void print(const Matrix& matrix) {
  for (std::size_t i = 0; i < matrix.size(); ++i) std::printf("%12.8f%c", matrix[i], i % 4 == 3 ? '\n' : ' ');
  std::printf("\n");
}

int main(int argc, char** argv) {
  const lanza::Current current(device_option(argc, argv));

  std::mt19937 generator;
  std::normal_distribution<float> normal;
  Matrix a;
  for (float& x : a) x = normal(generator);
  const lanza::Buffer<float> a_gpu(a.size());
  lanza::copy(a_gpu, a);

  const lanza::Module mod = lanza::compile(R"(
  __global__ void duplicar(float *a)
  {
    int idx = threadIdx.x + threadIdx.y*4;
    a[idx] *= 2;
  }
  )");
  mod.kernel("duplicar")({.block = {4, 4, 1}}, a_gpu);

  Matrix a_duplicado;
  lanza::copy(a_duplicado, a_gpu);
  print(a_duplicado);
  print(a);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a_duplicado[i] != 2 * a[i]) return 1;
  }
}
