// Every function gives the same bits in vectorised loops over lanes, lane by lane in a block of one, and on the thread
// engine.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

#include "functions.hpp"
#include "needs_compiler.hpp"
#include "product.hpp"

namespace lanza::test {
namespace {

// LANZA_CPU_MODE while it lives.
class Mode {
 public:
  explicit Mode(const char* mode) { ::setenv("LANZA_CPU_MODE", mode, 1); }
  ~Mode() { ::unsetenv("LANZA_CPU_MODE"); }
};

template <class Bits, class T>
std::vector<T> arguments() {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<T> near(-20, 20);
  std::vector<T> x = {0, T(-0.0), 1, -1, T(HUGE_VAL), T(-HUGE_VAL), T(NAN), std::numeric_limits<T>::denorm_min()};
  while (x.size() < 5000) x.push_back(x.size() % 2 == 0 ? near(random) : std::bit_cast<T>(static_cast<Bits>(random())));
  return x;
}

template <class Bits, class T, class... Operands>
void compare(const std::string& name, const std::vector<Operands>&... x) {
  std::vector<T> expected, y;
  for (const char* mode : {"lanes", "threads"}) {
    const Mode active(mode);
    const Product<T, Operands...> function(name);
    for (unsigned block : {256u, 33u, 1u}) {
      y.assign(std::max({x.size()...}), 0);
      function(y, x..., block);
      if (expected.empty()) expected = y;
      for (std::size_t i = 0; i < y.size(); ++i) {
        if (std::isnan(y[i]) && std::isnan(expected[i])) continue;
        ASSERT_EQ(std::bit_cast<Bits>(y[i]), std::bit_cast<Bits>(expected[i]))
            << name << ", " << mode << ", block " << block << ", argument " << i;
      }
    }
  }
}

struct Engines : testing::Test {
  void SetUp() override { LANZA_NEEDS_COMPILER(); }
};

TEST_F(Engines, FloatFunctionsHaveTheSameBits) {
  const auto x = arguments<std::uint32_t, float>();
  for (const auto& f : float_functions()) compare<std::uint32_t, float>(f.name, x);
}
TEST_F(Engines, DoubleFunctionsHaveTheSameBits) {
  const auto x = arguments<std::uint64_t, double>();
  for (const auto& f : double_functions()) compare<std::uint64_t, double>(f.name, x);
}
TEST_F(Engines, BinaryFunctionsHaveTheSameBits) {
  const auto x = arguments<std::uint32_t, float>();
  const auto u = arguments<std::uint64_t, double>();
  const std::vector<float> y(x.rbegin(), x.rend());
  const std::vector<double> v(u.rbegin(), u.rend());
  for (const auto& f : binary_functions())
    f.single ? compare<std::uint32_t, float>(f.name, x, y) : compare<std::uint64_t, double>(f.name, u, v);
}
TEST_F(Engines, FunctionsOfAnOrderHaveTheSameBits) {
  std::vector<int> n;
  std::vector<float> x;
  for (int i = 0; i < 2000; ++i) n.push_back(i % 40 - 1), x.push_back(static_cast<float>(i) / 31.0f - 3);
  const std::vector<double> u(x.begin(), x.end());
  for (const auto& f : order_functions())
    f.single ? compare<std::uint32_t, float>(f.name, n, x) : compare<std::uint64_t, double>(f.name, n, u);
}

}  // namespace
}  // namespace lanza::test
