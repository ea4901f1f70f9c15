// What half and bfloat16 share below their types: roundings on the way to 16 bits.
#pragma once

// s + e as a float rounded to odd, where e is below the last place of s: a second rounding, to 16 bits in whatever
// direction, is then as if it were the only one (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums:
// proved algorithms using rounding to odd", 2008).
__LANZA_HD float __lanza_float_to_odd(double s, double e) {
  float nearest = static_cast<float>(s);
  double rest = s - static_cast<double>(nearest), error = rest != 0 ? rest : e;
  unsigned int bits = __lanza_bits(nearest);
  bool negative = error < 0, inexact = error > 0 || negative;  // false for NaN, which infinities give
  unsigned int neighbour = ((bits >> 31) != 0) == negative ? bits + 1 : bits - 1;
  unsigned int smallest = negative ? 0x80000001u : 1u;
  return __lanza_float(inexact && (bits & 1) == 0 ? (nearest == 0 ? smallest : neighbour) : bits);
}
__LANZA_HD float __lanza_float_to_odd(__lanza_pair x) { return __lanza_float_to_odd(x.hi, x.lo); }

// The exact a * b + c, rounded to odd.
__LANZA_HD float __lanza_fma_to_odd(float a, float b, float c) {
  double product = static_cast<double>(a) * static_cast<double>(b);  // 48 bits hold it
  return __lanza_float_to_odd(__lanza_sum(product, static_cast<double>(c)));
}

// The same of halves, in floats alone: of what lies below and above an inexact sum, next to each other, one is odd; of
// zeros the one above. Or the product is exact, and so is what the sum lacks (Knuth, "The Art of Computer Programming",
// vol. 2, 4.2.2, theorem B), for neither comes near the ends of a float's range.
__LANZA_HD float __lanza_half_fma_to_odd(float a, float b, float c) {
  if (__lanza_reflect(LANZA_REFLECT_DIRECTED)) {
    float below = __nvvm_fma_rm_f(a, b, c), above = __nvvm_fma_rp_f(a, b, c);
    return (__lanza_bits(below) & 1u) != 0 ? below : above;
  }
  float product = a * b, sum = product + c, part = sum - product;
  float error = (product - (sum - part)) + (c - part);
  unsigned int bits = __lanza_bits(sum);
  bool inexact = error > 0 || error < 0;  // false for NaN, which infinities give
  bool beyond = inexact && ((bits ^ __lanza_bits(error)) >> 31) != 0;
  return __lanza_float((bits - static_cast<unsigned int>(beyond)) | static_cast<unsigned int>(inexact));
}

// s + e to odd in the last place of a double, where e is below it.
__LANZA_HD double __lanza_double_to_odd(double s, double e) {
  unsigned long long bits = __lanza_bits(s);
  bool outwards = (e > 0) == (s > 0);
  return e == 0 || e != e || (bits & 1) != 0 ? s : __lanza_double(bits + (outwards ? 1ull : -1ull));
}
__LANZA_HD double __lanza_fma_to_odd(double a, double b, double c) {
  __lanza_pair s = __lanza_sum(a * b, c);  // products of 16-bit types are exact
  return __lanza_double_to_odd(s.hi, s.lo);
}

// `nearest`, the 16 bits nearest to x, which are worth `value`, moved one step where the direction asks for it.
__LANZA_HD unsigned short __lanza_directed_16(unsigned short nearest, float value, float x, __lanza_rounding mode) {
  bool negative = (nearest & 0x8000u) != 0;
  bool outwards = mode == __lanza_ru ? !negative : mode == __lanza_rd && negative;
  float size = __builtin_fabsf(x), rounded = __builtin_fabsf(value);
  int step = outwards ? rounded < size : -static_cast<int>(rounded > size);
  return static_cast<unsigned short>(mode == __lanza_rn ? nearest : nearest + step);
}

// The integers that the 16-bit types convert from and to, each with one that holds it.
template <class>
struct __lanza_integer {};
#define __LANZA_INTEGER(I, EXACT) \
  template <>                     \
  struct __lanza_integer<I> {     \
    typedef I __lanza_type;       \
    typedef EXACT __lanza_exact;  \
  };
__LANZA_INTEGER(bool, int)
__LANZA_INTEGER(char, int)
__LANZA_INTEGER(signed char, int)
__LANZA_INTEGER(unsigned char, int)
__LANZA_INTEGER(short, int)
__LANZA_INTEGER(unsigned short, int)
__LANZA_INTEGER(int, int)
__LANZA_INTEGER(unsigned int, unsigned int)
__LANZA_INTEGER(long, long long)
__LANZA_INTEGER(unsigned long, unsigned long long)
__LANZA_INTEGER(long long, long long)
__LANZA_INTEGER(unsigned long long, unsigned long long)
#undef __LANZA_INTEGER

// Integers of 8 and 16 bits, out of range the nearest end.
__LANZA_HD int __lanza_clamp(int x, int low, int high) { return x < low ? low : x > high ? high : x; }
