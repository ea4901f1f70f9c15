// log, log2, log10, log1p: x = 2^e m with m between sqrt(1/2) and sqrt(2), log(m) = 2 atanh((m - 1) / (m + 1))
// (Muller, "Elementary Functions", 3rd ed., 11.4).
#pragma once

// log(x) = e ln(2) + (m.hi + m.lo) for finite x > 0; the error of m is some 2^-64 of it.
struct __lanza_logarithm {
  double e;
  __lanza_pair m;
};
__LANZA_FN __lanza_logarithm __lanza_log_parts(double x) {
  bool small = x < 2.2250738585072014e-308;
  double scaled = small ? x * 18014398509481984.0 : x;
  unsigned long long bits = __lanza_bits(scaled);
  int e = static_cast<int>(static_cast<unsigned int>(bits >> 32) - 0x3fe6a09eu) >> 20;
  double m = __lanza_double(bits - (static_cast<unsigned long long>(static_cast<long long>(e)) << 52));

  double f = m - 1.0;
  __lanza_pair d = __lanza_sum(m, 1.0);
  double inverse = 1.0 / d.hi;
  double s = f * inverse;
  double s_lo = (__builtin_fma(-s, d.hi, f) - s * d.lo) * inverse;
  double z = s * s;
  double z_lo = __builtin_fma(s, s, -z) + 2.0 * s * s_lo;
  double cube = s * z;
  double cube_lo = __builtin_fma(s, z, -cube) + __builtin_fma(s, z_lo, s_lo * z);
  double third = cube * 0.6666666666666666;
  double third_lo = __builtin_fma(cube, 0.6666666666666666, -third) +
                    __builtin_fma(cube_lo, 0.6666666666666666, cube * 3.700743415417188e-17);
  __lanza_pair sum = __lanza_fast_sum(s + s, third);
  double lo = __builtin_fma(cube * z, __lanza_poly_log(z), sum.lo + ((s_lo + s_lo) + third_lo));
  return {static_cast<double>(small ? e - 54 : e), __lanza_fast_sum(sum.hi, lo)};
}
// log(x) for finite x > 0, relative error some 2^-63.
__LANZA_FN __lanza_pair __lanza_log_pair(double x) {
  __lanza_logarithm l = __lanza_log_parts(x);
  __lanza_pair sum = __lanza_fast_sum(l.e * 0.6931471805598903, l.m.hi);
  return __lanza_fast_sum(sum.hi, sum.lo + __builtin_fma(l.e, 5.497923018708371e-14, l.m.lo));
}
// What log says of arguments that are not positive and finite.
__LANZA_FN double __lanza_log_special(double x, double y) {
  y = x == __lanza_infinity() ? x : y;
  y = x < 0 ? __lanza_nan() : y;
  y = x == 0 ? -__lanza_infinity() : y;
  return x != x ? x : y;
}
// In one double, errors below one ulp: x = 2^e (1 + f) as above, and with s = f / (2 + f) log(1 + f) is
// f - (f^2/2 - s (f^2/2 + q)), q = 2 atanh(s) / s - 2 (FreeBSD's e_log.c has it so): what is rounded is small beside f.
struct __lanza_split_number {
  double e, f;
};
__LANZA_FN bool __lanza_positive_normal(double x) {
  return __lanza_bits(x) - 0x0010000000000000ull < 0x7fe0000000000000ull;
}
// Bits whose exponent is that of x with 1 + f from sqrt(1/2) on, and that exponent without a conversion of integers.
__LANZA_FN unsigned long long __lanza_bits_above_root(double x) { return __lanza_bits(x) + 0x00095f6200000000ull; }
__LANZA_FN double __lanza_exponent_of_bits(unsigned long long bits) {
  return __lanza_double(bits >> 52 | 0x4330000000000000ull) - 4503599627371519.0;  // 2^52 + 1023
}
__LANZA_FN __lanza_split_number __lanza_split_at_root(double x) {
  unsigned long long bits = __lanza_bits_above_root(x);
  double e = __lanza_exponent_of_bits(bits);
  return {e, __lanza_double((bits & 0x000fffffffffffffull) + 0x3fe6a09e00000000ull) - 1.0};
}
// Of a denormal number.
__LANZA_FN __lanza_split_number __lanza_split_small_at_root(double x) {
  __lanza_split_number n = __lanza_split_at_root(x * 18014398509481984.0);
  return {n.e - 54.0, n.f};
}
// log(1 + f) + rest = f - (half - more)
struct __lanza_log_terms {
  double half, more;
};
__LANZA_FN __lanza_log_terms __lanza_log_terms_of(double f, double rest) {
  double s = f / (f + 2.0), z = s * s;
  double half = 0.5 * f * f;
  return {half, __builtin_fma(s, __builtin_fma(z, __lanza_poly_log_quotient(z), half), rest)};
}
__LANZA_FN double __lanza_log_of(__lanza_split_number n) {
  __lanza_log_terms t = __lanza_log_terms_of(n.f, n.e * 5.497923018708371e-14);
  return __builtin_fma(n.e, 0.6931471805598903, n.f - (t.half - t.more));
}
__LANZA_FN double __lanza_log(double x) {
  double y = __lanza_log_of(__lanza_split_at_root(x));
  if (__lanza_positive_normal(x)) return y;
  return __lanza_log_special(x, __lanza_log_of(__lanza_split_small_at_root(x)));
}
// high e + log(1 + f) (c.hi + c.lo) + low e, the product with the error of its rounding.
__LANZA_FN double __lanza_log_to_base(__lanza_split_number n, __lanza_pair c, double high, double low) {
  __lanza_log_terms t = __lanza_log_terms_of(n.f, 0.0);
  __lanza_pair m = __lanza_fast_sum(n.f, -t.half);
  double product = m.hi * c.hi;
  double rest = __builtin_fma(m.hi, c.lo, __builtin_fma(m.hi, c.hi, -product));
  rest = __builtin_fma(m.lo + t.more, c.hi, __builtin_fma(n.e, low, rest));
  __lanza_pair sum = __lanza_fast_sum(n.e * high, product);
  return sum.hi + (sum.lo + rest);
}
__LANZA_FN double __lanza_log2_of(__lanza_split_number n) {
  return __lanza_log_to_base(n, {1.4426950408889634, 2.0355273740931033e-17}, 1.0, 0.0);
}
__LANZA_FN double __lanza_log2(double x) {
  double y = __lanza_log2_of(__lanza_split_at_root(x));
  if (__lanza_positive_normal(x)) return y;
  return __lanza_log_special(x, __lanza_log2_of(__lanza_split_small_at_root(x)));
}
__LANZA_FN double __lanza_log10_of(__lanza_split_number n) {
  return __lanza_log_to_base(n, {0.4342944819032518, 1.098319650216765e-17}, 0.30102999566395283,
                             2.8363394551044964e-14);
}
__LANZA_FN double __lanza_log10(double x) {
  double y = __lanza_log10_of(__lanza_split_at_root(x));
  if (__lanza_positive_normal(x)) return y;
  return __lanza_log_special(x, __lanza_log10_of(__lanza_split_small_at_root(x)));
}
// 1 + x = 2^e (1 + f + f_lo), x >= -1. Of 2^-e, which e = 1024 would make denormal, four times as much is used.
__LANZA_FN double __lanza_log1p(double x) {
  unsigned long long bits = __lanza_bits_above_root(1.0 + x);
  double e = __lanza_exponent_of_bits(bits);
  double power = __lanza_double(0x8000000000000000ull - (bits & 0xfff0000000000000ull)), quarter = 0.25 * x;
  double offset = __builtin_fma(power, 0.25, -1.0), f = __builtin_fma(power, quarter, offset);
  double f_lo = __builtin_fma(power, quarter, offset - f);
  double rest = f_lo * (1.0 - f) * __builtin_fma(f, f, 1.0);  // f_lo / (1 + f), nearly
  __lanza_log_terms t = __lanza_log_terms_of(f, __builtin_fma(e, 5.497923018708371e-14, rest));
  double y = __builtin_fma(e, 0.6931471805598903, f - (t.half - t.more));
  y = __lanza_log_special(1.0 + x, y);
  return __builtin_fabs(x) < 1e-290 ? x : y;
}
// log(1 + hi + lo) for 1 + hi + lo > 0 and finite.
__LANZA_FN __lanza_pair __lanza_log1p_pair(double hi, double lo) {
  __lanza_pair u = __lanza_sum(1.0, hi);
  __lanza_pair l = __lanza_log_pair(u.hi);
  double rest = (u.lo + lo) / u.hi;
  // The square of the rest matters only where log(u) vanishes and the rest is tiny.
  return __lanza_add(l, rest);
}

// float: 2^e (1 + f) with f between -1/3 and 1/3.
struct __lanza_logarithm_f {
  float e, f;
};
__LANZA_FN bool __lanza_positive_normal_f(float x) { return __lanza_bits(x) - 0x00800000u < 0x7f000000u; }
__LANZA_FN __lanza_logarithm_f __lanza_log_parts_f(float x) {
  unsigned int bits = __lanza_bits(x);
  int e = static_cast<int>(bits - 0x3f2aaaabu) >> 23;
  float m = __lanza_float(bits - (static_cast<unsigned int>(e) << 23));
  return {static_cast<float>(e), m - 1.0f};
}
// Of a denormal number.
__LANZA_FN __lanza_logarithm_f __lanza_log_parts_small_f(float x) {
  __lanza_logarithm_f l = __lanza_log_parts_f(x * 8388608.0f);
  return {l.e - 23.0f, l.f};
}
// What log says of arguments that are not positive and finite.
__LANZA_FN float __lanza_log_special_f(float x, float y) {
  y = x == __lanza_infinity_f() ? x : y;
  y = x < 0 ? __builtin_nanf("") : y;
  y = x == 0 ? -__lanza_infinity_f() : y;
  return x != x ? x : y;
}
// log(1 + f) - f
__LANZA_FN float __lanza_log_tail_f(float f) {
  float square = f * f;
  return __builtin_fmaf(square * f, __lanza_poly_logf(f), -0.5f * square);
}
__LANZA_FN float __lanza_log_of_parts_f(__lanza_logarithm_f l) {
  float tail = __lanza_log_tail_f(l.f);
  return __builtin_fmaf(l.e, 0.693145752f, l.f + __builtin_fmaf(l.e, 1.42860677e-06f, tail));
}
__LANZA_FN float __lanza_logf(float x) {
  float y = __lanza_log_of_parts_f(__lanza_log_parts_f(x));
  if (__lanza_positive_normal_f(x)) return y;
  return __lanza_log_special_f(x, __lanza_log_of_parts_f(__lanza_log_parts_small_f(x)));
}
// f log2(e) in two parts; f has few enough bits left only with the rounding error added back.
__LANZA_FN float __lanza_log2_of_parts_f(__lanza_logarithm_f l) {
  float tail = __lanza_log_tail_f(l.f);
  float product = l.f * 1.44269502f;
  float rest = __builtin_fmaf(l.f, 1.92596303e-08f, __builtin_fmaf(l.f, 1.44269502f, -product));
  // What the tail's square lost, which would cost the last tenth of an ulp.
  float square = l.f * l.f;
  rest = __builtin_fmaf(__builtin_fmaf(l.f, l.f, -square), -0.721347511f, rest);
  rest = __builtin_fmaf(tail, 1.44269502f, rest);
  float sum = l.e + product;
  return sum + ((l.e == 0 ? 0.0f : product - (sum - l.e)) + rest);
}
__LANZA_FN float __lanza_log2f(float x) {
  float y = __lanza_log2_of_parts_f(__lanza_log_parts_f(x));
  if (__lanza_positive_normal_f(x)) return y;
  return __lanza_log_special_f(x, __lanza_log2_of_parts_f(__lanza_log_parts_small_f(x)));
}
__LANZA_FN float __lanza_log10_of_parts_f(__lanza_logarithm_f l) {
  float tail = __lanza_log_tail_f(l.f);
  float product = l.f * 0.434294492f;
  float rest = __builtin_fmaf(l.f, -1.010305e-08f, __builtin_fmaf(l.f, 0.434294492f, -product));
  rest = __builtin_fmaf(tail, 0.434294492f, rest);
  float high = l.e * 0.30103302001953125f;
  float sum = high + product;
  return sum + ((l.e == 0 ? 0.0f : product - (sum - high)) + __builtin_fmaf(l.e, -3.02435546e-06f, rest));
}
__LANZA_FN float __lanza_log10f(float x) {
  float y = __lanza_log10_of_parts_f(__lanza_log_parts_f(x));
  if (__lanza_positive_normal_f(x)) return y;
  return __lanza_log_special_f(x, __lanza_log10_of_parts_f(__lanza_log_parts_small_f(x)));
}
// 1 + x = 2^e (1 + f + f_lo); x >= -1. Of 2^-e, which e = 128 would make denormal, four times as much is used.
struct __lanza_logarithm1p_f {
  __lanza_logarithm_f rounded;
  float f_lo;
};
__LANZA_FN __lanza_logarithm1p_f __lanza_log1p_parts_f(float x) {
  unsigned int e = (__lanza_bits(1.0f + x) - 0x3f2aaaabu) & 0xff800000u;
  float power = __lanza_float(0x40800000u - e), quarter = 0.25f * x;
  float offset = __builtin_fmaf(power, 0.25f, -1.0f), f = __builtin_fmaf(power, quarter, offset);
  return {{static_cast<float>(static_cast<int>(e) >> 23), f}, __builtin_fmaf(power, quarter, offset - f)};
}
__LANZA_FN float __lanza_log1pf(float x) {
  __lanza_logarithm1p_f l = __lanza_log1p_parts_f(x);
  float f = l.rounded.f, e = l.rounded.e;
  float tail = __lanza_log_tail_f(f) + __builtin_fmaf(-f, l.f_lo, l.f_lo);  // f_lo / (1 + f), nearly
  float y = __builtin_fmaf(e, 0.693145752f, f + __builtin_fmaf(e, 1.42860677e-06f, tail));
  y = __lanza_log_special_f(1.0f + x, y);
  return __builtin_fabsf(x) < 1e-20f ? x : y;
}
