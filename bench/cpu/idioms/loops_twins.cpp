// Twins of the idioms of loops and conditions.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "simd.hpp"
#include "twin.hpp"

namespace {

using namespace bench;

// Units: cells.
TWIN(lattice, const float* __restrict in, float* __restrict out, int cells) {
  constexpr float weights[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
  constexpr float cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  const auto cell = [&](auto read, auto write) {
    const auto f0 = read(0), f1 = read(1), f2 = read(2), f3 = read(3), f4 = read(4), f5 = read(5), f6 = read(6),
               f7 = read(7), f8 = read(8);
    const auto density = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8;
    const auto ux = (f1 - f3 + f5 - f6 - f7 + f8) / density, uy = (f2 - f4 + f5 + f6 - f7 - f8) / density;
    const auto squared = 1.0f - 1.5f * (ux * ux + uy * uy);
    const decltype(f0) all[9] = {f0, f1, f2, f3, f4, f5, f6, f7, f8};
    for (int k = 0; k < 9; ++k) {
      const auto along = 3.0f * (cx[k] * ux + cy[k] * uy);
      const auto rest = weights[k] * density * (squared + along + 0.5f * along * along);
      write(k, all[k] + 0.6f * (rest - all[k]));
    }
  };
  int i = begin;
  for (; i + lanes <= end; i += lanes)
    cell([&](int k) { return load<Floats>(in + k * cells + i); },
         [&](int k, Floats v) { store(out + k * cells + i, v); });
  for (; i < end; ++i) cell([&](int k) { return in[k * cells + i]; }, [&](int k, float v) { out[k * cells + i] = v; });
}

// Units: results. A network of seven exchanges finds the median of five.
TWIN(median, const float* __restrict in, float* __restrict out, int) {
#pragma omp simd
  for (int i = begin; i < end; ++i) {
    const float a = in[i], b = in[i + 1], c = in[i + 2], d = in[i + 3], e = in[i + 4];
    const float low = std::max(std::min(a, b), std::min(c, d)), high = std::min(std::max(a, b), std::max(c, d));
    out[i] = std::max(std::min(low, high), std::min(std::max(low, high), e));
  }
}

// Units: rows.
TWIN(row_norm, const float* __restrict in, float* __restrict out, int, int width) {
  for (int row = begin; row < end; ++row) {
    const float* from = in + row * width;
    float* to = out + row * width;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < width; ++i) sum += from[i] * from[i];
    const float scale = 1.0f / sqrtf(sum / static_cast<float>(width) + 1e-5f);
#pragma omp simd
    for (int i = 0; i < width; ++i) to[i] = from[i] * scale;
  }
}

TWIN(softmax, const float* __restrict in, float* __restrict out, int width) {
  for (int row = begin; row < end; ++row) {
    const float* from = in + row * width;
    float* to = out + row * width;
    float greatest = -1e30f, sum = 0;
#pragma omp simd reduction(max : greatest)
    for (int i = 0; i < width; ++i) greatest = std::max(greatest, from[i]);
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < width; ++i) {
      to[i] = expf(from[i] - greatest);
      sum += to[i];
    }
    const float scale = 1.0f / sum;
#pragma omp simd
    for (int i = 0; i < width; ++i) to[i] *= scale;
  }
}

// Units: elements.
TWIN(grid_stride, const float* __restrict x, float* __restrict y, float a, int) {
#pragma omp simd
  for (int i = begin; i < end; ++i) y[i] = a * x[i] + y[i];
}

constexpr int stretch = 256;

// Units: stretches of 256.
TWIN(sweeps, const float* __restrict in, float* __restrict out, int count) {
  for (int block = begin; block < end; ++block) {
    float one[stretch + 2] = {}, two[stretch + 2] = {};
    float *now = one, *next = two;
    std::copy_n(in + block * stretch, stretch, one + 1);
    for (int k = 0; k < count; ++k) {
#pragma omp simd
      for (int i = 1; i <= stretch; ++i) next[i] = 0.25f * now[i - 1] + 0.5f * now[i] + 0.25f * now[i + 1];
      std::swap(now, next);
    }
    std::copy_n(now + 1, stretch, out + block * stretch);
  }
}

// Units: stretches of 256, the last of which ends at n.
TWIN(early_exit, const float* __restrict in, float* __restrict out, int n) {
  for (int block = begin; block < end; ++block) {
    const int first = block * stretch, live = std::min(stretch, n - first);
#pragma omp simd
    for (int i = 0; i < live; ++i) out[first + i] = in[first + i] + in[first + live - 1 - i];
  }
}

// Units: numbers. Two registers under masks: one alone waits for itself.
TWIN(collatz, int* __restrict steps, int) {
  constexpr int group = 2 * lanes;
  Words lane;
  for (unsigned i = 0; i < lanes; ++i) lane[i] = i;
  int first = begin;
  for (; first + group <= end; first += group) {
    Words a = lane + static_cast<unsigned>(first + 1), b = a + static_cast<unsigned>(lanes);
    Ints done_a = {}, done_b = {}, count_a = {}, count_b = {};
    for (;;) {
      done_a = a == 1u, done_b = b == 1u;
      const Ints going = ~(done_a & done_b);
      bool any = false;
      for (int i = 0; i < lanes; ++i) any |= going[i] != 0;
      if (!any) break;
      count_a += 1 + done_a, count_b += 1 + done_b;
      const Words next_a = (a & 1u) != 0u ? 3u * a + 1u : a >> 1, next_b = (b & 1u) != 0u ? 3u * b + 1u : b >> 1;
      a = done_a != 0 ? a : next_a;
      b = done_b != 0 ? b : next_b;
    }
    store(steps + first, count_a);
    store(steps + first + lanes, count_b);
  }
  for (; first < end; ++first) {
    unsigned v = static_cast<unsigned>(first + 1);
    int count = 0;
    for (; v != 1; ++count) v = v & 1 ? 3 * v + 1 : v / 2;
    steps[first] = count;
  }
}

// Units: elements. All branches, then what holds.
TWIN(piecewise, const float* __restrict in, float* __restrict out, int) {
#pragma omp simd
  for (int i = begin; i < end; ++i) {
    const float x = in[i], square = x * x;
    const float negative = x < -1 ? -2.0f * x - 1.0f : square > 0.25f ? square + 0.5f * x : square;
    const float above = x > 1.5f ? 2.0f - x * 0.5f : square * x;
    out[i] = x < 0 ? negative : x < 1 ? sqrtf(std::max(x, 0.0f)) : above;
  }
}

// Units: rows.
TWIN(jacobi, const float* __restrict a, const float* __restrict b, const float* __restrict x, float* __restrict y,
     int n) {
  for (int i = begin; i < end; ++i) {
    const float* row = a + i * n;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int j = 0; j < n; ++j) sum += row[j] * x[j];
    y[i] = (b[i] - (sum - row[i] * x[i])) / row[i];
  }
}

// Units: rows.
TWIN(ragged, const int* __restrict starts, const float* __restrict values, float* __restrict sums, int) {
  for (int i = begin; i < end; ++i) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int j = starts[i]; j < starts[i + 1]; ++j) sum += values[j];
    sums[i] = sum;
  }
}

// Units: points. Lanes are points, whose coordinates are turned round first.
TWIN(nearest, const float* __restrict points, const float* __restrict centres, int* __restrict which, int, int count,
     int width) {
  constexpr int group = 32, most = 128;
  for (int first = begin; first < end; first += group) {
    const int live = std::min(group, end - first);
    float of[most][group] = {}, least[group];
    int at[group] = {};
    for (int l = 0; l < live; ++l)
      for (int j = 0; j < width; ++j) of[j][l] = points[(first + l) * width + j];
    std::fill_n(least, group, 3e38f);
    for (int c = 0; c < count; ++c) {
      float distance[group] = {};
      for (int j = 0; j < width; ++j) {
        const float x = centres[c * width + j];
#pragma omp simd
        for (int l = 0; l < group; ++l) distance[l] += (of[j][l] - x) * (of[j][l] - x);
      }
#pragma omp simd
      for (int l = 0; l < group; ++l) {
        at[l] = distance[l] < least[l] ? c : at[l];
        least[l] = std::min(least[l], distance[l]);
      }
    }
    std::copy_n(at, live, which + first);
  }
}

// Units: places. All of the word is compared at each.
TWIN(search, const char* __restrict text, const char* __restrict word, int length, int* __restrict found, int n) {
  const int last = std::min(end, n - length + 1);
  constexpr int stretch = 256;
  for (int first = begin; first < last; first += stretch) {
    const int live = std::min(stretch, last - first);
    unsigned char differs[stretch] = {};
    for (int j = 0; j < length; ++j)
#pragma omp simd
      for (int i = 0; i < live; ++i) differs[i] |= static_cast<unsigned char>(text[first + i + j] ^ word[j]);
#pragma omp simd
    for (int i = 0; i < live; ++i) found[first + i] = differs[i] == 0;
  }
}

// Units: 64 results.
TWIN(so_far, const float* __restrict in, float* __restrict out, int) {
  for (int tile = begin; tile < end; ++tile) {
    const int first = tile * 64;
    float sums[64] = {};
    for (int j = 0; j <= first; ++j)
#pragma omp simd
      for (int l = 0; l < 64; ++l) sums[l] += in[j] * in[first + l - j];
    for (int l = 0; l < 64; ++l) {
      for (int j = first + 1; j <= first + l; ++j) sums[l] += in[j] * in[first + l - j];
      out[first + l] = sums[l];
    }
  }
}

// Units: blocks, of 64.
TWIN(moments, const float* __restrict in, float* __restrict out, int n) {
  for (int block = begin; block < end; ++block) {
    float sum = 0, square = 0;
    for (int row = block * 256; row < n; row += 64 * 256)
#pragma omp simd reduction(+ : sum, square)
      for (int i = row; i < row + 256; ++i) {
        sum += in[i];
        square += in[i] * in[i];
      }
    out[2 * block] = sum;
    out[2 * block + 1] = square;
  }
}

// Units: 16 rows. 64 keys at a time, by columns.
TWIN(causal, const float* __restrict q, const float* __restrict keys, float* __restrict scores, int n, int depth) {
  std::vector<float> columns(static_cast<std::size_t>(depth) * 64);
  for (int tile = 0; tile < n; tile += 64) {
    for (int j = 0; j < 64; ++j)
      for (int d = 0; d < depth; ++d) columns[d * 64 + j] = keys[(tile + j) * depth + d];
    for (int i = begin * 16; i < end * 16; i += 4) {
      float sums[4][64] = {};
      for (int d = 0; tile <= i + 3 && d < depth; ++d)
        for (int u = 0; u < 4; ++u)
#pragma omp simd
          for (int j = 0; j < 64; ++j) sums[u][j] += q[(i + u) * depth + d] * columns[d * 64 + j];
      for (int u = 0; u < 4; ++u)
#pragma omp simd
        for (int j = 0; j < 64; ++j) scores[(i + u) * n + tile + j] = tile + j > i + u ? -1e9f : sums[u][j];
    }
  }
}

// Units: sequences.
TWIN(likeliest, const float* __restrict emitted, const float* __restrict moves, float* __restrict out, int steps) {
  for (int block = begin; block < end; ++block) {
    float now[64], best[64];
    for (int s = 0; s < 64; ++s) now[s] = emitted[block * steps * 64 + s];
    for (int t = 1; t < steps; ++t) {
      for (int s = 0; s < 64; ++s) best[s] = -1e30f;
      for (int from = 0; from < 64; ++from)
#pragma omp simd
        for (int s = 0; s < 64; ++s) best[s] = std::max(best[s], now[from] + moves[from * 64 + s]);
      for (int s = 0; s < 64; ++s) now[s] = best[s] + emitted[(block * steps + t) * 64 + s];
    }
    for (int s = 0; s < 64; ++s) out[block * 64 + s] = now[s];
  }
}

}  // namespace
