// curand_poisson, by the methods that cuRAND chooses among: products of uniform numbers (Knuth, "Seminumerical
// Algorithms", 3.4.1), rejection against a logistic curve, the normal distribution's limit, and inversion (Fishman,
// "Discrete-Event Simulation", 2001) for quasirandom numbers.
#pragma once
#include <__lanza/random/normal.h>

template <class State>
__LANZA_FN unsigned int __lanza_poisson_by_products(State* state, float lambda) {
  float product = expf(lambda);
  unsigned int k = 0;
  while ((product *= curand_uniform(state)) > 1.0f) ++k;
  return k;
}

// gammainc(lambda, x) is near 1 / (1 + exp(slope (lambda - x) - shift))^2.
struct __lanza_logistic {
  float lambda, slope, shift;
  explicit __LANZA_FN __lanza_logistic(float l)
      : lambda(l),
        slope(1.43248035f * rsqrtf(l - 0.124009793f) + 0.000253610749f),
        shift(0.210967349f * rsqrtf(l - 1.97381164f) + 0.942017341f) {}
  __LANZA_FN float at(float x) const {
    float t = 1.0f + __expf(slope * (lambda - x) - shift);
    return __frcp_rn(t * t);
  }
  __LANZA_FN float inverse(float y) const { return lambda - (shift + __logf(rsqrtf(y) - 1.0f)) * __frcp_rn(slope); }
};

template <class State>
__LANZA_FN unsigned int __lanza_poisson_by_rejection(State* state, float lambda) {
  __lanza_logistic curve(lambda);
  float logarithm = __logf(lambda);
  while (true) {
    float x = floorf(curve.inverse(curand_uniform(state)));
    float height = (curve.at(x + 1.0f) - curve.at(x)) * 1.3f, trial = curand_uniform(state) * height;
    float density = __expf(x * logarithm - lambda - static_cast<float>(lgamma(1.0 + x)));
    if (trial < density && height >= 1e-20f) return static_cast<unsigned int>(x);
  }
}

// A sum that starts with exp(-lambda) starts with nothing when lambda is large: factors of exp(-500) come as it grows.
template <class Number>
__LANZA_FN unsigned int __lanza_poisson_by_inversion(Number x, double lambda) {
  if (lambda >= 1000) return static_cast<unsigned int>(sqrt(lambda) * __lanza_normal_quantile_double(x) + lambda + 0.5);
  double u = sizeof(x) == 4 ? static_cast<double>(x) * 0x1p-32 + 0x1p-33
                            : static_cast<double>(static_cast<unsigned long long>(x) >> 11) * 0x1p-53 + 0x1p-55;
  double term = 1, sum = 1;
  unsigned int k = 0;
  for (double scaled = 0; scaled < lambda; scaled += 500) {
    double scale = exp(lambda > scaled + 500 ? -500.0 : scaled - lambda);
    term *= scale;
    sum *= scale;
    while (u > sum) {
      ++k;
      term *= lambda / k;
      sum += term;
    }
  }
  return k;
}

__LANZA_FN unsigned int __lanza_poisson_of_normal(double lambda, double normal) {
  return static_cast<unsigned int>(sqrt(lambda) * normal + lambda + 0.5);
}
template <class State>
__LANZA_FN unsigned int curand_poisson(State* state, double lambda) {
  if (lambda < 64) return __lanza_poisson_by_products(state, static_cast<float>(lambda));
  if (lambda > 4000) return __lanza_poisson_of_normal(lambda, curand_normal_double(state));
  return __lanza_poisson_by_rejection(state, static_cast<float>(lambda));
}
__LANZA_FN uint4 curand_poisson4(curandStatePhilox4_32_10* state, double lambda) {
  if (lambda > 4000) {
    double4 n = curand_normal4_double(state);
    return make_uint4(__lanza_poisson_of_normal(lambda, n.x), __lanza_poisson_of_normal(lambda, n.y),
                      __lanza_poisson_of_normal(lambda, n.z), __lanza_poisson_of_normal(lambda, n.w));
  }
  unsigned int k[4];
  for (unsigned int& x : k) x = curand_poisson(state, lambda);
  return make_uint4(k[0], k[1], k[2], k[3]);
}

__LANZA_FN unsigned int curand_poisson(curandStateSobol32* state, double lambda) {
  return __lanza_poisson_by_inversion(curand(state), lambda);
}
__LANZA_FN unsigned int curand_poisson(curandStateScrambledSobol32* state, double lambda) {
  return __lanza_poisson_by_inversion(curand(state), lambda);
}
__LANZA_FN unsigned int curand_poisson(curandStateSobol64* state, double lambda) {
  return __lanza_poisson_by_inversion(curand(state), lambda);
}
__LANZA_FN unsigned int curand_poisson(curandStateScrambledSobol64* state, double lambda) {
  return __lanza_poisson_by_inversion(curand(state), lambda);
}
