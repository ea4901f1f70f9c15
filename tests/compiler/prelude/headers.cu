// Every header that users may include, and a use of each.
#include <assert.h>
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include <float.h>
#include <inttypes.h>
#include <iso646.h>
#include <limits.h>
#include <math_constants.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <vector_types.h>
#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cfloat>
#include <chrono>
#include <cinttypes>
#include <climits>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdbool>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cuda_bf16.hpp>
#include <cuda_fp16.hpp>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <new>
#include <numbers>
#include <numeric>
#include <ratio>
#include <type_traits>
#include <utility>
#if __cplusplus >= 201703L
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
static_assert(cuda::std::get<1>(cuda::std::tuple<int, float>(1, 2.5f)) == 2.5f);
static_assert(cuda::std::is_same_v<std::optional<int>, cuda::std::optional<int>>);
#endif
static_assert(std::numeric_limits<int>::max() == INT_MAX, "");
static_assert(std::numeric_limits<int>::min() == INT_MIN &&
                  std::numeric_limits<unsigned long long>::max() == ULLONG_MAX &&
                  std::numeric_limits<signed char>::min() == -128 && std::numeric_limits<long long>::min() == LLONG_MIN,
              "");
static_assert(std::is_same<std::decay<const int&>::type, int>::value, "");
#if __cplusplus >= 202002L
static_assert(std::numbers::pi_v<float> == CUDART_PI_F && std::numbers::e > 2.7);
#endif
__global__ void small(int64_t* o, std::clock_t* time) {
  bool more = true and o[0] > 0;
  if (more) printf("%" PRId64 " %" PRIx32 "\n", o[0], 7u);
  int* p = new (std::nothrow) int[3];
  int* q = new (o + 1) int(4);
  *time = std::clock() - clock() + *q;
  delete[] p;
}
__global__ void k(float* o, cuComplex* c, std::pair<int, float>* p, int n) {
  float m = std::numeric_limits<float>::max();
  o[0] = std::max(m, o[1]) + CUDART_PI_F + cuCabsf(cuCmulf(c[0], c[1])) + CUDART_NAN + (float)CUDART_INF + INT_MAX +
         FLT_MAX;
  std::swap(o[2], o[3]);
  p[0] = std::make_pair(1, 2.f);
  uint u = n;
  assert(u > 3);
  c[2] = cuCdivf(c[0], c[1]);
  memset(o, 0, 4 * n);
  memcpy(o, c, n);
  void* q = malloc(n);
  free(q);
  std::uint32_t z = u;
  (void)z;
}
__global__ void sixteen_bits(__half* h, __half2* h2, __nv_bfloat16* b, __nv_bfloat162* b2, half x, nv_bfloat16 y) {
  h[0] = h[1] * x + CUDART_ONE_FP16;
  h2[0] += __hfma2(h2[1], h2[2], __float2half2_rn(2));
  b[0] = b[1] * y + CUDART_ONE_BF16;
  b2[0] += __hfma2(b2[1], b2[2], __float2bfloat162_rn(2));
  atomicAdd(h, x), atomicAdd(h2 + 1, h2[0]), atomicAdd(b, y), atomicAdd(b2 + 1, b2[0]);
  h[1] = __shfl_sync(~0u, __ldg(h), 0), b2[1] = __shfl_xor_sync(~0u, __ldcs(b2), 1);
  __stcg(h + 1, x), __stwt(b2, b2[1]);
}
