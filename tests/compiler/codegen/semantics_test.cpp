// What C++ and x86 leave open and NVIDIA's hardware decides; and the operations for which weak targets have no
// instruction.
#include <gtest/gtest.h>

#include <cfloat>
#include <climits>
#include <cmath>
#include <limits>
#include <random>

#include "kernel_fixture.hpp"

namespace lanza::compiler::testing {
namespace {

class Semantics : public ::testing::TestWithParam<const char*> {
 protected:
  std::string compiled(const std::string& cuda, const std::string& flags = "") {
    const std::string bitcode = bitcode_of(cuda, flags);
    Specialised result = specialise(request_for(bitcode, "k", GetParam()));
    EXPECT_TRUE(result.ok) << result.log;
    EXPECT_EQ(undefined_symbols(result.object), "");
    return result.object;
  }
  void run(LoadedKernel& kernel, Arguments arguments, unsigned n) {
    ASSERT_EQ(kernel.run({.grid = {1}, .block = {n}}, arguments.data()), LANZA_DONE);
  }
};

TEST_P(Semantics, DivisionNeverTraps) {
  LoadedKernel kernel(compiled(R"(
extern "C" __global__ void k(const int* x, const int* y, int* q, int* r, unsigned* u) {
  int i = tid_x;
  q[i] = x[i] / y[i], r[i] = x[i] % y[i], u[i] = unsigned(x[i]) / unsigned(y[i]);
})"));
  std::vector<int> x{7, 7, INT_MIN, -7, INT_MIN}, y{2, 0, -1, 2, 0}, q(5), r(5);
  std::vector<unsigned> u(5);
  run(kernel, pack(x.data(), y.data(), q.data(), r.data(), u.data()), 5);
  EXPECT_EQ(q, (std::vector<int>{3, -1, INT_MIN, -3, -1}));
  EXPECT_EQ(r, (std::vector<int>{1, -1, 0, -1, -1}));
  EXPECT_EQ(u, (std::vector<unsigned>{3, UINT_MAX, 0, (UINT_MAX - 6) / 2, UINT_MAX}));
}

TEST_P(Semantics, ShiftsClamp) {
  LoadedKernel kernel(compiled(R"(
extern "C" __global__ void k(const int* n, int* left, unsigned* right, int* sign) {
  int i = tid_x;
  left[i] = 1 << n[i], right[i] = 0x80000000u >> n[i], sign[i] = -8 >> n[i];
})"));
  std::vector<int> n{0, 3, 31, 32, 40, -1}, left(6), sign(6);
  std::vector<unsigned> right(6);
  run(kernel, pack(n.data(), left.data(), right.data(), sign.data()), 6);
  EXPECT_EQ(left, (std::vector<int>{1, 8, INT_MIN, 0, 0, 0}));
  EXPECT_EQ(right, (std::vector<unsigned>{0x80000000u, 0x10000000u, 1, 0, 0, 0}));
  EXPECT_EQ(sign, (std::vector<int>{-8, -1, -1, -1, -1, -1}));
}

TEST_P(Semantics, ConversionsSaturate) {
  LoadedKernel kernel(compiled(R"(
extern "C" __global__ void k(const float* x, int* a, unsigned* b, long long* c) {
  int i = tid_x;
  a[i] = x[i], b[i] = x[i], c[i] = x[i];
})"));
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  std::vector<float> x{1.9f, -1.9f, 3e9f, -3e9f, 1e30f, nan, inf, -0.5f, 0x1p31f, -0x1p31f};
  std::vector<int> a(10);
  std::vector<unsigned> b(10);
  std::vector<long long> c(10);
  run(kernel, pack(x.data(), a.data(), b.data(), c.data()), 10);
  EXPECT_EQ(a, (std::vector<int>{1, -1, INT_MAX, INT_MIN, INT_MAX, 0, INT_MAX, 0, INT_MAX, INT_MIN}));
  EXPECT_EQ(b, (std::vector<unsigned>{1, 0, 3000000000u, 0, UINT_MAX, 0, UINT_MAX, 0, 0x80000000u, 0}));
  EXPECT_EQ(c, (std::vector<long long>{1, -1, 3000000000, -3000000000, LLONG_MAX, LLONG_MIN, LLONG_MAX, 0, 1ll << 31,
                                       -(1ll << 31)}));
}

// Doubles of all magnitudes, with subnormals, zeros, infinities and near ties among them.
std::vector<double> hard_doubles(size_t n) {
  std::mt19937_64 random(1);
  std::vector<double> v{0.0,      -0.0,     1.0,       -1.0, 0x1p-1074, -0x1p-1074, 0x1p-1022, DBL_MAX,
                        -DBL_MAX, INFINITY, -INFINITY, NAN,  0.5,       2.5,        3.5,       -0.5};
  while (v.size() < n) {
    double x;
    uint64_t bits = random();
    if (v.size() % 3 == 0) bits = (bits & ~(0x7ffull << 52)) | (1023 + bits % 60) << 52;
    __builtin_memcpy(&x, &bits, 8);
    v.push_back(x);
  }
  return v;
}

template <class T>
void expect_same(T got, T want, T a, T b, T c) {
  if (std::isnan(want)) {
    EXPECT_TRUE(std::isnan(got)) << a << ' ' << b << ' ' << c;
  } else {
    EXPECT_EQ(std::signbit(got), std::signbit(want)) << a << ' ' << b << ' ' << c;
    ASSERT_EQ(got, want) << std::hexfloat << a << ' ' << b << ' ' << c;
  }
}

TEST_P(Semantics, FusedMultiplyAddIsExact) {
  LoadedKernel kernel(compiled(R"(
extern "C" __global__ void k(int n, const double* x, const double* y, const double* z, double* r, float* s) {
  int i = index_x;
  if (i >= n) return;
  r[i] = __builtin_fma(x[i], y[i], z[i]);
  s[i] = __builtin_fmaf(float(x[i]), float(y[i]), float(z[i]));
})"));
  const int n = 60000;
  std::vector<double> x = hard_doubles(n), y = hard_doubles(n), z = hard_doubles(n), r(n);
  std::vector<float> s(n);
  std::shuffle(y.begin(), y.end(), std::mt19937(2));
  std::shuffle(z.begin(), z.end(), std::mt19937(3));
  // Near cancellation and near ties: the addend is about the product.
  for (int i = 0; i < n; i += 4) z[i] = -(x[i] * y[i]);
  Arguments arguments = pack(n, x.data(), y.data(), z.data(), r.data(), s.data());
  ASSERT_EQ(kernel.run({.grid = {(n + 255) / 256}, .block = {256}}, arguments.data()), LANZA_DONE);
  for (int i = 0; i < n; ++i) {
    expect_same(r[i], std::fma(x[i], y[i], z[i]), x[i], y[i], z[i]);
    expect_same(s[i], std::fmaf(float(x[i]), float(y[i]), float(z[i])), float(x[i]), float(y[i]), float(z[i]));
  }
}

TEST_P(Semantics, RoundingAndRemainderAreExact) {
  LoadedKernel kernel(compiled(R"(
extern "C" __global__ void k(int n, const double* x, const double* y, double* r) {
  int i = index_x;
  if (i >= n) return;
  double a = x[i];
  float f = a;
  r[i] = __builtin_floor(a), r[n + i] = __builtin_ceil(a), r[2 * n + i] = __builtin_trunc(a), r[3 * n + i] = __builtin_rint(a);
  r[4 * n + i] = __builtin_round(a), r[5 * n + i] = __builtin_fmod(a, y[i]), r[6 * n + i] = __builtin_floorf(f);
  r[7 * n + i] = __builtin_fmodf(f, float(y[i]));
})"));
  const int n = 5000;
  std::vector<double> x = hard_doubles(n), y = x, r(8 * n);
  std::shuffle(y.begin(), y.end(), std::mt19937(2));
  Arguments arguments = pack(n, x.data(), y.data(), r.data());
  ASSERT_EQ(kernel.run({.grid = {(n + 255) / 256}, .block = {256}}, arguments.data()), LANZA_DONE);
  for (int i = 0; i < n; ++i) {
    const double a = x[i],
                 want[] = {std::floor(a), std::ceil(a),       std::trunc(a),        std::rint(a),
                           std::round(a), std::fmod(a, y[i]), std::floor(float(a)), std::fmod(float(a), float(y[i]))};
    for (int k = 0; k < 8; ++k) expect_same(r[k * n + i], want[k], a, y[i], double(k));
  }
}

TEST_P(Semantics, DivideIn128Bits) {
  LoadedKernel kernel(compiled(R"(
extern "C" __global__ void k(const uint64* x, const uint64* y, uint64* q, long long* s) {
  int i = tid_x;
  unsigned __int128 a = (unsigned __int128)x[i] << 64 | y[i];
  q[i] = (uint64)(a / ((unsigned __int128)y[i] << 3)) + (uint64)(a % x[i]);
  s[i] = (long long)(-(__int128)(a >> 1) / (__int128)(y[i] >> 1));
})"));
  std::vector<uint64_t> x{1, 77, 1ull << 63, 12345678901234567ull}, y{3, ~0ull, 5, 98765432109876543ull}, q(4);
  std::vector<long long> s(4);
  run(kernel, pack(x.data(), y.data(), q.data(), s.data()), 4);
  for (int i = 0; i < 4; ++i) {
    const auto a = static_cast<unsigned __int128>(x[i]) << 64 | y[i];
    EXPECT_EQ(q[i], uint64_t(a / (static_cast<unsigned __int128>(y[i]) << 3)) + uint64_t(a % x[i])) << i;
    EXPECT_EQ(s[i], static_cast<long long>(-static_cast<__int128>(a >> 1) / static_cast<__int128>(y[i] >> 1))) << i;
  }
}

TEST_P(Semantics, LargeCopiesNeedNoLibrary) {
  LoadedKernel kernel(compiled(R"(
struct Large { char bytes[5000]; };
extern "C" __global__ void k(const Large* from, Large* to, char* cleared) {
  *to = *from;
  __builtin_memset(cleared, 7, 3000);
})"));
  std::vector<char> from(5000, 'x'), to(5000), cleared(3001);
  run(kernel, pack(from.data(), to.data(), cleared.data()), 1);
  EXPECT_EQ(to, from);
  EXPECT_EQ(cleared, [] {
    std::vector<char> v(3001, 7);
    v[3000] = 0;
    return v;
  }());
}

TEST_P(Semantics, ContractionIsTheSameEverywhere) {
  LoadedKernel kernel(compiled(R"(
extern "C" __global__ void k(const float* x, float* r) {
  float p = x[0] * x[1];
  if (x[2] > 0) r[0] = p + x[2];
})"));
  std::vector<float> x{1.0f + 0x1p-12f, 1.0f + 0x1p-12f, 0x1p-24f}, r(1);
  run(kernel, pack(x.data(), r.data()), 1);
  EXPECT_EQ(r[0], std::fmaf(x[0], x[1], x[2]));
  EXPECT_NE(r[0], x[0] * x[1] + x[2]);
}

// Every half, and floats that are halves, ties of halves, and what is beside them.
TEST_P(Semantics, HalvesConvertOnEveryTarget) {
  LoadedKernel kernel(compiled(R"(
extern "C" __global__ void k(const unsigned short* h, float* wide, const float* x, unsigned short* narrow) {
  int i = tid_x;
  wide[i] = __builtin_bit_cast(_Float16, h[i]);
  narrow[i] = __builtin_bit_cast(unsigned short, static_cast<_Float16>(x[i]));
})"));
  for (unsigned first = 0; first < 0x7c00; first += 1024) {
    std::vector<unsigned short> halves(1024), narrow(1024);
    std::vector<float> wide(1024), values(1024);
    for (unsigned i = 0; i < 1024; ++i) {
      const unsigned bits = first + i, exponent = bits >> 10, step = std::max(exponent, 1u);
      halves[i] = static_cast<unsigned short>(bits | 0x8000);
      values[i] = -std::ldexp(static_cast<float>(bits - ((step - 1) << 10)), static_cast<int>(step) - 25);
    }
    for (const float ulps : {0.0f, 0.4999f, 0.5f, 0.5001f}) {
      std::vector<float> moved(1024);
      for (unsigned i = 0; i < 1024; ++i) {
        const float last = std::ldexp(1.0f, static_cast<int>(std::max((first + i) >> 10, 1u)) - 25);
        moved[i] = values[i] - ulps * last;
      }
      run(kernel, pack(halves.data(), wide.data(), moved.data(), narrow.data()), 1024);
      EXPECT_EQ(wide, values);
      for (unsigned i = 0; i < 1024; ++i)
        ASSERT_EQ(narrow[i], halves[i] + (ulps > 0.5f || (ulps == 0.5f && (i & 1))))
            << std::hexfloat << moved[i] << " ulps " << ulps;
    }
  }
  std::vector<unsigned short> halves{0x7c00, 0xfc00, 0x7e00, 0x0000, 0x8000, 0x7c01}, narrow(6);
  std::vector<float> wide(6), x{INFINITY, -INFINITY, NAN, 0.0f, -0.0f, 65520.0f};
  run(kernel, pack(halves.data(), wide.data(), x.data(), narrow.data()), 6);
  EXPECT_EQ(narrow, (std::vector<unsigned short>{0x7c00, 0xfc00, 0x7e00, 0x0000, 0x8000, 0x7c00}));
  EXPECT_EQ(wide[0], INFINITY);
  EXPECT_EQ(wide[1], -INFINITY);
  EXPECT_TRUE(std::isnan(wide[2]) && std::isnan(wide[5]));
  EXPECT_TRUE(wide[3] == 0 && !std::signbit(wide[3]) && wide[4] == 0 && std::signbit(wide[4]));
}

INSTANTIATE_TEST_SUITE_P(Targets, Semantics, ::testing::Values("native", "x86-64"), [](const auto& target) {
  return std::string(target.param) == "native" ? "native" : "baseline";
});

}  // namespace
}  // namespace lanza::compiler::testing
