// Twins of the whole kernels of other kinds.
#include <immintrin.h>

#include <cmath>
#include <cstring>

#include "simd.hpp"
#include "twin.hpp"

namespace {

using namespace bench;

// Units: rows. A register of points under a mask: neither compiler vectorises the loop over iterations.
TWIN(mandel, int* __restrict out, int width, int height, int limit) {
  Floats lane;
  for (int i = 0; i < lanes; ++i) lane[i] = static_cast<float>(i);
  for (int y = begin; y < end; ++y) {
    for (int x = 0; x < width; x += lanes) {
      const Floats cr = -2.0f + 3.0f * (lane + static_cast<float>(x)) / static_cast<float>(width);
      const Floats ci = Floats{} + (-1.5f + 3.0f * static_cast<float>(y) / static_cast<float>(height));
      Floats zr = {}, zi = {};
#ifdef __AVX512F__
      __m512i count = _mm512_setzero_si512();
      for (int k = 0; k < limit; ++k) {
        const Floats rr = zr * zr, ii = zi * zi;
        const __mmask16 inside = _mm512_cmp_ps_mask(rr + ii, _mm512_set1_ps(4), _CMP_LE_OQ);
        if (!inside) break;
        const Floats product = zr * zi;
        zr = rr - ii + cr;  // points that are outside go on, uncounted
        zi = product + product + ci;
        count = _mm512_mask_add_epi32(count, inside, count, _mm512_set1_epi32(1));
      }
      store(out + y * width + x, count);
#else
      Ints count = {};
      for (int k = 0; k < limit; ++k) {
        const Floats rr = zr * zr, ii = zi * zi;
        const Ints inside = rr + ii <= 4.0f;
        if (!_mm256_movemask_ps(reinterpret_cast<__m256>(inside))) break;
        const Floats product = zr * zi;
        zr = rr - ii + cr;
        zi = product + product + ci;
        count -= inside;
      }
      store(out + y * width + x, count);
#endif
    }
  }
}

// Units: bodies, a multiple of 16.
TWIN(nbody, const float* __restrict bodies, float* __restrict accelerations, int n) {
  constexpr int group = 16;
  for (int first = begin; first < end; first += group) {
    float x[group], y[group], z[group], ax[group] = {}, ay[group] = {}, az[group] = {};
    for (int i = 0; i < group; ++i) {
      const float* body = bodies + 4 * (first + i);
      x[i] = body[0], y[i] = body[1], z[i] = body[2];
    }
    for (int j = 0; j < n; ++j) {
      const float* other = bodies + 4 * j;
#pragma omp simd
      for (int i = 0; i < group; ++i) {
        const float dx = other[0] - x[i], dy = other[1] - y[i], dz = other[2] - z[i];
        const float r = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + 1e-3f), weight = r * r * r * other[3];
        ax[i] += dx * weight, ay[i] += dy * weight, az[i] += dz * weight;
      }
    }
    for (int i = 0; i < group; ++i) {
      float* result = accelerations + 4 * (first + i);
      result[0] = ax[i], result[1] = ay[i], result[2] = az[i], result[3] = 0;
    }
  }
}

typedef float Eight __attribute__((vector_size(32)));

// Eight rows of eight in registers: pairs, quarters, halves change places.
void transpose_eight(const float* __restrict in, float* __restrict out, int n) {
  Eight r[8], s[8];
  for (int i = 0; i < 8; ++i) r[i] = load<Eight>(in + i * n);
  for (int i = 0; i < 8; i += 2) {
    s[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    s[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int i = 0; i < 8; i += 4) {
    for (int k = 0; k < 2; ++k) {
      r[i + 2 * k] = __builtin_shufflevector(s[i + k], s[i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      r[i + 2 * k + 1] = __builtin_shufflevector(s[i + k], s[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (int i = 0; i < 4; ++i) {
    store(out + i * n, __builtin_shufflevector(r[i], r[i + 4], 0, 1, 2, 3, 8, 9, 10, 11));
    store(out + (i + 4) * n, __builtin_shufflevector(r[i], r[i + 4], 4, 5, 6, 7, 12, 13, 14, 15));
  }
}

// Units: 16 columns of the input. Whole lines of the cache are written: 16 x 16 at a time.
TWIN(transpose, const float* __restrict in, float* __restrict out, int n) {
  for (int x = begin * 16; x < end * 16; x += 16)
    for (int y = 0; y < n; y += 16)
      for (int dx = 0; dx < 16; dx += 8)
        for (int dy = 0; dy < 16; dy += 8) transpose_eight(in + (y + dy) * n + x + dx, out + (x + dx) * n + y + dy, n);
}

template <int stride>
Words partners(Words v) {
#define AT(i) ((i) ^ stride)
#ifdef __AVX512F__
  return __builtin_shufflevector(v, v, AT(0), AT(1), AT(2), AT(3), AT(4), AT(5), AT(6), AT(7), AT(8), AT(9), AT(10),
                                 AT(11), AT(12), AT(13), AT(14), AT(15));
#else
  return __builtin_shufflevector(v, v, AT(0), AT(1), AT(2), AT(3), AT(4), AT(5), AT(6), AT(7));
#endif
#undef AT
}

// A step between keys of one register.
template <int stride>
void step_within(unsigned* keys, unsigned size) {
  Words lane;
  for (unsigned i = 0; i < lanes; ++i) lane[i] = i;
  const auto lower = (lane & stride) == 0;
  for (unsigned first = 0; first < 1024; first += lanes) {
    const Words v = load<Words>(keys + first), other = partners<stride>(v);
    const Words smaller = v < other ? v : other, greater = v < other ? other : v;
    const auto up = ((lane + first) & size) == 0;
    store(keys + first, lower == up ? smaller : greater);
  }
}

void step_between(unsigned* keys, int size, int stride) {
  for (int first = 0; first < 1024; first += 2 * stride) {
    const bool up = (first & size) == 0;
    for (int i = first; i < first + stride; i += lanes) {
      const Words a = load<Words>(keys + i), b = load<Words>(keys + i + stride);
      const Words smaller = a < b ? a : b, greater = a < b ? b : a;
      store(keys + i, up ? smaller : greater);
      store(keys + i + stride, up ? greater : smaller);
    }
  }
}

// Units: blocks of 1024 keys. The same network as the kernel's.
TWIN(bitonic, const unsigned* __restrict in, unsigned* __restrict out) {
  for (int block = begin; block < end; ++block) {
    unsigned* keys = out + block * 1024;
    std::memcpy(keys, in + block * 1024, 4096);
    for (int size = 2; size <= 1024; size *= 2) {
      const auto known = static_cast<unsigned>(size);
      for (int stride = size / 2; stride >= lanes; stride /= 2) step_between(keys, size, stride);
      if constexpr (lanes > 8)
        if (size >= 16) step_within<8>(keys, known);
      if (size >= 8) step_within<4>(keys, known);
      if (size >= 4) step_within<2>(keys, known);
      step_within<1>(keys, known);
    }
  }
}

void spmv(int begin, int end, const int* __restrict starts, const int* __restrict columns,
          const float* __restrict values, const float* __restrict x, float* __restrict y) {
  for (int row = begin; row < end; ++row) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int k = starts[row]; k < starts[row + 1]; ++k) sum += values[k] * x[columns[k]];
    y[row] = sum;
  }
}

// Units: rows, of few values: plain code has less to set up than vectors.
TWIN(spmv_thread, const int* __restrict starts, const int* __restrict columns, const float* __restrict values,
     const float* __restrict x, float* __restrict y, int) {
  for (int row = begin; row < end; ++row) {
    float even = 0, odd = 0;
    int k = starts[row];
    const int last = starts[row + 1];
    for (; k + 1 < last; k += 2) {
      even += values[k] * x[columns[k]];
      odd += values[k + 1] * x[columns[k + 1]];
    }
    if (k < last) even += values[k] * x[columns[k]];
    y[row] = even + odd;
  }
}

TWIN(spmv_warp, const int* __restrict starts, const int* __restrict columns, const float* __restrict values,
     const float* __restrict x, float* __restrict y, int) {
  spmv(begin, end, starts, columns, values, x, y);
}

// Units: rows.
TWIN(floyd_warshall, int* distances, int n, int k) {
  const int* via = distances + k * n;
  for (int i = begin; i < end; ++i) {
    int* row = distances + i * n;
    const int to = row[k];
#pragma omp simd
    for (int j = 0; j < n; ++j) row[j] = row[j] < to + via[j] ? row[j] : to + via[j];
  }
}

}  // namespace
