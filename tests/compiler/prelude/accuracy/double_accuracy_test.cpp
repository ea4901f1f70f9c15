// The double functions, and those of two arguments, as kernels get them, against MPFR. LANZA_MATH_SAMPLES: random
// arguments of each sort, 2000 without it.
#include <gtest/gtest.h>

#include <random>

#include "../ulp.hpp"
#include "functions.hpp"
#include "needs_compiler.hpp"
#include "product.hpp"
#include "record.hpp"

namespace lanza::test {
namespace {

std::size_t samples() {
  const char* text = std::getenv("LANZA_MATH_SAMPLES");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 2000;
}
double random_bits(std::mt19937_64& random) { return std::bit_cast<double>(random()); }
double uniform(std::mt19937_64& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

// Every exponent and sign alike, the neighbours of integers, and evenly over the function's ranges.
std::vector<double> sample(const DoubleFunction& f) {
  std::mt19937_64 random(42);
  std::vector<double> x = {0.0,      -0.0,      1.0,    -1.0,    0.5,       -0.5,
                           2.0,      -2.0,      5e-324, -5e-324, 0x1p-1022, 0x1.fffffffffffffp1023,
                           HUGE_VAL, -HUGE_VAL, NAN};
  const std::size_t n = samples();
  for (std::size_t i = 0; i < n; ++i) {
    x.push_back(random_bits(random));
    if (i % 4 == 0)
      x.push_back(std::nextafter(std::round(std::fmod(x.back(), 100.0)), i % 8 == 0 ? HUGE_VAL : -HUGE_VAL));
  }
  for (const auto& [low, high] : f.ranges) {
    for (std::size_t i = 0; i < n; ++i) x.push_back(uniform(random, low, high));
    for (double end : {low, high})
      x.insert(x.end(), {end, std::nextafter(end, HUGE_VAL), std::nextafter(end, -HUGE_VAL)});
  }
  std::erase_if(x, [&](double v) { return std::isfinite(v) && (v < f.low || v > f.high); });
  return x;
}
// Around the worst that was found: a bad stretch may be narrow, and few of a sample in it.
std::vector<double> sample_around(const DoubleFunction& f, const std::vector<double>& worst) {
  std::vector<double> x;
  if (worst.empty() || !std::isfinite(worst[0])) return x;
  std::mt19937_64 random(43);
  const double reach = std::fabs(worst[0]) / 64;
  for (std::size_t i = 0; i < samples(); ++i) x.push_back(uniform(random, worst[0] - reach, worst[0] + reach));
  std::erase_if(x, [&](double v) { return v < f.low || v > f.high; });
  return x;
}

struct Errors {
  Worst ulps, absolute;

  void take(const Errors& other) {
    ulps.take(other.ulps);
    absolute.take(other.absolute);
  }
};
// compare(i, result, exact, errors) of each of the results, on all cores.
template <class Compare>
Errors over_all(std::size_t count, Compare compare) {
  Errors all;
  in_parallel<Errors>(
      count, 256,
      [&](std::size_t begin, std::size_t end, Errors& mine) {
        Real exact;
        for (std::size_t i = begin; i < end; ++i) compare(i, exact, mine);
      },
      [&](const Errors& mine) { all.take(mine); });
  return all;
}

class DoubleAccuracy : public testing::TestWithParam<DoubleFunction> {
  void SetUp() override { LANZA_NEEDS_COMPILER(); }
};

Errors measure(const DoubleFunction& f, const Product<double, double>& function, const std::vector<double>& x) {
  std::vector<double> y(x.size());
  if (!x.empty()) function(y, x);
  return over_all(x.size(), [&](std::size_t i, Real& exact, Errors& mine) {
    const Real argument(x[i]);
    f.exact(exact.get(), argument.get());
    if (f.bound.relative == nullptr || f.bound.relative(x[i]) || !std::isfinite(x[i]))
      mine.ulps.take(ulps<double>(y[i], exact), x[i]);
    else if (f.bound.elsewhere != nullptr && f.bound.elsewhere(x[i]))
      mine.absolute.take(std::fabs(y[i] - exact.rounded()), x[i]);
  });
}

TEST_P(DoubleAccuracy, StaysWithinCudasBound) {
  const DoubleFunction& f = GetParam();
  const Product<double, double> function(f.name);
  std::vector<double> x = sample(f);
  Errors errors = measure(f, function, x);
  std::size_t count = x.size();
  for (int look = 0; look < 2; ++look) {
    x = sample_around(f, errors.ulps.at);
    errors.take(measure(f, function, x));
    count += x.size();
  }
  record(f.name, count, errors.ulps, errors.absolute);
  EXPECT_LE(errors.ulps.error, f.bound.ulps) << f.name << "(" << text_of(errors.ulps) << ")";
  EXPECT_LE(errors.absolute.error, f.bound.absolute) << f.name << "(" << text_of(errors.absolute) << ")";
}
INSTANTIATE_TEST_SUITE_P(All, DoubleAccuracy, testing::ValuesIn(double_functions()),
                         [](const auto& info) { return std::string(info.param.name); });

class BinaryAccuracy : public testing::TestWithParam<BinaryFunction> {
 protected:
  void SetUp() override { LANZA_NEEDS_COMPILER(); }

  // Pairs whose function is neither 0 nor infinite more often than not.
  template <class T>
  static void draw(std::vector<T>& x, std::vector<T>& y) {
    std::mt19937_64 random(7);
    auto unit = [&] { return uniform(random, -1, 1); };
    for (std::size_t i = 0; i < samples(); ++i) {
      if constexpr (sizeof(T) == 4)
        x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random()))),
            y.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
      else
        x.push_back(random_bits(random)), y.push_back(random_bits(random));
      const double pairs[][2] = {{std::exp(20 * unit()), 30 * unit()},
                                 {1 + unit() * 1e-3, unit() * 1e6},
                                 {unit(), unit()},
                                 {std::round(50 * unit()) / 4, std::round(50 * unit()) / 4},
                                 {std::exp(unit()), std::exp(100 * unit())}};
      for (const auto& [a, b] : pairs) x.push_back(static_cast<T>(a)), y.push_back(static_cast<T>(b));
    }
  }
  template <class T>
  void check() {
    const BinaryFunction& f = GetParam();
    std::vector<T> x, y;
    draw(x, y);
    std::vector<T> z(x.size());
    Product<T, T, T>(f.name)(z, x, y);
    const Errors errors = over_all(x.size(), [&](std::size_t i, Real& exact, Errors& mine) {
      const Real a(static_cast<double>(x[i])), b(static_cast<double>(y[i]));
      f.exact(exact.get(), a.get(), b.get());
      mine.ulps.take(ulps<T>(static_cast<double>(z[i]), exact), x[i], y[i]);
    });
    record(f.name, x.size(), errors.ulps, errors.absolute);
    EXPECT_LE(errors.ulps.error, f.bound) << f.name << "(" << text_of(errors.ulps) << ")";
  }
};
TEST_P(BinaryAccuracy, StaysWithinCudasBound) { GetParam().single ? check<float>() : check<double>(); }
INSTANTIATE_TEST_SUITE_P(All, BinaryAccuracy, testing::ValuesIn(binary_functions()),
                         [](const auto& info) { return std::string(info.param.name); });

class OrderAccuracy : public testing::TestWithParam<OrderFunction> {
 protected:
  void SetUp() override { LANZA_NEEDS_COMPILER(); }

  template <class T>
  void check() {
    const OrderFunction& f = GetParam();
    std::mt19937_64 random(11);
    std::vector<int> n;
    std::vector<T> x;
    for (int order : {0, 1, 2, 3, 7, 20, 64, 128})
      for (std::size_t i = 0; i < samples() / 100; ++i) {
        const double low = f.from * order;
        n.push_back(order);
        x.push_back(static_cast<T>(uniform(random, low + 0.01, i % 2 == 0 ? low + 20 : 1000)));
      }
    std::vector<T> y(x.size());
    Product<T, int, T>(f.name)(y, n, x);
    const Errors errors = over_all(x.size(), [&](std::size_t i, Real& exact, Errors& mine) {
      const Real argument(static_cast<double>(x[i]));
      f.exact(exact.get(), n[i], argument.get());
      mine.absolute.take(std::fabs(static_cast<double>(y[i]) - exact.rounded()), n[i], x[i]);
    });
    record(f.name, x.size(), errors.ulps, errors.absolute);
    EXPECT_LE(errors.absolute.error, f.absolute) << f.name << "(" << text_of(errors.absolute) << ")";
  }
};
TEST_P(OrderAccuracy, StaysWithinCudasBound) { GetParam().single ? check<float>() : check<double>(); }
INSTANTIATE_TEST_SUITE_P(All, OrderAccuracy, testing::ValuesIn(order_functions()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace lanza::test
