// Complex numbers as CUDA's C interface has them: float2 and double2 with functions.
#pragma once

#define __LANZA_COMPLEX(T, R, S, MAKE)                                                                        \
  __host__ __device__ inline R cuCreal##S(T x) { return x.x; }                                                \
  __host__ __device__ inline R cuCimag##S(T x) { return x.y; }                                                \
  __host__ __device__ inline T MAKE(R real, R imaginary) { return {real, imaginary}; }                        \
  __host__ __device__ inline T cuConj##S(T x) { return {x.x, -x.y}; }                                         \
  __host__ __device__ inline T cuCadd##S(T x, T y) { return {x.x + y.x, x.y + y.y}; }                         \
  __host__ __device__ inline T cuCsub##S(T x, T y) { return {x.x - y.x, x.y - y.y}; }                         \
  __host__ __device__ inline T cuCmul##S(T x, T y) { return {x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x}; } \
  /* Scaled by the divisor's size, so that its squared magnitude cannot overflow. */                          \
  __host__ __device__ inline T cuCdiv##S(T x, T y) {                                                          \
    R s = (y.x < 0 ? -y.x : y.x) + (y.y < 0 ? -y.y : y.y), inverse = 1 / s;                                   \
    R a = x.x * inverse, b = x.y * inverse, c = y.x * inverse, d = y.y * inverse;                             \
    R scale = 1 / (c * c + d * d);                                                                            \
    return {(a * c + b * d) * scale, (b * c - a * d) * scale};                                                \
  }                                                                                                           \
  __device__ inline R cuCabs##S(T x) { return hypot(x.x, x.y); }                                              \
  /* The order of the sums is CUDA's. */                                                                      \
  __host__ __device__ inline T cuCfma##S(T x, T y, T z) {                                                     \
    R real = x.x * y.x + z.x, imaginary = x.x * y.y + z.y;                                                    \
    return {-(x.y * y.y) + real, x.y * y.x + imaginary};                                                      \
  }

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;
__LANZA_COMPLEX(cuFloatComplex, float, f, make_cuFloatComplex)
__LANZA_COMPLEX(cuDoubleComplex, double, , make_cuDoubleComplex)
#undef __LANZA_COMPLEX
__host__ __device__ inline cuComplex make_cuComplex(float real, float imaginary) { return {real, imaginary}; }
__host__ __device__ inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x) { return {x.x, x.y}; }
__host__ __device__ inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x) {
  return {static_cast<float>(x.x), static_cast<float>(x.y)};
}
