// Twins of the kernels with a thread an element. Units: elements, where nothing else is said.
#include <cmath>

#include "twin.hpp"

namespace {

TWIN(saxpy, int, float a, const float* __restrict x, float* __restrict y) {
#pragma omp simd
  for (int i = begin; i < end; ++i) y[i] = a * x[i] + y[i];
}

TWIN(triad, int, float s, const float* __restrict b, const float* __restrict c, float* __restrict a) {
#pragma omp simd
  for (int i = begin; i < end; ++i) a[i] = b[i] + s * c[i];
}

TWIN(elem, int, const float* __restrict x, const float* __restrict y, float* __restrict z) {
#pragma omp simd
  for (int i = begin; i < end; ++i) z[i] = expf(-x[i] * x[i]) * sinf(y[i]) + sqrtf(x[i] * x[i] + 1.0f);
}

inline float cumulative_normal(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  const float tail =
      0.39894228f * expf(-0.5f * d * d) *
      (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.0f - tail : tail;
}

TWIN(black_scholes, const float* __restrict price, const float* __restrict strike, const float* __restrict years,
     float* __restrict call, float* __restrict put, float rate, float volatility, int) {
#pragma omp simd
  for (int i = begin; i < end; ++i) {
    const float root = sqrtf(years[i]);
    const float d1 =
        (logf(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * root);
    const float n1 = cumulative_normal(d1), n2 = cumulative_normal(d1 - volatility * root);
    const float discounted = strike[i] * expf(-rate * years[i]);
    call[i] = price[i] * n1 - discounted * n2;
    put[i] = discounted * (1.0f - n2) - price[i] * (1.0f - n1);
  }
}

// Units: blocks of 256 throwers.
TWIN(pi, unsigned* __restrict hits, int darts) {
  constexpr unsigned lanes = 32;  // two registers: the multiplications of one wait for those of the other
  for (int block = begin; block < end; ++block) {
    unsigned total = 0;
    for (unsigned first = 0; first < 256; first += lanes) {
      unsigned state[lanes], count[lanes] = {};
      for (unsigned i = 0; i < lanes; ++i)
        state[i] = (static_cast<unsigned>(block) * 256 + first + i) * 2654435761u + 1u;
      for (int k = 0; k < darts; ++k) {
#pragma omp simd
        for (unsigned i = 0; i < lanes; ++i) {
          const unsigned one = state[i] * 1664525u + 1013904223u, two = one * 1664525u + 1013904223u;
          const float x = static_cast<float>(static_cast<int>(one >> 8)) * (1.0f / 16777216.0f);
          const float y = static_cast<float>(static_cast<int>(two >> 8)) * (1.0f / 16777216.0f);
          count[i] += x * x + y * y <= 1.0f;
          state[i] = two;
        }
      }
      for (unsigned i = 0; i < lanes; ++i) total += count[i];
    }
    hits[block] = total;
  }
}

}  // namespace
