"""Where pixels are: scaling, warps, pooling, integral images, labels, matches."""

import math

import numpy as np
from cases import case
from images.common import WIDE, blocks, f32, i32, rng, smooth_bytes, smooth_floats

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
