// Mathematical functions in kernels, vectorised or not, give the bits of the same source compiled for the host: no
// stage of the compiler may fuse, reassociate or replace them.
#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "cpu_kernels.hpp"
#include "host_math.hpp"

namespace lanza::test {
namespace {

template <class T>
struct Case {
  const char* name;
  T (*host)(T);
};
const Case<float> kFloat[] = {
    {"sinf", __lanza_sinf},        {"cosf", __lanza_cosf},     {"tanf", __lanza_tanf},     {"expf", __lanza_expf},
    {"exp2f", __lanza_exp2f},      {"exp10f", __lanza_exp10f}, {"logf", __lanza_logf},     {"log2f", __lanza_log2f},
    {"log10f", __lanza_log10f},    {"log1pf", __lanza_log1pf}, {"tanhf", __lanza_tanhf},   {"erff", __lanza_erff},
    {"sinpif", __lanza_sinpif},    {"cbrtf", __lanza_cbrtf},   {"atanf", __lanza_atanf},   {"asinf", __lanza_asinf},
    {"acosf", __lanza_acosf},      {"rcbrtf", __lanza_rcbrtf}, {"sinhf", __lanza_sinhf},   {"coshf", __lanza_coshf},
    {"asinhf", __lanza_asinhf},    {"acoshf", __lanza_acoshf}, {"atanhf", __lanza_atanhf}, {"erfcf", __lanza_erfcf},
    {"normcdff", __lanza_normcdff}};
const Case<double> kDouble[] = {{"sin", __lanza_sin},   {"cos", __lanza_cos},       {"tan", __lanza_tan},
                                {"exp", __lanza_exp},   {"log", __lanza_log},       {"log1p", __lanza_log1p},
                                {"tanh", __lanza_tanh}, {"erfc", __lanza_erfc},     {"asin", __lanza_asin},
                                {"cbrt", __lanza_cbrt}, {"tgamma", __lanza_tgamma}, {"lgamma", __lanza_lgamma}};

template <class T, class Bits>
std::vector<T> inputs() {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<T> near(-20, 20);
  std::vector<T> x = {T(0), T(-0.0), T(1), T(-1), T(HUGE_VAL), T(-HUGE_VAL), T(NAN), T(1e-40), T(65536), T(1e30)};
  while (x.size() < 3000) x.push_back(x.size() % 2 ? std::bit_cast<T>(static_cast<Bits>(random())) : near(random));
  return x;
}

class MathKernels : public CpuKernels {
 protected:
  template <class T, class Bits, std::size_t N>
  void compare(const Case<T> (&cases)[N], const char* type) {
    std::string source;
    for (const Case<T>& c : cases)
      source += std::string("__global__ void k_") + c.name + "(" + type + "* y, const " + type +
                "* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = " + c.name +
                "(x[i]); }\n";
    Module module = compile_here(source);
    const std::vector<T> x = inputs<T, Bits>();
    for (const Case<T>& c : cases) {
      std::vector<T> y(x.size());
      module.kernel(std::string("k_") + c.name)({.grid = unsigned(x.size() + 255) / 256, .block = 256}, out(y), in(x),
                                                int(x.size()));
      int differing = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const T expected = c.host(x[i]);
        const bool same =
            (std::isnan(y[i]) && std::isnan(expected)) || std::bit_cast<Bits>(y[i]) == std::bit_cast<Bits>(expected);
        if (!same && ++differing <= 3)
          ADD_FAILURE() << c.name << "(" << x[i] << ") = " << y[i] << ", on the host " << expected;
      }
      EXPECT_EQ(differing, 0) << c.name;
    }
  }
};

TEST_F(MathKernels, FloatsHaveTheHostsBits) { compare<float, unsigned>(kFloat, "float"); }
TEST_F(MathKernels, DoublesHaveTheHostsBits) { compare<double, unsigned long long>(kDouble, "double"); }

// pow of doubles is not correctly rounded, a product is; nothing of the question whether y is a constant is left.
TEST_F(MathKernels, SquaresWrittenAsPowersAreProducts) {
  Module module = compile_here(R"(
    __global__ void square(double* y, const double* x, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) y[i] = pow(x[i], 2.0);
    })");
  const std::vector<double> x = inputs<double, unsigned long long>();
  std::vector<double> y(x.size());
  Kernel square = module.kernel("square");
  square({.grid = unsigned(x.size() + 255) / 256, .block = 256}, out(y), in(x), int(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected = x[i] * x[i];
    EXPECT_TRUE(y[i] == expected || (std::isnan(y[i]) && std::isnan(expected))) << x[i] << ": " << y[i];
  }
}

}  // namespace
}  // namespace lanza::test
