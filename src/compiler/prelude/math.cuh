// The mathematical functions under the names that users know: sinf, sin for every arithmetic type, __sinf. The private
// functions carry the work; these have C++ linkage, so that no compiler takes them for the C library's.
#pragma once

template <bool Condition, class T>
struct __lanza_enable_if {};
template <class T>
struct __lanza_enable_if<true, T> {
  typedef T type;
};
template <class T>
struct __lanza_number {
  static constexpr bool integer = false, real = false;
};
#define __LANZA_NUMBER(T, REAL)                         \
  template <>                                           \
  struct __lanza_number<T> {                            \
    static constexpr bool integer = !REAL, real = REAL; \
  };
__LANZA_NUMBER(bool, false)
__LANZA_NUMBER(char, false)
__LANZA_NUMBER(signed char, false)
__LANZA_NUMBER(unsigned char, false)
__LANZA_NUMBER(short, false)
__LANZA_NUMBER(unsigned short, false)
__LANZA_NUMBER(int, false)
__LANZA_NUMBER(unsigned int, false)
__LANZA_NUMBER(long, false)
__LANZA_NUMBER(unsigned long, false)
__LANZA_NUMBER(long long, false)
__LANZA_NUMBER(unsigned long long, false)
__LANZA_NUMBER(float, true)
__LANZA_NUMBER(double, true)
#undef __LANZA_NUMBER
template <class T>
struct __lanza_if_integer : __lanza_enable_if<__lanza_number<T>::integer, double> {};
// Two numbers, not both of the same real type: as doubles.
template <class A, class B>
struct __lanza_if_mixed : __lanza_enable_if<(__lanza_number<A>::integer || __lanza_number<A>::real) &&
                                                (__lanza_number<B>::integer || __lanza_number<B>::real),
                                            double> {};

// On a CPU the pass inverse_roots makes it of the hardware's estimate.
__LANZA_FN float __lanza_rsqrtf(float x) {
  const bool flushes = __lanza_reflect(LANZA_REFLECT_PTX) && __lanza_reflect(LANZA_REFLECT_FTZ);
  return flushes ? __nvvm_rsqrt_approx_ftz_f(x) : __nvvm_rsqrt_approx_f(x);
}

// The hosts' maximum of zeros of both signs may be either; PTX's is +0, its minimum -0. Other numbers that are equal
// have the same bits.
#define __LANZA_EXTREMUM(T, SUFFIX)                                                     \
  __LANZA_FN T __lanza_fmax##SUFFIX(T x, T y) {                                         \
    T larger = __builtin_fmax##SUFFIX(x, y);                                            \
    if (__lanza_reflect(LANZA_REFLECT_PTX)) return larger;                              \
    return x == y ? __builtin_bit_cast(T, __lanza_bits(x) & __lanza_bits(y)) : larger;  \
  }                                                                                     \
  __LANZA_FN T __lanza_fmin##SUFFIX(T x, T y) {                                         \
    T smaller = __builtin_fmin##SUFFIX(x, y);                                           \
    if (__lanza_reflect(LANZA_REFLECT_PTX)) return smaller;                             \
    return x == y ? __builtin_bit_cast(T, __lanza_bits(x) | __lanza_bits(y)) : smaller; \
  }
__LANZA_EXTREMUM(float, f)
__LANZA_EXTREMUM(double, )
#undef __LANZA_EXTREMUM

// NAME##f and NAME for float, for double, for integers, with R as the result's type.
#define __LANZA_MATH1(R_FLOAT, R, NAME, FLOAT_FORM, DOUBLE_FORM)   \
  __LANZA_FN R_FLOAT NAME##f(float x) { return FLOAT_FORM; }       \
  __LANZA_FN R_FLOAT NAME(float x) { return FLOAT_FORM; }          \
  __LANZA_FN R NAME(double x) { return DOUBLE_FORM; }              \
  template <class T, class = typename __lanza_if_integer<T>::type> \
  __LANZA_FN R NAME(T value) {                                     \
    return NAME(static_cast<double>(value));                       \
  }
#define __LANZA_MATH2(NAME, FLOAT_FORM, DOUBLE_FORM)                 \
  __LANZA_FN float NAME##f(float x, float y) { return FLOAT_FORM; }  \
  __LANZA_FN float NAME(float x, float y) { return FLOAT_FORM; }     \
  __LANZA_FN double NAME(double x, double y) { return DOUBLE_FORM; } \
  template <class A, class B>                                        \
  __LANZA_FN typename __lanza_if_mixed<A, B>::type NAME(A x, B y) {  \
    return NAME(static_cast<double>(x), static_cast<double>(y));     \
  }
#define __LANZA_OWN1(NAME) __LANZA_MATH1(float, double, NAME, __lanza_##NAME##f(x), __lanza_##NAME(x))
#define __LANZA_OWN2(NAME) __LANZA_MATH2(NAME, __lanza_##NAME##f(x, y), __lanza_##NAME(x, y))
#define __LANZA_BUILTIN1(NAME) __LANZA_MATH1(float, double, NAME, __builtin_##NAME##f(x), __builtin_##NAME(x))
#define __LANZA_BUILTIN2(NAME) __LANZA_MATH2(NAME, __builtin_##NAME##f(x, y), __builtin_##NAME(x, y))
// -use_fast_math replaces these.
#define __LANZA_FAST1(NAME, FAST)                                                                               \
  __LANZA_MATH1(float, double, NAME, __lanza_reflect(LANZA_REFLECT_FAST_MATH) ? FAST(x) : __lanza_##NAME##f(x), \
                __lanza_##NAME(x))

__LANZA_FN float __sinf(float x) { return __lanza_fast_sinf(x); }
__LANZA_FN float __cosf(float x) { return __lanza_fast_cosf(x); }
__LANZA_FN float __tanf(float x) { return __lanza_fast_tanf(x); }
__LANZA_FN float __tanhf(float x) { return __lanza_tanhf(x); }
__LANZA_FN float __expf(float x) { return __lanza_fast_expf(x); }
__LANZA_FN float __exp10f(float x) { return __lanza_exp10f(x); }
__LANZA_FN float __logf(float x) { return __lanza_logf(x); }
__LANZA_FN float __log2f(float x) { return __lanza_log2f(x); }
__LANZA_FN float __log10f(float x) { return __lanza_log10f(x); }
__LANZA_FN float __powf(float x, float y) { return __lanza_fast_powf(x, y); }
__LANZA_FN void __sincosf(float x, float* sine, float* cosine) {
  *sine = __lanza_fast_sinf(x);
  *cosine = __lanza_fast_cosf(x);
}

__LANZA_FAST1(sin, __sinf)
__LANZA_FAST1(cos, __cosf)
__LANZA_FAST1(tan, __tanf)
__LANZA_OWN1(asin)
__LANZA_OWN1(acos)
__LANZA_OWN1(atan)
__LANZA_OWN1(sinh)
__LANZA_OWN1(cosh)
__LANZA_OWN1(tanh)
__LANZA_OWN1(asinh)
__LANZA_OWN1(acosh)
__LANZA_OWN1(atanh)
__LANZA_FAST1(exp, __expf)
__LANZA_OWN1(exp2)
__LANZA_OWN1(exp10)
__LANZA_OWN1(expm1)
__LANZA_OWN1(log)
__LANZA_OWN1(log2)
__LANZA_OWN1(log10)
__LANZA_OWN1(log1p)
__LANZA_OWN1(rsqrt)
__LANZA_OWN1(cbrt)
__LANZA_OWN1(rcbrt)
__LANZA_OWN1(sinpi)
__LANZA_OWN1(cospi)
__LANZA_OWN1(erf)
__LANZA_OWN1(erfc)
__LANZA_OWN1(erfcx)
__LANZA_OWN1(erfinv)
__LANZA_OWN1(erfcinv)
__LANZA_OWN1(normcdf)
__LANZA_OWN1(normcdfinv)
__LANZA_OWN1(tgamma)
__LANZA_OWN1(lgamma)
__LANZA_OWN1(j0)
__LANZA_OWN1(j1)
__LANZA_OWN1(y0)
__LANZA_OWN1(y1)
__LANZA_OWN1(cyl_bessel_i0)
__LANZA_OWN1(cyl_bessel_i1)
__LANZA_OWN1(logb)
__LANZA_BUILTIN1(sqrt)
__LANZA_BUILTIN1(fabs)
__LANZA_BUILTIN1(floor)
__LANZA_BUILTIN1(ceil)
__LANZA_BUILTIN1(trunc)
__LANZA_BUILTIN1(round)
__LANZA_BUILTIN1(rint)
__LANZA_BUILTIN1(nearbyint)
__LANZA_MATH1(long, long, lround, static_cast<long>(__lanza_to_ll(__builtin_roundf(x))),
              static_cast<long>(__lanza_to_ll(__builtin_round(x))))
__LANZA_MATH1(long, long, lrint, static_cast<long>(__lanza_to_ll(__builtin_rintf(x))),
              static_cast<long>(__lanza_to_ll(__builtin_rint(x))))
__LANZA_MATH1(long long, long long, llround, __lanza_to_ll(__builtin_roundf(x)), __lanza_to_ll(__builtin_round(x)))
__LANZA_MATH1(long long, long long, llrint, __lanza_to_ll(__builtin_rintf(x)), __lanza_to_ll(__builtin_rint(x)))
__LANZA_MATH1(int, int, ilogb, __lanza_ilogb(x), __lanza_ilogb(x))

__LANZA_OWN2(atan2)
__LANZA_MATH2(hypot, __lanza_norm4df(x, y, 0.0f, 0.0f), __lanza_hypot(x, y))
__LANZA_MATH2(rhypot, __lanza_rnorm4df(x, y, 0.0f, 0.0f), __lanza_rhypot(x, y))
__LANZA_OWN2(fmod)
__LANZA_OWN2(remainder)
__LANZA_OWN2(nextafter)
__LANZA_OWN2(fdim)
__LANZA_OWN2(fmax)
__LANZA_OWN2(fmin)
__LANZA_BUILTIN2(copysign)
__LANZA_MATH2(pow, __lanza_reflect(LANZA_REFLECT_FAST_MATH) ? __powf(x, y) : __lanza_powf(x, y), __lanza_pow(x, y))
// Squares are common enough to be exact and cheap.
__LANZA_FN float pow(float x, int n) { return n == 2 ? x * x : __lanza_powif(x, n); }
__LANZA_FN double pow(double x, int n) { return n == 2 ? x * x : __lanza_pow(x, static_cast<double>(n)); }
__LANZA_FN float powif(float x, int n) { return pow(x, n); }
__LANZA_FN double powi(double x, int n) { return pow(x, n); }

__LANZA_FN float jnf(int n, float x) { return __lanza_jnf(n, x); }
__LANZA_FN float jn(int n, float x) { return __lanza_jnf(n, x); }
__LANZA_FN double jn(int n, double x) { return __lanza_jn(n, x); }
__LANZA_FN float ynf(int n, float x) { return __lanza_ynf(n, x); }
__LANZA_FN float yn(int n, float x) { return __lanza_ynf(n, x); }
__LANZA_FN double yn(int n, double x) { return __lanza_yn(n, x); }

__LANZA_FN float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
__LANZA_FN float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
__LANZA_FN double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
__LANZA_FN float abs(float x) { return __builtin_fabsf(x); }
__LANZA_FN double abs(double x) { return __builtin_fabs(x); }
__LANZA_FN float max(float x, float y) { return __lanza_fmaxf(x, y); }
__LANZA_FN float min(float x, float y) { return __lanza_fminf(x, y); }
__LANZA_FN double max(double x, double y) { return __lanza_fmax(x, y); }
__LANZA_FN double min(double x, double y) { return __lanza_fmin(x, y); }
__LANZA_FN double max(float x, double y) { return __lanza_fmax(static_cast<double>(x), y); }
__LANZA_FN double min(float x, double y) { return __lanza_fmin(static_cast<double>(x), y); }
__LANZA_FN double max(double x, float y) { return __lanza_fmax(x, static_cast<double>(y)); }
__LANZA_FN double min(double x, float y) { return __lanza_fmin(x, static_cast<double>(y)); }

__LANZA_FN void sincosf(float x, float* sine, float* cosine) {
  if (__lanza_reflect(LANZA_REFLECT_FAST_MATH)) return __sincosf(x, sine, cosine);
  __lanza_sincosf(x, sine, cosine);
}
__LANZA_FN void sincos(float x, float* sine, float* cosine) { sincosf(x, sine, cosine); }
__LANZA_FN void sincos(double x, double* sine, double* cosine) { __lanza_sincos(x, sine, cosine); }
__LANZA_FN void sincospif(float x, float* sine, float* cosine) { __lanza_sincospif(x, sine, cosine); }
__LANZA_FN void sincospi(float x, float* sine, float* cosine) { __lanza_sincospif(x, sine, cosine); }
__LANZA_FN void sincospi(double x, double* sine, double* cosine) { __lanza_sincospi(x, sine, cosine); }

__LANZA_FN float norm3df(float a, float b, float c) { return __lanza_norm4df(a, b, c, 0.0f); }
__LANZA_FN float rnorm3df(float a, float b, float c) { return __lanza_rnorm4df(a, b, c, 0.0f); }
__LANZA_FN float norm4df(float a, float b, float c, float d) { return __lanza_norm4df(a, b, c, d); }
__LANZA_FN float rnorm4df(float a, float b, float c, float d) { return __lanza_rnorm4df(a, b, c, d); }
__LANZA_FN double norm3d(double a, double b, double c) { return __lanza_norm3d(a, b, c); }
__LANZA_FN double rnorm3d(double a, double b, double c) { return __lanza_rnorm3d(a, b, c); }
__LANZA_FN double norm4d(double a, double b, double c, double d) { return __lanza_norm4d(a, b, c, d); }
__LANZA_FN double rnorm4d(double a, double b, double c, double d) { return __lanza_rnorm4d(a, b, c, d); }
__LANZA_FN float normf(int count, const float* values) { return __lanza_norm_vector_f(count, values); }
__LANZA_FN float rnormf(int count, const float* values) { return __lanza_rnorm_vector_f(count, values); }
__LANZA_FN double norm(int count, const double* values) { return __lanza_norm_vector(count, values); }
__LANZA_FN double rnorm(int count, const double* values) { return __lanza_rnorm_vector(count, values); }

__LANZA_FN float modff(float x, float* whole) { return __lanza_modff(x, whole); }
__LANZA_FN float modf(float x, float* whole) { return __lanza_modff(x, whole); }
__LANZA_FN double modf(double x, double* whole) { return __lanza_modf(x, whole); }
__LANZA_FN float frexpf(float x, int* exponent) { return __lanza_frexpf(x, exponent); }
__LANZA_FN float frexp(float x, int* exponent) { return __lanza_frexpf(x, exponent); }
__LANZA_FN double frexp(double x, int* exponent) { return __lanza_frexp(x, exponent); }
__LANZA_FN float remquof(float x, float y, int* quotient) { return __lanza_remquof(x, y, quotient); }
__LANZA_FN float remquo(float x, float y, int* quotient) { return __lanza_remquof(x, y, quotient); }
__LANZA_FN double remquo(double x, double y, int* quotient) { return __lanza_remquo(x, y, quotient); }
__LANZA_FN float ldexpf(float x, int n) { return __lanza_ldexpf(x, n); }
__LANZA_FN float ldexp(float x, int n) { return __lanza_ldexpf(x, n); }
__LANZA_FN double ldexp(double x, int n) { return __lanza_ldexp(x, n); }
__LANZA_FN float scalbnf(float x, int n) { return __lanza_ldexpf(x, n); }
__LANZA_FN float scalbn(float x, int n) { return __lanza_ldexpf(x, n); }
__LANZA_FN double scalbn(double x, int n) { return __lanza_ldexp(x, n); }
__LANZA_FN float scalblnf(float x, long n) { return __lanza_ldexpf(x, __lanza_long_exponent(n)); }
__LANZA_FN float scalbln(float x, long n) { return __lanza_ldexpf(x, __lanza_long_exponent(n)); }
__LANZA_FN double scalbln(double x, long n) { return __lanza_ldexp(x, __lanza_long_exponent(n)); }
__LANZA_FN float nanf(const char*) { return __builtin_nanf(""); }
__LANZA_FN double nan(const char*) { return __builtin_nan(""); }

#define __LANZA_CLASS(NAME, FORM)                                  \
  __LANZA_FN bool NAME(float x) { return FORM(x); }                \
  __LANZA_FN bool NAME(double x) { return FORM(x); }               \
  template <class T, class = typename __lanza_if_integer<T>::type> \
  __LANZA_FN bool NAME(T value) {                                  \
    return FORM(static_cast<double>(value));                       \
  }
__LANZA_CLASS(isnan, __builtin_isnan)
__LANZA_CLASS(isinf, __builtin_isinf)
__LANZA_CLASS(isfinite, __builtin_isfinite)
__LANZA_CLASS(isnormal, __builtin_isnormal)
__LANZA_CLASS(signbit, __builtin_signbit)
__LANZA_FN int __signbitf(float x) { return __builtin_signbit(x); }
__LANZA_FN int __signbit(double x) { return __builtin_signbit(x); }
__LANZA_FN int __isnanf(float x) { return __builtin_isnan(x); }
__LANZA_FN int __isnan(double x) { return __builtin_isnan(x); }
__LANZA_FN int __isinff(float x) { return __builtin_isinf(x); }
__LANZA_FN int __isinf(double x) { return __builtin_isinf(x); }
__LANZA_FN int __finitef(float x) { return __builtin_isfinite(x); }
__LANZA_FN int __finite(double x) { return __builtin_isfinite(x); }
__LANZA_FN int finite(double x) { return __builtin_isfinite(x); }

#undef __LANZA_MATH1
#undef __LANZA_MATH2
#undef __LANZA_OWN1
#undef __LANZA_OWN2
#undef __LANZA_BUILTIN1
#undef __LANZA_BUILTIN2
#undef __LANZA_FAST1
#undef __LANZA_CLASS

#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))
#define HUGE_VAL (__builtin_huge_val())
#define HUGE_VALF (__builtin_huge_valf())

// Not NVRTC's, but nvcc's through the host's headers: programs written for it use them.
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
