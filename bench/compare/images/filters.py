"""Filters of images, by bytes and floats."""

import numpy as np
from cases import case
from images.common import WIDE, blocks, f32, i32, smooth_bytes, smooth_floats

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
