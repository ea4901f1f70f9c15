"""Attention, rotary embeddings, routing."""

import numpy as np
from cases import case
from learning.common import VECTORS, f32, i32, normal, zeros

case(
    "attention scores, causal, flat index",
    r"""
__global__ void attention_query_key(float* preatt, const float* inp, int B, int T, int C, int NH) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  int total_threads = B * NH * T * T;
  if (idx >= total_threads) return;

  int t2 = idx % T;
  int t = (idx / T) % T;
  if (t2 > t) {
    preatt[idx] = -INFINITY;
    return;
  }
  int h = (idx / (T * T)) % NH;
  int b = idx / (NH * T * T);

  int C3 = C * 3;
  int hs = C / NH;
  const float* query_t = inp + b * T * C3 + t * C3 + h * hs;
  const float* key_t2 = inp + b * T * C3 + t2 * C3 + h * hs + C;

  float val = 0.0f;
  for (int i = 0; i < hs; i++) val += query_t[i] * key_t2[i];
  val *= 1.0f / sqrtf((float)hs);
  preatt[idx] = val;
}
""",
    VECTORS
    + r"""
void twin(float* preatt, const float* inp, int B, int T, int C, int NH) {
  const int hs = C / NH, C3 = 3 * C;
  static float kt[64 * 512];  // the keys of one head, transposed
  const V scale = all(1.0f / sqrtf((float)hs)), minus = _mm512_castsi512_ps(_mm512_set1_epi32(0xff800000));
  const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  for (int b = 0; b < B; b++)
    for (int h = 0; h < NH; h++) {
      const float* q = inp + (size_t)b * T * C3 + h * hs;
      const float* k = q + C;
      for (int t = 0; t < T; t += 16)
        for (int i = 0; i < hs; i += 16) {
          V r[16];
          for (int j = 0; j < 16; j++) r[j] = ld(k + (t + j) * C3 + i);
          transpose16(r);
          for (int j = 0; j < 16; j++) st(kt + (i + j) * T + t, r[j]);
        }
      float* out = preatt + (size_t)(b * NH + h) * T * T;
      for (int t = 0; t < T; t += 8) {
        int s = 0;
        for (; s <= t + 7; s += 32) {
          V acc[8][2];
#pragma GCC unroll 8
          for (int r = 0; r < 8; r++) acc[r][0] = acc[r][1] = all(0);
          for (int i = 0; i < hs; i++) {
            const V k0 = ld(kt + i * T + s), k1 = ld(kt + i * T + s + 16);
#pragma GCC unroll 8
            for (int r = 0; r < 8; r++) {
              const V a = all(q[(t + r) * C3 + i]);
              acc[r][0] = fma16(a, k0, acc[r][0]);
              acc[r][1] = fma16(a, k1, acc[r][1]);
            }
          }
#pragma GCC unroll 8
          for (int r = 0; r < 8; r++)
#pragma GCC unroll 2
            for (int v = 0; v < 2; v++) {
              const __mmask16 seen = _mm512_cmple_epi32_mask(_mm512_add_epi32(lane, _mm512_set1_epi32(s + 16 * v)), _mm512_set1_epi32(t + r));
              st(out + (t + r) * T + s + 16 * v, _mm512_mask_mul_ps(minus, seen, acc[r][v], scale));
            }
        }
        for (int r = 0; r < 8; r++)
          for (int u = s; u < T; u += 16) st(out + (t + r) * T + u, minus);
      }
    }
}
""",
    [zeros(2, 4, 128, 128), normal(8, 2, 128, 384), i32(2), i32(128), i32(128), i32(4)],
    512,
    256,
)

case(
    "flash attention, thread per query",
    r"""
#define D 32
#define KEYS 32

__global__ void flash_attention(const float* Q, const float* K, const float* V, float* O, int T, float scale) {
  __shared__ float Ks[KEYS][D];
  __shared__ float Vs[KEYS][D];
  int head = blockIdx.y;
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  const float* Kh = K + head * T * D;
  const float* Vh = V + head * T * D;

  float q[D], acc[D];
  for (int i = 0; i < D; i++) {
    q[i] = Q[(head * T + row) * D + i] * scale;
    acc[i] = 0.0f;
  }
  float m = -INFINITY, l = 0.0f;

  for (int start = 0; start < T; start += KEYS) {
    for (int i = threadIdx.x; i < KEYS * D; i += blockDim.x) {
      Ks[i / D][i % D] = Kh[start * D + i];
      Vs[i / D][i % D] = Vh[start * D + i];
    }
    __syncthreads();

    float s[KEYS];
    float m_new = m;
    for (int j = 0; j < KEYS; j++) {
      float dot = 0.0f;
      for (int i = 0; i < D; i++) dot += q[i] * Ks[j][i];
      s[j] = dot;
      m_new = fmaxf(m_new, dot);
    }
    float correction = __expf(m - m_new);
    l *= correction;
    for (int i = 0; i < D; i++) acc[i] *= correction;
    for (int j = 0; j < KEYS; j++) {
      float p = __expf(s[j] - m_new);
      l += p;
      for (int i = 0; i < D; i++) acc[i] += p * Vs[j][i];
    }
    m = m_new;
    __syncthreads();
  }
  for (int i = 0; i < D; i++) O[(head * T + row) * D + i] = acc[i] / l;
}
""",
    VECTORS
    + r"""
void twin(const float* Q, const float* K, const float* Vin, float* O, int T, float scale) {
  static float qt[32 * 32] __attribute__((aligned(64))), p[512 * 32] __attribute__((aligned(64))), ot[32 * 32] __attribute__((aligned(64)));
  for (int head = 0; head < 8; head++)
    for (int t = 0; t < T; t += 32) {  // 32 queries are two vectors
      const float *q = Q + (head * T + t) * 32, *k = K + head * T * 32, *v = Vin + head * T * 32;
      for (int a = 0; a < 32; a += 16)
        for (int i = 0; i < 32; i += 16) {
          V r[16];
          for (int j = 0; j < 16; j++) r[j] = ld(q + (a + j) * 32 + i) * all(scale);
          transpose16(r);
          for (int j = 0; j < 16; j++) st(qt + (i + j) * 32 + a, r[j]);
        }
      V m0 = all(-1e30f), m1 = m0;
      for (int j = 0; j < T; j += 8) {
        V acc[8][2];
#pragma GCC unroll 8
        for (int r = 0; r < 8; r++) acc[r][0] = acc[r][1] = all(0);
        for (int i = 0; i < 32; i++) {
          const V a = ld(qt + i * 32), b = ld(qt + i * 32 + 16);
#pragma GCC unroll 8
          for (int r = 0; r < 8; r++) {
            const V key = all(k[(j + r) * 32 + i]);
            acc[r][0] = fma16(key, a, acc[r][0]);
            acc[r][1] = fma16(key, b, acc[r][1]);
          }
        }
#pragma GCC unroll 8
        for (int r = 0; r < 8; r++) {
          st(p + (j + r) * 32, acc[r][0]);
          st(p + (j + r) * 32 + 16, acc[r][1]);
          m0 = _mm512_max_ps(m0, acc[r][0]);
          m1 = _mm512_max_ps(m1, acc[r][1]);
        }
      }
      V l0 = all(0), l1 = all(0);
      for (int j = 0; j < T; j++) {
        const V a = exp16(ld(p + j * 32) - m0), b = exp16(ld(p + j * 32 + 16) - m1);
        st(p + j * 32, a);
        st(p + j * 32 + 16, b);
        l0 = l0 + a;
        l1 = l1 + b;
      }
      l0 = inverse16(l0);
      l1 = inverse16(l1);
      for (int i = 0; i < 32; i += 8) {
        V acc[8][2];
#pragma GCC unroll 8
        for (int r = 0; r < 8; r++) acc[r][0] = acc[r][1] = all(0);
        for (int j = 0; j < T; j++) {
          const V a = ld(p + j * 32), b = ld(p + j * 32 + 16);
#pragma GCC unroll 8
          for (int r = 0; r < 8; r++) {
            const V value = all(v[j * 32 + i + r]);
            acc[r][0] = fma16(value, a, acc[r][0]);
            acc[r][1] = fma16(value, b, acc[r][1]);
          }
        }
#pragma GCC unroll 8
        for (int r = 0; r < 8; r++) {
          st(ot + (i + r) * 32, acc[r][0] * l0);
          st(ot + (i + r) * 32 + 16, acc[r][1] * l1);
        }
      }
      for (int a = 0; a < 32; a += 16)
        for (int i = 0; i < 32; i += 16) {
          V r[16];
          for (int j = 0; j < 16; j++) r[j] = ld(ot + (i + j) * 32 + a);
          transpose16(r);
          for (int j = 0; j < 16; j++) st(O + (head * T + t + a + j) * 32 + i, r[j]);
        }
    }
}
""",
    [normal(9, 8, 128, 32), normal(10, 8, 128, 32), normal(11, 8, 128, 32), zeros(8, 128, 32), i32(128), f32(32**-0.5)],
    (2, 8),
    64,
)


def rotary_table(length, half):
    angles = np.arange(length)[:, None] * 10000.0 ** (-np.arange(half) / half)[None, :]
    return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)


case(
    "rotary embedding, pairs as float2",
    r"""
__global__ void rope_interleaved(const float* x, float* out, const float* freqs, int T, int NH, int half_dim) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= T * NH * half_dim) return;
  int i = idx % half_dim;
  int t = idx / (half_dim * NH);
  float2 cs = reinterpret_cast<const float2*>(freqs)[t * half_dim + i];
  float2 v = reinterpret_cast<const float2*>(x)[idx];
  float2 r;
  r.x = v.x * cs.x - v.y * cs.y;
  r.y = v.x * cs.y + v.y * cs.x;
  reinterpret_cast<float2*>(out)[idx] = r;
}
""",
    VECTORS
    + r"""
void twin(const float* x, float* out, const float* freqs, int T, int NH, int half_dim) {
  const int dim = 2 * half_dim;
  for (int t = 0; t < T; t++)
    for (int i = 0; i < dim; i += 16) {
      const V cs = ld(freqs + t * dim + i), c = _mm512_moveldup_ps(cs), s = _mm512_movehdup_ps(cs);
      const float* p = x + (size_t)t * NH * dim + i;
      float* o = out + (size_t)t * NH * dim + i;
      for (int h = 0; h < NH; h++, p += dim, o += dim) {
        const V v = ld(p);
        st(o, _mm512_fmaddsub_ps(v, c, _mm512_permute_ps(v, 0xb1) * s));
      }
    }
}
""",
    [normal(20, 384, 8, 64), zeros(384, 8, 64), np.stack(rotary_table(384, 32), -1), i32(384), i32(8), i32(32)],
    384,
    256,
)

case(
    "rotary embedding, halves, fp16",
    r"""
#include <cuda_fp16.h>

// one block per position, x: the pair within the head, y: the head
__global__ void rope_neox(const __half* in, __half* out, const float* cos_table, const float* sin_table, int head_dim) {
  int half_dim = head_dim / 2;
  int i = threadIdx.x;
  int base = (blockIdx.x * blockDim.y + threadIdx.y) * head_dim;
  float c = cos_table[blockIdx.x * half_dim + i];
  float s = sin_table[blockIdx.x * half_dim + i];
  float a = __half2float(in[base + i]);
  float b = __half2float(in[base + i + half_dim]);
  out[base + i] = __float2half(a * c - b * s);
  out[base + i + half_dim] = __float2half(b * c + a * s);
}
""",
    VECTORS
    + r"""
void twin(const uint16_t* in, uint16_t* out, const float* cos_table, const float* sin_table, int head_dim) {
  const int half_dim = head_dim / 2;
  for (int t = 0; t < 512; t++)
    for (int i = 0; i < half_dim; i += 16) {
      const V c = ld(cos_table + t * half_dim + i), s = ld(sin_table + t * half_dim + i);
      for (int h = 0; h < 8; h++) {
        const size_t at = (size_t)(t * 8 + h) * head_dim + i;
        const V a = _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i*)(in + at)));
        const V b = _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i*)(in + at + half_dim)));
        _mm256_storeu_si256((__m256i*)(out + at), _mm512_cvtps_ph(_mm512_fmsub_ps(a, c, b * s), 0));
        _mm256_storeu_si256((__m256i*)(out + at + half_dim), _mm512_cvtps_ph(fma16(b, c, a * s), 0));
      }
    }
}
""",
    [normal(21, 512, 8, 64).astype(np.float16), zeros(512, 8, 64, dtype=np.float16), *rotary_table(512, 32), i32(64)],
    512,
    (32, 8),
    tolerance=1e-3,
)

case(
    "mixture of experts, top 2 of 16",
    r"""
#define EXPERTS 16

__global__ void moe_route(const float* logits, int* experts, float* weights, int tokens) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= tokens) return;
  float p[EXPERTS];
  float biggest = -1e30f;
  for (int e = 0; e < EXPERTS; e++) {
    p[e] = logits[t * EXPERTS + e];
    biggest = fmaxf(biggest, p[e]);
  }
  float total = 0.0f;
  for (int e = 0; e < EXPERTS; e++) {
    p[e] = expf(p[e] - biggest);
    total += p[e];
  }
  int first = -1;
  for (int k = 0; k < 2; k++) {
    int best = -1;
    float best_p = -1.0f;
    for (int e = 0; e < EXPERTS; e++) {
      if (e != first && p[e] > best_p) {
        best_p = p[e];
        best = e;
      }
    }
    experts[t * 2 + k] = best;
    weights[t * 2 + k] = best_p / total;
    first = best;
  }
}
""",
    VECTORS
    + r"""
void twin(const float* logits, int* experts, float* weights, int tokens) {
  for (int t = 0; t < tokens; t += 16) {
    V r[16];
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++) r[i] = ld(logits + (t + i) * 16);
    transpose16(r);
    V m1 = r[0], m2 = all(-1e30f);
    __m512i i1 = _mm512_setzero_si512(), i2 = i1;
#pragma GCC unroll 16
    for (int e = 1; e < 16; e++) {
      const __m512i at = _mm512_set1_epi32(e);
      const __mmask16 k1 = _mm512_cmp_ps_mask(r[e], m1, _CMP_GT_OQ), k2 = _mm512_cmp_ps_mask(r[e], m2, _CMP_GT_OQ);
      i2 = _mm512_mask_mov_epi32(_mm512_mask_mov_epi32(i2, k2, at), k1, i1);
      m2 = _mm512_mask_mov_ps(_mm512_max_ps(m2, r[e]), k1, m1);
      i1 = _mm512_mask_mov_epi32(i1, k1, at);
      m1 = _mm512_max_ps(m1, r[e]);
    }
    V s0 = all(0), s1 = all(0);
#pragma GCC unroll 8
    for (int e = 0; e < 16; e += 2) {
      s0 = s0 + exp16(r[e] - m1);
      s1 = s1 + exp16(r[e + 1] - m1);
    }
    const V p1 = inverse16(s0 + s1), p2 = exp16(m2 - m1) * p1;
    st(weights + t * 2, _mm512_permutex2var_ps(p1, zip_low(), p2));
    st(weights + t * 2 + 16, _mm512_permutex2var_ps(p1, zip_high(), p2));
    _mm512_storeu_si512(experts + t * 2, _mm512_permutex2var_epi32(i1, zip_low(), i2));
    _mm512_storeu_si512(experts + t * 2 + 16, _mm512_permutex2var_epi32(i1, zip_high(), i2));
  }
}
""",
    [normal(40, 8192, 16), zeros(8192, 2, dtype=np.int32), zeros(8192, 2), i32(8192)],
    64,
    128,
)
