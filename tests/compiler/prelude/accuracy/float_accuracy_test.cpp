// The float functions of one argument, as kernels get them, against double: a stratified sample of all floats, or with
// LANZA_MATH_EXHAUSTIVE=1 every one.
#include <gtest/gtest.h>

#include "functions.hpp"
#include "needs_compiler.hpp"
#include "product.hpp"
#include "record.hpp"

namespace lanza::test {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 24;

// Every 9973rd float (a prime, so that all patterns of mantissas come by), the ends of every exponent, integers, halves
// and their neighbours.
std::vector<float> sample() {
  std::vector<float> x;
  for (std::uint64_t bits = 0; bits < (1ull << 32); bits += 9973)
    x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  for (std::uint32_t top = 0; top < 512; ++top)
    for (std::uint32_t i = 0; i < 16; ++i)
      for (std::uint32_t mantissa : {i, 0x7fffffu - i}) x.push_back(std::bit_cast<float>(top << 23 | mantissa));
  for (int i = -600; i <= 600; ++i) {
    const float half = static_cast<float>(i) / 2;
    x.insert(x.end(), {half, std::nextafterf(half, 1e30f), std::nextafterf(half, -1e30f)});
  }
  return x;
}

// All floats from the one with these bits on.
void fill(std::vector<float>& x, std::uint64_t first) {
  struct Nothing {};
  in_parallel<Nothing>(
      x.size(), 1 << 18,
      [&](std::size_t begin, std::size_t end, Nothing&) {
        for (std::size_t i = begin; i < end; ++i) x[i] = std::bit_cast<float>(static_cast<std::uint32_t>(first + i));
      },
      [](const Nothing&) {});
}

struct Errors {
  Worst ulps, absolute;
};

class FloatAccuracy : public testing::TestWithParam<FloatFunction> {
 protected:
  void SetUp() override { LANZA_NEEDS_COMPILER(); }

  void compare(const std::vector<float>& x, const std::vector<float>& y) {
    const FloatFunction& f = GetParam();
    in_parallel<Errors>(
        x.size(), 1 << 14,
        [&](std::size_t begin, std::size_t end, Errors& mine) {
          for (std::size_t i = begin; i < end; ++i) {
            const double exact = f.exact(x[i]);
            const bool relative = f.bound.relative == nullptr || f.bound.relative(x[i]) || std::isnan(x[i]);
            if (relative)
              mine.ulps.take(float_ulps(y[i], exact), x[i]);
            else if (f.bound.elsewhere != nullptr && f.bound.elsewhere(x[i]))
              mine.absolute.take(std::fabs(static_cast<double>(y[i]) - exact), x[i]);
          }
        },
        [&](const Errors& mine) {
          errors_.ulps.take(mine.ulps);
          errors_.absolute.take(mine.absolute);
        });
  }

  Errors errors_;
};

TEST_P(FloatAccuracy, StaysWithinCudasBound) {
  const FloatFunction& f = GetParam();
  const Product<float, float> function(f.name);
  const bool exhaustive = std::getenv("LANZA_MATH_EXHAUSTIVE") != nullptr;
  std::vector<float> x = exhaustive ? std::vector<float>(kChunk) : sample(), y(x.size());
  const std::uint64_t chunks = exhaustive ? (1ull << 32) / kChunk : 1;
  for (std::uint64_t chunk = 0; chunk < chunks; ++chunk) {
    if (exhaustive) fill(x, chunk * kChunk);
    function(y, x);
    compare(x, y);
  }
  record(f.name, chunks * x.size(), errors_.ulps, errors_.absolute);
  EXPECT_LE(errors_.ulps.error, f.bound.ulps) << f.name << "(" << text_of(errors_.ulps) << ")";
  EXPECT_LE(errors_.absolute.error, f.bound.absolute) << f.name << "(" << text_of(errors_.absolute) << ")";
}

INSTANTIATE_TEST_SUITE_P(All, FloatAccuracy, testing::ValuesIn(float_functions()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace lanza::test
