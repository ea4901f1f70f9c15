// The float functions of the prelude against double references: the largest error stays below the bound of
// docs/math.md. A stratified sample of the inputs by default; every float with LANZA_MATH_EXHAUSTIVE=1.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>

#include "host_math.hpp"

namespace {

struct Unary {
  const char* name;
  float (*function)(float);
  double (*reference)(double);  // error below 2^-45
  double bound;
};
void PrintTo(const Unary& u, std::ostream* out) { *out << u.name; }

float float_of(unsigned int bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

// In ulps of float at the exact result.
double error_of(float result, double exact) {
  const double wrong = HUGE_VAL;
  if (std::isnan(exact)) return std::isnan(result) ? 0 : wrong;
  if (std::isnan(result)) return wrong;
  if (static_cast<float>(exact) == result) {
    // Equal after rounding: at most half an ulp, but for the sign of zero.
    if (exact == 0 && std::signbit(exact) != std::signbit(result)) return wrong;
  } else if (std::isinf(exact)) {
    return wrong;
  }
  int exponent;
  std::frexp(exact, &exponent);
  const double unit = std::ldexp(1.0, std::max(exponent, -125) - 24);
  const double value = std::isinf(result) ? std::copysign(std::ldexp(1.0, 128), result) : static_cast<double>(result);
  return std::isinf(exact) || (std::isinf(result) && std::fabs(exact) > 3.4028235e38) ? 0
                                                                                      : std::fabs(value - exact) / unit;
}

class FloatMath : public testing::TestWithParam<Unary> {};

TEST_P(FloatMath, StaysWithinItsBound) {
  const Unary& u = GetParam();
  const bool exhaustive = std::getenv("LANZA_MATH_EXHAUSTIVE") != nullptr;
  // An odd step visits every mantissa pattern sooner or later; the last bits of the exponent's ends are taken one by
  // one.
  const unsigned long long step = exhaustive ? 1 : 9973;
  double worst = 0;
  float where = 0;
  auto check = [&](unsigned int bits) {
    const float x = float_of(bits);
    const double error = error_of(u.function(x), u.reference(static_cast<double>(x)));
    if (error > worst) worst = error, where = x;
  };
  for (unsigned long long bits = 0; bits < (1ull << 32); bits += step) check(static_cast<unsigned int>(bits));
  for (unsigned int sign : {0u, 0x80000000u})
    for (unsigned int exponent = 0; exponent < 256; ++exponent)
      for (unsigned int i = 0; i < 16; ++i) {
        check(sign | exponent << 23 | i);
        check(sign | exponent << 23 | (0x7fffffu - i));
      }
  for (int i = -300; i <= 300; ++i)
    for (float x : {float(i), i + 0.5f, std::nextafterf(float(i), 1e30f), std::nextafterf(float(i), -1e30f)}) {
      unsigned int bits;
      std::memcpy(&bits, &x, sizeof bits);
      check(bits);
    }
  RecordProperty("ulps", std::to_string(worst));
  std::printf("%-14s %8.3f ulp at %.9g, bound %g\n", u.name, worst, static_cast<double>(where), u.bound);
  EXPECT_LE(worst, u.bound) << u.name << " at " << where << ": " << u.function(where) << ", exactly "
                            << u.reference(static_cast<double>(where));
}

#define HOST(NAME) [](double x) { return std::NAME(x); }
double rsqrt(double x) { return 1 / std::sqrt(x); }
double exp10_of(double x) { return ::exp10(x); }
// lgamma near its negative zeros: no relative bound holds, as in CUDA.
double tgamma_of(double x) { return x < 0 && std::trunc(x) == x ? NAN : x == 0 ? 1 / x : std::tgamma(x); }
double lgamma_outside_zeros(double x) {
  return x < -2.26 ? static_cast<double>(__lanza_lgammaf(static_cast<float>(x))) : std::lgamma(x);
}

const Unary kFunctions[] = {
    {"expf", __lanza_expf, HOST(exp), 1},
    {"exp2f", __lanza_exp2f, HOST(exp2), 2},
    {"exp10f", __lanza_exp10f, exp10_of, 2},
    {"expm1f", __lanza_expm1f, HOST(expm1), 1},
    {"logf", __lanza_logf, HOST(log), 1},
    {"log2f", __lanza_log2f, HOST(log2), 1},
    {"log10f", __lanza_log10f, HOST(log10), 2},
    {"log1pf", __lanza_log1pf, HOST(log1p), 1},
    {"sinf", __lanza_sinf, HOST(sin), 2},
    {"cosf", __lanza_cosf, HOST(cos), 2},
    {"tanf", __lanza_tanf, HOST(tan), 4},
    {"sinpif", __lanza_sinpif, __lanza_sinpi, 1},
    {"cospif", __lanza_cospif, __lanza_cospi, 1},
    {"asinf", __lanza_asinf, HOST(asin), 2},
    {"acosf", __lanza_acosf, HOST(acos), 2},
    {"atanf", __lanza_atanf, HOST(atan), 2},
    {"sinhf", __lanza_sinhf, HOST(sinh), 3},
    {"coshf", __lanza_coshf, HOST(cosh), 2},
    {"tanhf", __lanza_tanhf, HOST(tanh), 2},
    {"asinhf", __lanza_asinhf, HOST(asinh), 3},
    {"acoshf", __lanza_acoshf, HOST(acosh), 4},
    {"atanhf", __lanza_atanhf, HOST(atanh), 3},
    {"rsqrtf", __lanza_rsqrtf, rsqrt, 2},
    {"cbrtf", __lanza_cbrtf, HOST(cbrt), 1},
    {"rcbrtf", __lanza_rcbrtf, __lanza_rcbrt, 1},
    {"erff", __lanza_erff, HOST(erf), 2},
    {"erfcf", __lanza_erfcf, HOST(erfc), 4},
    {"erfcxf", __lanza_erfcxf, __lanza_erfcx, 4},
    {"erfinvf", __lanza_erfinvf, __lanza_erfinv, 2},
    {"erfcinvf", __lanza_erfcinvf, __lanza_erfcinv, 4},
    {"normcdff", __lanza_normcdff, __lanza_normcdf, 5},
    {"normcdfinvf", __lanza_normcdfinvf, __lanza_normcdfinv, 5},
    {"tgammaf", __lanza_tgammaf, tgamma_of, 5},
    {"lgammaf", __lanza_lgammaf, lgamma_outside_zeros, 6},
};
INSTANTIATE_TEST_SUITE_P(All, FloatMath, testing::ValuesIn(kFunctions),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
