// curand_uniform and its family: numbers above 0, up to and with 1.
#pragma once
#include <__lanza/random/mrg32k3a.h>
#include <__lanza/random/philox.h>
#include <__lanza/random/sobol.h>
#include <__lanza/random/xorwow.h>

__LANZA_FN float __lanza_to_uniform(unsigned int x) { return static_cast<float>(x) * 0x1p-32f + 0x1p-33f; }
__LANZA_FN float __lanza_to_uniform(unsigned long long x) {
  return __lanza_to_uniform(static_cast<unsigned int>(x >> 32));
}
__LANZA_FN double __lanza_to_uniform_double(unsigned int x) { return x * 0x1p-32 + 0x1p-32; }
__LANZA_FN double __lanza_to_uniform_double(unsigned long long x) {
  return static_cast<double>(x >> 11) * 0x1p-53 + 0x1p-54;
}
// All 53 bits, of two numbers.
__LANZA_FN double __lanza_to_uniform_double(unsigned int x, unsigned int y) {
  return static_cast<double>(x ^ static_cast<unsigned long long>(y) << 21) * 0x1p-53 + 0x1p-54;
}

template <class State>
__LANZA_FN float curand_uniform(State* state) {
  return __lanza_to_uniform(curand(state));
}
template <class State>
__LANZA_FN double curand_uniform_double(State* state) {
  return __lanza_to_uniform_double(curand(state));
}
template <>
__LANZA_FN double curand_uniform_double(curandStateXORWOW* state) {
  unsigned int x = curand(state), y = curand(state);
  return __lanza_to_uniform_double(x, y);
}
// cuRAND's constant is one unit of the last place above the inverse of the modulus.
template <>
__LANZA_FN double curand_uniform_double(curandStateMRG32k3a* state) {
  return curand_MRG32k3a(state) * 2.3283065498378288e-10;
}
template <>
__LANZA_FN float curand_uniform(curandStateMRG32k3a* state) {
  return static_cast<float>(curand_uniform_double(state));
}

__LANZA_FN float4 curand_uniform4(curandStatePhilox4_32_10* state) {
  uint4 x = curand4(state);
  return make_float4(__lanza_to_uniform(x.x), __lanza_to_uniform(x.y), __lanza_to_uniform(x.z),
                     __lanza_to_uniform(x.w));
}
__LANZA_FN double2 curand_uniform2_double(curandStatePhilox4_32_10* state) {
  uint4 x = curand4(state);
  return make_double2(__lanza_to_uniform_double(x.x, x.y), __lanza_to_uniform_double(x.z, x.w));
}
__LANZA_FN double4 curand_uniform4_double(curandStatePhilox4_32_10* state) {
  double2 a = curand_uniform2_double(state), b = curand_uniform2_double(state);
  return make_double4(a.x, a.y, b.x, b.y);
}
