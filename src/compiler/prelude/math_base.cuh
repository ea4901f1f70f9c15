// What the mathematical functions share: bits, powers of two, and pairs of doubles whose exact sum is the value.
#pragma once

__LANZA_FN float __lanza_float(unsigned int bits) { return __builtin_bit_cast(float, bits); }
__LANZA_FN double __lanza_double(unsigned long long bits) { return __builtin_bit_cast(double, bits); }
__LANZA_FN unsigned int __lanza_bits(float x) { return __builtin_bit_cast(unsigned int, x); }
__LANZA_FN unsigned long long __lanza_bits(double x) { return __builtin_bit_cast(unsigned long long, x); }
__LANZA_FN float __lanza_infinity_f() { return __builtin_inff(); }
__LANZA_FN double __lanza_infinity() { return __builtin_inf(); }
__LANZA_FN double __lanza_nan() { return __builtin_nan(""); }

// 2^n for normal results.
__LANZA_FN float __lanza_exp2i_f(int n) { return __lanza_float(static_cast<unsigned int>(n + 127) << 23); }
__LANZA_FN double __lanza_exp2i(int n) {
  return __lanza_double(static_cast<unsigned long long>(static_cast<long long>(n) + 1023) << 52);
}
// x * 2^n rounded once, for n between -2100 and 2100: two steps, because 2^n alone may overflow or be denormal.
__LANZA_FN double __lanza_scale(double x, int n) {
  int half = n >> 1;
  return x * __lanza_exp2i(half) * __lanza_exp2i(n - half);
}

// The nearest integer of |x| < 2^31 as a float and, without a conversion that would have to saturate, as an int:
// adding 1.5 * 2^52 leaves it in the low bits of the mantissa.
struct __lanza_nearest {
  double value;
  int integer;
};
__LANZA_FN __lanza_nearest __lanza_round(double x) {
  double shifted = x + 6755399441055744.0;
  return {shifted - 6755399441055744.0, static_cast<int>(__lanza_bits(shifted))};
}
// The same for floats, |x| < 2^22.
struct __lanza_nearest_f {
  float value;
  int integer;
};
__LANZA_FN __lanza_nearest_f __lanza_round_f(float x) {
  float shifted = x + 12582912.0f;
  return {shifted - 12582912.0f, static_cast<int>(__lanza_bits(shifted) << 9) >> 9};
}

// The nearest integer n of x and 2^n as a product of two powers, because 2^n alone may overflow or be denormal. The
// constant that is added biases n by two exponent biases, so that the halves of its low bits are the exponents. Where
// the product is 0 anyway callers choose the 0: processors are a dozen times slower where a product underflows.
struct __lanza_power {
  double n, first, second;
};
__LANZA_FN __lanza_power __lanza_split_power(double x) {
  double shifted = x + 6755399441057790.0;  // 1.5 * 2^52 + 2046
  unsigned long long bits = __lanza_bits(shifted), half = bits >> 1;
  return {shifted - 6755399441057790.0, __lanza_double(half << 52), __lanza_double((bits - half) << 52)};
}
struct __lanza_power_f {
  float n, first, second;
};
__LANZA_FN __lanza_power_f __lanza_split_shifted_f(float shifted) {  // by 1.5 * 2^23 + 254
  unsigned int bits = __lanza_bits(shifted), half = bits >> 1;
  return {shifted - 12583166.0f, __lanza_float(half << 23), __lanza_float((bits - half) << 23)};
}
__LANZA_FN __lanza_power_f __lanza_split_power_f(float x) { return __lanza_split_shifted_f(x + 12583166.0f); }
__LANZA_FN __lanza_power_f __lanza_split_power_f(float x, float scale) {  // of x * scale
  return __lanza_split_shifted_f(__builtin_fmaf(x, scale, 12583166.0f));
}

// Error-free transformations: Dekker (1971), Knuth (TAOCP 2, 4.2.2); see Muller et al., "Handbook of Floating-Point
// Arithmetic".
struct __lanza_pair {
  double hi, lo;
};
__LANZA_FN __lanza_pair __lanza_sum(double a, double b) {
  double s = a + b, t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}
// For |a| >= |b|, or a = 0.
__LANZA_FN __lanza_pair __lanza_fast_sum(double a, double b) {
  double s = a + b;
  return {s, b - (s - a)};
}
__LANZA_FN __lanza_pair __lanza_product(double a, double b) {
  double p = a * b;
  return {p, __builtin_fma(a, b, -p)};
}
// Pairs: errors of some 2^-104 of the result, of the larger operand for sums.
__LANZA_FN __lanza_pair __lanza_add(__lanza_pair a, __lanza_pair b) {
  __lanza_pair s = __lanza_sum(a.hi, b.hi);
  return __lanza_fast_sum(s.hi, s.lo + (a.lo + b.lo));
}
__LANZA_FN __lanza_pair __lanza_add(__lanza_pair a, double b) {
  __lanza_pair s = __lanza_sum(a.hi, b);
  return __lanza_fast_sum(s.hi, s.lo + a.lo);
}
__LANZA_FN __lanza_pair __lanza_multiply(__lanza_pair a, __lanza_pair b) {
  __lanza_pair p = __lanza_product(a.hi, b.hi);
  return __lanza_fast_sum(p.hi, p.lo + __builtin_fma(a.hi, b.lo, a.lo * b.hi));
}
__LANZA_FN __lanza_pair __lanza_multiply(__lanza_pair a, double b) {
  __lanza_pair p = __lanza_product(a.hi, b);
  return __lanza_fast_sum(p.hi, __builtin_fma(a.lo, b, p.lo));
}
__LANZA_FN __lanza_pair __lanza_divide(__lanza_pair a, __lanza_pair b) {
  double inverse = 1.0 / b.hi, q = a.hi * inverse;
  double rest = __builtin_fma(-q, b.hi, a.hi) + (a.lo - q * b.lo);
  return __lanza_fast_sum(q, rest * inverse);
}
__LANZA_FN __lanza_pair __lanza_square_root(__lanza_pair a) {
  double root = __builtin_sqrt(a.hi);
  double rest = __builtin_fma(-root, root, a.hi) + a.lo;
  return __lanza_fast_sum(root, root == 0 ? 0.0 : rest / (root + root));
}
