"""What several files of this folder use."""

import numpy as np

rng = np.random.default_rng(5)
i32, f32, u32 = np.int32, np.float32, np.uint32

WIDE = '#pragma GCC target("prefer-vector-width=512")\n'

TRANSPOSE16 = r"""
static inline void transpose16(__m512 *r) {
  __m512 t[16];
  for (int i = 0; i < 8; ++i) {
    t[2 * i] = _mm512_unpacklo_ps(r[2 * i], r[2 * i + 1]);
    t[2 * i + 1] = _mm512_unpackhi_ps(r[2 * i], r[2 * i + 1]);
  }
  for (int i = 0; i < 4; ++i) {
    __m512d a = _mm512_castps_pd(t[4 * i]), b = _mm512_castps_pd(t[4 * i + 1]);
    __m512d c = _mm512_castps_pd(t[4 * i + 2]), d = _mm512_castps_pd(t[4 * i + 3]);
    r[4 * i] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, c));
    r[4 * i + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, c));
    r[4 * i + 2] = _mm512_castpd_ps(_mm512_unpacklo_pd(b, d));
    r[4 * i + 3] = _mm512_castpd_ps(_mm512_unpackhi_pd(b, d));
  }
  for (int i = 0; i < 4; ++i) {
    t[i] = _mm512_shuffle_f32x4(r[i], r[i + 4], 0x88);
    t[i + 4] = _mm512_shuffle_f32x4(r[i], r[i + 4], 0xdd);
    t[i + 8] = _mm512_shuffle_f32x4(r[i + 8], r[i + 12], 0x88);
    t[i + 12] = _mm512_shuffle_f32x4(r[i + 8], r[i + 12], 0xdd);
  }
  for (int i = 0; i < 8; ++i) {
    r[i] = _mm512_shuffle_f32x4(t[i], t[i + 8], 0x88);
    r[i + 8] = _mm512_shuffle_f32x4(t[i], t[i + 8], 0xdd);
  }
}
"""


def blocks(n: int, size: int) -> int:
    return -(-n // size)


def smooth_bytes(height: int, width: int, channels: int) -> np.ndarray:
    """An image of waves with some noise."""
    y, x, c = np.meshgrid(np.arange(height), np.arange(width), np.arange(channels), indexing="ij")
    waves = 128 + 60 * np.sin(x / (11 + c)) + 50 * np.cos(y / (17 - c)) + rng.normal(0, 8, (height, width, channels))
    return np.clip(waves, 0, 255).astype(np.uint8)


def smooth_floats(height: int, width: int) -> np.ndarray:
    return smooth_bytes(height, width, 1)[:, :, 0].astype(f32) / f32(255)


# 1. interleaved bytes, channels in an inner loop
