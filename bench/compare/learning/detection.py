"""Pooling, sampling, overlaps, sums by index."""

import numpy as np
from cases import case
from learning.common import VECTORS, f32, i32, normal, uniform, zeros

case(
    "max pooling 3x3, stride 2, with index",
    r"""
__global__ void max_pool_forward(int n, const float* bottom, int height, int width, int pooled_height, int pooled_width, float* top, int* argmax) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= n) return;
  int pw = index % pooled_width;
  int ph = (index / pooled_width) % pooled_height;
  int c = index / pooled_width / pooled_height;
  int hstart = ph * 2 - 1, wstart = pw * 2 - 1;
  int hend = min(hstart + 3, height), wend = min(wstart + 3, width);
  hstart = max(hstart, 0);
  wstart = max(wstart, 0);
  float maxval = -3.402823466e+38F;
  int maxidx = -1;
  const float* slice = bottom + c * height * width;
  for (int h = hstart; h < hend; ++h) {
    for (int w = wstart; w < wend; ++w) {
      if (slice[h * width + w] > maxval) {
        maxidx = h * width + w;
        maxval = slice[maxidx];
      }
    }
  }
  top[index] = maxval;
  argmax[index] = maxidx;
}
""",
    VECTORS
    + r"""
void twin(int n, const float* bottom, int height, int width, int pooled_height, int pooled_width, float* top, int* argmax) {
  const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const V least = all(-3.402823466e+38F);
  float best[16 + 144];  // of three rows the greatest and its place, column 0 at [16]
  int place[16 + 144];
  for (int i = 0; i < 160; i++) best[i] = -3.402823466e+38F, place[i] = -1;
  for (int c = 0; c < n / (pooled_height * pooled_width); c++)
    for (int ph = 0; ph < pooled_height; ph++) {
      const float* slice = bottom + c * height * width;
      const int h0 = std::max(2 * ph - 1, 0), h1 = std::min(2 * ph + 2, height);
      for (int x = 0; x < width; x += 16) {
        const __mmask16 k = width - x >= 16 ? 0xffff : (1u << (width - x)) - 1;
        V m = least;
        __m512i at = _mm512_set1_epi32(-1);
        for (int h = h0; h < h1; h++) {
          const V v = _mm512_mask_loadu_ps(least, k, slice + h * width + x);
          const __mmask16 greater = _mm512_cmp_ps_mask(v, m, _CMP_GT_OQ);
          m = _mm512_max_ps(m, v);
          at = _mm512_mask_add_epi32(at, greater, lane, _mm512_set1_epi32(h * width + x));
        }
        st(best + 16 + x, m);
        _mm512_storeu_si512(place + 16 + x, at);
      }
      for (int x = 0; x < pooled_width; x += 16) {
        const __mmask16 k = pooled_width - x >= 16 ? 0xffff : (1u << (pooled_width - x)) - 1;
        const float* p = best + 16 + 2 * x - 1;
        const int* q = place + 16 + 2 * x - 1;
        const V a = ld(p), b = ld(p + 16);
        const __m512i ia = _mm512_loadu_si512(q), ib = _mm512_loadu_si512(q + 16);
        V m = _mm512_permutex2var_ps(a, evens(), b);
        __m512i at = _mm512_permutex2var_epi32(ia, evens(), ib);
        V v = _mm512_permutex2var_ps(a, odds(), b);
        at = _mm512_mask_mov_epi32(at, _mm512_cmp_ps_mask(v, m, _CMP_GT_OQ), _mm512_permutex2var_epi32(ia, odds(), ib));
        m = _mm512_max_ps(m, v);
        v = _mm512_permutex2var_ps(ld(p + 2), evens(), ld(p + 18));
        const __m512i last = _mm512_permutex2var_epi32(_mm512_loadu_si512(q + 2), evens(), _mm512_loadu_si512(q + 18));
        at = _mm512_mask_mov_epi32(at, _mm512_cmp_ps_mask(v, m, _CMP_GT_OQ), last);
        m = _mm512_max_ps(m, v);
        const size_t o = (size_t)(c * pooled_height + ph) * pooled_width + x;
        _mm512_mask_storeu_ps(top + o, k, m);
        _mm512_mask_storeu_epi32(argmax + o, k, at);
      }
    }
}
""",
    [
        i32(48 * 784),
        np.random.default_rng(34).permutation(48 * 3136).astype(np.float32).reshape(48, 56, 56),
        *map(i32, (56, 56, 28, 28)),
        zeros(48, 28, 28),
        zeros(48, 28, 28, dtype=np.int32),
    ],
    147,
    256,
)

case(
    "grid sample, bilinear, zeros outside",
    r"""
__device__ bool inside(int y, int x, int H, int W) { return y >= 0 && y < H && x >= 0 && x < W; }

__global__ void grid_sample(const float* input, const float* grid, float* output, int C, int H, int W, int OH, int OW) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  int n = blockIdx.y;
  if (idx >= OH * OW) return;
  float2 g = ((const float2*)grid)[n * OH * OW + idx];
  float fx = ((g.x + 1.0f) * W - 1.0f) * 0.5f;
  float fy = ((g.y + 1.0f) * H - 1.0f) * 0.5f;
  int x0 = (int)floorf(fx), y0 = (int)floorf(fy);
  int x1 = x0 + 1, y1 = y0 + 1;
  float nw = (x1 - fx) * (y1 - fy), ne = (fx - x0) * (y1 - fy);
  float sw = (x1 - fx) * (fy - y0), se = (fx - x0) * (fy - y0);
  const float* in = input + n * C * H * W;
  float* out = output + n * C * OH * OW + idx;
  for (int c = 0; c < C; c++, in += H * W, out += OH * OW) {
    float value = 0.0f;
    if (inside(y0, x0, H, W)) value += in[y0 * W + x0] * nw;
    if (inside(y0, x1, H, W)) value += in[y0 * W + x1] * ne;
    if (inside(y1, x0, H, W)) value += in[y1 * W + x0] * sw;
    if (inside(y1, x1, H, W)) value += in[y1 * W + x1] * se;
    *out = value;
  }
}
""",
    VECTORS
    + r"""
// Of two neighbours from `at` on, which are surely inside, the weights; near the border one or both are 0.
static inline void axis(V f, int size, __m512i* at, V* w0, V* w1) {
  const V low = _mm512_roundscale_ps(f, 9), part = f - low;
  const __m512i i = _mm512_cvtps_epi32(low);
  *at = _mm512_max_epi32(_mm512_min_epi32(i, _mm512_set1_epi32(size - 2)), _mm512_setzero_si512());
  const __m512i off = _mm512_sub_epi32(i, *at);
  const V rest = all(1) - part;
  *w0 = _mm512_maskz_mov_ps(_mm512_cmpeq_epi32_mask(off, _mm512_setzero_si512()), rest);
  *w0 = _mm512_mask_mov_ps(*w0, _mm512_cmpeq_epi32_mask(off, _mm512_set1_epi32(-1)), part);
  *w1 = _mm512_maskz_mov_ps(_mm512_cmpeq_epi32_mask(off, _mm512_setzero_si512()), part);
  *w1 = _mm512_mask_mov_ps(*w1, _mm512_cmpeq_epi32_mask(off, _mm512_set1_epi32(1)), rest);
}
void twin(const float* input, const float* grid, float* output, int C, int H, int W, int OH, int OW) {
  for (int n = 0; n < 2; n++)
    for (int i = 0; i < OH * OW; i += 16) {
      const float* g = grid + (size_t)(n * OH * OW + i) * 2;
      const V a = ld(g), b = ld(g + 16);
      const V gx = _mm512_permutex2var_ps(a, evens(), b), gy = _mm512_permutex2var_ps(a, odds(), b);
      __m512i x, y;
      V wx0, wx1, wy0, wy1;
      axis(((gx + all(1)) * all(W) - all(1)) * all(0.5f), W, &x, &wx0, &wx1);
      axis(((gy + all(1)) * all(H) - all(1)) * all(0.5f), H, &y, &wy0, &wy1);
      const V nw = wx0 * wy0, ne = wx1 * wy0, sw = wx0 * wy1, se = wx1 * wy1;
      const __m512i at = _mm512_add_epi32(_mm512_mullo_epi32(y, _mm512_set1_epi32(W)), x);
      const __m256i at0 = _mm512_castsi512_si256(at), at1 = _mm512_extracti64x4_epi64(at, 1);
      const float* in = input + (size_t)n * C * H * W;
      float* out = output + (size_t)n * C * OH * OW + i;
      for (int c = 0; c < C; c++, in += H * W, out += OH * OW) {  // neighbours in a row are fetched as one element of 8 bytes
        const V t0 = (V)_mm512_i32gather_epi64(at0, in, 4), t1 = (V)_mm512_i32gather_epi64(at1, in, 4);
        const V u0 = (V)_mm512_i32gather_epi64(at0, in + W, 4), u1 = (V)_mm512_i32gather_epi64(at1, in + W, 4);
        V v = nw * _mm512_permutex2var_ps(t0, evens(), t1);
        v = fma16(ne, _mm512_permutex2var_ps(t0, odds(), t1), v);
        v = fma16(sw, _mm512_permutex2var_ps(u0, evens(), u1), v);
        st(out, fma16(se, _mm512_permutex2var_ps(u0, odds(), u1), v));
      }
    }
}
""",
    [
        normal(42, 2, 8, 60, 60),
        uniform(43, -1.1, 1.1, 2, 60, 60, 2),
        zeros(2, 8, 60, 60),
        *map(i32, (8, 60, 60, 60, 60)),
    ],
    (29, 2),
    128,
)


def boxes(seed, count):
    random = np.random.default_rng(seed)
    corner = random.uniform(0, 300, (count, 2))
    return np.concatenate([corner, corner + random.uniform(20, 120, (count, 2))], 1).astype(np.float32)


case(
    "non-maximum suppression, bit masks",
    r"""
__device__ inline float iou(float4 a, float4 b) {
  float left = max(a.x, b.x), right = min(a.z, b.z);
  float top = max(a.y, b.y), bottom = min(a.w, b.w);
  float width = max(right - left, 0.f), height = max(bottom - top, 0.f);
  float inter = width * height;
  float sa = (a.z - a.x) * (a.w - a.y);
  float sb = (b.z - b.x) * (b.w - b.y);
  return inter / (sa + sb - inter);
}

__global__ void nms_kernel(int n_boxes, float threshold, const float* dev_boxes, unsigned long long* dev_mask) {
  const int row_start = blockIdx.y;
  const int col_start = blockIdx.x;
  if (row_start > col_start) return;
  const int row_size = min(n_boxes - row_start * 64, 64);
  const int col_size = min(n_boxes - col_start * 64, 64);
  const float4* boxes = reinterpret_cast<const float4*>(dev_boxes);

  __shared__ float4 block_boxes[64];
  if (threadIdx.x < col_size) block_boxes[threadIdx.x] = boxes[64 * col_start + threadIdx.x];
  __syncthreads();

  if (threadIdx.x < row_size) {
    const int cur = 64 * row_start + threadIdx.x;
    const float4 cur_box = boxes[cur];
    unsigned long long t = 0;
    int start = 0;
    if (row_start == col_start) start = threadIdx.x + 1;
    for (int i = start; i < col_size; i++) {
      if (iou(cur_box, block_boxes[i]) > threshold) t |= 1ULL << i;
    }
    dev_mask[cur * gridDim.x + col_start] = t;
  }
}
""",
    VECTORS
    + r"""
void twin(int n, float threshold, const float* boxes, unsigned long long* mask) {
  static float soa[5][1024 + 64];
  const int columns = (n + 63) / 64;
  for (int i = 0; i < n; i++) {
    const float* b = boxes + 4 * i;
    for (int k = 0; k < 4; k++) soa[k][i] = b[k];
    soa[4][i] = (b[2] - b[0]) * (b[3] - b[1]) * threshold;  // inter > t (a + b - inter) as inter (1 + t) > ta + tb
  }
  const V factor = all(1 + threshold), zero = all(0);
  for (int column = 0; column < columns; column++) {
    const int base = column * 64, size = std::min(n - base, 64);
    const unsigned long long valid = size == 64 ? ~0ull : (1ull << size) - 1;
    for (int row = 0; row < std::min(n, base + 64); row++) {
      const V x0 = all(soa[0][row]), y0 = all(soa[1][row]), x1 = all(soa[2][row]), y1 = all(soa[3][row]), area = all(soa[4][row]);
      unsigned long long bits = 0;
#pragma GCC unroll 4
      for (int i = 0; i < 4; i++) {
        const int at = base + 16 * i;
        const V w = _mm512_min_ps(x1, ld(soa[2] + at)) - _mm512_max_ps(x0, ld(soa[0] + at));
        const V h = _mm512_min_ps(y1, ld(soa[3] + at)) - _mm512_max_ps(y0, ld(soa[1] + at));
        const V inter = _mm512_max_ps(w, zero) * h;  // negative where h is: then no bit either
        bits |= (unsigned long long)_mm512_cmp_ps_mask(inter * factor, area + ld(soa[4] + at), _CMP_GT_OQ) << (16 * i);
      }
      bits &= valid;
      if (row >= base) bits &= row - base == 63 ? 0 : ~0ull << (row - base + 1);
      mask[(size_t)row * columns + column] = bits;
    }
  }
}
""",
    [i32(1000), f32(0.4), boxes(44, 1000), zeros(1000, 16, dtype=np.uint64)],
    (16, 16),
    64,
)

case(
    "embedding gradient by atomics",
    r"""
__global__ void embedding_backward(float* dwte, float* dwpe, const float* dout, const int* tokens, int T, int C) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= T * C) return;
  int t = idx / C;
  int c = idx % C;
  float g = dout[idx];
  dwpe[idx] = g;
  atomicAdd(&dwte[tokens[t] * C + c], g);
}
""",
    VECTORS
    + r"""
void twin(float* dwte, float* dwpe, const float* dout, const int* tokens, int T, int C) {
  for (int t = 0; t < T; t++) {
    float* w = dwte + (size_t)tokens[t] * C;
    const float* d = dout + (size_t)t * C;
    for (int c = 0; c < C; c += 16) {
      const V g = ld(d + c);
      st(dwpe + (size_t)t * C + c, g);
      st(w + c, ld(w + c) + g);
    }
  }
}
""",
    [
        zeros(300, 256),
        zeros(480, 256),
        np.random.default_rng(35).integers(-3, 4, (480, 256)).astype(np.float32),
        np.random.default_rng(36).integers(0, 300, 480).astype(np.int32),
        i32(480),
        i32(256),
    ],
    480,
    256,
    results=[1],
)
