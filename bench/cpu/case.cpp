// How results differ.
#include "case.hpp"

namespace bench {
namespace {

double value_of(float v) { return v; }
double value_of(double v) { return v; }

double value_of(Half half) {
  const int exponent = half.bits >> 10 & 31, fraction = half.bits & 1023;
  const double magnitude = exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
  return half.bits >> 15 ? -magnitude : magnitude;
}

template <class T>
double relative(const T* a, const T* b, std::size_t n) {
  double greatest = 0, scale = 1e-30;
  for (std::size_t i = 0; i < n; ++i) {
    const double difference = std::abs(value_of(a[i]) - value_of(b[i]));
    if (!(difference <= greatest)) greatest = difference;  // a NaN stays
    scale = std::max(scale, std::abs(value_of(b[i])));
  }
  return greatest / scale;
}

}  // namespace

double difference(const float* a, const float* b, std::size_t n) { return relative(a, b, n); }
double difference(const double* a, const double* b, std::size_t n) { return relative(a, b, n); }
double difference(const Half* a, const Half* b, std::size_t n) { return relative(a, b, n); }

double share_of_differing(const void* a, const void* b, std::size_t size, std::size_t n) {
  std::size_t different = 0;
  for (std::size_t i = 0; i < n; ++i)
    different += std::memcmp(static_cast<const char*>(a) + i * size, static_cast<const char*>(b) + i * size, size) != 0;
  return n ? static_cast<double>(different) / static_cast<double>(n) : 0;
}

}  // namespace bench
