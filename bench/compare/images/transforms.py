"""Cosines, wavelets, Fourier."""

import numpy as np
from cases import case
from images.common import TRANSPOSE16, f32, i32, rng, smooth_bytes

# 14. DCT

W, H = 256, 128
case(
    "dct 8x8 and quantisation",
    r"""
__constant__ float basis[64] = {
    0.35355339f, 0.35355339f,  0.35355339f,  0.35355339f,  0.35355339f,  0.35355339f,  0.35355339f,  0.35355339f,
    0.49039264f, 0.41573481f,  0.27778512f,  0.09754516f,  -0.09754516f, -0.27778512f, -0.41573481f, -0.49039264f,
    0.46193977f, 0.19134172f,  -0.19134172f, -0.46193977f, -0.46193977f, -0.19134172f, 0.19134172f,  0.46193977f,
    0.41573481f, -0.09754516f, -0.49039264f, -0.27778512f, 0.27778512f,  0.49039264f,  0.09754516f,  -0.41573481f,
    0.35355339f, -0.35355339f, -0.35355339f, 0.35355339f,  0.35355339f,  -0.35355339f, -0.35355339f, 0.35355339f,
    0.27778512f, -0.49039264f, 0.09754516f,  0.41573481f,  -0.41573481f, -0.09754516f, 0.49039264f,  -0.27778512f,
    0.19134172f, -0.46193977f, 0.46193977f,  -0.19134172f, -0.19134172f, 0.46193977f,  -0.46193977f, 0.19134172f,
    0.09754516f, -0.27778512f, 0.41573481f,  -0.49039264f, 0.49039264f,  -0.41573481f, 0.27778512f,  -0.09754516f};
__constant__ unsigned char table[64] = {16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26,  58,  60,  55,  14, 13, 16, 24,  40,  57,
                                        69, 56, 14, 17, 22, 29, 51, 87, 80, 62, 18, 22, 37,  56,  68,  109, 103, 77, 24, 35,  55,  64,
                                        81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99};

__global__ void dct(const unsigned char *image, short *coefficients, int width) {
  __shared__ float pixels[8][9], half[8][9];
  const int u = threadIdx.x, v = threadIdx.y;
  const int x = blockIdx.x * 8 + u, y = blockIdx.y * 8 + v;
  pixels[v][u] = image[y * width + x] - 128.0f;
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 8; k++) sum += basis[v * 8 + k] * pixels[k][u];
  half[v][u] = sum;
  __syncthreads();
  sum = 0;
#pragma unroll
  for (int k = 0; k < 8; k++) sum += half[v][k] * basis[u * 8 + k];
  coefficients[y * width + x] = (short)rintf(sum / table[v * 8 + u]);
}
""",
    r"""
typedef float f8 __attribute__((vector_size(32)));
alignas(64) static const float basis[64] = {
    0.35355339f, 0.35355339f,  0.35355339f,  0.35355339f,  0.35355339f,  0.35355339f,  0.35355339f,  0.35355339f,
    0.49039264f, 0.41573481f,  0.27778512f,  0.09754516f,  -0.09754516f, -0.27778512f, -0.41573481f, -0.49039264f,
    0.46193977f, 0.19134172f,  -0.19134172f, -0.46193977f, -0.46193977f, -0.19134172f, 0.19134172f,  0.46193977f,
    0.41573481f, -0.09754516f, -0.49039264f, -0.27778512f, 0.27778512f,  0.49039264f,  0.09754516f,  -0.41573481f,
    0.35355339f, -0.35355339f, -0.35355339f, 0.35355339f,  0.35355339f,  -0.35355339f, -0.35355339f, 0.35355339f,
    0.27778512f, -0.49039264f, 0.09754516f,  0.41573481f,  -0.41573481f, -0.09754516f, 0.49039264f,  -0.27778512f,
    0.19134172f, -0.46193977f, 0.46193977f,  -0.19134172f, -0.19134172f, 0.46193977f,  -0.46193977f, 0.19134172f,
    0.09754516f, -0.27778512f, 0.41573481f,  -0.49039264f, 0.49039264f,  -0.41573481f, 0.27778512f,  -0.09754516f};
static const uint8_t table[64] = {16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26,  58,  60,  55,  14, 13, 16, 24,  40,  57,
                                  69, 56, 14, 17, 22, 29, 51, 87, 80, 62, 18, 22, 37,  56,  68,  109, 103, 77, 24, 35,  55,  64,
                                  81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99};
void twin(const uint8_t *image, short *coefficients, int width) {
  const int height = 128;
  alignas(64) float inverse[64], half[64], across[8][8];
  for (int i = 0; i < 64; ++i) inverse[i] = 1.0f / table[i], across[i % 8][i / 8] = basis[i];
  for (int y = 0; y < height; y += 8) {
    for (int x = 0; x < width; x += 8) {
      __m256 sums[4], differences[4];
      for (int k = 0; k < 4; ++k) {
        auto load = [&](int r) {
          __m128i bytes = _mm_loadl_epi64((const __m128i *)(image + (y + r) * width + x));
          return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes));
        };
        __m256 a = load(k), b = load(7 - k);
        sums[k] = _mm256_sub_ps(_mm256_add_ps(a, b), _mm256_set1_ps(256));
        differences[k] = _mm256_sub_ps(a, b);
      }
      for (int v = 0; v < 8; ++v) {
        const __m256 *s = v % 2 ? differences : sums;
        __m256 sum = _mm256_mul_ps(_mm256_set1_ps(basis[8 * v]), s[0]);
        for (int k = 1; k < 4; ++k) sum = _mm256_fmadd_ps(_mm256_set1_ps(basis[8 * v + k]), s[k], sum);
        _mm256_store_ps(half + 8 * v, sum);
      }
      for (int v = 0; v < 8; ++v) {
        __m256 sum = _mm256_mul_ps(_mm256_broadcast_ss(half + 8 * v), _mm256_load_ps(across[0]));
        __m256 more = _mm256_mul_ps(_mm256_broadcast_ss(half + 8 * v + 1), _mm256_load_ps(across[1]));
        for (int k = 2; k < 8; k += 2) {
          sum = _mm256_fmadd_ps(_mm256_broadcast_ss(half + 8 * v + k), _mm256_load_ps(across[k]), sum);
          more = _mm256_fmadd_ps(_mm256_broadcast_ss(half + 8 * v + k + 1), _mm256_load_ps(across[k + 1]), more);
        }
        sum = _mm256_mul_ps(_mm256_add_ps(sum, more), _mm256_load_ps(inverse + 8 * v));
        __m256i whole = _mm256_cvtps_epi32(sum);
        __m128i shorts = _mm_packs_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1));
        _mm_storeu_si128((__m128i *)(coefficients + (y + v) * width + x), shorts);
      }
    }
  }
}
""",
    [smooth_bytes(H, W, 1), np.zeros((H, W), np.int16), i32(W)],
    (W // 8, H // 8),
    (8, 8),
    tolerance=0.02,
)

# 15. wavelet

W, H = 512, 256
case(
    "wavelet 5/3 rows, three levels, shorts",
    r"""
__global__ void lift_rows(const short *image, short *bands) {
  __shared__ short line[512], high[256];
  const int t = threadIdx.x;
  const short *row = image + blockIdx.x * 512;
  line[t] = row[t];
  line[t + 256] = row[t + 256];
  __syncthreads();
  for (int half = 256; half >= 64; half /= 2) {
    int even = 0, odd = 0;
    if (t < half) {
      even = line[2 * t];
      odd = line[2 * t + 1];
      int next = t + 1 < half ? line[2 * t + 2] : even;
      high[t] = (short)(odd - ((even + next) >> 1));
    }
    __syncthreads();
    if (t < half) {
      int here = high[t], before = t > 0 ? high[t - 1] : here;
      line[t] = (short)(even + ((before + here + 2) >> 2));
      line[half + t] = (short)here;
    }
    __syncthreads();
  }
  bands[blockIdx.x * 512 + t] = line[t];
  bands[blockIdx.x * 512 + t + 256] = line[t + 256];
}
""",
    r"""
void twin(const int16_t *image, int16_t *bands) {
  const int height = 256;
  alignas(64) static int16_t memory[3][64 + 512 + 64];
  alignas(64) int16_t places[2][32];
  for (int i = 0; i < 32; ++i) places[0][i] = int16_t(2 * i), places[1][i] = int16_t(2 * i + 1);
  const __m512i evens = _mm512_load_si512(places[0]), odds = _mm512_load_si512(places[1]), two = _mm512_set1_epi16(2);
  int16_t *even = memory[0] + 64, *odd = memory[1] + 64, *low = memory[2] + 64;
  for (int y = 0; y < height; ++y) {
    const int16_t *from = image + 512 * y;
    int16_t *out = bands + 512 * y;
    for (int half = 256; half >= 64; half /= 2) {
      for (int i = 0; i < half; i += 32) {
        __m512i a = _mm512_loadu_si512(from + 2 * i), b = _mm512_loadu_si512(from + 2 * i + 32);
        _mm512_store_si512(even + i, _mm512_permutex2var_epi16(a, evens, b));
        _mm512_store_si512(odd + i, _mm512_permutex2var_epi16(a, odds, b));
      }
      even[half] = even[half - 1];
      // samples have 12 bits, so sums fit
      int16_t *high = out + half;
      __m512i previous = _mm512_setzero_si512();
      for (int i = 0; i < half; i += 32) {
        __m512i e = _mm512_load_si512(even + i), n = _mm512_loadu_si512(even + i + 1);
        __m512i h = _mm512_sub_epi16(_mm512_load_si512(odd + i), _mm512_srai_epi16(_mm512_add_epi16(e, n), 1));
        _mm512_storeu_si512(high + i, h);
        if (i == 0) previous = _mm512_broadcastw_epi16(_mm512_castsi512_si128(h));
        __m512i words = _mm512_alignr_epi32(h, previous, 15);
        __m512i before = _mm512_or_si512(_mm512_slli_epi32(h, 16), _mm512_srli_epi32(words, 16));
        previous = h;
        __m512i l = _mm512_add_epi16(e, _mm512_srai_epi16(_mm512_add_epi16(_mm512_add_epi16(before, h), two), 2));
        _mm512_store_si512((half == 64 ? out : low) + i, l);
      }
      from = low;
    }
  }
}
""",
    [(smooth_bytes(H, W, 1)[:, :, 0].astype(np.int16) - 128) * 8, np.zeros((H, W), np.int16)],
    H,
    256,
)

# 16. FFT

BATCH = 128
case(
    "fft 256 points, radix 2, shared",
    r"""
// a block per transform
__global__ void fft256(const float2 *input, float *output) {
  __shared__ float2 data[256];
  const int t = threadIdx.x;
  const float2 *in = input + blockIdx.x * 256;
  for (int i = t; i < 256; i += blockDim.x) data[__brev(i) >> 24] = in[i];
  __syncthreads();
  for (int half = 1; half < 256; half *= 2) {
    const int k = t & (half - 1);
    const int a = 2 * (t - k) + k, b = a + half;
    float s, c;
    __sincosf(-3.14159265358979f * k / half, &s, &c);
    const float2 p = data[a], q = data[b];
    const float2 r = make_float2(q.x * c - q.y * s, q.x * s + q.y * c);
    data[a] = make_float2(p.x + r.x, p.y + r.y);
    data[b] = make_float2(p.x - r.x, p.y - r.y);
    __syncthreads();
  }
  for (int i = t; i < 256; i += blockDim.x) ((float2 *)output)[blockIdx.x * 256 + i] = data[i];
}
""",
    TRANSPOSE16
    + r"""
typedef __m512 V;
static inline void fft4(V &ar, V &ai, V &br, V &bi, V &cr, V &ci, V &dr, V &di) {
  V s0r = ar + cr, s0i = ai + ci, s1r = ar - cr, s1i = ai - ci;
  V s2r = br + dr, s2i = bi + di, s3r = br - dr, s3i = bi - di;
  ar = s0r + s2r, ai = s0i + s2i;
  br = s1r + s3i, bi = s1i - s3r;
  cr = s0r - s2r, ci = s0i - s2i;
  dr = s1r - s3i, di = s1i + s3r;
}
// 16 transforms of 16 points at once; the result is in natural order
static inline void fft16(V *r, V *i) {
  static const float co[10] = {1, 0.92387953f, 0.70710678f, 0.38268343f, 0, 0, -0.70710678f, 0, 0, -0.92387953f};
  static const float si[10] = {0, 0.38268343f, 0.70710678f, 0.92387953f, 1, 0, 0.70710678f, 0, 0, -0.38268343f};
  for (int a = 0; a < 4; ++a) fft4(r[a], i[a], r[a + 4], i[a + 4], r[a + 8], i[a + 8], r[a + 12], i[a + 12]);
#pragma GCC unroll 4
  for (int k = 1; k < 4; ++k)
#pragma GCC unroll 4
    for (int a = 1; a < 4; ++a) {
      V c = _mm512_set1_ps(co[a * k]), s = _mm512_set1_ps(si[a * k]);
      V x = r[a + 4 * k], y = i[a + 4 * k];
      r[a + 4 * k] = x * c + y * s, i[a + 4 * k] = y * c - x * s;
    }
  V tr[16], ti[16];
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) {
    fft4(r[4 * k], i[4 * k], r[4 * k + 1], i[4 * k + 1], r[4 * k + 2], i[4 * k + 2], r[4 * k + 3], i[4 * k + 3]);
    for (int m = 0; m < 4; ++m) tr[k + 4 * m] = r[4 * k + m], ti[k + 4 * m] = i[4 * k + m];
  }
  for (int m = 0; m < 16; ++m) r[m] = tr[m], i[m] = ti[m];
}
void twin(const float *input, float *output) {
  alignas(64) static float cosines[16][16], sines[16][16];
  static bool ready = false;
  if (!ready) {
    for (int k = 0; k < 16; ++k)
      for (int n = 0; n < 16; ++n) cosines[k][n] = float(std::cos(2 * M_PI * k * n / 256)), sines[k][n] = float(std::sin(2 * M_PI * k * n / 256));
    ready = true;
  }
  const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
  const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
  const __m512i low = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
  const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
  for (int f = 0; f < 128; ++f) {
    const float *in = input + 512 * f;
    float *out = output + 512 * f;
    V r[16], i[16];
    for (int n = 0; n < 16; ++n) {
      V a = _mm512_loadu_ps(in + 32 * n), b = _mm512_loadu_ps(in + 32 * n + 16);
      r[n] = _mm512_permutex2var_ps(a, even, b), i[n] = _mm512_permutex2var_ps(a, odd, b);
    }
    fft16(r, i);
    for (int k = 1; k < 16; ++k) {
      V c = _mm512_load_ps(cosines[k]), s = _mm512_load_ps(sines[k]), x = r[k], y = i[k];
      r[k] = x * c + y * s, i[k] = y * c - x * s;
    }
    transpose16(r);
    transpose16(i);
    fft16(r, i);
    for (int k = 0; k < 16; ++k) {
      _mm512_storeu_ps(out + 32 * k, _mm512_permutex2var_ps(r[k], low, i[k]));
      _mm512_storeu_ps(out + 32 * k + 16, _mm512_permutex2var_ps(r[k], high, i[k]));
    }
  }
}
""",
    [rng.normal(0, 1, (BATCH, 512)).astype(f32).view(np.complex64), np.zeros((BATCH, 512), f32)],
    BATCH,
    128,
    results=[1],
)
