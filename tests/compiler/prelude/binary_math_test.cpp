// Functions of several arguments, and exact ones: pow, atan2, remainders, norms, exponents. Against MPFR, with the
// special cases of C's Annex F.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "host_math.hpp"
#include "ulp.hpp"

namespace {
using lanza::test::Real;
using lanza::test::ulps;

const double kSpecial[] = {0.0,
                           -0.0,
                           1.0,
                           -1.0,
                           2.0,
                           -2.0,
                           3.0,
                           -3.0,
                           0.5,
                           -0.5,
                           1.5,
                           -2.5,
                           1e-310,
                           -5e-324,
                           1e308,
                           -1e308,
                           9007199254740991.0,
                           9007199254740992.0,
                           -9007199254740993.0,
                           4503599627370497.5,
                           HUGE_VAL,
                           -HUGE_VAL,
                           std::nan("")};

struct Binary {
  const char* name;
  double (*function)(double, double);
  float (*single)(float, float);
  int (*reference)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
  double (*host)(double, double);  // for the special cases; null: none
  double bound, single_bound;
};
void PrintTo(const Binary& b, std::ostream* out) { *out << b.name; }

class BinaryMath : public testing::TestWithParam<Binary> {};

double any(std::mt19937_64& random) {
  const unsigned long long bits = random();
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
// Pairs whose function is neither 0 nor infinite more often than not.
std::pair<double, double> draw(std::mt19937_64& random, int kind) {
  std::uniform_real_distribution<double> unit(-1, 1);
  if (kind == 0) return {any(random), any(random)};
  if (kind == 1) return {std::exp(20 * unit(random)), 30 * unit(random)};
  if (kind == 2) return {1 + unit(random) * 1e-3, unit(random) * 1e6};
  if (kind == 3) return {unit(random), unit(random)};
  if (kind == 5) {  // powers near the largest and the smallest float
    const double x = std::exp(unit(random));
    return {x, std::copysign(80 + 7 * unit(random), unit(random)) / std::log(x)};
  }
  return {std::round(50 * unit(random)) / 4, std::round(50 * unit(random)) / 4};
}

TEST_P(BinaryMath, DoubleStaysWithinItsBound) {
  const Binary& b = GetParam();
  std::mt19937_64 random(7);
  Real x, y, exact;
  double worst = 0, wx = 0, wy = 0;
  for (int i = 0; i < 50000; ++i) {
    const auto [u, v] = draw(random, i % 6);
    mpfr_set_d(x.get(), u, MPFR_RNDN);
    mpfr_set_d(y.get(), v, MPFR_RNDN);
    b.reference(exact.get(), x.get(), y.get(), MPFR_RNDN);
    const double error = ulps<double>(b.function(u, v), exact);
    if (error > worst) worst = error, wx = u, wy = v;
  }
  std::printf("%-14s %8.3f ulp at %.17g, %.17g, bound %g\n", b.name, worst, wx, wy, b.bound);
  EXPECT_LE(worst, b.bound) << b.name << "(" << wx << ", " << wy << ") = " << b.function(wx, wy);
}

TEST_P(BinaryMath, FloatStaysWithinItsBound) {
  const Binary& b = GetParam();
  std::mt19937_64 random(8);
  Real x, y, exact;
  double worst = 0;
  float wx = 0, wy = 0;
  for (int i = 0; i < 50000; ++i) {
    auto [p, q] = draw(random, i % 6);
    float u = static_cast<float>(p), v = static_cast<float>(q);
    if (i % 6 == 0) {
      const unsigned long long bits = random();
      std::memcpy(&u, &bits, 4);
      std::memcpy(&v, reinterpret_cast<const char*>(&bits) + 4, 4);
    }
    mpfr_set_d(x.get(), u, MPFR_RNDN);
    mpfr_set_d(y.get(), v, MPFR_RNDN);
    b.reference(exact.get(), x.get(), y.get(), MPFR_RNDN);
    const double error = ulps<float>(b.single(u, v), exact);
    if (error > worst) worst = error, wx = u, wy = v;
  }
  std::printf("%sf%*s %8.3f ulp at %.9g, %.9g, bound %g\n", b.name, int(13 - std::strlen(b.name)), "", worst,
              static_cast<double>(wx), static_cast<double>(wy), b.single_bound);
  EXPECT_LE(worst, b.single_bound) << b.name << "f(" << wx << ", " << wy << ") = " << b.single(wx, wy);
}

TEST_P(BinaryMath, SpecialCasesAreTheHosts) {
  const Binary& b = GetParam();
  if (b.host == nullptr) return;
  auto same = [](double p, double q) {
    return (std::isnan(p) && std::isnan(q)) ||
           (std::signbit(p) == std::signbit(q) && (p == q || std::fabs(p - q) <= 1e-15 * std::fabs(q)));
  };
  auto same_single = [](double p, double q) {
    return (std::isnan(p) && std::isnan(q)) ||
           (std::signbit(p) == std::signbit(q) && (p == q || std::fabs(p - q) <= 1e-6 * std::fabs(q)));
  };
  for (double x : kSpecial)
    for (double y : kSpecial) {
      EXPECT_TRUE(same(b.function(x, y), b.host(x, y)))
          << b.name << "(" << x << ", " << y << ") = " << b.function(x, y) << ", not " << b.host(x, y);
      const float u = static_cast<float>(x), v = static_cast<float>(y);
      const double expected = static_cast<float>(b.host(u, v));
      EXPECT_TRUE(same_single(b.single(u, v), expected))
          << b.name << "f(" << u << ", " << v << ") = " << b.single(u, v) << ", not " << expected;
    }
}

#define HOST2(NAME) [](double x, double y) { return std::NAME(x, y); }
int rhypot(mpfr_ptr r, mpfr_srcptr x, mpfr_srcptr y, mpfr_rnd_t m) {
  mpfr_hypot(r, x, y, m);
  return mpfr_ui_div(r, 1, r, m);
}
const Binary kFunctions[] = {
    {"pow", __lanza_pow, __lanza_powf, mpfr_pow, HOST2(pow), 2, 4},
    {"atan2", __lanza_atan2, __lanza_atan2f, mpfr_atan2, HOST2(atan2), 2, 3},
    {"fmod", __lanza_fmod, __lanza_fmodf, mpfr_fmod, HOST2(fmod), 0, 0},
    {"remainder", __lanza_remainder, __lanza_remainderf, mpfr_remainder, HOST2(remainder), 0, 0},
    {"fdim", __lanza_fdim, __lanza_fdimf, mpfr_dim, HOST2(fdim), 0.5, 0.5},
    {"hypot", __lanza_hypot, [](float x, float y) { return __lanza_norm4df(x, y, 0, 0); }, mpfr_hypot, HOST2(hypot), 2,
     3},
    {"rhypot", __lanza_rhypot, [](float x, float y) { return __lanza_rnorm4df(x, y, 0, 0); }, rhypot, nullptr, 1, 2},
};
INSTANTIATE_TEST_SUITE_P(All, BinaryMath, testing::ValuesIn(kFunctions),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(ExactMath, AgreesWithTheHost) {
  std::mt19937_64 random(9);
  auto bits = [](double x) {
    unsigned long long b;
    std::memcpy(&b, &x, sizeof b);
    return std::isnan(x) ? 0x7ff8000000000000ull : b;
  };
  for (int i = 0; i < 200000; ++i) {
    const double x = i < 23 ? kSpecial[i] : any(random);
    const int n = static_cast<int>(random() % 5000) - 2500;
    EXPECT_EQ(bits(__lanza_ldexp(x, n)), bits(std::ldexp(x, n))) << x << " " << n;
    const float f = static_cast<float>(x);
    EXPECT_EQ(bits(__lanza_ldexpf(f, n / 8)), bits(std::ldexp(f, n / 8))) << f << " " << n / 8;
    int e = 0, expected_e = 0;
    EXPECT_EQ(bits(__lanza_frexp(x, &e)), bits(std::frexp(x, &expected_e))) << x;
    if (std::isfinite(x)) {
      EXPECT_EQ(e, expected_e) << x;
      if (x != 0) {
        EXPECT_EQ(__lanza_ilogb(x), std::ilogb(x)) << x;
      }
    }
    EXPECT_EQ(bits(__lanza_logb(x)), bits(std::logb(x))) << x;
    double whole = 0, expected_whole = 0;
    EXPECT_EQ(bits(__lanza_modf(x, &whole)), bits(std::modf(x, &expected_whole))) << x;
    EXPECT_EQ(bits(whole), bits(expected_whole)) << x;
    const double y = i < 529 ? kSpecial[i / 23] : any(random);
    EXPECT_EQ(bits(__lanza_nextafter(x, y)), bits(std::nextafter(x, y))) << x << " " << y;
    const float g = static_cast<float>(y);
    EXPECT_EQ(bits(__lanza_nextafterf(f, g)), bits(std::nextafterf(f, g))) << f << " " << g;
    int q = 0, expected_q = 0;
    EXPECT_EQ(bits(__lanza_remquo(x, y, &q)), bits(std::remquo(x, y, &expected_q))) << x << " " << y;
    if (std::isfinite(x) && y != 0 && !std::isnan(y)) {
      EXPECT_EQ(q & 7, expected_q >= 0 ? expected_q & 7 : -(-expected_q & 7) & 7) << x << " " << y;
    }
  }
}

TEST(Norms, MatchMpfr) {
  std::mt19937_64 random(10);
  double worst = 0;
  for (int i = 0; i < 20000; ++i) {
    double v[4];
    std::uniform_int_distribution<int> exponent(-1000, 1000);
    const int base = exponent(random);
    for (double& x : v) x = std::ldexp(std::uniform_real_distribution<double>(-1, 1)(random), base + i % 3);
    Real sum(0), t;
    for (double x : v) {
      mpfr_set_d(t.get(), x, MPFR_RNDN);
      mpfr_sqr(t.get(), t.get(), MPFR_RNDN);
      mpfr_add(sum.get(), sum.get(), t.get(), MPFR_RNDN);
    }
    mpfr_sqrt(sum.get(), sum.get(), MPFR_RNDN);
    worst = std::max(worst, ulps<double>(__lanza_norm4d(v[0], v[1], v[2], v[3]), sum));
    worst = std::max(worst, ulps<double>(__lanza_norm_vector(4, v), sum));
    mpfr_ui_div(sum.get(), 1, sum.get(), MPFR_RNDN);
    worst = std::max(worst, ulps<double>(__lanza_rnorm4d(v[0], v[1], v[2], v[3]), sum));
    worst = std::max(worst, ulps<double>(__lanza_rnorm_vector(4, v), sum));
  }
  std::printf("norms          %8.3f ulp, bound 1\n", worst);
  EXPECT_LE(worst, 1);
}

}  // namespace
