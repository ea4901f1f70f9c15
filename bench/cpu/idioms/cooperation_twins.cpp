// Twins of what threads of a block do together.
#include <algorithm>
#include <memory>

#include "simd.hpp"
#include "twin.hpp"

namespace {

using namespace bench;

// Units: elements.
TWIN(greatest, const int* __restrict in, int* out, int) {
  int most = -2147483647;
#pragma omp simd reduction(max : most)
  for (int i = begin; i < end; ++i) most = std::max(most, in[i]);
  int now = __atomic_load_n(out, __ATOMIC_RELAXED);
  while (now < most && !__atomic_compare_exchange_n(out, &now, most, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

constexpr int bin_count = 4096;

TWIN(global_bins, const int* __restrict keys, int* bins, int) {
  int own[bin_count] = {};
  for (int i = begin; i < end; ++i) own[keys[i]] += i & 3;
  for (int k = 0; k < bin_count; ++k) __atomic_fetch_add(&bins[k], own[k], __ATOMIC_RELAXED);
}

float sum_of(const float* values, int count) {
  float total = 0;
#pragma omp simd reduction(+ : total)
  for (int i = 0; i < count; ++i) total += values[i];
  return total;
}

// Units: rows.
TWIN(dot, const float* __restrict a, const float* __restrict b, float* __restrict out, int width) {
  for (int row = begin; row < end; ++row) {
    float total = 0;
#pragma omp simd reduction(+ : total)
    for (int i = row * width; i < (row + 1) * width; ++i) total += a[i] * b[i];
    out[row] = total;
  }
}

// Units: 256 elements.
TWIN(shuffle_scan, const float* __restrict in, float* __restrict out) {
  for (int block = begin; block < end; ++block) scan(in + block * 256, out + block * 256, 256);
}

// Units: 256 elements.
TWIN(scan_in_place, const int* __restrict in, int* __restrict out) {
  for (int block = begin; block < end; ++block) {
    int sum = 0;
    for (int i = block * 256; i < (block + 1) * 256; ++i) out[i] = sum += in[i];
  }
}

// Units: 128 keys.
TWIN(rank_sort, const float* __restrict in, float* __restrict out) {
  for (int block = begin; block < end; ++block) {
    const float* keys = in + block * 128;
    int ranks[128] = {};
    for (int k = 0; k < 128; ++k) {
      const float other = keys[k];
#pragma omp simd
      for (int t = 0; t < 128; ++t) ranks[t] += (other < keys[t]) | ((other == keys[t]) & (k < t));
    }
    for (int t = 0; t < 128; ++t) out[block * 128 + ranks[t]] = keys[t];
  }
}

// Units: warps.
TWIN(warp_sums, const float* __restrict in, float* __restrict out) {
  for (int warp = begin; warp < end; ++warp) out[warp] = sum_of(in + warp * 32, 32);
}

TWIN(warp_scan, const float* __restrict in, float* __restrict out) {
  for (int warp = begin; warp < end; ++warp) scan(in + warp * 32, out + warp * 32, 32);
}

TWIN(above_first, const float* __restrict in, float* __restrict out) {
  for (int warp = begin; warp < end; ++warp) {
    const float* from = in + warp * 32;
    const float first = from[0];
    int above = 0;
#pragma omp simd reduction(+ : above)
    for (int i = 0; i < 32; ++i) above += from[i] > first;
#pragma omp simd
    for (int i = 0; i < 32; ++i) out[warp * 32 + i] = (from[i] - first) * static_cast<float>(above);
  }
}

// Units: rows.
TWIN(plane, const float* __restrict in, float* __restrict out, int width, int) {
  for (int y = begin; y < end; ++y) {
#pragma omp simd
    for (int x = 0; x < width; ++x)
      out[y * width + x] = in[y * width + x] * 2.0f + static_cast<float>(x) + static_cast<float>(y);
  }
}

// Units: planes but the last.
TWIN(space, const float* __restrict in, float* __restrict out, int nx, int ny, int) {
  const int area = nx * ny;
#pragma omp simd
  for (int i = begin * area; i < end * area; ++i) out[i] = in[i] + in[i + area];
}

TWIN(axpy, const float* __restrict x, float* __restrict y, float a, int) {
#pragma omp simd
  for (int i = begin; i < end; ++i) y[i] = a * x[i] + y[i];
}

// Units: 192 elements.
TWIN(reverse, const float* __restrict in, float* __restrict out) {
  for (int block = begin; block < end; ++block) {
    const float* last = in + block * 192 + 191;
#pragma omp simd
    for (int t = 0; t < 192; ++t) out[block * 192 + t] = last[-t];
  }
}

// Units: 1024 elements.
TWIN(tree, const float* __restrict in, float* __restrict out) {
  for (int block = begin; block < end; ++block) out[block] = sum_of(in + block * 1024, 1024);
}

// Units: 8 elements.
TWIN(sums_of_8, const float* __restrict in, float* __restrict out) {
#pragma omp simd
  for (int i = begin; i < end; ++i) {
    const float* v = in + 8 * i;
    out[i] = ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
  }
}

// Units: 256 elements.
TWIN(ring, const float* __restrict in, float* __restrict out) {
  for (int block = begin; block < end; ++block) {
    float twice[512];
    for (int i = 0; i < 512; ++i) twice[i] = in[block * 256 + i % 256];
    for (int first = 0; first < 256; first += 64) {
      float sums[64] = {};
      for (int i = 0; i < 256; ++i)
#pragma omp simd
        for (int l = 0; l < 64; ++l) sums[l] += twice[i] * twice[first + l + i];
      std::copy_n(sums, 64, out + block * 256 + first);
    }
  }
}

}  // namespace
