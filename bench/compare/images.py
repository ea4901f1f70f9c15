"""Images, signals, video, compression, text and bytes: 30 kernels as users write them, for compare.py."""

import math

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

W, H = 400, 300
case(
    "sharpen 3x3, interleaved rgb",
    r"""
__global__ void sharpen(const unsigned char *src, unsigned char *dst, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  for (int c = 0; c < 3; c++) {
    int idx = (y * width + x) * 3 + c;
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
      dst[idx] = src[idx];
      continue;
    }
    int sum = 9 * src[idx];
    for (int dy = -1; dy <= 1; dy++)
      for (int dx = -1; dx <= 1; dx++)
        if (dx != 0 || dy != 0) sum -= src[((y + dy) * width + x + dx) * 3 + c];
    dst[idx] = (unsigned char)min(max(sum, 0), 255);
  }
}
""",
    r"""
void twin(const uint8_t *src, uint8_t *dst, int width, int height) {
  const int row = 3 * width;
  // sums of columns, a row ahead: what was just stored is not loaded askew
  alignas(64) static int16_t columns[2][1344];
  memcpy(dst, src, row);
  memcpy(dst + (height - 1) * row, src + (height - 1) * row, row);
  auto left = [&](int i) { return row - i >= 32 ? ~0u : (1u << (row - i)) - 1; };
  auto load = [&](const uint8_t *from, int i) { return _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(left(i), from + i)); };
  auto sum_columns = [&](int y) {
    const uint8_t *b = src + y * row;
    int16_t *sums = columns[y & 1] + 32;
    for (int i = 0; i < row; i += 32)
      _mm512_store_si512(sums + i, _mm512_add_epi16(_mm512_add_epi16(load(b - row, i), load(b, i)), load(b + row, i)));
  };
  const __m512i ten = _mm512_set1_epi16(10);
  sum_columns(1);
  for (int y = 1; y < height - 1; ++y) {
    if (y + 1 < height - 1) sum_columns(y + 1);
    const uint8_t *b = src + y * row;
    const int16_t *sums = columns[y & 1] + 32;
    uint8_t *d = dst + y * row;
    for (int i = 0; i < row; i += 32) {
      __m512i around = _mm512_add_epi16(_mm512_loadu_si512(sums + i - 3), _mm512_loadu_si512(sums + i + 3));
      around = _mm512_add_epi16(around, _mm512_load_si512(sums + i));
      __m512i v = _mm512_sub_epi16(_mm512_mullo_epi16(load(b, i), ten), around);
      v = _mm512_max_epi16(v, _mm512_setzero_si512());
      _mm256_mask_storeu_epi8(d + i, left(i), _mm512_cvtusepi16_epi8(v));
    }
    for (int i = 0; i < 3; ++i) d[i] = b[i], d[row - 3 + i] = b[row - 3 + i];
  }
}
""",
    [smooth_bytes(H, W, 3), np.zeros((H, W, 3), np.uint8), i32(W), i32(H)],
    (blocks(W, 16), blocks(H, 16)),
    (16, 16),
)

# 2. vector type, weights in constant memory, clamped coordinates

W, H = 300, 200
case(
    "gaussian 5x5 of canny, uchar4",
    r"""
__constant__ int weights[25] = {2, 4,  5,  4,  2, 4, 9, 12, 9, 4, 5, 12, 15,
                                12, 5, 4, 9, 12, 9, 4, 2, 4,  5,  4, 2};

__global__ void blur(const uchar4 *in, unsigned char *result, const int w, const int h) {
  uchar4 *out = reinterpret_cast<uchar4 *>(result);
  const int x = threadIdx.x + blockIdx.x * blockDim.x;
  const int y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x < w && y < h) {
    int4 acc = make_int4(0, 0, 0, 0);
    for (int j = -2; j <= 2; ++j) {
      for (int i = -2; i <= 2; ++i) {
        int xx = min(max(x + i, 0), w - 1);
        int yy = min(max(y + j, 0), h - 1);
        uchar4 p = in[yy * w + xx];
        int k = weights[(j + 2) * 5 + i + 2];
        acc.x += k * p.x;
        acc.y += k * p.y;
        acc.z += k * p.z;
        acc.w += k * p.w;
      }
    }
    out[y * w + x] = make_uchar4(acc.x / 159, acc.y / 159, acc.z / 159, acc.w / 159);
  }
}
""",
    r"""
void twin(const uint8_t *in, uint8_t *out, int w, int h) {
  // the weights are symmetric: columns of five first, for the distances 0, 1 and 2; a row ahead, as loads askew of fresh stores wait
  alignas(64) static uint16_t columns[2][3][1344];
  const int row = 4 * w;
  auto left = [&](int i) { return row - i >= 32 ? ~0u : (1u << (row - i)) - 1; };
  auto times = [](__m512i v, int n) { return _mm512_mullo_epi16(v, _mm512_set1_epi16(short(n))); };
  auto sum = [](__m512i a, __m512i b) { return _mm512_add_epi16(a, b); };
  auto sum_columns = [&](int y) {
    const uint8_t *p[5];
    for (int j = 0; j < 5; ++j) p[j] = in + std::min(std::max(y + j - 2, 0), h - 1) * row;
    uint16_t *near = columns[y & 1][0] + 32, *next = columns[y & 1][1] + 32, *far = columns[y & 1][2] + 32;
    for (int i = 0; i < row; i += 32) {
      auto load = [&](int j) { return _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(left(i), p[j] + i)); };
      __m512i outer = sum(load(0), load(4)), inner = sum(load(1), load(3)), middle = load(2);
      _mm512_store_si512(near + i, sum(sum(times(outer, 5), times(inner, 12)), times(middle, 15)));
      _mm512_store_si512(next + i, sum(sum(_mm512_slli_epi16(outer, 2), times(inner, 9)), times(middle, 12)));
      _mm512_store_si512(far + i, sum(sum(_mm512_slli_epi16(outer, 1), _mm512_slli_epi16(inner, 2)), times(middle, 5)));
    }
    for (uint16_t *t : {next, far})
      for (int i = 0; i < 8; ++i) t[i - 8] = t[i % 4], t[row + i] = t[row - 4 + i % 4];
  };
  const __m512i inverse = _mm512_set1_epi16(short(52759));  // 2^23 / 159
  sum_columns(0);
  for (int y = 0; y < h; ++y) {
    if (y + 1 < h) sum_columns(y + 1);
    const uint16_t *near = columns[y & 1][0] + 32, *next = columns[y & 1][1] + 32, *far = columns[y & 1][2] + 32;
    for (int i = 0; i < row; i += 32) {
      auto load = [&](const uint16_t *from) { return _mm512_loadu_si512(from + i); };
      __m512i total = sum(sum(sum(load(far - 8), load(far + 8)), sum(load(next - 4), load(next + 4))), load(near));
      total = _mm512_srli_epi16(_mm512_mulhi_epu16(total, inverse), 7);
      _mm256_mask_storeu_epi8(out + y * row + i, left(i), _mm512_cvtepi16_epi8(total));
    }
  }
}
""",
    [smooth_bytes(H, W, 4).view("V4"), np.zeros((H, W, 4), np.uint8), i32(W), i32(H)],
    (blocks(W, 32), blocks(H, 8)),
    (32, 8),
    results=[1],
)

# 3. bilateral

W, H = 160, 96
case(
    "bilateral filter 5x5, bytes",
    r"""
__device__ float range_weight(float difference, float inverse) { return __expf(-difference * difference * inverse); }

__global__ void bilateral(const unsigned char *src, unsigned char *dst, int cols, int rows, float inv_space, float inv_range) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col >= cols || row >= rows) return;
  const float center = src[row * cols + col];
  float total = 0.0f, norm = 0.0f;
  for (int dy = -2; dy <= 2; dy++) {
    for (int dx = -2; dx <= 2; dx++) {
      int c = col + dx, r = row + dy;
      if (c < 0 || c >= cols || r < 0 || r >= rows) continue;
      float value = src[r * cols + c];
      float w = range_weight(value - center, inv_range) * __expf(-(dx * dx + dy * dy) * inv_space);
      total += w * value;
      norm += w;
    }
  }
  dst[row * cols + col] = (unsigned char)(total / norm + 0.5f);
}
""",
    r"""
// 2^x for x <= 0, relative error 1e-5
static inline __m512 power_of_two(__m512 x) {
  __m512 whole = _mm512_roundscale_ps(x, 0);
  __m512 f = _mm512_sub_ps(x, whole);
  __m512 p = _mm512_set1_ps(0.0096181291f);
  p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(0.0555041087f));
  p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(0.2402265070f));
  p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(0.6931471806f));
  p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(1.0f));
  return _mm512_scalef_ps(p, whole);
}

void twin(const uint8_t *src, uint8_t *dst, int cols, int rows, float inv_space, float inv_range) {
  // a frame of 2 around the image, whose difference is so great that it weighs nothing
  const int stride = cols + 32;
  static float padded[512 * 512];
  for (int i = 0; i < stride * (rows + 4); ++i) padded[i] = 1e6f;
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < cols; ++x) padded[(y + 2) * stride + 2 + x] = src[y * cols + x];
  const float log2e = 1.44269504f;
  const __m512 scale = _mm512_set1_ps(-inv_range * log2e);
  __m512 offset[25];
  for (int k = 0; k < 25; ++k) {
    int dx = k % 5 - 2, dy = k / 5 - 2;
    offset[k] = _mm512_set1_ps(-float(dx * dx + dy * dy) * inv_space * log2e);
  }
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < cols; x += 16) {
      const float *at = padded + (y + 2) * stride + 2 + x;
      const __m512 center = _mm512_loadu_ps(at);
      __m512 total = center, norm = _mm512_set1_ps(1);
#pragma GCC unroll 25
      for (int k = 0; k < 25; ++k) {
        if (k == 12) continue;
        __m512 value = _mm512_loadu_ps(at + (k / 5 - 2) * stride + k % 5 - 2);
        __m512 d = _mm512_sub_ps(value, center);
        __m512 w = power_of_two(_mm512_fmadd_ps(_mm512_mul_ps(d, d), scale, offset[k]));
        total = _mm512_fmadd_ps(w, value, total);
        norm = _mm512_add_ps(norm, w);
      }
      __m512i result = _mm512_cvttps_epi32(_mm512_add_ps(_mm512_div_ps(total, norm), _mm512_set1_ps(0.5f)));
      __mmask16 mask = cols - x >= 16 ? 0xffff : (1u << (cols - x)) - 1;
      _mm512_mask_cvtepi32_storeu_epi8(dst + y * cols + x, mask, result);
    }
  }
}
""",
    [smooth_bytes(H, W, 1), np.zeros((H, W), np.uint8), i32(W), i32(H), f32(1 / 8), f32(1 / 800)],
    (blocks(W, 16), blocks(H, 16)),
    (16, 16),
    results=[1],
    tolerance=0.005,
)

# 4. NV12 to RGBA, fixed point

W, H = 512, 256
case(
    "nv12 to rgba, fixed point",
    r"""
__device__ __forceinline__ unsigned char clamp8(int v) { return v < 0 ? 0 : (v > 255 ? 255 : v); }

__global__ void nv12ToRgba(const unsigned char *nv12, unsigned char *rgba, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const unsigned char *uv = nv12 + width * height;
  int luma = (int)nv12[y * width + x] - 16;
  int u = (int)uv[(y / 2) * width + (x / 2) * 2] - 128;
  int v = (int)uv[(y / 2) * width + (x / 2) * 2 + 1] - 128;
  if (luma < 0) luma = 0;
  uchar4 pixel;
  pixel.x = clamp8((74 * luma + 102 * v + 32) >> 6);
  pixel.y = clamp8((74 * luma - 25 * u - 52 * v + 32) >> 6);
  pixel.z = clamp8((74 * luma + 129 * u + 32) >> 6);
  pixel.w = 255;
  ((uchar4 *)rgba)[y * width + x] = pixel;
}
""",
    r"""
void twin(const uint8_t *nv12, uint8_t *rgba, int width, int height) {
  const uint8_t *uv = nv12 + width * height;
  alignas(64) uint16_t low[32], high[32];
  for (int i = 0; i < 16; ++i) {
    low[2 * i] = i, low[2 * i + 1] = 32 + i, high[2 * i] = 16 + i, high[2 * i + 1] = 48 + i;
  }
  const __m512i idx_low = _mm512_load_si512(low), idx_high = _mm512_load_si512(high);
  auto set = [](int v) { return _mm512_set1_epi16(short(v)); };
  const __m512i zero = _mm512_setzero_si512(), most = set(255), round = set(32);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; x += 32) {
      __m512i luma = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)(nv12 + y * width + x)));
      __m512i pairs = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(uv + (y / 2) * width + x)));
      __m512i u = _mm512_and_si512(pairs, _mm512_set1_epi32(255)), v = _mm512_srli_epi32(pairs, 8);
      u = _mm512_sub_epi16(_mm512_or_si512(u, _mm512_slli_epi32(u, 16)), set(128));
      v = _mm512_sub_epi16(_mm512_or_si512(v, _mm512_slli_epi32(v, 16)), set(128));
      luma = _mm512_mullo_epi16(_mm512_subs_epu16(luma, set(16)), set(74));
      luma = _mm512_add_epi16(luma, round);
      __m512i r = _mm512_adds_epi16(luma, _mm512_mullo_epi16(v, set(102)));
      __m512i g = _mm512_subs_epi16(luma, _mm512_add_epi16(_mm512_mullo_epi16(u, set(25)), _mm512_mullo_epi16(v, set(52))));
      __m512i b = _mm512_adds_epi16(luma, _mm512_mullo_epi16(u, set(129)));
      r = _mm512_min_epi16(_mm512_max_epi16(_mm512_srai_epi16(r, 6), zero), most);
      g = _mm512_min_epi16(_mm512_max_epi16(_mm512_srai_epi16(g, 6), zero), most);
      b = _mm512_min_epi16(_mm512_max_epi16(_mm512_srai_epi16(b, 6), zero), most);
      __m512i rg = _mm512_or_si512(r, _mm512_slli_epi16(g, 8));
      __m512i ba = _mm512_or_si512(b, set(0xff00));
      uint8_t *out = rgba + 4 * (y * width + x);
      _mm512_storeu_si512(out, _mm512_permutex2var_epi16(rg, idx_low, ba));
      _mm512_storeu_si512(out + 64, _mm512_permutex2var_epi16(rg, idx_high, ba));
    }
  }
}
""",
    [rng.integers(0, 256, W * H * 3 // 2, np.uint8), np.zeros((H, W, 4), np.uint8), i32(W), i32(H)],
    (blocks(W, 32), blocks(H, 4)),
    (32, 4),
)

# 5. resize

SW, SH, W, H = 320, 200, 480, 330
case(
    "resize bilinear, uchar4",
    r"""
__device__ float4 to_float(uchar4 p) { return make_float4(p.x, p.y, p.z, p.w); }
__device__ float4 mix(float4 a, float4 b, float t) {
  return make_float4(a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.z + (b.z - a.z) * t, a.w + (b.w - a.w) * t);
}

__global__ void resize(const uchar4 *src, int sw, int sh, unsigned char *dst, int dw, int dh) {
  int x = blockDim.x * blockIdx.x + threadIdx.x;
  int y = blockDim.y * blockIdx.y + threadIdx.y;
  if (x >= dw || y >= dh) return;
  float fx = fmaxf((x + 0.5f) * ((float)sw / dw) - 0.5f, 0.0f);
  float fy = fmaxf((y + 0.5f) * ((float)sh / dh) - 0.5f, 0.0f);
  int x0 = (int)fx, y0 = (int)fy;
  int x1 = min(x0 + 1, sw - 1), y1 = min(y0 + 1, sh - 1);
  fx -= x0;
  fy -= y0;
  float4 top = mix(to_float(src[y0 * sw + x0]), to_float(src[y0 * sw + x1]), fx);
  float4 bottom = mix(to_float(src[y1 * sw + x0]), to_float(src[y1 * sw + x1]), fx);
  float4 v = mix(top, bottom, fy);
  reinterpret_cast<uchar4 *>(dst)[y * dw + x] = make_uchar4(v.x + 0.5f, v.y + 0.5f, v.z + 0.5f, v.w + 0.5f);
}
""",
    r"""
void twin(const uint8_t *src, int sw, int sh, uint8_t *dst, int dw, int dh) {
  // each source row is stretched once; a pixel and its neighbour come by one load
  alignas(64) static float rows[2][2112], weight[2112];
  alignas(64) static int left[528];
  for (int x = 0; x < dw; ++x) {
    float fx = std::max((x + 0.5f) * ((float)sw / dw) - 0.5f, 0.0f);
    left[x] = std::min((int)fx, sw - 2);
    for (int c = 0; c < 4; ++c) weight[4 * x + c] = std::min(fx - left[x], 1.0f);
  }
  alignas(64) uint8_t places[4][64] = {};
  for (int i = 0; i < 16; ++i)
    for (int k = 0; k < 4; ++k) places[k][4 * i] = uint8_t((i / 4 + k / 2 * 4) * 8 + k % 2 * 4 + i % 4);
  const __m512i l0 = _mm512_load_si512(places[0]), r0 = _mm512_load_si512(places[1]);
  const __m512i l1 = _mm512_load_si512(places[2]), r1 = _mm512_load_si512(places[3]);
  const __mmask64 bytes = 0x1111111111111111u;
  const __m512 half = _mm512_set1_ps(0.5f);
  int held[2] = {-1, -1};
  auto stretched = [&](int y) {
    float *row = rows[y & 1];
    if (held[y & 1] == y) return row;
    held[y & 1] = y;
    const uint8_t *from = src + 4 * y * sw;
    for (int x = 0; x < dw; x += 8) {
      __m512i pairs = _mm512_i32gather_epi64(_mm256_load_si256((const __m256i *)(left + x)), from, 4);
      auto four = [&](__m512i l, __m512i r, int at) {
        __m512 a = _mm512_cvtepi32_ps(_mm512_maskz_permutexvar_epi8(bytes, l, pairs));
        __m512 b = _mm512_cvtepi32_ps(_mm512_maskz_permutexvar_epi8(bytes, r, pairs));
        // with the half for rounding
        _mm512_store_ps(row + at, _mm512_add_ps(_mm512_fmadd_ps(_mm512_sub_ps(b, a), _mm512_load_ps(weight + at), a), half));
      };
      four(l0, r0, 4 * x);
      four(l1, r1, 4 * x + 16);
    }
    return row;
  };
  const __m512i order = _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
  for (int y = 0; y < dh; ++y) {
    float fy = std::max((y + 0.5f) * ((float)sh / dh) - 0.5f, 0.0f);
    int y0 = (int)fy, y1 = std::min(y0 + 1, sh - 1);
    const float *top = stretched(y0), *bottom = stretched(y1);
    const __m512 t = _mm512_set1_ps(fy - y0);
    for (int i = 0; i < 4 * dw; i += 64) {
      __m512i v[4];
      for (int k = 0; k < 4; ++k) {
        __m512 a = _mm512_load_ps(top + i + 16 * k), b = _mm512_load_ps(bottom + i + 16 * k);
        v[k] = _mm512_cvttps_epi32(_mm512_fmadd_ps(_mm512_sub_ps(b, a), t, a));
      }
      __m512i packed = _mm512_packus_epi16(_mm512_packs_epi32(v[0], v[1]), _mm512_packs_epi32(v[2], v[3]));
      _mm512_storeu_si512(dst + 4 * y * dw + i, _mm512_permutexvar_epi32(order, packed));
    }
  }
}
""",
    [smooth_bytes(SH, SW, 4).view("V4"), i32(SW), i32(SH), np.zeros((H, W, 4), np.uint8), i32(W), i32(H)],
    (blocks(W, 16), blocks(H, 16)),
    (16, 16),
    results=[3],
    tolerance=0.005,
)

# 6. warp

W = 256
case(
    "affine warp, bilinear, zeros outside",
    r"""
struct Affine {
  float a, b, c, d, e, f;
};

__device__ float fetch(const float *image, int x, int y, int n) {
  if (x < 0 || y < 0 || x >= n || y >= n) return 0.f;
  return image[y * n + x];
}

__global__ void warp_affine(const float *image, float *result, int n, float cosine, float sine, float tx, float ty) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * n) return;
  int x = i % n, y = i / n;
  Affine m = {cosine, -sine, tx, sine, cosine, ty};
  float sx = m.a * x + m.b * y + m.c;
  float sy = m.d * x + m.e * y + m.f;
  float fx = floorf(sx), fy = floorf(sy);
  int ix = (int)fx, iy = (int)fy;
  float wx = sx - fx, wy = sy - fy;
  result[i] = (1 - wy) * ((1 - wx) * fetch(image, ix, iy, n) + wx * fetch(image, ix + 1, iy, n)) +
              wy * ((1 - wx) * fetch(image, ix, iy + 1, n) + wx * fetch(image, ix + 1, iy + 1, n));
}
""",
    r"""
void twin(const float *image, float *result, int n, float cosine, float sine, float tx, float ty) {
  const __m512 steps = _mm512_cvtepi32_ps(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
  const __m512i one = _mm512_set1_epi32(1), size = _mm512_set1_epi32(n), last = _mm512_set1_epi32(n - 1);
  const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
  const __m512i odd = _mm512_add_epi32(even, one);
  for (int y = 0; y < n; ++y) {
    for (int x0 = 0; x0 < n; x0 += 16) {
      __m512 x = _mm512_add_ps(steps, _mm512_set1_ps(float(x0)));
      __m512 sx = _mm512_fmadd_ps(_mm512_set1_ps(cosine), x, _mm512_set1_ps(tx - sine * y));
      __m512 sy = _mm512_fmadd_ps(_mm512_set1_ps(sine), x, _mm512_set1_ps(ty + cosine * y));
      __m512 fx = _mm512_roundscale_ps(sx, 1), fy = _mm512_roundscale_ps(sy, 1);
      __m512i ix = _mm512_cvttps_epi32(fx), iy = _mm512_cvttps_epi32(fy);
      __m512 wx = _mm512_sub_ps(sx, fx), wy = _mm512_sub_ps(sy, fy);
      __m512i at = _mm512_add_epi32(_mm512_mullo_epi32(iy, size), ix);
      __mmask16 inside = _mm512_cmplt_epu32_mask(ix, last) & _mm512_cmplt_epu32_mask(iy, last);
      __m512 a, b, c, d;
      if (inside == 0xffff) {
        // neighbours come in pairs of one load
        __m256i l = _mm512_castsi512_si256(at), h = _mm512_extracti64x4_epi64(at, 1);
        __m512 p = _mm512_castsi512_ps(_mm512_i32gather_epi64(l, image, 4)), q = _mm512_castsi512_ps(_mm512_i32gather_epi64(h, image, 4));
        a = _mm512_permutex2var_ps(p, even, q), b = _mm512_permutex2var_ps(p, odd, q);
        p = _mm512_castsi512_ps(_mm512_i32gather_epi64(l, image + n, 4)), q = _mm512_castsi512_ps(_mm512_i32gather_epi64(h, image + n, 4));
        c = _mm512_permutex2var_ps(p, even, q), d = _mm512_permutex2var_ps(p, odd, q);
      } else {
        __m512i jx = _mm512_add_epi32(ix, one), jy = _mm512_add_epi32(iy, one);
        __mmask16 in_x0 = _mm512_cmplt_epu32_mask(ix, size), in_y0 = _mm512_cmplt_epu32_mask(iy, size);
        __mmask16 in_x1 = _mm512_cmplt_epu32_mask(jx, size), in_y1 = _mm512_cmplt_epu32_mask(jy, size);
        if (!((in_x0 | in_x1) & (in_y0 | in_y1))) {
          _mm512_storeu_ps(result + y * n + x0, _mm512_setzero_ps());
          continue;
        }
        const __m512 zero = _mm512_setzero_ps();
        a = _mm512_mask_i32gather_ps(zero, in_x0 & in_y0, at, image, 4);
        b = _mm512_mask_i32gather_ps(zero, in_x1 & in_y0, at, image + 1, 4);
        c = _mm512_mask_i32gather_ps(zero, in_x0 & in_y1, at, image + n, 4);
        d = _mm512_mask_i32gather_ps(zero, in_x1 & in_y1, at, image + n + 1, 4);
      }
      __m512 top = _mm512_fmadd_ps(wx, _mm512_sub_ps(b, a), a), bottom = _mm512_fmadd_ps(wx, _mm512_sub_ps(d, c), c);
      _mm512_storeu_ps(result + y * n + x0, _mm512_fmadd_ps(wy, _mm512_sub_ps(bottom, top), top));
    }
  }
}
""",
    [smooth_floats(W, W), np.zeros((W, W), f32), i32(W), f32(math.cos(0.4)), f32(math.sin(0.4)), f32(52.3), f32(-38.7)],
    blocks(W * W, 256),
    256,
    tolerance=1e-3,
)

# 7. demosaic

W, H = 384, 256
case(
    "demosaic bilinear rggb, 12-bit ushort",
    r"""
// R G
// G B   -> ushort4, 12 bits a sample; the outermost pixels stay 0
__global__ void demosaic(const unsigned short *raw, unsigned short *rgb, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
  const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x >= width - 1 || y >= height - 1) return;
#define RAW(dx, dy) raw[(y + (dy)) * width + x + (dx)]
  const int here = RAW(0, 0);
  const int cross = (RAW(-1, 0) + RAW(1, 0) + RAW(0, -1) + RAW(0, 1)) / 4;
  const int diagonal = (RAW(-1, -1) + RAW(1, -1) + RAW(-1, 1) + RAW(1, 1)) / 4;
  const int horizontal = (RAW(-1, 0) + RAW(1, 0)) / 2;
  const int vertical = (RAW(0, -1) + RAW(0, 1)) / 2;
#undef RAW
  ushort4 p;
  if (y % 2 == 0) {
    if (x % 2 == 0)
      p = make_ushort4(here, cross, diagonal, 4095);
    else
      p = make_ushort4(horizontal, here, vertical, 4095);
  } else {
    if (x % 2 == 0)
      p = make_ushort4(vertical, here, horizontal, 4095);
    else
      p = make_ushort4(diagonal, cross, here, 4095);
  }
  *(ushort4 *)&rgb[4 * (y * width + x)] = p;
}
""",
    r"""
void twin(const uint16_t *raw, uint16_t *rgb, int width, int height) {
  const __mmask32 odd = 0xaaaaaaaau;  // x begins at an even place
  alignas(64) uint16_t places[2][32];
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < 16; ++i) places[k][2 * i] = uint16_t(16 * k + i), places[k][2 * i + 1] = uint16_t(32 + 16 * k + i);
  alignas(64) uint32_t pairs[2][16];
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < 8; ++i) pairs[k][2 * i] = 8 * k + i, pairs[k][2 * i + 1] = 16 + 8 * k + i;
  const __m512i low = _mm512_load_si512(places[0]), high = _mm512_load_si512(places[1]);
  const __m512i low2 = _mm512_load_si512(pairs[0]), high2 = _mm512_load_si512(pairs[1]);
  const __m512i full = _mm512_set1_epi16(4095);
  for (int y = 1; y < height - 1; ++y) {
    for (int x = 0; x < width; x += 32) {
      const uint16_t *p = raw + y * width + x;
      // the first and last column are not stored; nothing beyond the last is read
      const __mmask32 right = x + 32 < width ? ~0u : ~0u >> 1;
      auto load = [&](const uint16_t *from) { return _mm512_loadu_si512(from); };
      __m512i here = load(p), l = load(p - 1), r = load(p + 1), u = load(p - width), d = load(p + width);
      __m512i h = _mm512_add_epi16(l, r), v = _mm512_add_epi16(u, d);
      __m512i cross = _mm512_srli_epi16(_mm512_add_epi16(h, v), 2);
      __m512i upper = _mm512_add_epi16(load(p - width - 1), load(p - width + 1));
      __m512i lower = _mm512_add_epi16(load(p + width - 1), _mm512_maskz_loadu_epi16(right, p + width + 1));
      __m512i diagonal = _mm512_add_epi16(upper, lower);
      diagonal = _mm512_srli_epi16(diagonal, 2), h = _mm512_srli_epi16(h, 1), v = _mm512_srli_epi16(v, 1);
      __m512i red, green, blue;
      if (y % 2 == 0) {
        red = _mm512_mask_mov_epi16(here, odd, h), green = _mm512_mask_mov_epi16(cross, odd, here), blue = _mm512_mask_mov_epi16(diagonal, odd, v);
      } else {
        red = _mm512_mask_mov_epi16(v, odd, diagonal), green = _mm512_mask_mov_epi16(here, odd, cross), blue = _mm512_mask_mov_epi16(h, odd, here);
      }
      __m512i rg0 = _mm512_permutex2var_epi16(red, low, green), rg1 = _mm512_permutex2var_epi16(red, high, green);
      __m512i ba0 = _mm512_permutex2var_epi16(blue, low, full), ba1 = _mm512_permutex2var_epi16(blue, high, full);
      __m512i out[4] = {_mm512_permutex2var_epi32(rg0, low2, ba0), _mm512_permutex2var_epi32(rg0, high2, ba0),
                        _mm512_permutex2var_epi32(rg1, low2, ba1), _mm512_permutex2var_epi32(rg1, high2, ba1)};
      uint16_t *to = rgb + 4 * (y * width + x);
      _mm512_mask_storeu_epi64(to, x == 0 ? 0xfe : 0xff, out[0]);
      _mm512_storeu_si512(to + 32, out[1]);
      _mm512_storeu_si512(to + 64, out[2]);
      _mm512_mask_storeu_epi64(to + 96, x + 32 == width ? 0x7f : 0xff, out[3]);
    }
  }
}
""",
    [rng.integers(0, 4096, (H, W), np.uint16), np.zeros((H, W, 4), np.uint16), i32(W), i32(H)],
    (blocks(W - 2, 32), blocks(H - 2, 8)),
    (32, 8),
)

# 8. erosion in a tile, rows then columns

W, H = 480, 320
case(
    "erode 5x5, tile with halo, bytes",
    r"""
#define TILE 16
#define R 2

__global__ void erode(const unsigned char *in, unsigned char *out, int width, int height) {
  __shared__ unsigned char tile[TILE + 2 * R][TILE + 2 * R];
  __shared__ unsigned char lines[TILE + 2 * R][TILE];
  const int left = blockIdx.x * TILE - R, top = blockIdx.y * TILE - R;
  for (int y = threadIdx.y; y < TILE + 2 * R; y += TILE)
    for (int x = threadIdx.x; x < TILE + 2 * R; x += TILE) {
      int gx = left + x, gy = top + y;
      tile[y][x] = (gx >= 0 && gx < width && gy >= 0 && gy < height) ? in[gy * width + gx] : 255;
    }
  __syncthreads();
  for (int y = threadIdx.y; y < TILE + 2 * R; y += TILE) {
    unsigned char m = 255;
    for (int k = 0; k <= 2 * R; k++) m = min(m, tile[y][threadIdx.x + k]);
    lines[y][threadIdx.x] = m;
  }
  __syncthreads();
  unsigned char m = lines[threadIdx.y][threadIdx.x];
  for (int k = 1; k <= 2 * R; k++) m = min(m, lines[threadIdx.y + k][threadIdx.x]);
  int gx = left + R + threadIdx.x, gy = top + R + threadIdx.y;
  if (gx < width && gy < height) out[gy * width + gx] = m;
}
""",
    WIDE
    + r"""
void twin(const uint8_t *__restrict in, uint8_t *__restrict out, int width, int height) {
  static uint8_t lines[2][704];
  auto least = [](uint8_t a, uint8_t b) { return a < b ? a : b; };
  memset(lines, 255, sizeof lines);
  auto columns = [&](int y) {
    const uint8_t *b = in + y * width;
    const uint8_t *p0 = y >= 2 ? b - 2 * width : b, *p1 = y >= 1 ? b - width : b;
    const uint8_t *p3 = y + 1 < height ? b + width : b, *p4 = y + 2 < height ? b + 2 * width : b;
    uint8_t *v = lines[y & 1] + 64;
#pragma omp simd
    for (int x = 0; x < width; ++x) v[x] = least(least(least(p0[x], p1[x]), least(p3[x], p4[x])), b[x]);
  };
  columns(0);
  for (int y = 0; y < height; ++y) {
    if (y + 1 < height) columns(y + 1);
    const uint8_t *v = lines[y & 1] + 64;
    uint8_t *d = out + y * width;
#pragma omp simd
    for (int x = 0; x < width; ++x) d[x] = least(least(least(v[x - 2], v[x - 1]), least(v[x + 1], v[x + 2])), v[x]);
  }
}
""",
    [smooth_bytes(H, W, 1), np.zeros((H, W), np.uint8), i32(W), i32(H)],
    (blocks(W, 16), blocks(H, 16)),
    (16, 16),
)

# 9. median

W, H = 640, 400
case(
    "median 3x3, private array, bytes",
    r"""
template <typename T> __device__ void exchange(T &a, T &b) {
  T t = a;
  a = min(a, b);
  b = max(t, b);
}

template <typename T> __device__ T median9(T *v) {
  exchange(v[1], v[2]); exchange(v[4], v[5]); exchange(v[7], v[8]);
  exchange(v[0], v[1]); exchange(v[3], v[4]); exchange(v[6], v[7]);
  exchange(v[1], v[2]); exchange(v[4], v[5]); exchange(v[7], v[8]);
  exchange(v[0], v[3]); exchange(v[5], v[8]); exchange(v[4], v[7]);
  exchange(v[3], v[6]); exchange(v[1], v[4]); exchange(v[2], v[5]);
  exchange(v[4], v[7]); exchange(v[4], v[2]); exchange(v[6], v[4]);
  exchange(v[4], v[2]);
  return v[4];
}

extern "C" __global__ void median(const unsigned char *in, unsigned char *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  unsigned char v[9];
  int n = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) v[n++] = in[(y + dy) * w + (x + dx)];
  out[y * w + x] = median9(v);
}
""",
    r"""
void twin(const uint8_t *in, uint8_t *out, int w, int h) {
  // each column of three is sorted once, a row ahead
  alignas(64) static uint8_t sorted[2][3][832];
  auto lo = [](__m512i a, __m512i b) { return _mm512_min_epu8(a, b); };
  auto hi = [](__m512i a, __m512i b) { return _mm512_max_epu8(a, b); };
  auto left = [](int n) { return n >= 64 ? ~0ull : (1ull << n) - 1; };
  auto sort_columns = [&](int y) {
    uint8_t *lows = sorted[y & 1][0] + 64, *mids = sorted[y & 1][1] + 64, *highs = sorted[y & 1][2] + 64;
    for (int x = 0; x < w; x += 64) {
      auto load = [&](int j) { return _mm512_maskz_loadu_epi8(left(w - x), in + (y + j) * w + x); };
      __m512i a = load(-1), b = load(0), c = load(1);
      __m512i l = lo(a, b), g = hi(a, b), m = lo(g, c);
      _mm512_store_si512(highs + x, hi(g, c));
      _mm512_store_si512(lows + x, lo(l, m));
      _mm512_store_si512(mids + x, hi(l, m));
    }
  };
  sort_columns(1);
  for (int y = 1; y < h - 1; ++y) {
    if (y + 1 < h - 1) sort_columns(y + 1);
    const uint8_t *lows = sorted[y & 1][0] + 64, *mids = sorted[y & 1][1] + 64, *highs = sorted[y & 1][2] + 64;
    for (int x = 0; x < w; x += 64) {
      auto load = [&](const uint8_t *from) { return _mm512_loadu_si512(from + x); };
      __m512i p = hi(hi(load(lows - 1), load(lows)), load(lows + 1));
      __m512i r = lo(lo(load(highs - 1), load(highs)), load(highs + 1));
      __m512i s = load(mids - 1), t = load(mids);
      __m512i q = hi(lo(s, t), lo(hi(s, t), load(mids + 1)));
      _mm512_mask_storeu_epi8(out + y * w + x, left(w - 1 - x) & (x ? ~0ull : ~1ull), hi(lo(p, q), lo(hi(p, q), r)));
    }
  }
}
""",
    [smooth_bytes(H, W, 1), np.zeros((H, W), np.uint8), i32(W), i32(H)],
    (blocks(W, 32), blocks(H, 8)),
    (32, 8),
    kernel="median",
)

# 10. pooling, as frameworks write it

C, W, H = 32, 64, 64
case(
    "max pool 3x3/2 with indices, nchw",
    r"""
__global__ void max_pool_forward(const int nthreads, const float *bottom, const int channels, const int height, const int width,
                                 const int pooled_height, const int pooled_width, float *top, int *mask) {
  for (int index = blockIdx.x * blockDim.x + threadIdx.x; index < nthreads; index += blockDim.x * gridDim.x) {
    const int pw = index % pooled_width;
    const int ph = (index / pooled_width) % pooled_height;
    const int c = index / pooled_width / pooled_height;
    int hstart = ph * 2 - 1;
    int wstart = pw * 2 - 1;
    const int hend = min(hstart + 3, height);
    const int wend = min(wstart + 3, width);
    hstart = max(hstart, 0);
    wstart = max(wstart, 0);
    float maxval = -3.402823466e+38f;
    int maxidx = -1;
    const float *slice = bottom + c * height * width;
    for (int h = hstart; h < hend; ++h) {
      for (int w = wstart; w < wend; ++w) {
        if (slice[h * width + w] > maxval) {
          maxidx = h * width + w;
          maxval = slice[maxidx];
        }
      }
    }
    top[index] = maxval;
    mask[index] = maxidx;
  }
}
""",
    r"""
void twin(int, const float *bottom, int channels, int height, int width, int ph, int pw, float *top, int *mask) {
  const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
  const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
  const __m512 least = _mm512_set1_ps(-3.402823466e+38f);
  for (int c = 0; c < channels; ++c) {
    const float *slice = bottom + c * height * width;
    for (int y = 0; y < ph; ++y) {
      for (int x = 0; x < pw; x += 16) {
        __m512 best = least;
        __m512i at = _mm512_set1_epi32(-1);
        for (int h = std::max(2 * y - 1, 0); h < std::min(2 * y + 2, height); ++h) {
          const float *p = slice + h * width + 2 * x;
          __m512 a = _mm512_loadu_ps(p), b = _mm512_loadu_ps(p + 16);
          __m512 before = _mm512_castsi512_ps(_mm512_alignr_epi32(
              _mm512_castps_si512(_mm512_permutex2var_ps(a, odd, b)),
              _mm512_castps_si512(x ? _mm512_maskz_loadu_ps(0x8000, p - 16) : least), 15));
          before = _mm512_mask_mov_ps(before, x ? 0 : 1, least);
          __m512 taps[3] = {before, _mm512_permutex2var_ps(a, even, b), _mm512_permutex2var_ps(a, odd, b)};
          __m512i place = _mm512_add_epi32(even, _mm512_set1_epi32(h * width + 2 * x - 1));
          for (int k = 0; k < 3; ++k) {
            __mmask16 more = _mm512_cmp_ps_mask(taps[k], best, _CMP_GT_OQ);
            best = _mm512_max_ps(best, taps[k]);
            at = _mm512_mask_mov_epi32(at, more, place);
            place = _mm512_add_epi32(place, _mm512_set1_epi32(1));
          }
        }
        _mm512_storeu_ps(top + (c * ph + y) * pw + x, best);
        _mm512_storeu_si512(mask + (c * ph + y) * pw + x, at);
      }
    }
  }
}
""",
    [
        i32(C * H * W // 4),
        rng.normal(0, 1, (C, H, W)).astype(f32),
        i32(C),
        i32(H),
        i32(W),
        i32(H // 2),
        i32(W // 2),
        np.zeros((C, H // 2, W // 2), f32),
        np.zeros((C, H // 2, W // 2), i32),
    ],
    16,
    512,
)

# 11. integral image, the rows' pass

W, H = 1024, 200
case(
    "integral image rows, warp shuffle scan",
    r"""
__global__ void scan_rows(const unsigned char *image, int *sums, int width) {
  __shared__ int warp_sums[8];
  __shared__ int carry;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const unsigned char *row = image + blockIdx.x * width;
  int *out = sums + blockIdx.x * width;
  if (threadIdx.x == 0) carry = 0;
  __syncthreads();
  for (int base = 0; base < width; base += blockDim.x) {
    int i = base + threadIdx.x;
    int value = i < width ? row[i] : 0;
#pragma unroll
    for (int offset = 1; offset < 32; offset <<= 1) {
      int other = __shfl_up_sync(0xffffffff, value, offset);
      if (lane >= offset) value += other;
    }
    if (lane == 31) warp_sums[warp] = value;
    __syncthreads();
    int before = carry;
    for (int w = 0; w < warp; w++) before += warp_sums[w];
    value += before;
    if (i < width) out[i] = value;
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1) carry = value;
    __syncthreads();
  }
}
""",
    r"""
void twin(const uint8_t *image, int *sums, int width) {
  const int height = 200;
  const __m512i zero = _mm512_setzero_si512(), last = _mm512_set1_epi32(15);
  for (int y = 0; y < height; ++y) {
    __m512i carry = zero;
    for (int x = 0; x < width; x += 16) {
      // two steps in bytes' sums of 16 bits, two between 128-bit lanes
      __m256i s = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(image + y * width + x)));
      s = _mm256_add_epi16(s, _mm256_slli_si256(s, 2));
      s = _mm256_add_epi16(s, _mm256_slli_si256(s, 4));
      s = _mm256_add_epi16(s, _mm256_slli_si256(s, 8));
      __m512i v = _mm512_cvtepu16_epi32(s);
      v = _mm512_add_epi32(v, _mm512_maskz_permutexvar_epi32(0xff00, _mm512_set1_epi32(7), v));
      _mm512_storeu_si512(sums + y * width + x, _mm512_add_epi32(v, carry));
      carry = _mm512_add_epi32(carry, _mm512_permutexvar_epi32(last, v));
    }
  }
}
""",
    [rng.integers(0, 256, (H, W), np.uint8), np.zeros((H, W), i32), i32(W)],
    H,
    256,
    tolerance=0,
)

# 12. optical flow

W, H = 180, 120
first, second = smooth_floats(H, W), smooth_floats(H, W)
case(
    "lucas-kanade step, weighted 5x5",
    r"""
__constant__ float window[5][5] = {{0.2f, 0.5f, 0.6f, 0.5f, 0.2f},
                                   {0.5f, 0.8f, 0.9f, 0.8f, 0.5f},
                                   {0.6f, 0.9f, 1.0f, 0.9f, 0.6f},
                                   {0.5f, 0.8f, 0.9f, 0.8f, 0.5f},
                                   {0.2f, 0.5f, 0.6f, 0.5f, 0.2f}};

__global__ void flow(const float *ix, const float *iy, const float *it, float *uv, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float2 result = make_float2(0.0f, 0.0f);
  if (x >= 2 && y >= 2 && x < width - 2 && y < height - 2) {
    float xx = 0, xy = 0, yy = 0, xt = 0, yt = 0;
    for (int j = -2; j <= 2; j++) {
      for (int i = -2; i <= 2; i++) {
        const int at = (y + j) * width + x + i;
        const float gx = ix[at], gy = iy[at], gt = it[at], w = window[j + 2][i + 2];
        xx += w * gx * gx;
        xy += w * gx * gy;
        yy += w * gy * gy;
        xt += w * gx * gt;
        yt += w * gy * gt;
      }
    }
    const float det = xx * yy - xy * xy;
    if (fabsf(det) > 1e-3f) {
      result.x = (xy * yt - yy * xt) / det;
      result.y = (xy * xt - xx * yt) / det;
    }
  }
  reinterpret_cast<float2 *>(uv)[y * width + x] = result;
}
""",
    WIDE
    + r"""
void twin(const float *__restrict ix, const float *__restrict iy, const float *__restrict it, float *__restrict uv, int width, int height) {
  // the weights are symmetric: rows j and -j are added first, columns i and -i after; products once a pixel in rings of five rows; sums a row ahead
  alignas(64) static float ring[5][5][208], ahead[2][3][5][208];
  memset(uv, 0, sizeof(float) * 2 * width * height);
  auto products = [&](int y) {
    auto &p = ring[y % 5];
    const float *gx = ix + y * width, *gy = iy + y * width, *gt = it + y * width;
#pragma omp simd
    for (int x = 0; x < width; ++x) {
      p[0][x] = gx[x] * gx[x];
      p[1][x] = gx[x] * gy[x];
      p[2][x] = gy[x] * gy[x];
      p[3][x] = gx[x] * gt[x];
      p[4][x] = gy[x] * gt[x];
    }
  };
  const int padded = (width + 15) / 16 * 16;
  auto columns = [&](int y) {
    products(y + 2);
    auto &sums = ahead[y & 1];
    for (int k = 0; k < 5; ++k) {
      const float *a = ring[(y + 3) % 5][k], *b = ring[(y + 4) % 5][k], *c = ring[y % 5][k], *d = ring[(y + 1) % 5][k], *e = ring[(y + 2) % 5][k];
      float *s0 = sums[0][k], *s1 = sums[1][k], *s2 = sums[2][k];
#pragma omp simd
      for (int x = 0; x < padded; ++x) {
        float ae = a[x] + e[x], bd = b[x] + d[x];
        s0[x] = 0.6f * ae + 0.9f * bd + c[x];
        s1[x] = 0.5f * ae + 0.8f * bd + 0.9f * c[x];
        s2[x] = 0.2f * ae + 0.5f * bd + 0.6f * c[x];
      }
    }
  };
  for (int y = 0; y < 4; ++y) products(y);
  columns(2);
  for (int y = 2; y < height - 2; ++y) {
    if (y + 1 < height - 2) columns(y + 1);
    const auto &sums = ahead[y & 1];
    float *out = uv + 2 * y * width;
#pragma omp simd
    for (int x = 2; x < width - 2; ++x) {
#define SUM(k) (sums[0][k][x] + sums[1][k][x - 1] + sums[1][k][x + 1] + sums[2][k][x - 2] + sums[2][k][x + 2])
      float xx = SUM(0), xy = SUM(1), yy = SUM(2), xt = SUM(3), yt = SUM(4);
      float det = xx * yy - xy * xy;
      bool good = std::fabs(det) > 1e-3f;
      float inverse = 1.0f / (good ? det : 1.0f);
      out[2 * x] = good ? (xy * yt - yy * xt) * inverse : 0.0f;
      out[2 * x + 1] = good ? (xy * xt - xx * yt) * inverse : 0.0f;
    }
  }
}
""",
    [
        np.gradient(first, axis=1).astype(f32) * 4,
        np.gradient(first, axis=0).astype(f32) * 4,
        second - first,
        np.zeros((H, W, 2), f32),
        i32(W),
        i32(H),
    ],
    (blocks(W, 16), blocks(H, 16)),
    (16, 16),
    tolerance=1e-3,
)

# 13. motion estimation

W, H = 128, 96
case(
    "block matching 8x8, full search 16x16",
    r"""
struct Motion {
  short dx, dy;
  int sad;
};

// one block of threads a macroblock, one thread a candidate; reference has a frame of 8
__global__ void search(const unsigned char *current, const unsigned char *reference, short *motions, int width) {
  __shared__ unsigned int keys[256];
  const int stride = width + 16;
  const int bx = blockIdx.x * 8, by = blockIdx.y * 8;
  const int id = threadIdx.y * blockDim.x + threadIdx.x;
  unsigned int sad = 0;
  for (int y = 0; y < 8; y++)
    for (int x = 0; x < 8; x++) {
      int a = current[(by + y) * width + bx + x];
      int b = reference[(by + y + threadIdx.y) * stride + bx + x + threadIdx.x];
      sad += abs(a - b);
    }
  keys[id] = sad << 8 | id;
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (id < s) keys[id] = min(keys[id], keys[id + s]);
    __syncthreads();
  }
  if (id == 0) {
    Motion m;
    m.dx = (short)((keys[0] & 15) - 8);
    m.dy = (short)(((keys[0] >> 4) & 15) - 8);
    m.sad = keys[0] >> 8;
    Motion *motion = (Motion *)motions;
    motion[blockIdx.y * gridDim.x + blockIdx.x] = m;
  }
}
""",
    r"""
struct Motion {
  short dx, dy;
  int sad;
};
void twin(const uint8_t *current, const uint8_t *reference, Motion *motion, int width) {
  const int height = 96, stride = width + 16;
  const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  for (int by = 0; by < height; by += 8) {
    for (int bx = 0; bx < width; bx += 8) {
      __m256i block[8];
      for (int y = 0; y < 8; ++y) block[y] = _mm256_broadcastsi128_si256(_mm_loadl_epi64((const __m128i *)(current + (by + y) * width + bx)));
      __m256i sads[16];
      for (int i = 0; i < 16; ++i) sads[i] = _mm256_setzero_si256();
      // row r of the reference meets row y of the block at displacement r - y: 16 sums of 8 bytes at once
#pragma GCC unroll 23
      for (int r = 0; r < 23; ++r) {
        const uint8_t *p = reference + (by + r) * stride + bx;
        __m128i near = _mm_loadu_si128((const __m128i *)p), far = _mm_loadu_si128((const __m128i *)(p + 8));
        __m256i row = _mm256_inserti128_si256(_mm256_castsi128_si256(near), far, 1);
#pragma GCC unroll 8
        for (int y = 0; y < 8; ++y) {
          if (r - y < 0 || r - y > 15) continue;
          __m256i sum = _mm256_add_epi16(_mm256_mpsadbw_epu8(row, block[y], 0), _mm256_mpsadbw_epu8(row, block[y], 0x2d));
          sads[r - y] = _mm256_add_epi16(sads[r - y], sum);
        }
      }
      __m512i least = _mm512_set1_epi32(-1);
      for (int i = 0; i < 16; ++i) {
        __m512i key = _mm512_slli_epi32(_mm512_cvtepu16_epi32(sads[i]), 8);
        least = _mm512_min_epu32(least, _mm512_or_si512(key, _mm512_add_epi32(lanes, _mm512_set1_epi32(16 * i))));
      }
      unsigned key = _mm512_reduce_min_epu32(least);
      *motion++ = {short(int(key & 15) - 8), short(int(key >> 4 & 15) - 8), int(key >> 8)};
    }
  }
}
""",
    [smooth_bytes(H, W, 1), smooth_bytes(H + 16, W + 16, 1), np.zeros((W // 8 * H // 8, 4), np.int16), i32(W)],
    (W // 8, H // 8),
    (16, 16),
)

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

# 17. mel spectrogram

FRAMES, BINS, MELS = 512, 257, 80


def mel_filters() -> tuple[np.ndarray, np.ndarray]:
    hz = 700 * (10 ** (np.linspace(0, 2595 * math.log10(1 + 8000 / 700), MELS + 2) / 2595) - 1)
    bins = np.arange(BINS) * 16000 / 512
    rise = (bins[None] - hz[:-2, None]) / (hz[1:-1] - hz[:-2])[:, None]
    fall = (hz[2:, None] - bins[None]) / (hz[2:] - hz[1:-1])[:, None]
    weights = np.maximum(0, np.minimum(rise, fall)).astype(f32)
    ranges = np.zeros((MELS, 2), i32)
    for m in range(MELS):
        used = np.flatnonzero(weights[m])
        ranges[m] = (used[0], used[-1] + 1) if used.size else (0, 0)
    return weights, ranges


weights, ranges = mel_filters()
case(
    "log mel bands from power spectra",
    r"""
__global__ void log_mel(const float *power, const float *filters, const int2 *ranges, float *mel, int frames, int bins) {
  const int frame = blockIdx.x * blockDim.x + threadIdx.x;
  const int band = blockIdx.y;
  if (frame >= frames) return;
  const int2 range = ranges[band];
  float energy = 0.0f;
  for (int k = range.x; k < range.y; k++) energy += filters[band * bins + k] * power[frame * bins + k];
  mel[band * frames + frame] = log10f(fmaxf(energy, 1e-10f));
}
""",
    TRANSPOSE16
    + r"""
// natural logarithm of positive normal numbers
static inline __m512 logarithm(__m512 x) {
  __m512 e = _mm512_getexp_ps(x), m = _mm512_getmant_ps(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_zero);
  // the mantissa is in [0.75, 1.5): the exponent follows it
  e = _mm512_mask_add_ps(e, _mm512_cmp_ps_mask(m, _mm512_set1_ps(1), _CMP_LT_OQ), e, _mm512_set1_ps(1));
  __m512 f = _mm512_sub_ps(m, _mm512_set1_ps(1)), g = _mm512_mul_ps(f, f);
  __m512 p = _mm512_set1_ps(7.0376836292e-2f);
  p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(-1.1514610310e-1f));
  p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(1.1676998740e-1f));
  p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(-1.2420140846e-1f));
  p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(1.4249322787e-1f));
  p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(-1.6668057665e-1f));
  p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(2.0000714765e-1f));
  p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(-2.4999993993e-1f));
  p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(3.3333331174e-1f));
  __m512 y = _mm512_fmadd_ps(_mm512_mul_ps(p, f), g, _mm512_fnmadd_ps(g, _mm512_set1_ps(0.5f), f));
  return _mm512_fmadd_ps(e, _mm512_set1_ps(0.69314718f), y);
}
void twin(const float *power, const float *filters, const int *ranges, float *mel, int frames, int bins) {
  // 16 frames at once, turned
  alignas(64) static float turned[1024][16];
  for (int f = 0; f < frames; f += 16) {
    int k = 0;
    for (; k + 16 <= bins; k += 16) {
      __m512 r[16];
      for (int i = 0; i < 16; ++i) r[i] = _mm512_loadu_ps(power + (f + i) * bins + k);
      transpose16(r);
      for (int i = 0; i < 16; ++i) _mm512_store_ps(turned[k + i], r[i]);
    }
    for (; k < bins; ++k)
      for (int i = 0; i < 16; ++i) turned[k][i] = power[(f + i) * bins + k];
    for (int band = 0; band < 80; ++band) {
      __m512 sum = _mm512_setzero_ps();
      for (int j = ranges[2 * band]; j < ranges[2 * band + 1]; ++j)
        sum = _mm512_fmadd_ps(_mm512_set1_ps(filters[band * bins + j]), _mm512_load_ps(turned[j]), sum);
      __m512 l = logarithm(_mm512_max_ps(sum, _mm512_set1_ps(1e-10f)));
      _mm512_storeu_ps(mel + band * frames + f, _mm512_mul_ps(l, _mm512_set1_ps(0.43429448f)));
    }
  }
}
""",
    [
        rng.exponential(1, (FRAMES, BINS)).astype(f32),
        weights,
        ranges.view("V8"),
        np.zeros((MELS, FRAMES), f32),
        i32(FRAMES),
        i32(BINS),
    ],
    (blocks(FRAMES, 128), MELS),
    128,
    results=[3],
)

# 18. IIR filters, a thread per channel

CHANNELS, STEPS = 128, 512
case(
    "equaliser, 4 biquads, thread per channel",
    r"""
struct Section {
  double b0, b1, b2, a1, a2;
};
__constant__ Section sections[4] = {{1.02, -1.85, 0.86, -1.86, 0.88},
                                    {0.98, -1.52, 0.72, -1.54, 0.71},
                                    {1.05, -0.90, 0.45, -0.92, 0.49},
                                    {0.60, 0.30, 0.10, -0.20, 0.15}};

__global__ void equalise(const float *in, float *out, int channels, int steps) {
  int ch = blockIdx.x * blockDim.x + threadIdx.x;
  if (ch >= channels) return;
  double z[4][2];
  for (int s = 0; s < 4; s++) z[s][0] = z[s][1] = 0.0;
  for (int t = 0; t < steps; t++) {
    double x = in[t * channels + ch];
    for (int s = 0; s < 4; s++) {
      const Section &q = sections[s];
      double y = q.b0 * x + z[s][0];
      z[s][0] = q.b1 * x - q.a1 * y + z[s][1];
      z[s][1] = q.b2 * x - q.a2 * y;
      x = y;
    }
    out[t * channels + ch] = (float)x;
  }
}
""",
    r"""
static const double sections[4][5] = {{1.02, -1.85, 0.86, -1.86, 0.88},
                                      {0.98, -1.52, 0.72, -1.54, 0.71},
                                      {1.05, -0.90, 0.45, -0.92, 0.49},
                                      {0.60, 0.30, 0.10, -0.20, 0.15}};
void twin(const float *__restrict in, float *__restrict out, int channels, int steps) {
  for (int c = 0; c < channels; c += 16) {
    __m512d z0[4][2], z1[4][2];
    for (int s = 0; s < 4; ++s)
      for (int k = 0; k < 2; ++k) z0[s][k] = z1[s][k] = _mm512_setzero_pd();
    for (int t = 0; t < steps; ++t) {
      __m512 both = _mm512_loadu_ps(in + t * channels + c);
      __m512d x[2] = {_mm512_cvtps_pd(_mm512_castps512_ps256(both)), _mm512_cvtps_pd(_mm512_extractf32x8_ps(both, 1))};
#pragma GCC unroll 4
      for (int s = 0; s < 4; ++s) {
        const double *q = sections[s];
#pragma GCC unroll 2
        for (int k = 0; k < 2; ++k) {
          __m512d y = _mm512_fmadd_pd(_mm512_set1_pd(q[0]), x[k], z0[s][k]);
          z0[s][k] = _mm512_fmadd_pd(_mm512_set1_pd(-q[3]), y, _mm512_fmadd_pd(_mm512_set1_pd(q[1]), x[k], z1[s][k]));
          z1[s][k] = _mm512_fmadd_pd(_mm512_set1_pd(-q[4]), y, _mm512_mul_pd(_mm512_set1_pd(q[2]), x[k]));
          x[k] = y;
        }
      }
      _mm256_storeu_ps(out + t * channels + c, _mm512_cvtpd_ps(x[0]));
      _mm256_storeu_ps(out + t * channels + c + 8, _mm512_cvtpd_ps(x[1]));
    }
  }
}
""",
    [rng.normal(0, 1, (STEPS, CHANNELS)).astype(f32), np.zeros((STEPS, CHANNELS), f32), i32(CHANNELS), i32(STEPS)],
    2,
    64,
)

# 19. resampling of audio

N = 65536
TAPS = 24
phases = np.sinc((np.arange(3 * TAPS) - 1.5 * TAPS + 0.5) / 3.2) * np.hanning(3 * TAPS)
phases = (phases.reshape(TAPS, 3).T / phases.sum() * 3).astype(f32).copy()
case(
    "resample 3:2, polyphase, shorts",
    r"""
#define TAPS 24

__global__ void resample(const short *in, const float *phases, short *out, int n_in, int n_out) {
  __shared__ float h[3 * TAPS];
  if (threadIdx.x < 3 * TAPS) h[threadIdx.x] = phases[threadIdx.x];
  __syncthreads();
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= n_out) return;
  const int phase = (2 * n) % 3;
  const int base = (2 * n) / 3;
  float sum = 0.f;
  for (int k = 0; k < TAPS; ++k) {
    const int i = base - k + TAPS / 2;
    if (i >= 0 && i < n_in) sum += h[phase * TAPS + k] * in[i];
  }
  sum = fminf(fmaxf(sum, -32768.f), 32767.f);
  out[n] = (short)__float2int_rn(sum);
}
""",
    r"""
void twin(const int16_t *in, const float *phases, int16_t *out, int n_in, int n_out) {
  // outputs 3j, 3j + 1, 3j + 2 have phases 0, 2, 1 and bases 2j, 2j, 2j + 1; even and odd samples lie apart
  constexpr int CHUNK = 1024;
  alignas(64) static float parts[2][16 + CHUNK + 32];
  float *even = parts[0] + 16, *odd = parts[1] + 16;
  const int half = n_in / 2;
  // of a = (phase 0, phase 2) and of b = (phase 1)
  alignas(64) int16_t places[64] = {};
  for (int i = 0; i < 48; ++i) places[i] = int16_t(16 * (i % 3) + i / 3);
  const __m512i first = _mm512_load_si512(places), second = _mm512_load_si512(places + 32);
  auto finish = [](__m512 v) { return _mm512_cvtsepi32_epi16(_mm512_cvtps_epi32(v)); };
  for (int start = 0; start < half; start += CHUNK) {
    // 16 before and after the chunk, zeros outside
    for (int i = -16; i < CHUNK + 16; i += 16) {
      __m512i pairs = start + i < 0 || start + i >= half ? _mm512_setzero_si512() : _mm512_loadu_si512(in + 2 * (start + i));
      _mm512_store_ps(even + i, _mm512_cvtepi32_ps(_mm512_srai_epi32(_mm512_slli_epi32(pairs, 16), 16)));
      _mm512_store_ps(odd + i, _mm512_cvtepi32_ps(_mm512_srai_epi32(pairs, 16)));
    }
    for (int j = 0; j < CHUNK && 3 * (start + j) < n_out; j += 64) {
      __m512 sums[4][3];
      for (int u = 0; u < 4; ++u)
        for (int p = 0; p < 3; ++p) sums[u][p] = _mm512_setzero_ps();
      // sample 2j + s, s from 13 down to -11
#pragma GCC unroll 25
      for (int s = 13; s >= -11; --s) {
        const float *from = (s & 1 ? odd : even) + j + (s >> 1);
#pragma GCC unroll 4
        for (int u = 0; u < 4; ++u) {
          __m512 x = _mm512_loadu_ps(from + 16 * u);
          if (s <= 12) {
            sums[u][0] = _mm512_fmadd_ps(_mm512_set1_ps(phases[12 - s]), x, sums[u][0]);
            sums[u][1] = _mm512_fmadd_ps(_mm512_set1_ps(phases[2 * 24 + 12 - s]), x, sums[u][1]);
          }
          if (s >= -10) sums[u][2] = _mm512_fmadd_ps(_mm512_set1_ps(phases[24 + 13 - s]), x, sums[u][2]);
        }
      }
      for (int u = 0; u < 4; ++u) {
        const int n = 3 * (start + j + 16 * u);
        __m512i a = _mm512_inserti64x4(_mm512_castsi256_si512(finish(sums[u][0])), finish(sums[u][1]), 1);
        __m512i b = _mm512_castsi256_si512(finish(sums[u][2]));
        __m512i x = _mm512_permutex2var_epi16(a, first, b), y = _mm512_permutex2var_epi16(a, second, b);
        if (n_out - n >= 48) {
          _mm512_storeu_si512(out + n, x);
          _mm256_storeu_si256((__m256i *)(out + n + 32), _mm512_castsi512_si256(y));
        } else {
          int16_t last[64];
          _mm512_storeu_si512(last, x);
          _mm512_storeu_si512(last + 32, y);
          for (int i = 0; i < n_out - n; ++i) out[n + i] = last[i];
        }
      }
    }
  }
}
""",
    [
        np.clip(12000 * np.sin(np.arange(N) / 9) + rng.normal(0, 2000, N), -32768, 32767).astype(np.int16),
        phases,
        np.zeros(N * 3 // 2, np.int16),
        i32(N),
        i32(N * 3 // 2),
    ],
    blocks(N * 3 // 2, 256),
    256,
    tolerance=2e-4,
)

# 20. base64

N = 3 * 200_000
case(
    "base64 encode",
    r"""
__constant__ char letters[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

__global__ void encode(const unsigned char *bytes, char *text, unsigned int groups) {
  unsigned int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g >= groups) return;
  unsigned int v = (bytes[3 * g] << 16) | (bytes[3 * g + 1] << 8) | bytes[3 * g + 2];
  char *out = text + 4 * g;
  out[0] = letters[(v >> 18) & 63];
  out[1] = letters[(v >> 12) & 63];
  out[2] = letters[(v >> 6) & 63];
  out[3] = letters[v & 63];
}
""",
    r"""
void twin(const uint8_t *bytes, char *text, unsigned groups) {
  static const char letters[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  alignas(64) uint8_t order[64];
  for (int g = 0; g < 16; ++g) order[4 * g] = 3 * g + 1, order[4 * g + 1] = 3 * g, order[4 * g + 2] = 3 * g + 2, order[4 * g + 3] = 3 * g + 1;
  const __m512i table = _mm512_loadu_si512(letters), shuffle = _mm512_load_si512(order);
  const __m512i shifts = _mm512_set1_epi64(0x3036242a1016040a);
  unsigned g = 0;
  for (; g + 22 <= groups; g += 16) {
    __m512i v = _mm512_permutexvar_epi8(shuffle, _mm512_loadu_si512(bytes + 3 * g));
    v = _mm512_multishift_epi64_epi8(shifts, v);
    _mm512_storeu_si512(text + 4 * g, _mm512_permutexvar_epi8(v, table));
  }
  for (; g < groups; ++g) {
    unsigned v = bytes[3 * g] << 16 | bytes[3 * g + 1] << 8 | bytes[3 * g + 2];
    for (int i = 0; i < 4; ++i) text[4 * g + i] = letters[v >> (18 - 6 * i) & 63];
  }
}
""",
    [rng.integers(0, 256, N, np.uint8), np.zeros(N // 3 * 4, np.int8), u32(N // 3)],
    blocks(N // 3, 256),
    256,
)

# 21. run lengths

ROWS, N = 256, 1024
runs = (np.cumsum(rng.random((ROWS, N)) < 0.12, axis=1) * 37 % 251).astype(np.uint8)
case(
    "run-length encode, a row per thread",
    r"""
__global__ void rle(const unsigned char *data, unsigned char *pairs, int *counts, int rows, int length) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const unsigned char *in = data + row * length;
  uchar2 *out = reinterpret_cast<uchar2 *>(pairs) + row * length;
  int count = 0;
  unsigned char value = in[0];
  int run = 1;
  for (int i = 1; i < length; i++) {
    if (in[i] == value && run < 255) {
      run++;
    } else {
      out[count++] = make_uchar2(value, run);
      value = in[i];
      run = 1;
    }
  }
  out[count++] = make_uchar2(value, run);
  counts[row] = count;
}
""",
    r"""
void twin(const uint8_t *data, uint8_t *pairs, int *counts, int rows, int length) {
  alignas(64) uint8_t numbers[64];
  for (int i = 0; i < 64; ++i) numbers[i] = uint8_t(i);
  const __m512i steps = _mm512_load_si512(numbers);
  for (int row = 0; row < rows; ++row) {
    const uint8_t *in = data + row * length;
    uint16_t *start = (uint16_t *)pairs + row * length, *out = start;
    int begin = 0;
    auto run = [&](int end) {
      int n = end - begin;
      for (; n > 255; n -= 255) *out++ = uint16_t(in[begin] | 255 << 8);
      *out++ = uint16_t(in[begin] | n << 8);
      begin = end;
    };
    // bit k: a run ends before byte i + k + 1
    int i = 0;
    for (; i + 65 <= length; i += 64) {
      const __m512i here = _mm512_loadu_si512(in + i);
      uint64_t ends = _mm512_cmpneq_epi8_mask(here, _mm512_loadu_si512(in + i + 1));
      if (!ends) continue;
      if (i + 1 + __builtin_ctzll(ends) - begin > 255) {
        run(i + 1 + __builtin_ctzll(ends));
        ends &= ends - 1;
        if (!ends) continue;
      }
      // places modulo 256, packed; their differences are the lengths
      const int count = __builtin_popcountll(ends);
      __m512i values = _mm512_maskz_compress_epi8(ends, here);
      __m512i places = _mm512_maskz_compress_epi8(ends, _mm512_add_epi8(steps, _mm512_set1_epi8(char(i + 1))));
      __m512i before = _mm512_permutexvar_epi8(_mm512_sub_epi8(steps, _mm512_set1_epi8(1)), places);
      before = _mm512_mask_mov_epi8(before, 1, _mm512_set1_epi8(char(begin)));
      __m512i lengths = _mm512_sub_epi8(places, before);
      auto pairs = [](__m256i v, __m256i n) { return _mm512_or_si512(_mm512_cvtepu8_epi16(v), _mm512_slli_epi16(_mm512_cvtepu8_epi16(n), 8)); };
      __m512i low = pairs(_mm512_castsi512_si256(values), _mm512_castsi512_si256(lengths));
      _mm512_mask_storeu_epi16(out, _bzhi_u64(~0ull, count), low);
      if (count > 32) {
        __m512i high = pairs(_mm512_extracti64x4_epi64(values, 1), _mm512_extracti64x4_epi64(lengths, 1));
        _mm512_mask_storeu_epi16(out + 32, _bzhi_u64(~0ull, count - 32), high);
      }
      out += count;
      begin = i + 64 - __builtin_clzll(ends);
    }
    for (; i + 1 < length; ++i)
      if (in[i] != in[i + 1]) run(i + 1);
    run(length);
    counts[row] = int(out - start);
  }
}
""",
    [runs, np.zeros((ROWS, N, 2), np.uint8), np.zeros(ROWS, i32), i32(ROWS), i32(N)],
    blocks(ROWS, 64),
    64,
)

# 22. LZ77

N = 16384
words = [bytes(rng.integers(97, 107, rng.integers(2, 9), np.uint8)) for _ in range(40)]
text = np.frombuffer(b" ".join(words[k] for k in rng.integers(0, 40, N)), np.uint8)[:N].copy()
case(
    "lz longest match, window 32",
    r"""
#define WINDOW 32
#define MOST 16

__global__ void find_matches(const unsigned char *text, unsigned char *matches, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int best = 0, where = 0;
  for (int d = 1; d <= WINDOW && d <= i; d++) {
    int len = 0;
    while (len < MOST && i + len < n && text[i + len] == text[i + len - d]) len++;
    if (len > best) {
      best = len;
      where = d;
    }
  }
  ((uchar2 *)matches)[i] = make_uchar2(best, where);
}
""",
    WIDE
    + r"""
void twin(const uint8_t *text, uint8_t *matches, int n) {
  // for each distance the lengths at all places of a chunk, by doubling: 1, 2, 4, 8, 16
  constexpr int CHUNK = 2048, SPACE = CHUNK + 128;
  alignas(64) static uint8_t one[SPACE], two[SPACE], four[SPACE], eight[SPACE], best[SPACE], where[SPACE];
  for (int start = 0; start < n; start += CHUNK) {
    const int size = std::min(CHUNK, n - start), known = std::min(size + 15, n - start);
    memset(best, 0, sizeof best);
    memset(where, 0, sizeof where);
    memset(one, 0, sizeof one);
    for (int d = 1; d <= 32; ++d) {
      const uint8_t *p = text + start;
      const int first = start < d ? d - start : 0;
      for (int i = 0; i < first; ++i) one[i] = 0;
#pragma omp simd
      for (int i = first; i < known; ++i) one[i] = p[i] == p[i - d] ? 1 : 0;
#pragma omp simd
      for (int i = 0; i < CHUNK + 64; ++i) two[i] = uint8_t(one[i] + (one[i] == 1 ? one[i + 1] : 0));
#pragma omp simd
      for (int i = 0; i < CHUNK + 32; ++i) four[i] = uint8_t(two[i] + (two[i] == 2 ? two[i + 2] : 0));
#pragma omp simd
      for (int i = 0; i < CHUNK + 16; ++i) eight[i] = uint8_t(four[i] + (four[i] == 4 ? four[i + 4] : 0));
#pragma omp simd
      for (int i = 0; i < CHUNK; ++i) {
        uint8_t len = uint8_t(eight[i] + (eight[i] == 8 ? eight[i + 8] : 0));
        where[i] = len > best[i] ? uint8_t(d) : where[i];
        best[i] = len > best[i] ? len : best[i];
      }
    }
    uint16_t *out = (uint16_t *)matches + start;
#pragma omp simd
    for (int i = 0; i < size; ++i) out[i] = uint16_t(best[i] | where[i] << 8);
  }
}
""",
    [text, np.zeros((N, 2), np.uint8), i32(N)],
    blocks(N, 256),
    256,
)

# 23. cipher

N = 4096
case(
    "chacha20, a block of 64 bytes per thread",
    r"""
#define ROTATE(v, n) (((v) << (n)) | ((v) >> (32 - (n))))
#define QUARTER(a, b, c, d) \
  a += b; d ^= a; d = ROTATE(d, 16); \
  c += d; b ^= c; b = ROTATE(b, 12); \
  a += b; d ^= a; d = ROTATE(d, 8);  \
  c += d; b ^= c; b = ROTATE(b, 7);

__global__ void chacha20(const unsigned int *plain, const unsigned int *key, unsigned int *cipher, unsigned int nonce, int n) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  unsigned int state[16], x[16];
  state[0] = 0x61707865u; state[1] = 0x3320646eu; state[2] = 0x79622d32u; state[3] = 0x6b206574u;
  for (int i = 0; i < 8; i++) state[4 + i] = key[i];
  state[12] = id;
  state[13] = nonce;
  state[14] = state[15] = 0;
  for (int i = 0; i < 16; i++) x[i] = state[i];
  for (int round = 0; round < 10; round++) {
    QUARTER(x[0], x[4], x[8], x[12])
    QUARTER(x[1], x[5], x[9], x[13])
    QUARTER(x[2], x[6], x[10], x[14])
    QUARTER(x[3], x[7], x[11], x[15])
    QUARTER(x[0], x[5], x[10], x[15])
    QUARTER(x[1], x[6], x[11], x[12])
    QUARTER(x[2], x[7], x[8], x[13])
    QUARTER(x[3], x[4], x[9], x[14])
  }
  for (int i = 0; i < 16; i++) cipher[id * 16 + i] = plain[id * 16 + i] ^ (x[i] + state[i]);
}
""",
    TRANSPOSE16
    + r"""
void twin(const uint32_t *plain, const uint32_t *key, uint32_t *cipher, uint32_t nonce, int n) {
  static const uint32_t head[4] = {0x61707865u, 0x3320646eu, 0x79622d32u, 0x6b206574u};
  const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  for (int id = 0; id < n; id += 16) {
    __m512i x[16];
    auto start = [&](int i) {
      if (i == 12) return _mm512_add_epi32(lanes, _mm512_set1_epi32(id));
      return _mm512_set1_epi32(int(i < 4 ? head[i] : i < 12 ? key[i - 4] : i == 13 ? nonce : 0));
    };
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) x[i] = start(i);
#define QUARTER(a, b, c, d)                                                                        \
  a = _mm512_add_epi32(a, b); d = _mm512_rol_epi32(_mm512_xor_si512(d, a), 16);                    \
  c = _mm512_add_epi32(c, d); b = _mm512_rol_epi32(_mm512_xor_si512(b, c), 12);                    \
  a = _mm512_add_epi32(a, b); d = _mm512_rol_epi32(_mm512_xor_si512(d, a), 8);                     \
  c = _mm512_add_epi32(c, d); b = _mm512_rol_epi32(_mm512_xor_si512(b, c), 7);
    for (int round = 0; round < 10; ++round) {
      QUARTER(x[0], x[4], x[8], x[12])
      QUARTER(x[1], x[5], x[9], x[13])
      QUARTER(x[2], x[6], x[10], x[14])
      QUARTER(x[3], x[7], x[11], x[15])
      QUARTER(x[0], x[5], x[10], x[15])
      QUARTER(x[1], x[6], x[11], x[12])
      QUARTER(x[2], x[7], x[8], x[13])
      QUARTER(x[3], x[4], x[9], x[14])
    }
    __m512 r[16];
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) r[i] = _mm512_castsi512_ps(_mm512_add_epi32(x[i], start(i)));
    transpose16(r);
    for (int i = 0; i < 16; ++i) {
      __m512i text = _mm512_loadu_si512(plain + 16 * (id + i));
      _mm512_storeu_si512(cipher + 16 * (id + i), _mm512_xor_si512(text, _mm512_castps_si512(r[i])));
    }
  }
}
""",
    [
        rng.integers(0, 2**32, (N, 16), u32),
        rng.integers(0, 2**32, 8, u32),
        np.zeros((N, 16), u32),
        u32(77),
        i32(N),
    ],
    blocks(N, 128),
    128,
    tolerance=0,
)

# 24. hash

N = 8192
case(
    "murmur3 of 64-byte keys",
    r"""
__device__ inline unsigned rotl32(unsigned x, int r) { return (x << r) | (x >> (32 - r)); }

__global__ void murmur3(const unsigned *keys, unsigned *hashes, unsigned seed, unsigned n) {
  for (unsigned k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) {
    unsigned h = seed;
    const unsigned *words = keys + k * 16;
    for (int i = 0; i < 16; i++) {
      unsigned w = words[i];
      w *= 0xcc9e2d51u;
      w = rotl32(w, 15);
      w *= 0x1b873593u;
      h ^= w;
      h = rotl32(h, 13);
      h = h * 5 + 0xe6546b64u;
    }
    h ^= 64;
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
    hashes[k] = h;
  }
}
""",
    TRANSPOSE16
    + r"""
void twin(const uint32_t *keys, uint32_t *hashes, uint32_t seed, uint32_t n) {
  auto set = [](uint32_t v) { return _mm512_set1_epi32(int(v)); };
  auto x5 = [](__m512i v) { return _mm512_add_epi32(v, _mm512_slli_epi32(v, 2)); };
  for (uint32_t k = 0; k < n; k += 16) {
    __m512 r[16];
    for (int i = 0; i < 16; ++i) {
      // the words are mixed before they are turned: no chain there
      __m512i w = _mm512_mullo_epi32(_mm512_loadu_si512(keys + (k + i) * 16), set(0xcc9e2d51u));
      r[i] = _mm512_castsi512_ps(_mm512_mullo_epi32(_mm512_rol_epi32(w, 15), set(0x1b873593u)));
    }
    transpose16(r);
    __m512i h = set(seed);
    for (int i = 0; i < 16; ++i) {
      h = _mm512_rol_epi32(_mm512_xor_si512(h, _mm512_castps_si512(r[i])), 13);
      h = _mm512_add_epi32(x5(h), set(0xe6546b64u));
    }
    h = _mm512_xor_si512(h, set(64));
    h = _mm512_mullo_epi32(_mm512_xor_si512(h, _mm512_srli_epi32(h, 16)), set(0x85ebca6bu));
    h = _mm512_mullo_epi32(_mm512_xor_si512(h, _mm512_srli_epi32(h, 13)), set(0xc2b2ae35u));
    h = _mm512_xor_si512(h, _mm512_srli_epi32(h, 16));
    _mm512_storeu_si512(hashes + k, h);
  }
}
""",
    [rng.integers(0, 2**32, (N, 16), u32), np.zeros(N, u32), u32(42), u32(N)],
    16,
    256,
    tolerance=0,
)

# 25. edit distance

PAIRS, LENGTH = 1024, 32
left = rng.integers(65, 69, (LENGTH, PAIRS), np.uint8)
right = np.where(
    rng.random((LENGTH, PAIRS)) < 0.7, np.roll(left, 1, axis=0), rng.integers(65, 69, (LENGTH, PAIRS), np.uint8)
)
case(
    "levenshtein, private row per pair",
    r"""
#define LENGTH 32

__global__ void levenshtein(const char *a, const char *b, int *distance, int pairs) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= pairs) return;
  int row[LENGTH + 1];
  for (int j = 0; j <= LENGTH; j++) row[j] = j;
  for (int i = 1; i <= LENGTH; i++) {
    char ch = a[(i - 1) * pairs + p];
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= LENGTH; j++) {
      int cost = ch == b[(j - 1) * pairs + p] ? 0 : 1;
      int best = min(min(row[j] + 1, row[j - 1] + 1), diagonal + cost);
      diagonal = row[j];
      row[j] = best;
    }
  }
  distance[p] = row[LENGTH];
}
""",
    r"""
void twin(const char *a, const char *b, int *distance, int pairs) {
  // distances up to 32 fit into bytes: 64 pairs at once, two rows at once
  const __m512i one = _mm512_set1_epi8(1);
  for (int p = 0; p < pairs; p += 64) {
    __m512i row[33], letters[32];
    for (int j = 0; j <= 32; ++j) row[j] = _mm512_set1_epi8(char(j));
    for (int j = 0; j < 32; ++j) letters[j] = _mm512_loadu_si512(b + j * pairs + p);
    for (int i = 1; i <= 32; i += 2) {
      const __m512i first = _mm512_loadu_si512(a + (i - 1) * pairs + p), second = _mm512_loadu_si512(a + i * pairs + p);
      __m512i above = row[0], left1 = _mm512_set1_epi8(char(i)), left2 = _mm512_set1_epi8(char(i + 1));
      row[0] = left2;
      for (int j = 1; j <= 32; ++j) {
        const __m512i ch = letters[j - 1], up = row[j];
        auto cell = [&](__m512i up, __m512i left, __m512i diagonal, __m512i mine) {
          __m512i through = _mm512_mask_add_epi8(diagonal, _mm512_cmpneq_epi8_mask(ch, mine), diagonal, one);
          return _mm512_min_epu8(_mm512_add_epi8(_mm512_min_epu8(up, left), one), through);
        };
        __m512i here1 = cell(up, left1, above, first);
        __m512i here2 = cell(here1, left2, left1, second);
        above = up, left1 = here1, left2 = here2;
        row[j] = here2;
      }
    }
    alignas(64) uint8_t last[64];
    _mm512_store_si512(last, row[32]);
    for (int k = 0; k < 64; ++k) distance[p + k] = last[k];
  }
}
""",
    [left.view(np.int8), right.view(np.int8), np.zeros(PAIRS, i32), i32(PAIRS)],
    blocks(PAIRS, 128),
    128,
)

# 26. histogram

N = 262144
case(
    "histogram 256, shared atomics, per block",
    r"""
__global__ void histogram(const uchar4 *pixels, unsigned int *partial, int n4) {
  __shared__ unsigned int bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  const int per_block = (n4 + gridDim.x - 1) / gridDim.x;
  const int end = min(n4, (int)(blockIdx.x + 1) * per_block);
  for (int i = blockIdx.x * per_block + threadIdx.x; i < end; i += blockDim.x) {
    uchar4 p = pixels[i];
    atomicAdd(&bins[p.x], 1u);
    atomicAdd(&bins[p.y], 1u);
    atomicAdd(&bins[p.z], 1u);
    atomicAdd(&bins[p.w], 1u);
  }
  __syncthreads();
  partial[blockIdx.x * 256 + threadIdx.x] = bins[threadIdx.x];
}
""",
    r"""
void twin(const uint8_t *pixels, uint32_t *partial, int n4) {
  const int blocks = 8, per_block = (n4 + blocks - 1) / blocks;
  alignas(64) uint32_t bins[4][256];
  for (int b = 0; b < blocks; ++b) {
    memset(bins, 0, sizeof bins);
    const int end = std::min(n4, (b + 1) * per_block);
    int i = b * per_block;
    for (; i + 2 <= end; i += 2) {
      uint64_t v;
      memcpy(&v, pixels + 4 * i, 8);
      ++bins[0][v & 255];
      ++bins[1][v >> 8 & 255];
      ++bins[2][v >> 16 & 255];
      ++bins[3][v >> 24 & 255];
      ++bins[0][v >> 32 & 255];
      ++bins[1][v >> 40 & 255];
      ++bins[2][v >> 48 & 255];
      ++bins[3][v >> 56];
    }
    for (; i < end; ++i)
      for (int c = 0; c < 4; ++c) ++bins[c][pixels[4 * i + c]];
    for (int k = 0; k < 256; ++k) partial[256 * b + k] = bins[0][k] + bins[1][k] + bins[2][k] + bins[3][k];
  }
}
""",
    [np.clip(rng.normal(120, 40, N), 0, 255).astype(np.uint8).view("V4"), np.zeros((8, 256), u32), i32(N // 4)],
    8,
    256,
    results=[1],
    tolerance=0,
)

# 27. dithering

W, H = 512, 400
case(
    "ordered dither to bits, ballot, uchar4",
    r"""
__constant__ unsigned char bayer[8][8] = {{0, 32, 8, 40, 2, 34, 10, 42}, {48, 16, 56, 24, 50, 18, 58, 26},
                                          {12, 44, 4, 36, 14, 46, 6, 38}, {60, 28, 52, 20, 62, 30, 54, 22},
                                          {3, 35, 11, 43, 1, 33, 9, 41},  {51, 19, 59, 27, 49, 17, 57, 25},
                                          {15, 47, 7, 39, 13, 45, 5, 37}, {63, 31, 55, 23, 61, 29, 53, 21}};

__global__ void dither(const uchar4 *pixels, unsigned int *bits, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  bool on = false;
  if (x < width && y < height) {
    const uchar4 p = pixels[y * width + x];
    const int luma = (38 * p.x + 75 * p.y + 15 * p.z) >> 7;
    on = luma > 4 * bayer[y % 8][x % 8] + 1;
  }
  const unsigned int word = __ballot_sync(0xffffffffu, on);
  if (threadIdx.x == 0 && y < height) bits[y * (width / 32) + blockIdx.x] = word;
}
""",
    r"""
void twin(const uint8_t *pixels, uint32_t *bits, int width, int height) {
  static const uint8_t bayer[8][8] = {{0, 32, 8, 40, 2, 34, 10, 42}, {48, 16, 56, 24, 50, 18, 58, 26},
                                      {12, 44, 4, 36, 14, 46, 6, 38}, {60, 28, 52, 20, 62, 30, 54, 22},
                                      {3, 35, 11, 43, 1, 33, 9, 41},  {51, 19, 59, 27, 49, 17, 57, 25},
                                      {15, 47, 7, 39, 13, 45, 5, 37}, {63, 31, 55, 23, 61, 29, 53, 21}};
  const __m512i coefficients = _mm512_set1_epi32(0x000f4b26), ones = _mm512_set1_epi16(1);
  for (int y = 0; y < height; ++y) {
    alignas(64) int limits[16];
    // luma > limit, where luma is the sum without its last 7 bits
    for (int i = 0; i < 16; ++i) limits[i] = ((4 * bayer[y % 8][i % 8] + 1) << 7) + 127;
    const __m512i limit = _mm512_load_si512(limits);
    auto sixteen = [&](const uint8_t *p) {
      __m512i pairs = _mm512_maddubs_epi16(_mm512_loadu_si512(p), coefficients);
      return uint32_t(_mm512_cmpgt_epi32_mask(_mm512_madd_epi16(pairs, ones), limit));
    };
    const uint8_t *p = pixels + 4 * y * width;
    for (int x = 0; x < width; x += 32) bits[(y * width + x) / 32] = sixteen(p + 4 * x) | sixteen(p + 4 * x + 64) << 16;
  }
}
""",
    [smooth_bytes(H, W, 4).view("V4"), np.zeros((H, W // 32), u32), i32(W), i32(H)],
    (blocks(W, 32), blocks(H, 8)),
    (32, 8),
    results=[1],
    tolerance=0,
)

# 28. connected components

W, H = 500, 250
labels = np.where(rng.random((H, W)) < 0.6, np.arange(1, H * W + 1).reshape(H, W), 0).astype(i32)
case(
    "connected components, one label step",
    r"""
__global__ void propagate(const int *labels, int *next, int *changed, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int idx = y * width + x;
  int label = labels[idx];
  if (label == 0) {
    next[idx] = 0;
    return;
  }
  int best = label;
  if (x > 0 && labels[idx - 1] != 0) best = min(best, labels[idx - 1]);
  if (x < width - 1 && labels[idx + 1] != 0) best = min(best, labels[idx + 1]);
  if (y > 0 && labels[idx - width] != 0) best = min(best, labels[idx - width]);
  if (y < height - 1 && labels[idx + width] != 0) best = min(best, labels[idx + width]);
  next[idx] = best;
  if (best < label) *changed = 1;
}
""",
    WIDE
    + r"""
void twin(const int *__restrict labels, int *__restrict next, int *__restrict changed, int width, int height) {
  // less one and unsigned, no label is the greatest
  unsigned any = 0;
  auto least = [](unsigned a, unsigned b) { return a < b ? a : b; };
  for (int y = 0; y < height; ++y) {
    const unsigned *p = (const unsigned *)labels + y * width;
    const unsigned *u = y ? p - width : p, *d = y + 1 < height ? p + width : p;
    unsigned *out = (unsigned *)next + y * width;
    auto cell = [&](int x, unsigned left, unsigned right) {
      unsigned best = least(least(least(left - 1, right - 1), least(u[x] - 1, d[x] - 1)), p[x] - 1) + 1;
      best = p[x] ? best : 0;
      any |= best ^ p[x];
      out[x] = best;
    };
    cell(0, 0, p[1]);
#pragma omp simd reduction(| : any)
    for (int x = 1; x < width - 1; ++x) {
      unsigned best = least(least(least(p[x - 1] - 1, p[x + 1] - 1), least(u[x] - 1, d[x] - 1)), p[x] - 1) + 1;
      best = p[x] ? best : 0;
      any |= best ^ p[x];
      out[x] = best;
    }
    cell(width - 1, p[width - 2], 0);
  }
  if (any) *changed = 1;
}
""",
    [labels, np.zeros((H, W), i32), np.zeros(1, i32), i32(W), i32(H)],
    (blocks(W, 32), blocks(H, 8)),
    (32, 8),
    tolerance=0,
)

# 29. tone mapping

N = 40000
case(
    "aces tone map and gamma, float4 to uchar4",
    r"""
__device__ float aces(float x) {
  const float a = 2.51f, b = 0.03f, c = 2.43f, d = 0.59f, e = 0.14f;
  return __saturatef((x * (a * x + b)) / (x * (c * x + d) + e));
}

__global__ void tone_map(const float4 *hdr, unsigned char *ldr, float exposure, int n) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    const float4 p = hdr[i];
    const float r = powf(aces(p.x * exposure), 1.0f / 2.2f);
    const float g = powf(aces(p.y * exposure), 1.0f / 2.2f);
    const float b = powf(aces(p.z * exposure), 1.0f / 2.2f);
    ((uchar4 *)ldr)[i] = make_uchar4(r * 255.0f + 0.5f, g * 255.0f + 0.5f, b * 255.0f + 0.5f, __saturatef(p.w) * 255.0f + 0.5f);
  }
}
""",
    r"""
void twin(const float *hdr, uint8_t *ldr, float exposure, int n) {
  auto set = [](float v) { return _mm512_set1_ps(v); };
  const __m512 one = set(1), zero = _mm512_setzero_ps();
  for (int i = 0; i < 4 * n; i += 16) {
    const __m512 p = _mm512_loadu_ps(hdr + i), x = _mm512_mul_ps(p, set(exposure));
    __m512 up = _mm512_mul_ps(x, _mm512_fmadd_ps(set(2.51f), x, set(0.03f)));
    __m512 down = _mm512_fmadd_ps(x, _mm512_fmadd_ps(set(2.43f), x, set(0.59f)), set(0.14f));
    // a reciprocal of 14 bits and one step of Newton's
    __m512 inverse = _mm512_rcp14_ps(down);
    inverse = _mm512_mul_ps(inverse, _mm512_fnmadd_ps(down, inverse, set(2)));
    __m512 v = _mm512_min_ps(_mm512_max_ps(_mm512_mul_ps(up, inverse), set(1e-30f)), one);
    // log2 by a polynomial in the mantissa from 0.75 to 1.5, error some 1e-5
    __m512 m = _mm512_getmant_ps(v, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_zero), e = _mm512_getexp_ps(v);
    e = _mm512_mask_add_ps(e, _mm512_cmp_ps_mask(m, one, _CMP_LT_OQ), e, one);
    __m512 f = _mm512_sub_ps(m, one);
    __m512 q = set(0.1199978f);
    q = _mm512_fmadd_ps(q, f, set(-0.2427913f));
    q = _mm512_fmadd_ps(q, f, set(0.2983022f));
    q = _mm512_fmadd_ps(q, f, set(-0.3615469f));
    q = _mm512_fmadd_ps(q, f, set(0.4806235f));
    q = _mm512_fmadd_ps(q, f, set(-0.7213282f));
    q = _mm512_fmadd_ps(q, f, set(1.4426963f));
    __m512 power = _mm512_mul_ps(_mm512_fmadd_ps(q, f, e), set(1.0f / 2.2f));
    __m512 whole = _mm512_roundscale_ps(power, 0), g = _mm512_sub_ps(power, whole);
    __m512 s = set(0.0096181291f);
    s = _mm512_fmadd_ps(s, g, set(0.0555041087f));
    s = _mm512_fmadd_ps(s, g, set(0.2402265070f));
    s = _mm512_fmadd_ps(s, g, set(0.6931471806f));
    s = _mm512_fmadd_ps(s, g, set(1.0f));
    s = _mm512_scalef_ps(s, whole);
    s = _mm512_mask_mov_ps(s, 0x8888, _mm512_min_ps(_mm512_max_ps(p, zero), one));
    _mm_storeu_si128((__m128i *)(ldr + i), _mm512_cvtepi32_epi8(_mm512_cvttps_epi32(_mm512_fmadd_ps(s, set(255), set(0.5f)))));
  }
}
""",
    [rng.exponential(0.7, (N, 4)).astype(f32).view("V16"), np.zeros((N, 4), np.uint8), f32(0.8), i32(N)],
    40,
    256,
    results=[1],
    tolerance=0.005,
)

# 30. compositing

N = 40000
layers = rng.random((2, N, 4))
layers[..., :3] *= layers[..., 3:]
case(
    "source over, premultiplied half4",
    r"""
#include <cuda_fp16.h>

struct __align__(8) half4 {
  __half2 rg, ba;
};

__global__ void over(const half4 *front, const half4 *back, __half *result, float opacity, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const half4 f = front[i], b = back[i];
  float2 frg = __half22float2(f.rg), fba = __half22float2(f.ba);
  const float2 brg = __half22float2(b.rg), bba = __half22float2(b.ba);
  frg.x *= opacity;
  frg.y *= opacity;
  fba.x *= opacity;
  fba.y *= opacity;
  const float rest = 1.0f - fba.y;
  half4 r;
  r.rg = __floats2half2_rn(frg.x + rest * brg.x, frg.y + rest * brg.y);
  r.ba = __floats2half2_rn(fba.x + rest * bba.x, fba.y + rest * bba.y);
  reinterpret_cast<half4 *>(result)[i] = r;
}
""",
    r"""
void twin(const uint16_t *front, const uint16_t *back, uint16_t *result, float opacity, int n) {
  const __m512 one = _mm512_set1_ps(1), o = _mm512_set1_ps(opacity);
  for (int i = 0; i < 4 * n; i += 16) {
    __m512 f = _mm512_mul_ps(_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(front + i))), o);
    __m512 b = _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(back + i)));
    __m512 rest = _mm512_sub_ps(one, _mm512_permute_ps(f, 0xff));
    _mm256_storeu_si256((__m256i *)(result + i), _mm512_cvtps_ph(_mm512_fmadd_ps(rest, b, f), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  }
}
""",
    [
        layers[0].astype(np.float16).view("V8"),
        layers[1].astype(np.float16).view("V8"),
        np.zeros((N, 4), np.float16),
        f32(0.75),
        i32(N),
    ],
    blocks(N, 256),
    256,
    results=[2],
    tolerance=1e-3,
)
