// Bounds: CUDA C++ Programming Guide, "Mathematical Functions". They are against the correctly rounded result, those
// checked here against the exact one, which is stricter by half an ulp where the function is not correctly rounded.
#include "functions.hpp"

#include <cmath>

#include "../host_math.hpp"

namespace lanza::test {
namespace {

bool below_8(double x) { return std::fabs(x) < 8; }
bool from_8(double x) { return std::fabs(x) >= 8; }
bool nowhere(double) { return false; }
bool half_turn(double x) { return std::fabs(x) <= 3.14159274; }
bool outside_float_gamma_zeros(double x) { return !(x > -10.001 && x < -2.264); }
bool outside_double_gamma_zeros(double x) { return !(x > -23.0001 && x < -2.2637); }
constexpr Bound kFloatBessel{9, below_8, 2.2e-6, from_8};
constexpr Bound kDoubleBessel{7, below_8, 5e-12, from_8};

#define HOST(NAME) [](double x) -> double { return std::NAME(x); }

double exp10_of(double x) { return ::exp10(x); }
double lgamma_of(double x) {
  int sign;
  return ::lgamma_r(x, &sign);
}
double tgamma_of(double x) { return x < 0 && std::trunc(x) == x ? NAN : x == 0 ? 1 / x : std::tgamma(x); }
double rsqrt_of(double x) { return 1 / std::sqrt(x); }
double reciprocal_of(double x) { return 1 / x; }
double saturated(double x) { return x > 0 ? std::fmin(x, 1) : 0; }
// CUDA's Y of arguments that are not positive.
double y0_of(double x) { return x > 0 ? ::y0(x) : x == 0 ? -HUGE_VAL : NAN; }
double y1_of(double x) { return x > 0 ? ::y1(x) : x == 0 ? -HUGE_VAL : NAN; }

// References in double: the host's, whose errors are of an ulp or two of double, and where it has none our own, which
// are checked against MPFR below.
const FloatFunction kFloat[] = {
    {"expf", HOST(exp), {1}},
    {"exp2f", HOST(exp2), {2}},
    {"exp10f", exp10_of, {2}},
    {"expm1f", HOST(expm1), {1}},
    {"logf", HOST(log), {1}},
    {"log2f", HOST(log2), {1}},
    {"log10f", HOST(log10), {2}},
    {"log1pf", HOST(log1p), {1}},
    {"sinf", HOST(sin), {2}},
    {"cosf", HOST(cos), {2}},
    {"tanf", HOST(tan), {4}},
    {"sinpif", __lanza_sinpi, {1}},
    {"cospif", __lanza_cospi, {1}},
    {"asinf", HOST(asin), {2}},
    {"acosf", HOST(acos), {2}},
    {"atanf", HOST(atan), {2}},
    {"sinhf", HOST(sinh), {3}},
    {"coshf", HOST(cosh), {2}},
    {"tanhf", HOST(tanh), {2}},
    {"asinhf", HOST(asinh), {3}},
    {"acoshf", HOST(acosh), {4}},
    {"atanhf", HOST(atanh), {3}},
    {"sqrtf", HOST(sqrt), {0.5}},
    {"rsqrtf", rsqrt_of, {2}},
    {"cbrtf", HOST(cbrt), {1}},
    {"rcbrtf", __lanza_rcbrt, {1}},
    {"erff", HOST(erf), {2}},
    {"erfcf", HOST(erfc), {4}},
    {"erfcxf", __lanza_erfcx, {4}},
    {"erfinvf", __lanza_erfinv, {2}},
    {"erfcinvf", __lanza_erfcinv, {4}},
    {"normcdff", __lanza_normcdf, {5}},
    {"normcdfinvf", __lanza_normcdfinv, {5}},
    {"tgammaf", tgamma_of, {5}},
    {"lgammaf", lgamma_of, {6, outside_float_gamma_zeros}},
    {"j0f", ::j0, kFloatBessel},
    {"j1f", ::j1, kFloatBessel},
    {"y0f", y0_of, kFloatBessel},
    {"y1f", y1_of, kFloatBessel},
    {"cyl_bessel_i0f", __lanza_cyl_bessel_i0, {6}},
    {"cyl_bessel_i1f", __lanza_cyl_bessel_i1, {6}},
    {"floorf", HOST(floor), {0}},
    {"ceilf", HOST(ceil), {0}},
    {"truncf", HOST(trunc), {0}},
    {"roundf", HOST(round), {0}},
    {"rintf", HOST(rint), {0}},
    {"nearbyintf", HOST(nearbyint), {0}},
    {"fabsf", HOST(fabs), {0}},
    {"logbf", HOST(logb), {0}},
    {"__expf", HOST(exp), {2}},
    {"__exp10f", exp10_of, {2}},
    {"__logf", HOST(log), {3}},
    {"__log2f", HOST(log2), {2}},
    {"__log10f", HOST(log10), {3}},
    {"__sinf", HOST(sin), {0, nowhere, std::exp2(-21.41), half_turn}},
    {"__cosf", HOST(cos), {0, nowhere, std::exp2(-21.19), half_turn}},
    {"__tanhf", HOST(tanh), {8192}},
    {"__saturatef", saturated, {0}},
    {"__fsqrt_rn", HOST(sqrt), {0.5}},
    {"__frcp_rn", reciprocal_of, {0.5}},
    {"__frsqrt_rn", rsqrt_of, {0.5}},
};

#define MPFR(NAME) [](mpfr_ptr y, mpfr_srcptr x) { mpfr_##NAME(y, x, MPFR_RNDN); }
#define MPFR2(NAME) [](mpfr_ptr y, mpfr_srcptr a, mpfr_srcptr b) { mpfr_##NAME(y, a, b, MPFR_RNDN); }

const DoubleFunction kDouble[] = {
    {"exp", MPFR(exp), {1}, {{-1, 1}, {-750, 710}}},
    {"exp2", MPFR(exp2), {1}, {{-1, 1}, {-1080, 1024}}},
    {"exp10", MPFR(exp10), {1}, {{-1, 1}, {-324, 309}}},
    {"expm1", MPFR(expm1), {1}, {{-1, 1}, {-50, 710}, {0.3, 0.42}, {37, 37.2}}},
    {"log", MPFR(log), {1}, {{0.5, 2}, {0, 100}}},
    {"log2", MPFR(log2), {1}, {{0.5, 2}, {0, 100}}},
    {"log10", MPFR(log10), {1}, {{0.5, 2}, {0, 100}}},
    {"log1p", MPFR(log1p), {1}, {{-1, 1}, {0, 100}}},
    {"sin", MPFR(sin), {2}, {{-10, 10}, {-1.1e6, 1.1e6}}},
    {"cos", MPFR(cos), {2}, {{-10, 10}, {-1.1e6, 1.1e6}}},
    {"tan", MPFR(tan), {2}, {{-10, 10}, {-1.1e6, 1.1e6}}},
    {"sinpi", MPFR(sinpi), {2}, {{-10, 10}, {-1e6, 1e6}}},
    {"cospi", MPFR(cospi), {2}, {{-10, 10}, {-1e6, 1e6}}},
    {"asin", MPFR(asin), {2}, {{-1, 1}}},
    {"acos", MPFR(acos), {2}, {{-1, 1}}},
    {"atan", MPFR(atan), {2}, {{-1, 1}, {-100, 100}}},
    {"sinh", MPFR(sinh), {2}, {{-1, 1}, {-711, 711}}},
    {"cosh", MPFR(cosh), {1}, {{-1, 1}, {-711, 711}}},
    {"tanh", MPFR(tanh), {1}, {{-1, 1}, {-25, 25}}},
    {"asinh", MPFR(asinh), {2}, {{-1, 1}, {-1e3, 1e3}, {-1e10, 1e10}}},
    {"acosh", MPFR(acosh), {2}, {{1, 2}, {1, 1e3}, {1, 1e10}}},
    {"atanh", MPFR(atanh), {2}, {{-1, 1}}},
    {"sqrt", MPFR(sqrt), {0.5}, {{0, 1}}},
    {"rsqrt", rsqrt, {1}, {{0, 1}, {0, 100}}},
    {"cbrt", MPFR(cbrt), {1}, {{-1, 1}, {-100, 100}}},
    {"rcbrt", rcbrt, {1}, {{-1, 1}, {-100, 100}}},
    {"erf", MPFR(erf), {2}, {{-1, 1}, {-6, 6}}},
    {"erfc", MPFR(erfc), {5}, {{-1, 1}, {-6, 28}}},
    {"erfcx", erfcx, {4}, {{-1, 1}, {-26, 30}, {0, 2e4}}},
    {"erfinv", erfinv, {5}, {{-1, 1}, {0.999, 1}}},
    {"erfcinv", erfcinv, {6}, {{0, 2}, {0, 1e-3}}},
    {"normcdf", normcdf, {5}, {{-1, 1}, {-39, 10}}},
    {"normcdfinv", normcdfinv, {8}, {{0, 1}, {0, 1e-3}}},
    {"tgamma", tgamma, {10}, {{-10, 10}, {-180, 172}}},
    {"lgamma", lgamma, {4, outside_double_gamma_zeros}, {{-2.26, 4}, {0, 20}, {0, 1e4}, {-200, -23.0001}}},
    {"j0", MPFR(j0), kDoubleBessel, {{-8, 8}, {0, 1000}}, -1e6, 1e6},
    {"j1", MPFR(j1), kDoubleBessel, {{-8, 8}, {0, 1000}}, -1e6, 1e6},
    {"y0", MPFR(y0), kDoubleBessel, {{0, 8}, {0, 1000}}, -1e6, 1e6},
    {"y1", MPFR(y1), kDoubleBessel, {{0, 8}, {0, 1000}}, -1e6, 1e6},
    {"cyl_bessel_i0", cyl_bessel_i0, {6}, {{-8, 8}, {-715, 715}}, -715, 715},
    {"cyl_bessel_i1", cyl_bessel_i1, {6}, {{-8, 8}, {-715, 715}}, -715, 715},
    {"__drcp_rn", [](mpfr_ptr y, mpfr_srcptr x) { mpfr_ui_div(y, 1, x, MPFR_RNDN); }, {0.5}, {{-1, 1}}},
    {"__dsqrt_rn", MPFR(sqrt), {0.5}, {{0, 1}}},
};

const BinaryFunction kBinary[] = {
    {"powf", MPFR2(pow), 4, true},     {"atan2f", MPFR2(atan2), 3, true},
    {"hypotf", MPFR2(hypot), 3, true}, {"rhypotf", rhypot, 2, true},
    {"fmodf", MPFR2(fmod), 0, true},   {"remainderf", MPFR2(remainder), 0, true},
    {"fdimf", MPFR2(dim), 0.5, true},  {"fdividef", divide, 2, true},
    {"pow", MPFR2(pow), 2, false},     {"atan2", MPFR2(atan2), 2, false},
    {"hypot", MPFR2(hypot), 2, false}, {"rhypot", rhypot, 1, false},
    {"fmod", MPFR2(fmod), 0, false},   {"remainder", MPFR2(remainder), 0, false},
    {"fdim", MPFR2(dim), 0.5, false},
};

const OrderFunction kOrder[] = {
    {"jnf", jn, 2.2e-6, 0, true},
    {"ynf", yn, 2.2e-6, 1, true},
    {"jn", jn, 5e-12, 0, false},
    {"yn", yn, 5e-12, 1.5, false},
};

}  // namespace

std::span<const FloatFunction> float_functions() { return kFloat; }
std::span<const DoubleFunction> double_functions() { return kDouble; }
std::span<const BinaryFunction> binary_functions() { return kBinary; }
std::span<const OrderFunction> order_functions() { return kOrder; }

}  // namespace lanza::test
