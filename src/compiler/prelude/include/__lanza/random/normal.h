// curand_normal, curand_log_normal and their families. From pseudorandom numbers by Box and Muller's method, two at a
// time ("A Note on the Generation of Random Normal Deviates", 1958), from quasirandom ones by the inverse of the
// distribution.
#pragma once
#include <__lanza/random/uniform.h>

__LANZA_FN float2 __lanza_polar(float radius, float angle) {
  float2 direction;
  __sincosf(angle, &direction.x, &direction.y);
  float s = sqrtf(-2.0f * logf(radius));
  return make_float2(direction.x * s, direction.y * s);
}
__LANZA_FN double2 __lanza_polar(double radius, double half_turns) {
  double2 direction;
  sincospi(half_turns, &direction.x, &direction.y);
  double s = sqrt(-2.0 * log(radius));
  return make_double2(direction.x * s, direction.y * s);
}

__LANZA_FN float2 __lanza_box_muller(unsigned int x, unsigned int y) {
  constexpr float turn = 0x1p-32f * 6.2831855f;
  return __lanza_polar(__lanza_to_uniform(x), static_cast<float>(y) * turn + turn / 2);
}
__LANZA_FN double2 __lanza_box_muller(unsigned int x0, unsigned int x1, unsigned int y0, unsigned int y1) {
  return __lanza_polar(__lanza_to_uniform_double(x0, x1), 2 * __lanza_to_uniform_double(y0, y1));
}

template <class State>
__LANZA_FN float2 __lanza_normal_pair(State* state) {
  unsigned int x = curand(state), y = curand(state);
  return __lanza_box_muller(x, y);
}
__LANZA_FN float2 __lanza_normal_pair(curandStateMRG32k3a* state) {
  float x = curand_uniform(state), y = curand_uniform(state);
  return __lanza_polar(x, y * 6.2831855f);
}
__LANZA_FN double2 __lanza_normal_pair_double(curandStateXORWOW* state) {
  unsigned int x0 = curand(state), x1 = curand(state), y0 = curand(state), y1 = curand(state);
  return __lanza_box_muller(x0, x1, y0, y1);
}
__LANZA_FN double2 __lanza_normal_pair_double(curandStatePhilox4_32_10* state) {
  uint4 x = curand4(state);
  return __lanza_box_muller(x.x, x.y, x.z, x.w);
}
__LANZA_FN double2 __lanza_normal_pair_double(curandStateMRG32k3a* state) {
  double x = curand_uniform_double(state), y = curand_uniform_double(state);
  return __lanza_polar(x, 2 * y);
}

// The inverse of the normal distribution, by the half that has more digits.
__LANZA_FN float __lanza_normal_quantile(unsigned int x) {
  bool upper = x > 0x80000000u;
  float quantile = -1.4142135f * erfcinvf(2.0f * __lanza_to_uniform(upper ? ~x : x));
  return upper ? -quantile : quantile;
}
__LANZA_FN float __lanza_normal_quantile(unsigned long long x) {
  return __lanza_normal_quantile(static_cast<unsigned int>(x >> 32));
}
__LANZA_FN double __lanza_normal_quantile_double(unsigned int x) {
  bool upper = x > 0x80000000u;
  double p = (upper ? ~x : x) * 0x1p-32 + 0x1p-33, quantile = -1.4142135623730951 * erfcinv(2.0 * p);
  return upper ? -quantile : quantile;
}
__LANZA_FN double __lanza_normal_quantile_double(unsigned long long x) {
  unsigned long long bits = x >> 11;
  bool upper = bits > 1ull << 52;
  double p = static_cast<double>(upper ? (1ull << 53) - 1 - bits : bits) * 0x1p-53 + 0x1p-54;
  double quantile = -1.4142135623730951 * erfcinv(2.0 * p);
  return upper ? -quantile : quantile;
}

__LANZA_FN float __lanza_exponential(float x) { return expf(x); }
__LANZA_FN double __lanza_exponential(double x) { return exp(x); }
template <class T>
__LANZA_FN T __lanza_log_normal(T mean, T deviation, T normal) {
  return __lanza_exponential(mean + deviation * normal);
}

// A normal number and, for the next call, a spare one, in the states of Box and Muller's method.
#define __LANZA_NORMALS(STATE)                                                                                     \
  __LANZA_FN float curand_normal(STATE* state) {                                                                   \
    bool spare = state->boxmuller_flag == __lanza_spare_normal;                                                    \
    state->boxmuller_flag = spare ? __lanza_spare_none : __lanza_spare_normal;                                     \
    if (spare) return state->boxmuller_extra;                                                                      \
    float2 pair = __lanza_normal_pair(state);                                                                      \
    state->boxmuller_extra = pair.y;                                                                               \
    return pair.x;                                                                                                 \
  }                                                                                                                \
  __LANZA_FN double curand_normal_double(STATE* state) {                                                           \
    bool spare = state->boxmuller_flag_double == __lanza_spare_normal;                                             \
    state->boxmuller_flag_double = spare ? __lanza_spare_none : __lanza_spare_normal;                              \
    if (spare) return state->boxmuller_extra_double;                                                               \
    double2 pair = __lanza_normal_pair_double(state);                                                              \
    state->boxmuller_extra_double = pair.y;                                                                        \
    return pair.x;                                                                                                 \
  }                                                                                                                \
  __LANZA_FN float curand_log_normal(STATE* state, float mean, float deviation) {                                  \
    bool spare = state->boxmuller_flag == __lanza_spare_log_normal;                                                \
    state->boxmuller_flag = spare ? __lanza_spare_none : __lanza_spare_log_normal;                                 \
    if (spare) return state->boxmuller_extra;                                                                      \
    float2 pair = __lanza_normal_pair(state);                                                                      \
    state->boxmuller_extra = __lanza_log_normal(mean, deviation, pair.y);                                          \
    return __lanza_log_normal(mean, deviation, pair.x);                                                            \
  }                                                                                                                \
  __LANZA_FN double curand_log_normal_double(STATE* state, double mean, double deviation) {                        \
    bool spare = state->boxmuller_flag_double == __lanza_spare_log_normal;                                         \
    state->boxmuller_flag_double = spare ? __lanza_spare_none : __lanza_spare_log_normal;                          \
    if (spare) return state->boxmuller_extra_double;                                                               \
    double2 pair = __lanza_normal_pair_double(state);                                                              \
    state->boxmuller_extra_double = __lanza_log_normal(mean, deviation, pair.y);                                   \
    return __lanza_log_normal(mean, deviation, pair.x);                                                            \
  }                                                                                                                \
  __LANZA_FN float2 curand_normal2(STATE* state) { return __lanza_normal_pair(state); }                            \
  __LANZA_FN double2 curand_normal2_double(STATE* state) { return __lanza_normal_pair_double(state); }             \
  __LANZA_FN float2 curand_log_normal2(STATE* state, float mean, float deviation) {                                \
    float2 pair = __lanza_normal_pair(state);                                                                      \
    return make_float2(__lanza_log_normal(mean, deviation, pair.x), __lanza_log_normal(mean, deviation, pair.y));  \
  }                                                                                                                \
  __LANZA_FN double2 curand_log_normal2_double(STATE* state, double mean, double deviation) {                      \
    double2 pair = __lanza_normal_pair_double(state);                                                              \
    return make_double2(__lanza_log_normal(mean, deviation, pair.x), __lanza_log_normal(mean, deviation, pair.y)); \
  }
__LANZA_NORMALS(curandStateXORWOW)
__LANZA_NORMALS(curandStateMRG32k3a)
__LANZA_NORMALS(curandStatePhilox4_32_10)
#undef __LANZA_NORMALS

#define __LANZA_NORMALS(STATE)                                                                                   \
  __LANZA_FN float curand_normal(STATE* state) { return __lanza_normal_quantile(curand(state)); }                \
  __LANZA_FN double curand_normal_double(STATE* state) { return __lanza_normal_quantile_double(curand(state)); } \
  __LANZA_FN float curand_log_normal(STATE* state, float mean, float deviation) {                                \
    return __lanza_log_normal(mean, deviation, curand_normal(state));                                            \
  }                                                                                                              \
  __LANZA_FN double curand_log_normal_double(STATE* state, double mean, double deviation) {                      \
    return __lanza_log_normal(mean, deviation, curand_normal_double(state));                                     \
  }
__LANZA_NORMALS(curandStateSobol32)
__LANZA_NORMALS(curandStateScrambledSobol32)
__LANZA_NORMALS(curandStateSobol64)
__LANZA_NORMALS(curandStateScrambledSobol64)
#undef __LANZA_NORMALS

__LANZA_FN float4 curand_normal4(curandStatePhilox4_32_10* state) {
  uint4 x = curand4(state);
  float2 a = __lanza_box_muller(x.x, x.y), b = __lanza_box_muller(x.z, x.w);
  return make_float4(a.x, a.y, b.x, b.y);
}
__LANZA_FN double4 curand_normal4_double(curandStatePhilox4_32_10* state) {
  double2 a = curand_normal2_double(state), b = curand_normal2_double(state);
  return make_double4(a.x, a.y, b.x, b.y);
}
__LANZA_FN float4 curand_log_normal4(curandStatePhilox4_32_10* state, float mean, float deviation) {
  float4 n = curand_normal4(state);
  return make_float4(__lanza_log_normal(mean, deviation, n.x), __lanza_log_normal(mean, deviation, n.y),
                     __lanza_log_normal(mean, deviation, n.z), __lanza_log_normal(mean, deviation, n.w));
}
__LANZA_FN double4 curand_log_normal4_double(curandStatePhilox4_32_10* state, double mean, double deviation) {
  double4 n = curand_normal4_double(state);
  return make_double4(__lanza_log_normal(mean, deviation, n.x), __lanza_log_normal(mean, deviation, n.y),
                      __lanza_log_normal(mean, deviation, n.z), __lanza_log_normal(mean, deviation, n.w));
}
