// Arithmetic with a named rounding against the processor's own rounding modes, bit for bit.
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "host_math.hpp"

namespace {

struct Mode {
  __lanza_rounding ours;
  int hosts;
};
const Mode kModes[] = {{__lanza_rz, FE_TOWARDZERO}, {__lanza_ru, FE_UPWARD}, {__lanza_rd, FE_DOWNWARD}};

// The processor's result in a mode. Volatile, because compilers do not know of modes.
template <class T, class F>
T in_mode(int mode, F operation) {
  std::fesetround(mode);
  volatile T result = operation();
  std::fesetround(FE_TONEAREST);
  return result;
}
template <class T>
bool same(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <class T, class Bits>
T draw(std::mt19937_64& random, int i) {
  const Bits bits = static_cast<Bits>(random());
  T x;
  std::memcpy(&x, &bits, sizeof x);
  // Half of them of like size, with short mantissas now and then: exact results and ties.
  if (i % 2 == 0)
    x = std::ldexp(static_cast<T>(static_cast<int>(bits % 4096) - 2048), static_cast<int>(bits >> 12 & 15));
  return x;
}

#define CHECK(T, OURS, HOSTS)                                                                                    \
  for (const Mode& mode : kModes) {                                                                              \
    const T ours = OURS, hosts = in_mode<T>(mode.hosts, [&] { return HOSTS; });                                  \
    ASSERT_TRUE(same(ours, hosts)) << #OURS << " of " << a << ", " << b << ", " << c << " in mode " << mode.ours \
                                   << ": " << ours << ", not " << hosts;                                         \
  }

TEST(DirectedRounding, FloatsAreTheProcessors) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) {
    volatile float va = draw<float, unsigned int>(random, i), vb = draw<float, unsigned int>(random, i),
                   vc = draw<float, unsigned int>(random, i);
    const float a = va, b = vb, c = vc;
    CHECK(float, __lanza_fadd_directed(a, b, mode.ours), va + vb)
    CHECK(float, __lanza_fmul_directed(a, b, mode.ours), va* vb)
    CHECK(float, __lanza_fdiv_directed(a, b, mode.ours), va / vb)
    CHECK(float, __lanza_fmaf_directed(a, b, c, mode.ours), std::fma(va, vb, vc))
    CHECK(float, __lanza_fsqrt_directed(a, mode.ours), std::sqrt(va))
  }
}

TEST(DirectedRounding, DoublesAreTheProcessors) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 100000; ++i) {
    volatile double va = draw<double, unsigned long long>(random, i), vb = draw<double, unsigned long long>(random, i),
                    vc = draw<double, unsigned long long>(random, i);
    const double a = va, b = vb, c = vc;
    CHECK(double, __lanza_dadd_directed(a, b, mode.ours), va + vb)
    CHECK(double, __lanza_dmul_directed(a, b, mode.ours), va* vb)
    CHECK(double, __lanza_ddiv_directed(a, b, mode.ours), va / vb)
    CHECK(double, __lanza_dsqrt_directed(a, mode.ours), std::sqrt(va))
    CHECK(double, __lanza_dfma_directed(a, b, c, mode.ours), std::fma(va, vb, vc))
  }
}

// Products and sums at both ends of the range: zeros of either sign that stand for tiny sums, denormals, overflows, and
// addends that nearly cancel the product or lie far below it.
template <class T>
void check_fused_at_the_ends(T fused(T, T, T, __lanza_rounding)) {
  const int lowest = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
  const int highest = std::numeric_limits<T>::max_exponent;
  std::mt19937_64 random(3);
  const auto mantissa = [&] { return static_cast<T>(static_cast<int>(random() % 8191) - 4095) / 4096; };
  const auto exponent = [&] { return lowest + static_cast<int>(random() % (highest - lowest + 1)); };
  for (int i = 0; i < 400000; ++i) {
    const int ends[] = {lowest, lowest + 5, highest, highest - 5, exponent()};
    const int ea = exponent(), sum = ends[random() % 5];
    volatile T va = std::ldexp(mantissa(), ea), vb = std::ldexp(mantissa(), sum - ea);
    volatile T product = va * vb;
    const T addends[] = {std::ldexp(mantissa(), ends[random() % 5]),
                         T(0),
                         -T(0),
                         -product,
                         std::nextafter(-product, T(0)),
                         std::ldexp(mantissa(), lowest)};
    volatile T vc = addends[random() % 6];
    const T a = va, b = vb, c = vc;
    CHECK(T, fused(a, b, c, mode.ours), std::fma(va, vb, vc))
  }
}

TEST(DirectedRounding, FusedOperationsAtTheEndsOfTheRange) {
  check_fused_at_the_ends<float>(__lanza_fmaf_directed);
  check_fused_at_the_ends<double>(__lanza_dfma_directed);
}

}  // namespace
