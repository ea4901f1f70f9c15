// Compiled twice, with BENCH_TWINS the name of the function that gives the table: gcc_twins or clang_twins.
#include "twins.hpp"

#include <algorithm>
#include <cmath>

namespace bench {
namespace {

void saxpy(int begin, int end, float a, const float* __restrict x, float* __restrict y) {
#pragma omp simd
  for (int i = begin; i < end; ++i) y[i] = a * x[i] + y[i];
}

void elem(int begin, int end, const float* __restrict x, const float* __restrict y, float* __restrict z) {
#pragma omp simd
  for (int i = begin; i < end; ++i) z[i] = expf(-x[i] * x[i]) * sinf(y[i]) + sqrtf(x[i] * x[i] + 1.0f);
}

// A tile of 16 x 16 results stays in registers while the row of tiles goes by.
void matmul(int begin, int end, const float* __restrict a, const float* __restrict b, float* __restrict c, int n) {
  for (int tile_row = begin * 16; tile_row < end * 16; tile_row += 16) {
    for (int tile_column = 0; tile_column < n; tile_column += 16) {
      float tile[16][16] = {};
      for (int k = 0; k < n; ++k) {
        for (int row = 0; row < 16; ++row) {
          const float factor = a[(tile_row + row) * n + k];
#pragma omp simd
          for (int column = 0; column < 16; ++column) tile[row][column] += factor * b[k * n + tile_column + column];
        }
      }
      for (int row = 0; row < 16; ++row) std::copy_n(tile[row], 16, c + (tile_row + row) * n + tile_column);
    }
  }
}

void sum(int begin, int end, const float* __restrict in, float* __restrict out, int width) {
  for (int i = begin; i < end; ++i) {
    const float* part = in + static_cast<long>(i) * width;
    float total = 0;
#pragma omp simd reduction(+ : total)
    for (int k = 0; k < width; ++k) total += part[k];
    out[i] = total;
  }
}

void stencil(int begin, int end, const float* __restrict in, float* __restrict out, int n) {
  constexpr int radius = 4;
  const auto edge = [&](int i) {
    float total = 0;
    for (int k = std::max(0, i - radius); k <= std::min(n - 1, i + radius); ++k) total += in[k];
    out[i] = total;
  };
  const int inner = std::clamp(radius, begin, end), last = std::clamp(n - radius, inner, end);
  for (int i = begin; i < inner; ++i) edge(i);
#pragma omp simd
  for (int i = inner; i < last; ++i) {
    float total = 0;
    for (int k = -radius; k <= radius; ++k) total += in[i + k];
    out[i] = total;
  }
  for (int i = last; i < end; ++i) edge(i);
}

void conv2d(int begin, int end, const float* __restrict in, const float* __restrict weights, float* __restrict out,
            int width, int height) {
  const auto edge = [&](int x, int y) {
    float total = 0;
    for (int j = std::max(0, 2 - y); j < std::min(5, height + 2 - y); ++j)
      for (int i = std::max(0, 2 - x); i < std::min(5, width + 2 - x); ++i)
        total += weights[j * 5 + i] * in[(y + j - 2) * width + x + i - 2];
    out[y * width + x] = total;
  };
  for (int y = begin; y < end; ++y) {
    if (y < 2 || y >= height - 2) {
      for (int x = 0; x < width; ++x) edge(x, y);
      continue;
    }
    for (const int x : {0, 1, width - 2, width - 1}) edge(x, y);
#pragma omp simd
    for (int x = 2; x < width - 2; ++x) {
      float total = 0;
      for (int j = 0; j < 5; ++j)
        for (int i = 0; i < 5; ++i) total += weights[j * 5 + i] * in[(y + j - 2) * width + x + i - 2];
      out[y * width + x] = total;
    }
  }
}

// 16 points at a time under a mask, by hand: neither compiler vectorises the loop over iterations.
void mandel(int begin, int end, int* __restrict out, int width, int height, int limit) {
  constexpr int lanes = 16;
  typedef float Floats __attribute__((vector_size(lanes * 4)));
  typedef int Ints __attribute__((vector_size(lanes * 4), aligned(4)));
  Floats lane;
  for (int i = 0; i < lanes; ++i) lane[i] = static_cast<float>(i);
  for (int y = begin; y < end; ++y) {
    for (int x = 0; x < width; x += lanes) {
      const Floats cr = -2.0f + 3.0f * (lane + static_cast<float>(x)) / static_cast<float>(width);
      const Floats ci = lane * 0.0f + (-1.5f + 3.0f * static_cast<float>(y) / static_cast<float>(height));
      Floats zr = lane * 0.0f, zi = zr;
      Ints count = {};
      for (int k = 0; k < limit; ++k) {
        const Floats rr = zr * zr, ii = zi * zi;
        const Ints inside = rr + ii <= 4.0f;
        int any = 0;
        for (int i = 0; i < lanes; ++i) any |= inside[i];
        if (!any) break;
        zi = inside ? 2.0f * zr * zi + ci : zi;
        zr = inside ? rr - ii + cr : zr;
        count -= inside;
      }
      *reinterpret_cast<Ints*>(out + y * width + x) = count;
    }
  }
}

void nbody(int begin, int end, const float* __restrict bodies, float* __restrict accelerations, int n) {
  constexpr int lanes = 16;
  for (int first = begin; first < end; first += lanes) {
    float x[lanes], y[lanes], z[lanes], ax[lanes] = {}, ay[lanes] = {}, az[lanes] = {};
    for (int i = 0; i < lanes; ++i) {
      const float* body = bodies + 4 * (first + i);
      x[i] = body[0], y[i] = body[1], z[i] = body[2];
    }
    for (int j = 0; j < n; ++j) {
      const float* other = bodies + 4 * j;
#pragma omp simd
      for (int i = 0; i < lanes; ++i) {
        const float dx = other[0] - x[i], dy = other[1] - y[i], dz = other[2] - z[i];
        const float r = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + 1e-3f), weight = r * r * r * other[3];
        ax[i] += dx * weight, ay[i] += dy * weight, az[i] += dz * weight;
      }
    }
    for (int i = 0; i < lanes; ++i) {
      float* result = accelerations + 4 * (first + i);
      result[0] = ax[i], result[1] = ay[i], result[2] = az[i], result[3] = 0;
    }
  }
}

}  // namespace

const Twins* BENCH_TWINS() {
  static const Twins twins{saxpy, elem, matmul, sum, stencil, conv2d, mandel, nbody};
  return &twins;
}

}  // namespace bench
