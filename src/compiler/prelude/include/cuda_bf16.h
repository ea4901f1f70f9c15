// bfloat16: __nv_bfloat16, __nv_bfloat162 and their functions, each operation rounded once to the 8 bits of the upper
// half of a float.
#ifndef __CUDA_BF16_H__
#define __CUDA_BF16_H__
#define __CUDA_BF16_TYPES_EXIST__

#include "cuda_fp16.h"

struct __attribute__((aligned(2))) __nv_bfloat16_raw {
  unsigned short x;
};
struct __attribute__((aligned(4))) __nv_bfloat162_raw {
  unsigned short x, y;
};

// The bits of a bfloat16 as a float, a NaN's too, and a float rounded to nearest; every NaN that is made is CUDA's own.
__LANZA_HD float __lanza_widen_bfloat16(unsigned short bits) {
  return __lanza_float(static_cast<unsigned int>(bits) << 16);
}
__LANZA_HD float __lanza_seen_bfloat16(float x) { return x; }
__LANZA_HD unsigned short __lanza_narrow_bfloat16(float x) {
  unsigned int bits = __lanza_bits(x), tie_to_even = 0x7fffu + (bits >> 16 & 1u);
  return static_cast<unsigned short>((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : (bits + tie_to_even) >> 16);
}

// A double rounded to nearest, by integers alone: denormals are kept under -ftz=true, too.
__LANZA_HD unsigned short __lanza_narrow_bfloat16_double(double x) {
  unsigned long long bits = __lanza_bits(x), size = bits & 0x7fffffffffffffffull;
  unsigned int sign = static_cast<unsigned int>(bits >> 48) & 0x8000u;
  if (size > 0x7ff0000000000000ull) return 0x7fff;
  if (size >= 0x47f0000000000000ull) return static_cast<unsigned short>(sign | 0x7f80u);  // 2^128
  int exponent = static_cast<int>(size >> 52) - 1023, below = exponent < -126 ? -126 - exponent : 0;
  int shift = 45 + (below < 10 ? below : 10);
  unsigned long long mantissa = (size & 0xfffffffffffffull) | 1ull << 52;
  unsigned long long half = 1ull << (shift - 1), rest = mantissa & ((1ull << shift) - 1), kept = mantissa >> shift;
  unsigned long long rounded = kept + (rest > half || (rest == half && (kept & 1) != 0));
  // The leading bit of a normal number adds one to the exponent.
  unsigned int base = below > 0 ? 0u : static_cast<unsigned int>(exponent + 126) << 7;
  return static_cast<unsigned short>(sign | (base + static_cast<unsigned int>(rounded)));
}

// Integers as floats that round to the same bfloat16 in every direction.
__LANZA_HD float __lanza_integer_bfloat16(int x) { return __lanza_float_to_odd(x, 0); }
__LANZA_HD float __lanza_integer_bfloat16(unsigned int x) { return __lanza_float_to_odd(x, 0); }
__LANZA_HD float __lanza_integer_bfloat16(long long x) { return __lanza_float_to_odd(__lanza_split(x)); }
__LANZA_HD float __lanza_integer_bfloat16(unsigned long long x) { return __lanza_float_to_odd(__lanza_split(x)); }

#define __LANZA_T __nv_bfloat16
#define __LANZA_NARROW_DOUBLE __lanza_narrow_bfloat16_double
#define __LANZA_INFINITY 0x7f80
#define __LANZA_FMA __lanza_fma_to_odd
#define __LANZA_T2 __nv_bfloat162
#define __LANZA_RAW __nv_bfloat16_raw
#define __LANZA_RAW2 __nv_bfloat162_raw
#define __LANZA_OTHER __half
#define __LANZA_NAME(BEFORE, AFTER) BEFORE##bfloat16##AFTER
#define __LANZA_BROADCAST __bfloat162bfloat162
#ifndef __CUDA_NO_BFLOAT16_CONVERSIONS__
#define __LANZA_CONVERSIONS
#endif
#ifndef __CUDA_NO_BFLOAT16_OPERATORS__
#define __LANZA_OPERATORS
#endif
#ifndef __CUDA_NO_BFLOAT162_OPERATORS__
#define __LANZA_OPERATORS2
#endif
#include "__lanza/float16.inc"

#ifndef __CUDA_NO_HALF_CONVERSIONS__
__LANZA_HD __half::__half(__nv_bfloat16 x) : __x(__lanza_narrow_half(__bfloat162float(x))) {}
#endif
#ifndef __CUDA_NO_BFLOAT16_CONVERSIONS__
__LANZA_HD __nv_bfloat16::__nv_bfloat16(__half x) : __x(__lanza_narrow_bfloat16(__half2float(x))) {}
#endif

#define CUDART_INF_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7f80))
#define CUDART_NAN_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7fff))
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x0001))
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7f7f))
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x8000))
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x0000))
#define CUDART_ONE_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x3f80))

#ifndef CUDA_NO_BFLOAT16
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
#endif
#endif
