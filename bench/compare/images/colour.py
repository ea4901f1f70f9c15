"""Colours: conversions, dithering, tones, histograms."""

import numpy as np
from cases import case
from images.common import blocks, f32, i32, rng, smooth_bytes, u32

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
