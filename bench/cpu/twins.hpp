// The same results in C++ as an expert writes it for a CPU, compiled by g++ and by clang: what the kernels are measured
// against. A twin does a part of the work, [begin, end) in its own unit, so that threads can share it.
#pragma once

namespace bench {

struct Twins {
  void (*saxpy)(int begin, int end, float a, const float* x, float* y);                 // elements
  void (*elem)(int begin, int end, const float* x, const float* y, float* z);           // elements
  void (*matmul)(int begin, int end, const float* a, const float* b, float* c, int n);  // rows of tiles of 16
  void (*sum)(int begin, int end, const float* in, float* out, int width);              // sums of `width` elements
  void (*stencil)(int begin, int end, const float* in, float* out, int n);              // elements
  void (*conv2d)(int begin, int end, const float* in, const float* weights, float* out, int width, int height);  // rows
  void (*mandel)(int begin, int end, int* out, int width, int height, int limit);                                // rows
  void (*nbody)(int begin, int end, const float* bodies, float* accelerations, int n);  // bodies, a multiple of 16
};

/// Those of one compiler; null where it was not there when the benchmark was built.
const Twins* gcc_twins();
const Twins* clang_twins();

}  // namespace bench
