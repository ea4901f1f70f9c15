// The double functions of the prelude against MPFR: the largest error over a stratified sample stays below the bound of
// docs/math.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "host_math.hpp"
#include "ulp.hpp"

namespace {
using lanza::test::Real;
using lanza::test::ulps;

using Function = double (*)(double);
using Reference = void (*)(mpfr_ptr, mpfr_srcptr);
struct Range {
  double low, high;
};
struct Unary {
  const char* name;
  Function function;
  Reference reference;
  double bound;
  std::vector<Range> ranges;          // sampled uniformly, besides all exponents
  double low = -1e308, high = 1e308;  // where the bound holds
  int thin = 1;                       // take every thin-th sample: the reference is slow
};
void PrintTo(const Unary& u, std::ostream* out) { *out << u.name; }

int samples() {
  const char* text = std::getenv("LANZA_MATH_SAMPLES");
  return text != nullptr ? std::atoi(text) : 20000;
}

// Every exponent and sign alike, and values near the ends of the ranges and integers.
std::vector<double> sample(const Unary& u) {
  std::mt19937_64 random(42);
  std::vector<double> x = {0.0,
                           -0.0,
                           1.0,
                           -1.0,
                           0.5,
                           -0.5,
                           2.0,
                           -2.0,
                           5e-324,
                           -5e-324,
                           2.2250738585072014e-308,
                           1.7976931348623157e308,
                           -1.7976931348623157e308,
                           HUGE_VAL,
                           -HUGE_VAL,
                           std::nan("")};
  const int n = samples() / u.thin;
  for (int i = 0; i < n; ++i) {
    double value;
    const unsigned long long bits = random();
    memcpy(&value, &bits, sizeof value);
    x.push_back(value);
    if (i % 4 == 0) x.push_back(std::nextafter(std::round(std::fmod(value, 100.0)), HUGE_VAL));
    if (i % 4 == 1) x.push_back(std::nextafter(std::round(std::fmod(value, 100.0)), -HUGE_VAL));
  }
  for (const Range& r : u.ranges) {
    std::uniform_real_distribution<double> uniform(r.low, r.high);
    for (int i = 0; i < n; ++i) x.push_back(uniform(random));
    for (double end : {r.low, r.high})
      for (double direction : {-HUGE_VAL, HUGE_VAL}) x.push_back(std::nextafter(end, direction));
    x.push_back(r.low);
    x.push_back(r.high);
  }
  std::erase_if(x, [&](double v) { return v < u.low && std::isfinite(v); });
  std::erase_if(x, [&](double v) { return v > u.high && std::isfinite(v); });
  return x;
}

class DoubleMath : public testing::TestWithParam<Unary> {};

TEST_P(DoubleMath, StaysWithinItsBound) {
  const Unary& u = GetParam();
  double worst = 0, where = 0;
  Real exact, argument;
  for (double x : sample(u)) {
    mpfr_set_d(argument.get(), x, MPFR_RNDN);
    u.reference(exact.get(), argument.get());
    const double error = ulps<double>(u.function(x), exact);
    if (error > worst) worst = error, where = x;
  }
  RecordProperty("ulps", std::to_string(worst));
  char text[200];
  std::snprintf(text, sizeof text, "%-14s %8.3f ulp at %.17g, bound %g", u.name, worst, where, u.bound);
  std::puts(text);
  EXPECT_LE(worst, u.bound) << u.name << " at " << where << ": " << u.function(where);
}

#define MPFR(NAME) [](mpfr_ptr y, mpfr_srcptr x) { mpfr_##NAME(y, x, MPFR_RNDN); }
#define REFERENCE [](mpfr_ptr y, mpfr_srcptr x)

void erfcx(mpfr_ptr y, mpfr_srcptr x) {
  if (mpfr_cmp_d(x, 1e4) > 0) {  // 1 / (x sqrt(pi)) (1 - 1/(2 x^2) + 3/(4 x^4)), error below 2^-75
    mpfr_t t, u;
    mpfr_inits2(200, t, u, nullptr);
    mpfr_sqr(t, x, MPFR_RNDN);
    mpfr_d_div(t, 0.5, t, MPFR_RNDN);
    mpfr_sqr(u, t, MPFR_RNDN);
    mpfr_mul_ui(u, u, 3, MPFR_RNDN);
    mpfr_sub(u, u, t, MPFR_RNDN);
    mpfr_add_ui(u, u, 1, MPFR_RNDN);
    mpfr_const_pi(t, MPFR_RNDN);
    mpfr_sqrt(t, t, MPFR_RNDN);
    mpfr_mul(t, t, x, MPFR_RNDN);
    mpfr_div(y, u, t, MPFR_RNDN);
    mpfr_clears(t, u, nullptr);
    return;
  }
  mpfr_t s, c;
  mpfr_inits2(400, s, c, nullptr);
  mpfr_sqr(s, x, MPFR_RNDN);
  mpfr_exp(s, s, MPFR_RNDN);
  mpfr_erfc(c, x, MPFR_RNDN);
  mpfr_mul(y, s, c, MPFR_RNDN);
  mpfr_clears(s, c, nullptr);
}
void normcdf(mpfr_ptr y, mpfr_srcptr x) {
  mpfr_t t;
  mpfr_init2(t, 300);
  mpfr_sqrt_ui(t, 2, MPFR_RNDN);
  mpfr_div(t, x, t, MPFR_RNDN);
  mpfr_neg(t, t, MPFR_RNDN);
  mpfr_erfc(t, t, MPFR_RNDN);
  mpfr_div_ui(y, t, 2, MPFR_RNDN);
  mpfr_clear(t);
}
// Newton on erfc(y) = q (or erf for small arguments) from the tested value: what is left after it is the error.
void erfcinv(mpfr_ptr y, mpfr_srcptr x) {
  const double start = __lanza_erfcinv(mpfr_get_d(x, MPFR_RNDN));
  mpfr_set_d(y, start, MPFR_RNDN);
  if (!std::isfinite(start) || start == 0) return;
  mpfr_t f, d, e;
  mpfr_inits2(300, f, d, e, nullptr);
  mpfr_set_d(e, start, MPFR_RNDN);
  for (int i = 0; i < 3; ++i) {
    mpfr_erfc(f, e, MPFR_RNDN);
    mpfr_sub(f, f, x, MPFR_RNDN);
    mpfr_sqr(d, e, MPFR_RNDN);
    mpfr_exp(d, d, MPFR_RNDN);
    mpfr_mul(f, f, d, MPFR_RNDN);
    mpfr_const_pi(d, MPFR_RNDN);
    mpfr_sqrt(d, d, MPFR_RNDN);
    mpfr_div_ui(d, d, 2, MPFR_RNDN);
    mpfr_mul(f, f, d, MPFR_RNDN);
    mpfr_add(e, e, f, MPFR_RNDN);
  }
  mpfr_set(y, e, MPFR_RNDN);
  mpfr_clears(f, d, e, nullptr);
}
void erfinv(mpfr_ptr y, mpfr_srcptr x) {
  const double start = __lanza_erfinv(mpfr_get_d(x, MPFR_RNDN));
  mpfr_set_d(y, start, MPFR_RNDN);
  if (!std::isfinite(start) || start == 0) return;
  mpfr_t f, d, e;
  mpfr_inits2(300, f, d, e, nullptr);
  mpfr_set_d(e, start, MPFR_RNDN);
  for (int i = 0; i < 3; ++i) {
    mpfr_erf(f, e, MPFR_RNDN);
    mpfr_sub(f, x, f, MPFR_RNDN);
    mpfr_sqr(d, e, MPFR_RNDN);
    mpfr_exp(d, d, MPFR_RNDN);
    mpfr_mul(f, f, d, MPFR_RNDN);
    mpfr_const_pi(d, MPFR_RNDN);
    mpfr_sqrt(d, d, MPFR_RNDN);
    mpfr_div_ui(d, d, 2, MPFR_RNDN);
    mpfr_mul(f, f, d, MPFR_RNDN);
    mpfr_add(e, e, f, MPFR_RNDN);
  }
  mpfr_set(y, e, MPFR_RNDN);
  mpfr_clears(f, d, e, nullptr);
}
void normcdfinv(mpfr_ptr y, mpfr_srcptr x) {
  mpfr_t t;
  mpfr_init2(t, 300);
  mpfr_mul_ui(t, x, 2, MPFR_RNDN);
  erfcinv(y, t);
  mpfr_sqrt_ui(t, 2, MPFR_RNDN);
  mpfr_neg(t, t, MPFR_RNDN);
  mpfr_mul(y, y, t, MPFR_RNDN);
  mpfr_clear(t);
}

const Unary kFunctions[] = {
    {"exp", __lanza_exp, MPFR(exp), 1, {{-1, 1}, {-750, 710}}},
    {"exp2", __lanza_exp2, MPFR(exp2), 1, {{-1, 1}, {-1080, 1024}}},
    {"exp10", __lanza_exp10, MPFR(exp10), 1, {{-1, 1}, {-324, 309}}},
    {"expm1", __lanza_expm1, MPFR(expm1), 1, {{-1, 1}, {-50, 710}}},
    {"log", __lanza_log, MPFR(log), 1, {{0.5, 2}, {0, 100}}},
    {"log2", __lanza_log2, MPFR(log2), 1, {{0.5, 2}, {0, 100}}},
    {"log10", __lanza_log10, MPFR(log10), 1, {{0.5, 2}, {0, 100}}},
    {"log1p", __lanza_log1p, MPFR(log1p), 1, {{-1, 1}, {0, 100}}},
    {"sin", __lanza_sin, MPFR(sin), 1, {{-10, 10}, {-1.1e6, 1.1e6}}},
    {"cos", __lanza_cos, MPFR(cos), 1, {{-10, 10}, {-1.1e6, 1.1e6}}},
    {"tan", __lanza_tan, MPFR(tan), 1, {{-10, 10}, {-1.1e6, 1.1e6}}},
    {"sinpi", __lanza_sinpi, MPFR(sinpi), 1, {{-10, 10}, {-1e6, 1e6}}},
    {"cospi", __lanza_cospi, MPFR(cospi), 1, {{-10, 10}, {-1e6, 1e6}}},
    {"asin", __lanza_asin, MPFR(asin), 1, {{-1, 1}}}, {"acos", __lanza_acos, MPFR(acos), 1, {{-1, 1}}},
    {"atan", __lanza_atan, MPFR(atan), 1, {{-1, 1}, {-100, 100}}},
    {"sinh", __lanza_sinh, MPFR(sinh), 2, {{-1, 1}, {-711, 711}}},
    {"cosh", __lanza_cosh, MPFR(cosh), 1, {{-1, 1}, {-711, 711}}},
    {"tanh", __lanza_tanh, MPFR(tanh), 1, {{-1, 1}, {-25, 25}}},
    {"asinh", __lanza_asinh, MPFR(asinh), 2, {{-1, 1}, {-1e3, 1e3}, {-1e10, 1e10}}},
    {"acosh", __lanza_acosh, MPFR(acosh), 2, {{1, 2}, {1, 1e3}, {1, 1e10}}},
    {"atanh", __lanza_atanh, MPFR(atanh), 1, {{-1, 1}}}, {"rsqrt", __lanza_rsqrt, REFERENCE{mpfr_sqrt(y, x, MPFR_RNDN);
mpfr_ui_div(y, 1, y, MPFR_RNDN);
}  // namespace
, 1, { {0, 1}, {0, 100} }
}
, {"cbrt", __lanza_cbrt, MPFR(cbrt), 1, {{-1, 1}, {-100, 100}}},
    {"rcbrt", __lanza_rcbrt, REFERENCE{mpfr_cbrt(y, x, MPFR_RNDN);
mpfr_ui_div(y, 1, y, MPFR_RNDN);
}
, 1, { {-1, 1}, {-100, 100} }
}
, {"erf", __lanza_erf, MPFR(erf), 1, {{-1, 1}, {-6, 6}}}, {"erfc", __lanza_erfc, MPFR(erfc), 5, {{-1, 1}, {-6, 28}}},
    {"erfcx", __lanza_erfcx, erfcx, 4, {{-1, 1}, {-26, 30}, {0, 2e4}}},
    {"erfinv", __lanza_erfinv, erfinv, 5, {{-1, 1}, {0.999, 1}}, -1e308, 1e308, 100},
    {"erfcinv", __lanza_erfcinv, erfcinv, 6, {{0, 2}, {0, 1e-3}}, -1e308, 1e308, 200},
    {"normcdf", __lanza_normcdf, normcdf, 5, {{-1, 1}, {-39, 10}}},
    {"normcdfinv", __lanza_normcdfinv, normcdfinv, 8, {{0, 1}, {0, 1e-3}}, -1e308, 1e308, 200},
    {"tgamma", __lanza_tgamma, MPFR(gamma), 10, {{-10, 10}, {-180, 172}}},
    {"lgamma", __lanza_lgamma, REFERENCE{int sign;
mpfr_lgamma(y, &sign, x, MPFR_RNDN);
}
, 4, {{-2.26, 4}, {0, 20}, {0, 1e4}}, -2.26
}
,
}
;
INSTANTIATE_TEST_SUITE_P(All, DoubleMath, testing::ValuesIn(kFunctions),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
