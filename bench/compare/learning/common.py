"""What several files of this folder use."""

import numpy as np


def normal(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def uniform(seed, low, high, *shape):
    return np.random.default_rng(seed).uniform(low, high, shape).astype(np.float32)


def zeros(*shape, dtype=np.float32):
    return np.zeros(shape, dtype)


def i32(value):
    return np.int32(value)


def f32(value):
    return np.float32(value)


# What the twins share: short names for vectors of 16 floats, exp, a reciprocal, a transposition of 16 x 16.
VECTORS = r"""
typedef __m512 V;
static inline V ld(const float* p) { return _mm512_loadu_ps(p); }
static inline void st(float* p, V v) { _mm512_storeu_ps(p, v); }
static inline V all(float x) { return _mm512_set1_ps(x); }
static inline V fma16(V a, V b, V c) { return _mm512_fmadd_ps(a, b, c); }
static inline V exp16(V x) {
  x = _mm512_max_ps(x, all(-87.0f));
  const V n = _mm512_roundscale_ps(_mm512_mul_ps(x, all(1.44269504f)), 8);
  V f = _mm512_fnmadd_ps(n, all(0.693359375f), x);
  f = _mm512_fnmadd_ps(n, all(-2.12194440e-4f), f);
  V p = fma16(all(1.9875691500e-4f), f, all(1.3981999507e-3f));
  p = fma16(p, f, all(8.3334519073e-3f));
  p = fma16(p, f, all(4.1665795894e-2f));
  p = fma16(p, f, all(1.6666665459e-1f));
  p = fma16(p, f, all(5.0000001201e-1f));
  p = fma16(p, _mm512_mul_ps(f, f), _mm512_add_ps(f, all(1.0f)));
  return _mm512_scalef_ps(p, n);
}
static inline V inverse16(V x) {
  const V r = _mm512_rcp14_ps(x);
  return _mm512_mul_ps(r, _mm512_fnmadd_ps(x, r, all(2.0f)));
}
static inline V sigmoid16(V x) { return inverse16(_mm512_add_ps(all(1.0f), exp16(_mm512_sub_ps(_mm512_setzero_ps(), x)))); }
static inline void transpose16(V* r) {
  V t[16], u[16];
#pragma GCC unroll 8
  for (int i = 0; i < 8; i++) {
    t[2 * i] = _mm512_unpacklo_ps(r[2 * i], r[2 * i + 1]);
    t[2 * i + 1] = _mm512_unpackhi_ps(r[2 * i], r[2 * i + 1]);
  }
#pragma GCC unroll 4
  for (int g = 0; g < 16; g += 4) {
    u[g] = (V)_mm512_unpacklo_pd((__m512d)t[g], (__m512d)t[g + 2]);
    u[g + 1] = (V)_mm512_unpackhi_pd((__m512d)t[g], (__m512d)t[g + 2]);
    u[g + 2] = (V)_mm512_unpacklo_pd((__m512d)t[g + 1], (__m512d)t[g + 3]);
    u[g + 3] = (V)_mm512_unpackhi_pd((__m512d)t[g + 1], (__m512d)t[g + 3]);
  }
#pragma GCC unroll 4
  for (int c = 0; c < 4; c++) {
    const V p = _mm512_shuffle_f32x4(u[c], u[4 + c], 0x88), q = _mm512_shuffle_f32x4(u[c], u[4 + c], 0xdd);
    const V s = _mm512_shuffle_f32x4(u[8 + c], u[12 + c], 0x88), w = _mm512_shuffle_f32x4(u[8 + c], u[12 + c], 0xdd);
    r[c] = _mm512_shuffle_f32x4(p, s, 0x88);
    r[8 + c] = _mm512_shuffle_f32x4(p, s, 0xdd);
    r[4 + c] = _mm512_shuffle_f32x4(q, w, 0x88);
    r[12 + c] = _mm512_shuffle_f32x4(q, w, 0xdd);
  }
}
static inline __m512i evens() { return _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30); }
static inline __m512i odds() { return _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31); }
static inline __m512i zip_low() { return _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23); }
static inline __m512i zip_high() { return _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31); }
"""
