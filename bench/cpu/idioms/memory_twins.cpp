// Twins of the idioms of indices, types and places of memory. Units: elements, where nothing else is said.
#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "simd.hpp"
#include "twin.hpp"

namespace {

using namespace bench;

// Units: rows. Within a row only the first and the last column are at an edge.
template <class T, class F>
void rows_of_three(int begin, int end, const T* __restrict in, T* __restrict out, int width, int height, F f) {
  for (int y = begin; y < end; ++y) {
    const T* north = in + std::max(y - 1, 0) * width;
    const T* here = in + y * width;
    const T* south = in + std::min(y + 1, height - 1) * width;
    T* to = out + y * width;
    const auto at = [&](int left, int x, int right) {
      to[x] =
          f(north[left], north[x], north[right], here[left], here[x], here[right], south[left], south[x], south[right]);
    };
    at(0, 0, 1);
#pragma omp simd
    for (int x = 1; x < width - 1; ++x) at(x - 1, x, x + 1);
    at(width - 2, width - 1, width - 1);
  }
}

TWIN(clamped, const float* __restrict in, float* __restrict out, int width, int height) {
  rows_of_three(begin, end, in, out, width, height, [](auto... v) { return (v + ...) * (1.0f / 9); });
}

TWIN(erode, const unsigned char* __restrict in, unsigned char* __restrict out, int width, int height) {
  using Byte = unsigned char;
  const auto least = [](Byte a, Byte b) { return a < b ? a : b; };
  rows_of_three(begin, end, in, out, width, height,
                [=](Byte a, Byte b, Byte c, Byte d, Byte e, Byte f, Byte g, Byte h, Byte i) {
                  return least(least(least(least(a, b), least(c, d)), least(least(e, f), least(g, h))), i);
                });
}

TWIN(blurred, const float* __restrict in, float* __restrict out, int width, int, int radius) {
  std::vector<float> row(static_cast<std::size_t>(width + 2 * radius));
  for (int y = begin; y < end; ++y) {
    float* __restrict padded = row.data() + radius;
    std::copy_n(in + y * width, width, padded);
    std::fill_n(row.data(), radius, padded[0]);
    std::fill_n(padded + width, radius, padded[width - 1]);
    float* __restrict to = out + y * width;
    for (int x = 0; x + 2 * lanes <= width; x += 2 * lanes) {
      Floats a{}, b{};
      for (int i = x - radius; i <= x + radius; ++i) {
        a += load<Floats>(padded + i);
        b += load<Floats>(padded + i + lanes);
      }
      store(to + x, a);
      store(to + x + lanes, b);
    }
  }
}

// What the columns are is found once; a row of the image is stretched once for the rows that lie around it.
TWIN(enlarged, const float* __restrict in, float* __restrict out, int width, int height, int to_width, int to_height) {
  std::vector<int> places(static_cast<std::size_t>(2 * to_width));
  std::vector<float> weights(static_cast<std::size_t>(to_width)), stretched(static_cast<std::size_t>(2 * to_width));
  int *left = places.data(), *right = left + to_width;
  float* __restrict weight = weights.data();
  for (int x = 0; x < to_width; ++x) {
    const float at = std::max(
        (static_cast<float>(x) + 0.5f) * static_cast<float>(width) / static_cast<float>(to_width) - 0.5f, 0.0f);
    left[x] = static_cast<int>(at);
    right[x] = std::min(left[x] + 1, width - 1);
    weight[x] = at - static_cast<float>(left[x]);
  }
  int known[2] = {-1, -1};
  const auto row = [&](int y) {
    float* __restrict to = stretched.data() + y % 2 * to_width;
    if (std::exchange(known[y % 2], y) == y) return to;
    const float* from = in + y * width;
#pragma omp simd
    for (int x = 0; x < to_width; ++x) to[x] = from[left[x]] + weight[x] * (from[right[x]] - from[left[x]]);
    return to;
  };
  for (int y = begin; y < end; ++y) {
    const float at = std::max(
        (static_cast<float>(y) + 0.5f) * static_cast<float>(height) / static_cast<float>(to_height) - 0.5f, 0.0f);
    const int above = static_cast<int>(at), below = std::min(above + 1, height - 1);
    const float part = at - static_cast<float>(above);
    const float *top = row(above), *bottom = row(below);
    float* __restrict to = out + y * to_width;
#pragma omp simd
    for (int x = 0; x < to_width; ++x) to[x] = top[x] + part * (bottom[x] - top[x]);
  }
}

TWIN(wrapped, const float* __restrict in, float* __restrict out, int n) {
  const auto at = [&](int left, int i, int right) { out[i] = 0.25f * in[left] + 0.5f * in[i] + 0.25f * in[right]; };
  if (begin == 0) at(n - 1, 0, 1);
  if (end == n) at(n - 2, n - 1, 0);
  const int first = std::max(begin, 1), last = std::min(end, n - 1);
#pragma omp simd
  for (int i = first; i < last; ++i) at(i - 1, i, i + 1);
}

TWIN(guarded, const float* __restrict in, float* __restrict out, int width, int height) {
  for (int y = std::max(begin, 1); y < std::min(end, height - 1); ++y) {
#pragma omp simd
    for (int x = 1; x < width - 1; ++x) {
      const int i = y * width + x;
      out[i] = in[i - 1] + in[i + 1] + in[i - width] + in[i + width] - 4.0f * in[i];
    }
  }
}

typedef float Eight __attribute__((vector_size(32)));

// A structure is a register.
TWIN(particles, float* all, float dt, int) {
  const Eight step = {dt, dt, dt, 0, 0, 0, 0, 0}, fall = {0, 0, 0, 0, -9.81f * dt, 0, 0, 0};
  for (int i = begin; i < end; ++i) {
    const Eight p = load<Eight>(all + 8 * i) + fall;
    store(all + 8 * i, p + step * __builtin_shufflevector(p, p, 3, 4, 5, 3, 3, 3, 3, 3));
  }
}

TWIN(complex_product, const float* __restrict a, const float* __restrict b, float* __restrict c, int) {
#pragma omp simd
  for (int i = begin; i < end; ++i) {
    const float pr = a[2 * i], pi = a[2 * i + 1], qr = b[2 * i], qi = b[2 * i + 1];
    c[2 * i] = pr * qr - pi * qi;
    c[2 * i + 1] = pr * qi + pi * qr;
  }
}

// Two pixels a register.
TWIN(blend, const float* __restrict front, const float* __restrict back, float* __restrict out, int) {
  const auto over = [](Eight f, Eight b, Eight alpha, Eight one) { return f * one + b * (1.0f - alpha); };
  int i = begin;
  for (; i + 2 <= end; i += 2) {
    const Eight f = load<Eight>(front + 4 * i), b = load<Eight>(back + 4 * i);
    const Eight alpha = __builtin_shufflevector(f, f, 3, 3, 3, 3, 7, 7, 7, 7);
    const Eight ones = {1, 1, 1, 1, 1, 1, 1, 1};
    store(out + 4 * i, over(f, b, alpha, __builtin_shufflevector(alpha, ones, 0, 1, 2, 8, 4, 5, 6, 12)));
  }
  for (; i < end; ++i)
    for (int k = 0; k < 4; ++k) {
      const float alpha = front[4 * i + 3];
      out[4 * i + k] = front[4 * i + k] * (k < 3 ? alpha : 1.0f) + back[4 * i + k] * (1.0f - alpha);
    }
}

TWIN(grey, const unsigned char* __restrict in, unsigned char* __restrict out, int) {
#pragma omp simd
  for (int i = begin; i < end; ++i) {
    const auto sum = static_cast<unsigned short>(77 * in[4 * i] + 150 * in[4 * i + 1] + 29 * in[4 * i + 2]);
    out[i] = static_cast<unsigned char>(sum >> 8);
  }
}

TWIN(swapped, const unsigned char* __restrict in, unsigned char* __restrict out, int) {
#pragma omp simd
  for (int i = begin; i < end; ++i) {
    const unsigned char r = in[3 * i], g = in[3 * i + 1], b = in[3 * i + 2];
    out[3 * i] = b;
    out[3 * i + 1] = g;
    out[3 * i + 2] = r;
  }
}

TWIN(byte_dots, const signed char* __restrict rows, const signed char* __restrict x, int* __restrict y, int words) {
  for (int row = begin; row < end; ++row) {
    int sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < 4 * words; ++i) sum += rows[row * 4 * words + i] * x[i];
    y[row] = sum;
  }
}

TWIN(differences, const int* __restrict in, int* __restrict out, int) {
#pragma omp simd
  for (int i = begin; i < end; ++i) {
    const int x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2];
    out[3 * i] = y - z;
    out[3 * i + 1] = z - x;
    out[3 * i + 2] = x - y;
  }
}

TWIN(difference_of_bytes, const unsigned char* __restrict a, const unsigned char* __restrict b,
     unsigned char* __restrict out, int) {
#pragma omp simd
  for (int i = begin; i < end; ++i) out[i] = static_cast<unsigned char>(a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]);
}

TWIN(mix, const short* __restrict a, const short* __restrict b, short* __restrict out, int gain, int) {
#pragma omp simd
  for (int i = begin; i < end; ++i) {
    const int v = (a[i] * gain >> 15) + b[i];
    out[i] = static_cast<short>(v < -32768 ? -32768 : v > 32767 ? 32767 : v);
  }
}

TWIN(half_axpy, const std::uint16_t* __restrict x, std::uint16_t* __restrict y, float a, int) {
  const __m256 factor = _mm256_set1_ps(_cvtsh_ss(_cvtss_sh(a, 0)));
  int i = begin;
  for (; i + 8 <= end; i += 8) {
    const auto wide = [](const std::uint16_t* from) {
      return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
    };
    const __m256 sum = _mm256_fmadd_ps(factor, wide(x + i), wide(y + i));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(y + i), _mm256_cvtps_ph(sum, 0));
  }
  for (; i < end; ++i) y[i] = _cvtss_sh(_cvtsh_ss(_cvtss_sh(a, 0)) * _cvtsh_ss(x[i]) + _cvtsh_ss(y[i]), 0);
}

TWIN(doubles, const double* __restrict x, double* __restrict y, int) {
#pragma omp simd
  for (int i = begin; i < end; ++i) {
    const double v = x[i];
    double p = 0.1;
    for (int k = 0; k < 8; ++k) p = p * v + 0.5;
    y[i] = std::sqrt(p * p + 1.0) / (2.0 + v * v);
  }
}

// Units: pairs.
TWIN(normal_doubles, const double* __restrict x, double* __restrict y, int n) {
#pragma omp simd
  for (int i = begin; i < end; ++i) {
    const double r = std::sqrt(-2.0 * std::log(x[i])), angle = 6.283185307179586 * x[n / 2 + i];
    y[i] = r * std::cos(angle);
    y[n / 2 + i] = r * std::sin(angle);
  }
}

TWIN(mixed_bits, const std::uint64_t* __restrict in, std::uint64_t* __restrict out, unsigned long long) {
#pragma omp simd
  for (int i = begin; i < end; ++i) {
    std::uint64_t z = in[i] + 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    out[i] = z ^ (z >> 31);
  }
}

TWIN(long_index, const float* __restrict x, float* __restrict y, float a, long long) {
#pragma omp simd
  for (int i = begin; i < end; ++i) y[i] = a * x[i] + y[i];
}

#define FOUR(x) x, x + 0.1f, x + 0.3f, x + 0.7f
#define SIXTEEN(x) FOUR(x), FOUR(x + 1.f), FOUR(x * 2.f), FOUR(x * 3.f)
#define SIXTY_FOUR(x) SIXTEEN(x), SIXTEEN(x + 5.f), SIXTEEN(x + 9.f), SIXTEEN(x - 3.f)
TWIN(constant_table, const unsigned char* __restrict in, float* __restrict out, int) {
  static constexpr float curve[256] = {SIXTY_FOUR(1.f), SIXTY_FOUR(7.f), SIXTY_FOUR(20.f), SIXTY_FOUR(33.f)};
#pragma omp simd
  for (int i = begin; i < end; ++i) out[i] = curve[in[i]] + 1.0f;
}

// Units: 256 words. Four gathers take 1.5 times as long as four loads.
TWIN(shared_table, const unsigned* __restrict table, const unsigned* __restrict in, unsigned* __restrict out) {
  for (int i = begin * 256; i < end * 256; ++i) {
    unsigned v = in[i];
    __asm__("" : "+r"(v));  // compilers would gather
    out[i] = table[v & 255] ^ table[v >> 8 & 255] ^ table[v >> 16 & 255] ^ table[v >> 24];
  }
}

TWIN(gather, const float* __restrict table, const int* __restrict index, float* __restrict out, int) {
#pragma omp simd
  for (int i = begin; i < end; ++i) out[i] = table[index[i]] * 2.0f;
}

TWIN(scatter, const float* __restrict in, const int* __restrict index, float* __restrict out, int) {
  for (int i = begin; i < end; ++i) out[index[i]] = in[i] * 2.0f;
}

}  // namespace
