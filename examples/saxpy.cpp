// A template, named when it is compiled, on a stream, measured with events.
#include <cmath>
#include <cstdio>
#include <lanza/lanza.hpp>
#include <vector>

#include "options.hpp"

int main(int argc, char** argv) {
  const lanza::Current device(device_option(argc, argv));
  const lanza::Module module = lanza::compile(R"(
template <class T>
__global__ void axpy(int n, T a, const T *x, T *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
)",
                                              {.names = {"axpy<float>"}});
  const lanza::Kernel saxpy = module.kernel("axpy<float>");

  const int n = 1 << 20;
  std::vector<float> x(n), y(n), result(n);
  for (int i = 0; i < n; ++i) {
    x[i] = static_cast<float>(i) / n;
    y[i] = 1 - x[i];
  }

  const lanza::Stream stream;
  const lanza::Current current(stream);
  const lanza::Buffer<float> device_x(n), device_y(n);
  lanza::copy(device_x, x);
  lanza::copy(device_y, y);
  saxpy({.grid = 1, .block = 256}, 0, 2.5F, device_x, device_y);  // the first launch may still have to compile
  const lanza::Event start = stream.record();
  saxpy({.grid = (n + 255) / 256, .block = 256}, n, 2.5F, device_x, device_y);
  const lanza::Event end = stream.record();
  lanza::copy(result, device_y);

  std::printf("%s: %s in %.3f ms\n", lanza::current_device().name().c_str(),
              to_string(saxpy.name(), saxpy.signature()).c_str(), end.time_since(start).count());
  for (int i = 0; i < n; ++i) {
    if (result[i] != std::fma(2.5F, x[i], y[i])) {  // as the device rounds it: once
      std::printf("element %d is %g\n", i, result[i]);
      return 1;
    }
  }
}
