// Twins of stencils and convolutions. Units: results or rows, where nothing else is said.
#include <algorithm>

#include "simd.hpp"
#include "twin.hpp"

namespace {

using namespace bench;

TWIN(stencil, const float* __restrict in, float* __restrict out, int n) {
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

// Units: planes, from the second to the last but one.
TWIN(stencil3d, const float* __restrict in, float* __restrict out, int nx, int ny, int, float c0, float c1) {
  static const float zeros[1024] = {};
  const int stride = nx * ny;
  for (int z = begin + 1; z < end + 1; ++z) {
    for (int y = 0; y < ny; ++y) {
      const float* here = in + z * stride + y * nx;
      const float* south = y > 0 ? here - nx : zeros;
      const float* north = y < ny - 1 ? here + nx : zeros;
      float* to = out + z * stride + y * nx;
      const auto at = [&](int x, float west, float east) {
        to[x] = c0 * here[x] + c1 * (west + east + south[x] + north[x] + here[x - stride] + here[x + stride]);
      };
      at(0, 0, here[1]);
#pragma omp simd
      for (int x = 1; x < nx - 1; ++x) at(x, here[x - 1], here[x + 1]);
      at(nx - 1, here[nx - 2], 0);
    }
  }
}

// Units: rows.
TWIN(conv2d, const float* __restrict in, const float* __restrict weights, float* __restrict out, int width,
     int height) {
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

constexpr int radius = 8;
constexpr float taps[2 * radius + 1] = {0.01f, 0.02f, 0.03f, 0.05f, 0.06f, 0.08f, 0.09f, 0.1f, 0.12f,
                                        0.1f,  0.09f, 0.08f, 0.06f, 0.05f, 0.03f, 0.02f, 0.01f};

// Units: rows.
TWIN(convolve_rows, const float* __restrict in, float* __restrict out, int width, int) {
  for (int y = begin; y < end; ++y) {
    const float* from = in + y * width;
    float* to = out + y * width;
    const auto edge = [&](int x) {
      float total = 0;
      for (int k = std::max(-radius, -x); k <= std::min(radius, width - 1 - x); ++k)
        total += taps[radius - k] * from[x + k];
      to[x] = total;
    };
    for (int x = 0; x < radius; ++x) edge(x);
#pragma omp simd
    for (int x = radius; x < width - radius; ++x) {
      float total = 0;
      for (int k = -radius; k <= radius; ++k) total += taps[radius - k] * from[x + k];
      to[x] = total;
    }
    for (int x = width - radius; x < width; ++x) edge(x);
  }
}

void column_edge(int y, const float* __restrict in, float* __restrict out, int width, int height) {
  const int low = std::max(-radius, -y), high = std::min(radius, height - 1 - y);
  for (int x = 0; x < width; x += lanes) {
    Floats total = {};
    for (int k = low; k <= high; ++k) total += taps[radius - k] * load<Floats>(in + (y + k) * width + x);
    store(out + y * width + x, total);
  }
}

// Units: rows. Four results a column share the rows they load: rows that are a power of two apart share few sets of the
// first cache.
TWIN(convolve_columns, const float* __restrict in, float* __restrict out, int width, int height) {
  for (int y = begin; y < end;) {
    if (y < radius || y + 4 > end || y + 4 > height - radius) {
      column_edge(y++, in, out, width, height);
      continue;
    }
    for (int x = 0; x < width; x += lanes) {
      Floats totals[4] = {};
      for (int j = -radius; j < radius + 4; ++j) {
        const Floats v = load<Floats>(in + (y + j) * width + x);
        for (int r = 0; r < 4; ++r)
          if (j >= r - radius && j <= r + radius) totals[r] += taps[radius + r - j] * v;
      }
      for (int r = 0; r < 4; ++r) store(out + (y + r) * width + x, totals[r]);
    }
    y += 4;
  }
}

}  // namespace
