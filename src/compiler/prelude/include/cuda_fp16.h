// Half precision: __half, __half2 and their functions, each operation rounded once to the 11 bits of IEEE binary16.
#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__
#define __CUDA_FP16_TYPES_EXIST__

#include "__lanza/float16_memory.h"
#include "__lanza/float16_rounding.h"

struct __attribute__((aligned(2))) __half_raw {
  unsigned short x;
};
struct __attribute__((aligned(4))) __half2_raw {
  unsigned short x, y;
};
struct __nv_bfloat16;

// The bits of a half as a float, and a float rounded to nearest; every NaN is CUDA's own.
__LANZA_HD float __lanza_widen_half(unsigned short bits) {
  return static_cast<float>(__builtin_bit_cast(_Float16, bits));
}
__LANZA_HD float __lanza_seen_half(float x) { return x != x ? __lanza_float(0x7fffffffu) : x; }
__LANZA_HD unsigned short __lanza_narrow_half(float x) {
  unsigned short bits = __builtin_bit_cast(unsigned short, static_cast<_Float16>(x));
  return x != x ? 0x7fff : bits;
}
// The same of what the host's own arithmetic of halves takes and gives: each operation rounded once, denormals kept.
__LANZA_HD _Float16 __lanza_own_half(float x) { return static_cast<_Float16>(x); }
__LANZA_HD unsigned short __lanza_own_half_bits(_Float16 x) {
  unsigned short bits = __builtin_bit_cast(unsigned short, x);
  return x != x ? 0x7fff : bits;
}

// a * b + c of floats that have the values of halves. To odd first only where that may matter: in a tie the sum has
// half of a half's last place and zeros behind it. NaN, which comes of the operands or of the hardware, has such zeros
// too.
__LANZA_HD unsigned short __lanza_half_fma(float a, float b, float c) {
  if (__lanza_reflect(LANZA_REFLECT_HALVES))
    return __lanza_own_half_bits(__builtin_fmaf16(__lanza_own_half(a), __lanza_own_half(b), __lanza_own_half(c)));
  float sum = a * b + c;
  unsigned short nearest = __builtin_bit_cast(unsigned short, static_cast<_Float16>(sum));
  if ((__lanza_bits(sum) & 0xfffu) == 0) nearest = __lanza_narrow_half(__lanza_half_fma_to_odd(a, b, c));
  return nearest;
}

// Integers as floats that round to the same half in every direction: beyond 2^20 all are beyond the greatest half.
__LANZA_HD float __lanza_integer_half(int x) { return static_cast<float>(__lanza_clamp(x, -0x100000, 0x100000)); }
__LANZA_HD float __lanza_integer_half(unsigned int x) {
  return static_cast<float>(static_cast<int>(x < 0x100000u ? x : 0x100000u));
}
__LANZA_HD float __lanza_integer_half(long long x) {
  return static_cast<float>(static_cast<int>(x < -0x100000ll ? -0x100000ll : x < 0x100000ll ? x : 0x100000ll));
}
__LANZA_HD float __lanza_integer_half(unsigned long long x) {
  return static_cast<float>(static_cast<int>(x < 0x100000ull ? x : 0x100000ull));
}

#define __LANZA_T __half
#define __LANZA_INFINITY 0x7c00
#define __LANZA_ROUNDED_FMA __lanza_half_fma
#define __LANZA_T2 __half2
#define __LANZA_RAW __half_raw
#define __LANZA_RAW2 __half2_raw
#define __LANZA_OTHER __nv_bfloat16
#define __LANZA_NAME(BEFORE, AFTER) BEFORE##half##AFTER
#define __LANZA_BROADCAST __half2half2
#ifndef __CUDA_NO_HALF_CONVERSIONS__
#define __LANZA_CONVERSIONS
#endif
#ifndef __CUDA_NO_HALF_OPERATORS__
#define __LANZA_OPERATORS
#endif
#ifndef __CUDA_NO_HALF2_OPERATORS__
#define __LANZA_OPERATORS2
#endif
#include "__lanza/float16.inc"

#define CUDART_INF_FP16 __ushort_as_half(static_cast<unsigned short>(0x7c00))
#define CUDART_NAN_FP16 __ushort_as_half(static_cast<unsigned short>(0x7fff))
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(static_cast<unsigned short>(0x0001))
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(static_cast<unsigned short>(0x7bff))
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(static_cast<unsigned short>(0x8000))
#define CUDART_ZERO_FP16 __ushort_as_half(static_cast<unsigned short>(0x0000))
#define CUDART_ONE_FP16 __ushort_as_half(static_cast<unsigned short>(0x3c00))

#ifndef CUDA_NO_HALF
typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;
typedef __half nv_half;
typedef __half2 nv_half2;
#endif
#endif
