"""Kernels of machine learning, as found in training and inference code, against C++ twins (see compare.py)."""

# ruff: noqa: F821

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

case(
    "layer norm forward, warp per row",
    r"""
__device__ float warpSum(float value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffff, value, offset);
  return value;
}

__global__ void layernorm_forward(float* out, float* mean, float* rstd, const float* inp, const float* weight, const float* bias, int N, int C) {
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int row = blockIdx.x * (blockDim.x / 32) + warp;
  if (row >= N) return;
  const float* x = inp + row * C;

  float sum = 0.0f;
  for (int i = lane; i < C; i += 32) sum += x[i];
  float m = warpSum(sum) / C;
  if (lane == 0) mean[row] = m;

  sum = 0.0f;
  for (int i = lane; i < C; i += 32) {
    float diff = x[i] - m;
    sum += diff * diff;
  }
  float s = rsqrtf(warpSum(sum) / C + 1e-5f);
  if (lane == 0) rstd[row] = s;

  float* o = out + row * C;
  for (int c = lane; c < C; c += 32) o[c] = s * (x[c] - m) * weight[c] + bias[c];
}
""",
    VECTORS
    + r"""
void twin(float* out, float* mean, float* rstd, const float* inp, const float* weight, const float* bias, int N, int C) {
  for (int row = 0; row < N; row++) {
    const float* x = inp + (size_t)row * C;
    float* o = out + (size_t)row * C;
    V s0 = all(0), s1 = all(0), s2 = all(0), s3 = all(0);
    for (int c = 0; c < C; c += 64) {
      s0 = s0 + ld(x + c);
      s1 = s1 + ld(x + c + 16);
      s2 = s2 + ld(x + c + 32);
      s3 = s3 + ld(x + c + 48);
    }
    const float m = _mm512_reduce_add_ps((s0 + s1) + (s2 + s3)) / C;
    const V vm = all(m);
    s0 = s1 = s2 = s3 = all(0);
    for (int c = 0; c < C; c += 64) {
      const V a = ld(x + c) - vm, b = ld(x + c + 16) - vm, d = ld(x + c + 32) - vm, e = ld(x + c + 48) - vm;
      s0 = fma16(a, a, s0);
      s1 = fma16(b, b, s1);
      s2 = fma16(d, d, s2);
      s3 = fma16(e, e, s3);
    }
    const float r = 1.0f / sqrtf(_mm512_reduce_add_ps((s0 + s1) + (s2 + s3)) / C + 1e-5f);
    mean[row] = m;
    rstd[row] = r;
    const V vr = all(r), shift = all(-m * r);
    for (int c = 0; c < C; c += 16) st(o + c, fma16(fma16(ld(x + c), vr, shift), ld(weight + c), ld(bias + c)));
  }
}
""",
    [
        zeros(240, 768),
        zeros(240),
        zeros(240),
        normal(1, 240, 768) + f32(0.3),
        normal(2, 768),
        normal(3, 768),
        i32(240),
        i32(768),
    ],
    30,
    256,
)


def backward_arguments():
    inp = normal(4, 144, 768)
    mean = inp.mean(1)
    return [
        zeros(144, 768),
        normal(5, 144, 768),
        inp,
        normal(6, 768),
        mean,
        (1 / np.sqrt(inp.var(1) + 1e-5)).astype(np.float32),
        i32(768),
    ]


case(
    "layer norm backward, block per row",
    r"""
__global__ void layernorm_backward(float* dinp, const float* dout, const float* inp, const float* weight, const float* mean, const float* rstd,
                                   int C) {
  __shared__ float shared_a[256];
  __shared__ float shared_b[256];
  int row = blockIdx.x;
  int tid = threadIdx.x;
  const float* dout_row = dout + row * C;
  const float* inp_row = inp + row * C;
  float m = mean[row], r = rstd[row];

  float a = 0.0f, b = 0.0f;
  for (int i = tid; i < C; i += blockDim.x) {
    float norm = (inp_row[i] - m) * r;
    float dnorm = weight[i] * dout_row[i];
    a += dnorm;
    b += dnorm * norm;
  }
  shared_a[tid] = a;
  shared_b[tid] = b;
  __syncthreads();
  for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
    if (tid < stride) {
      shared_a[tid] += shared_a[tid + stride];
      shared_b[tid] += shared_b[tid + stride];
    }
    __syncthreads();
  }
  float dnorm_mean = shared_a[0] / C, dnorm_norm_mean = shared_b[0] / C;

  for (int i = tid; i < C; i += blockDim.x) {
    float norm = (inp_row[i] - m) * r;
    float dnorm = weight[i] * dout_row[i];
    float dval = dnorm - dnorm_mean - norm * dnorm_norm_mean;
    dinp[row * C + i] = dval * r;
  }
}
""",
    VECTORS
    + r"""
void twin(float* dinp, const float* dout, const float* inp, const float* weight, const float* mean, const float* rstd, int C) {
  for (int row = 0; row < 144; row++) {
    const float *d = dout + (size_t)row * C, *x = inp + (size_t)row * C;
    const float r = rstd[row];
    const V vr = all(r), shift = all(-mean[row] * r);
    V a[4] = {all(0), all(0), all(0), all(0)}, b[4] = {all(0), all(0), all(0), all(0)};
    for (int c = 0; c < C; c += 64) {
#pragma GCC unroll 4
      for (int k = 0; k < 4; k++) {
        const V norm = fma16(ld(x + c + 16 * k), vr, shift), dnorm = ld(weight + c + 16 * k) * ld(d + c + 16 * k);
        a[k] = a[k] + dnorm;
        b[k] = fma16(dnorm, norm, b[k]);
      }
    }
    const V p = all(-_mm512_reduce_add_ps((a[0] + a[1]) + (a[2] + a[3])) / C * r);
    const V q = all(-_mm512_reduce_add_ps((b[0] + b[1]) + (b[2] + b[3])) / C * r);
    for (int c = 0; c < C; c += 16) {
      const V norm = fma16(ld(x + c), vr, shift), dnorm = ld(weight + c) * ld(d + c);
      st(dinp + (size_t)row * C + c, fma16(norm, q, fma16(dnorm, vr, p)));
    }
  }
}
""",
    backward_arguments(),
    144,
    256,
)

case(
    "softmax, online maximum and sum",
    r"""
struct MD {
  float m;
  float d;
};

__device__ __forceinline__ MD combine(MD a, MD b) {
  bool a_bigger = a.m > b.m;
  MD big = a_bigger ? a : b;
  MD small = a_bigger ? b : a;
  MD result;
  result.d = big.d + small.d * __expf(small.m - big.m);
  result.m = big.m;
  return result;
}

__global__ void online_softmax(const float* __restrict__ x, float* __restrict__ y, int V) {
  __shared__ MD partial[4];
  __shared__ MD total;
  x += blockIdx.x * V;
  y += blockIdx.x * V;

  MD md = {-1e30f, 0.0f};
  for (int i = threadIdx.x; i < V; i += blockDim.x) {
    MD one = {x[i], 1.0f};
    md = combine(md, one);
  }
  for (int offset = 16; offset > 0; offset >>= 1) {
    MD other;
    other.m = __shfl_down_sync(0xffffffffu, md.m, offset);
    other.d = __shfl_down_sync(0xffffffffu, md.d, offset);
    md = combine(md, other);
  }
  if ((threadIdx.x & 31) == 0) partial[threadIdx.x >> 5] = md;
  __syncthreads();
  if (threadIdx.x == 0) total = combine(combine(partial[0], partial[1]), combine(partial[2], partial[3]));
  __syncthreads();

  float inverse = 1.0f / total.d;
  for (int i = threadIdx.x; i < V; i += blockDim.x) y[i] = __expf(x[i] - total.m) * inverse;
}
""",
    VECTORS
    + r"""
void twin(const float* x, float* y, int n) {
  for (int row = 0; row < 160; row++, x += n, y += n) {
    V m0 = all(-1e30f), m1 = m0, m2 = m0, m3 = m0;
    int i = 0;
    for (; i + 64 <= n; i += 64) {
      m0 = _mm512_max_ps(m0, ld(x + i));
      m1 = _mm512_max_ps(m1, ld(x + i + 16));
      m2 = _mm512_max_ps(m2, ld(x + i + 32));
      m3 = _mm512_max_ps(m3, ld(x + i + 48));
    }
    for (; i + 16 <= n; i += 16) m0 = _mm512_max_ps(m0, ld(x + i));
    const __mmask16 rest = (1u << (n - i)) - 1;
    m0 = _mm512_mask_max_ps(m0, rest, m0, _mm512_maskz_loadu_ps(rest, x + i));
    const V m = all(_mm512_reduce_max_ps(_mm512_max_ps(_mm512_max_ps(m0, m1), _mm512_max_ps(m2, m3))));
    V s0 = all(0), s1 = all(0);
    for (i = 0; i + 32 <= n; i += 32) {
      const V a = exp16(ld(x + i) - m), b = exp16(ld(x + i + 16) - m);
      st(y + i, a);
      st(y + i + 16, b);
      s0 = s0 + a;
      s1 = s1 + b;
    }
    for (; i < n; i += 16) {
      const __mmask16 k = n - i >= 16 ? 0xffff : (1u << (n - i)) - 1;
      const V a = exp16(_mm512_maskz_loadu_ps(k, x + i) - m);
      _mm512_mask_storeu_ps(y + i, k, a);
      s0 = _mm512_mask_add_ps(s0, k, s0, a);
    }
    const float inverse = 1.0f / _mm512_reduce_add_ps(s0 + s1);
    const V scale = all(inverse);
    for (i = 0; i + 16 <= n; i += 16) st(y + i, ld(y + i) * scale);
    for (; i < n; i++) y[i] *= inverse;
  }
}
""",
    [normal(7, 160, 1000) * f32(2), zeros(160, 1000), i32(1000)],
    160,
    128,
)

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

case(
    "NF4 weights unpacked, constant table",
    r"""
__constant__ float nf4_table[16] = {-1.0f, -0.6961928f, -0.52507305f, -0.3949175f, -0.28444138f, -0.18477343f, -0.09105004f, 0.0f,
                                    0.0795803f, 0.1609302f, 0.2461123f, 0.33791524f, 0.44070983f, 0.562617f, 0.72295684f, 1.0f};

__global__ void dequantize_nf4(const unsigned char* packed, const float* absmax, float* out, int n, int block_size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (2 * i + 1 >= n) return;
  unsigned char both = packed[i];
  float scale = absmax[2 * i / block_size];
  out[2 * i] = nf4_table[both >> 4] * scale;
  out[2 * i + 1] = nf4_table[both & 0x0f] * scale;
}
""",
    VECTORS
    + r"""
void twin(const unsigned char* packed, const float* absmax, float* out, int n, int block_size) {
  const V table = _mm512_setr_ps(-1.0f, -0.6961928f, -0.52507305f, -0.3949175f, -0.28444138f, -0.18477343f, -0.09105004f, 0.0f, 0.0795803f,
                                 0.1609302f, 0.2461123f, 0.33791524f, 0.44070983f, 0.562617f, 0.72295684f, 1.0f);
  for (int block = 0; block < n / block_size; block++) {
    const V scaled = table * all(absmax[block]);
    for (int i = 0; i < block_size; i += 16) {
      const size_t at = (size_t)block * block_size + i;
      const __m512i bytes = _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i*)(packed + at / 2)));
      const __m512i index = _mm512_or_si512(_mm512_srli_epi64(bytes, 4), _mm512_slli_epi64(bytes, 32));
      st(out + at, _mm512_permutexvar_ps(index, scaled));
    }
  }
}
""",
    [
        np.random.default_rng(12).integers(0, 256, 160000, dtype=np.uint8),
        uniform(13, 0.1, 2, 5000),
        zeros(320000),
        i32(320000),
        i32(64),
    ],
    625,
    256,
)

case(
    "cross entropy, loss and gradient",
    r"""
__global__ void cross_entropy(const float* logits, const short* labels, float* losses, float* dlogits, int V, float dloss) {
  extern __shared__ float scratch[];
  int row = blockIdx.x;
  int tid = threadIdx.x;
  const float* x = logits + row * V;
  int label = labels[row];

  float maxval = -3.402823466e+38F;
  for (int i = tid; i < V; i += blockDim.x) maxval = fmaxf(maxval, x[i]);
  scratch[tid] = maxval;
  __syncthreads();
  for (int s = blockDim.x / 2; s >= 1; s /= 2) {
    if (tid < s) scratch[tid] = fmaxf(scratch[tid], scratch[tid + s]);
    __syncthreads();
  }
  maxval = scratch[0];
  __syncthreads();

  float sum = 0.0f;
  for (int i = tid; i < V; i += blockDim.x) sum += expf(x[i] - maxval);
  scratch[tid] = sum;
  __syncthreads();
  for (int s = blockDim.x / 2; s >= 1; s /= 2) {
    if (tid < s) scratch[tid] += scratch[tid + s];
    __syncthreads();
  }
  sum = scratch[0];

  if (tid == 0) losses[row] = logf(sum) - (x[label] - maxval);
  for (int i = tid; i < V; i += blockDim.x) {
    float p = expf(x[i] - maxval) / sum;
    float indicator = i == label ? 1.0f : 0.0f;
    dlogits[row * V + i] = (p - indicator) * dloss;
  }
}
""",
    VECTORS
    + r"""
void twin(const float* logits, const short* labels, float* losses, float* dlogits, int n, float dloss) {
  for (int row = 0; row < 150; row++) {
    const float* x = logits + (size_t)row * n;
    float* y = dlogits + (size_t)row * n;
    V m0 = all(-1e30f), m1 = m0, m2 = m0, m3 = m0;
    int i = 0;
    for (; i + 64 <= n; i += 64) {
      m0 = _mm512_max_ps(m0, ld(x + i));
      m1 = _mm512_max_ps(m1, ld(x + i + 16));
      m2 = _mm512_max_ps(m2, ld(x + i + 32));
      m3 = _mm512_max_ps(m3, ld(x + i + 48));
    }
    for (; i + 16 <= n; i += 16) m0 = _mm512_max_ps(m0, ld(x + i));
    const __mmask16 rest = (1u << (n - i)) - 1;
    m0 = _mm512_mask_max_ps(m0, rest, m0, _mm512_maskz_loadu_ps(rest, x + i));
    const float maximum = _mm512_reduce_max_ps(_mm512_max_ps(_mm512_max_ps(m0, m1), _mm512_max_ps(m2, m3)));
    const V m = all(maximum);
    V s0 = all(0), s1 = all(0);
    for (i = 0; i + 32 <= n; i += 32) {
      const V a = exp16(ld(x + i) - m), b = exp16(ld(x + i + 16) - m);
      st(y + i, a);
      st(y + i + 16, b);
      s0 = s0 + a;
      s1 = s1 + b;
    }
    for (; i < n; i += 16) {
      const __mmask16 k = n - i >= 16 ? 0xffff : (1u << (n - i)) - 1;
      const V a = exp16(_mm512_maskz_loadu_ps(k, x + i) - m);
      _mm512_mask_storeu_ps(y + i, k, a);
      s0 = _mm512_mask_add_ps(s0, k, s0, a);
    }
    const float sum = _mm512_reduce_add_ps(s0 + s1), factor = dloss / sum;
    const V scale = all(factor);
    for (i = 0; i + 16 <= n; i += 16) st(y + i, ld(y + i) * scale);
    for (; i < n; i++) y[i] *= factor;
    y[labels[row]] -= dloss;
    losses[row] = logf(sum) - (x[labels[row]] - maximum);
  }
}
""",
    [
        normal(14, 150, 1003) * f32(3),
        np.random.default_rng(15).integers(0, 1003, 150).astype(np.int16),
        zeros(150),
        zeros(150, 1003),
        i32(1003),
        f32(0.25),
    ],
    150,
    128,
    shared=128 * 4,
)

case(
    "AdamW step, out of place",
    r"""
__device__ inline float lerp(float start, float end, float weight) { return fma(weight, end, fma(-weight, start, start)); }

__global__ void adamw(float* params, float* m_out, float* v_out, const float* params_in, const float* grads, const float* m_in, const float* v_in,
                      int n, float lr, float beta1, float beta2, float correction1, float correction2, float eps, float decay) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float grad = grads[i];
  float m = lerp(grad, m_in[i], beta1);
  m_out[i] = m;
  float v = lerp(grad * grad, v_in[i], beta2);
  v_out[i] = v;
  m /= correction1;
  v /= correction2;
  float p = params_in[i];
  params[i] = p - lr * (m / (sqrtf(v) + eps) + decay * p);
}
""",
    VECTORS
    + r"""
void twin(float* params, float* m_out, float* v_out, const float* params_in, const float* grads, const float* m_in, const float* v_in, int n,
          float lr, float beta1, float beta2, float correction1, float correction2, float eps, float decay) {
  const V b1 = all(beta1), b2 = all(beta2), c1 = all(1 / correction1), c2 = all(1 / correction2), shrink = all(1 - lr * decay);
  for (int i = 0; i < n; i += 16) {
    const __mmask16 k = n - i >= 16 ? 0xffff : (1u << (n - i)) - 1;
    const V g = _mm512_maskz_loadu_ps(k, grads + i), g2 = g * g;
    const V m = fma16(b1, _mm512_maskz_loadu_ps(k, m_in + i) - g, g);
    const V v = fma16(b2, _mm512_maskz_loadu_ps(k, v_in + i) - g2, g2);
    _mm512_mask_storeu_ps(m_out + i, k, m);
    _mm512_mask_storeu_ps(v_out + i, k, v);
    const V vh = _mm512_max_ps(v * c2, all(1e-30f)), r = _mm512_rsqrt14_ps(vh);
    const V root = vh * r * _mm512_fnmadd_ps(vh * r * all(0.5f), r, all(1.5f));
    const V step = m * c1 * inverse16(root + all(eps));
    _mm512_mask_storeu_ps(params + i, k, _mm512_fnmadd_ps(all(lr), step, _mm512_maskz_loadu_ps(k, params_in + i) * shrink));
  }
}
""",
    [
        *[zeros(64900) for _ in range(3)],
        normal(16, 64900),
        normal(17, 64900) * f32(0.1),
        normal(18, 64900) * f32(0.05),
        uniform(19, 0.001, 0.02, 64900),
        i32(64900),
        *map(f32, (3e-3, 0.9, 0.999, 0.27, 0.003, 1e-8, 0.01)),
    ],
    254,
    256,
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
    "convolution 3x3, direct, NCHW",
    r"""
__global__ void conv2d(const float* input, const float* weight, const float* bias, float* output, int Cin, int H, int W) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int oc = blockIdx.z;
  if (x >= W || y >= H) return;

  float sum = bias[oc];
  for (int ic = 0; ic < Cin; ic++) {
    for (int ky = 0; ky < 3; ky++) {
      for (int kx = 0; kx < 3; kx++) {
        int iy = y + ky - 1;
        int ix = x + kx - 1;
        if (iy >= 0 && iy < H && ix >= 0 && ix < W) {
          sum += input[(ic * H + iy) * W + ix] * weight[((oc * Cin + ic) * 3 + ky) * 3 + kx];
        }
      }
    }
  }
  output[(oc * H + y) * W + x] = sum > 0.0f ? sum : 0.0f;
}
""",
    VECTORS
    + r"""
void twin(const float* input, const float* weight, const float* bias, float* output, int Cin, int H, int W) {
  static float padded[16 * 30 * 36], packed[32 * 16 * 9];  // borders of zeros; the weights of 8 outputs side by side
  for (int c = 0; c < Cin; c++)
    for (int y = 0; y < H; y++) memcpy(padded + (c * 30 + y + 1) * 36 + 1, input + (c * H + y) * W, W * 4);
  for (int oc = 0; oc < 32; oc++)
    for (int i = 0; i < Cin * 9; i++) packed[(oc / 8 * Cin * 9 + i) * 8 + oc % 8] = weight[oc * Cin * 9 + i];
  const __mmask16 rest = (1u << (W - 16)) - 1;
  for (int oc = 0; oc < 32; oc += 8)
    for (int y = 0; y < H; y++) {
      V acc[8][2];
#pragma GCC unroll 8
      for (int r = 0; r < 8; r++) acc[r][0] = acc[r][1] = all(bias[oc + r]);
      const float* w = packed + oc * Cin * 9;
      for (int c = 0; c < Cin; c++)
        for (int ky = 0; ky < 3; ky++) {
          const float* in = padded + (c * 30 + y + ky) * 36;
          for (int kx = 0; kx < 3; kx++, w += 8) {
            const V a = ld(in + kx), b = ld(in + kx + 16);
#pragma GCC unroll 8
            for (int r = 0; r < 8; r++) {
              acc[r][0] = fma16(all(w[r]), a, acc[r][0]);
              acc[r][1] = fma16(all(w[r]), b, acc[r][1]);
            }
          }
        }
#pragma GCC unroll 8
      for (int r = 0; r < 8; r++) {
        float* out = output + ((oc + r) * H + y) * W;
        st(out, _mm512_max_ps(acc[r][0], all(0)));
        _mm512_mask_storeu_ps(out + 16, rest, _mm512_max_ps(acc[r][1], all(0)));
      }
    }
}
""",
    [normal(22, 16, 28, 28), normal(23, 32, 16, 9), normal(24, 32), zeros(32, 28, 28), i32(16), i32(28), i32(28)],
    (2, 2, 32),
    (16, 16),
)

case(
    "depthwise 3x3, shared tile, ReLU6",
    r"""
#define TILE 16

__global__ void depthwise(const float* in, const float* filters, const float* bias, float* out, int H, int W) {
  __shared__ float tile[TILE + 2][TILE + 2];
  int c = blockIdx.z;
  int x0 = blockIdx.x * TILE, y0 = blockIdx.y * TILE;
  const float* plane = in + c * H * W;

  for (int i = threadIdx.y * TILE + threadIdx.x; i < (TILE + 2) * (TILE + 2); i += TILE * TILE) {
    int ty = i / (TILE + 2), tx = i % (TILE + 2);
    int y = y0 + ty - 1, x = x0 + tx - 1;
    tile[ty][tx] = (y >= 0 && y < H && x >= 0 && x < W) ? plane[y * W + x] : 0.0f;
  }
  __syncthreads();

  int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
  if (x < W && y < H) {
    float sum = bias[c];
    #pragma unroll
    for (int i = 0; i < 3; i++)
      #pragma unroll
      for (int j = 0; j < 3; j++) sum += tile[threadIdx.y + i][threadIdx.x + j] * filters[c * 9 + i * 3 + j];
    out[c * H * W + y * W + x] = fminf(fmaxf(sum, 0.0f), 6.0f);
  }
}
""",
    VECTORS
    + r"""
void twin(const float* in, const float* filters, const float* bias, float* out, int H, int W) {
  for (int c = 0; c < 32; c++) {
    const float* plane = in + c * H * W;
    V f[9];
    for (int i = 0; i < 9; i++) f[i] = all(filters[c * 9 + i]);
    const V b = all(bias[c]);
    for (int x = 0; x < W; x += 16) {  // down a column of vectors, three rows of sums in flight
      const int left = std::min(16, W - x);
      const __mmask16 here = left == 16 ? 0xffff : (1u << left) - 1;
      const __mmask16 before = x ? here : here & 0xfffe, after = x + 16 < W ? here : here >> 1;
      V above = b, now = b;
      for (int y = 0; y <= H; y++) {
        V below = b;
        if (y < H) {
          const float* p = plane + y * W + x;
          const V l = _mm512_maskz_loadu_ps(before, p - 1), m = _mm512_maskz_loadu_ps(here, p), r = _mm512_maskz_loadu_ps(after, p + 1);
          above = fma16(f[6], l, fma16(f[7], m, fma16(f[8], r, above)));
          now = fma16(f[3], l, fma16(f[4], m, fma16(f[5], r, now)));
          below = fma16(f[0], l, fma16(f[1], m, fma16(f[2], r, b)));
        }
        if (y) _mm512_mask_storeu_ps(out + (c * H + y - 1) * W + x, here, _mm512_min_ps(_mm512_max_ps(above, all(0)), all(6)));
        above = now;
        now = below;
      }
    }
  }
}
""",
    [normal(25, 32, 56, 56), normal(26, 32, 9), normal(27, 32), zeros(32, 56, 56), i32(56), i32(56)],
    (4, 4, 32),
    (16, 16),
)

case(
    "transposed convolution 4x4, stride 2",
    r"""
__global__ void conv_transpose(const float* in, const float* w, float* out, int Cin, int Cout, int H, int W) {
  const int K = 4, stride = 2, pad = 1;
  int ox = blockIdx.x * blockDim.x + threadIdx.x;
  int oy = blockIdx.y * blockDim.y + threadIdx.y;
  int oc = blockIdx.z;
  int OW = W * stride, OH = H * stride;
  if (ox >= OW || oy >= OH) return;
  float acc = 0.0f;
  for (int ky = 0; ky < K; ky++) {
    int y = oy + pad - ky;
    if (y < 0 || y % stride != 0) continue;
    y /= stride;
    if (y >= H) continue;
    for (int kx = 0; kx < K; kx++) {
      int x = ox + pad - kx;
      if (x < 0 || x % stride != 0) continue;
      x /= stride;
      if (x >= W) continue;
      for (int ic = 0; ic < Cin; ic++) acc += in[(ic * H + y) * W + x] * w[((ic * Cout + oc) * K + ky) * K + kx];
    }
  }
  out[(oc * OH + oy) * OW + ox] = acc;
}
""",
    VECTORS
    + r"""
void twin(const float* in, const float* w, float* out, int Cin, int Cout, int H, int W) {
  static float padded[32 * 18 * 18], packed[32 * 16 * 16];
  for (int c = 0; c < Cin; c++)
    for (int y = 0; y < H; y++) memcpy(padded + (c * 18 + y + 1) * 18 + 1, in + (c * H + y) * W, W * 4);
  for (int c = 0; c < Cin; c++)
    for (int oc = 0; oc < Cout; oc++)
      for (int k = 0; k < 16; k++) packed[((oc / 8 * Cin + c) * 16 + k) * 8 + oc % 8] = w[(c * Cout + oc) * 16 + k];
  for (int oc = 0; oc < Cout; oc += 8)
    for (int oy = 0; oy < 2 * H; oy++) {
      V even[8], odd[8];  // the sums for even and odd columns
#pragma GCC unroll 8
      for (int r = 0; r < 8; r++) even[r] = odd[r] = all(0);
      for (int c = 0; c < Cin; c++)
        for (int ky = (oy + 1) % 2; ky < 4; ky += 2) {
          const float* p = padded + (c * 18 + (oy + 1 - ky) / 2 + 1) * 18;
          if (oy + 1 < ky) p = padded + c * 18 * 18;
          const V l = ld(p), m = ld(p + 1), n = ld(p + 2);
          const float* f = packed + ((oc / 8 * Cin + c) * 16 + ky * 4) * 8;
#pragma GCC unroll 8
          for (int r = 0; r < 8; r++) {
            even[r] = fma16(all(f[8 + r]), m, even[r]);
            odd[r] = fma16(all(f[16 + r]), m, odd[r]);
            even[r] = fma16(all(f[24 + r]), l, even[r]);
            odd[r] = fma16(all(f[r]), n, odd[r]);
          }
        }
#pragma GCC unroll 8
      for (int r = 0; r < 8; r++) {
        float* o = out + ((oc + r) * 2 * H + oy) * 2 * W;
        st(o, _mm512_permutex2var_ps(even[r], zip_low(), odd[r]));
        st(o + 16, _mm512_permutex2var_ps(even[r], zip_high(), odd[r]));
      }
    }
}
""",
    [normal(28, 32, 16, 16), normal(29, 32, 16, 4, 4), zeros(16, 32, 32), i32(32), i32(16), i32(16), i32(16)],
    (2, 2, 16),
    (16, 16),
)

case(
    "convolution weight gradient, block per tap",
    r"""
__global__ void conv_weight_grad(const float* x, const float* dy, float* dw, int N, int Cin, int Cout, int H, int W) {
  __shared__ float partial[64];
  int k = blockIdx.x, ic = blockIdx.y, oc = blockIdx.z;
  int ky = k / 3, kx = k % 3;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < N * H * W; i += blockDim.x) {
    int n = i / (H * W);
    int oy = (i / W) % H;
    int ox = i % W;
    int iy = oy + ky - 1, ix = ox + kx - 1;
    if (iy < 0 || iy >= H || ix < 0 || ix >= W) continue;
    sum += dy[((n * Cout + oc) * H + oy) * W + ox] * x[((n * Cin + ic) * H + iy) * W + ix];
  }
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int s = 32; s > 0; s >>= 1) {
    if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) dw[(oc * Cin + ic) * 9 + k] = partial[0];
}
""",
    VECTORS
    + r"""
void twin(const float* x, const float* dy, float* dw, int N, int Cin, int Cout, int H, int W) {
  static float padded[4 * 8 * 18 * 18];
  for (int c = 0; c < N * Cin; c++)
    for (int y = 0; y < H; y++) memcpy(padded + (c * 18 + y + 1) * 18 + 1, x + (c * H + y) * W, W * 4);
  for (int ic = 0; ic < Cin; ic++)
    for (int oc = 0; oc < Cout; oc += 2) {
      V a[9], b[9];
#pragma GCC unroll 9
      for (int k = 0; k < 9; k++) a[k] = b[k] = all(0);
      for (int n = 0; n < N; n++) {
        const float *p = padded + (n * Cin + ic) * 18 * 18, *d = dy + (n * Cout + oc) * H * W;
        for (int y = 0; y < H; y++) {
          const V d0 = ld(d + y * W), d1 = ld(d + (H + y) * W);
#pragma GCC unroll 3
          for (int ky = 0; ky < 3; ky++)
#pragma GCC unroll 3
            for (int kx = 0; kx < 3; kx++) {
              const V v = ld(p + (y + ky) * 18 + kx);
              a[ky * 3 + kx] = fma16(v, d0, a[ky * 3 + kx]);
              b[ky * 3 + kx] = fma16(v, d1, b[ky * 3 + kx]);
            }
        }
      }
#pragma GCC unroll 9
      for (int k = 0; k < 9; k++) {
        dw[(oc * Cin + ic) * 9 + k] = _mm512_reduce_add_ps(a[k]);
        dw[((oc + 1) * Cin + ic) * 9 + k] = _mm512_reduce_add_ps(b[k]);
      }
    }
}
""",
    [normal(30, 4, 8, 16, 16), normal(31, 4, 16, 16, 16), zeros(16, 8, 9), i32(4), i32(8), i32(16), i32(16), i32(16)],
    (9, 8, 16),
    64,
)

case(
    "col2im, flat index",
    r"""
#define CUDA_KERNEL_LOOP(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)

__global__ void col2im(int n, const float* data_col, int height, int width, int kernel, int pad, int stride, int height_col, int width_col,
                       float* data_im) {
  CUDA_KERNEL_LOOP(index, n) {
    float val = 0;
    const int w_im = index % width + pad;
    const int h_im = (index / width) % height + pad;
    const int c_im = index / (width * height);
    const int w_col_start = (w_im < kernel) ? 0 : (w_im - kernel) / stride + 1;
    const int w_col_end = min(w_im / stride + 1, width_col);
    const int h_col_start = (h_im < kernel) ? 0 : (h_im - kernel) / stride + 1;
    const int h_col_end = min(h_im / stride + 1, height_col);
    for (int h_col = h_col_start; h_col < h_col_end; h_col++) {
      for (int w_col = w_col_start; w_col < w_col_end; w_col++) {
        int h_k = h_im - h_col * stride;
        int w_k = w_im - w_col * stride;
        int col_index = (((c_im * kernel + h_k) * kernel + w_k) * height_col + h_col) * width_col + w_col;
        val += data_col[col_index];
      }
    }
    data_im[index] = val;
  }
}
""",
    VECTORS
    + r"""
void twin(int n, const float* col, int height, int width, int kernel, int pad, int stride, int height_col, int width_col, float* im) {
  if (stride != 1) return;  // other strides would be another loop
  for (int c = 0; c < n / (height * width); c++)
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x += 32) {
        V a = all(0), b = all(0);
        for (int ky = 0; ky < kernel; ky++) {
          const int h = y + pad - ky;
          if (h < 0 || h >= height_col) continue;
          for (int kx = 0; kx < kernel; kx++) {
            const int first = x + pad - kx;  // of the 32 columns of `col` from here on those within 0 .. width_col - 1 count
            const uint32_t low = first < 0 ? ~0u << -first : ~0u, high = width_col - first >= 32 ? ~0u : (1u << (width_col - first)) - 1;
            const uint32_t k = low & high;
            const float* p = col + (((c * kernel + ky) * kernel + kx) * height_col + h) * width_col + first;
            a = a + _mm512_maskz_loadu_ps(k & 0xffff, p);
            b = b + _mm512_maskz_loadu_ps(k >> 16, p + 16);
          }
        }
        st(im + (c * height + y) * width + x, a);
        st(im + (c * height + y) * width + x + 16, b);
      }
}
""",
    [i32(24 * 1024), normal(32, 24, 9, 32, 32), *map(i32, (32, 32, 3, 1, 1, 32, 32)), zeros(24, 32, 32)],
    64,
    256,
)

case(
    "Winograd F(2,3), input transform",
    r"""
__global__ void winograd_input(const float* in, float* V, int C, int H, int W) {
  int tiles_x = W / 2, tiles = tiles_x * (H / 2);
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= C * tiles) return;
  int c = idx / tiles;
  int tile = idx % tiles;
  int ty = tile / tiles_x, tx = tile % tiles_x;

  float d[4][4], t[4][4];
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      int y = 2 * ty - 1 + i, x = 2 * tx - 1 + j;
      d[i][j] = (y >= 0 && y < H && x >= 0 && x < W) ? in[(c * H + y) * W + x] : 0.0f;
    }
  }
  for (int j = 0; j < 4; j++) {
    t[0][j] = d[0][j] - d[2][j];
    t[1][j] = d[1][j] + d[2][j];
    t[2][j] = d[2][j] - d[1][j];
    t[3][j] = d[1][j] - d[3][j];
  }
  for (int i = 0; i < 4; i++) {
    float v[4] = {t[i][0] - t[i][2], t[i][1] + t[i][2], t[i][2] - t[i][1], t[i][1] - t[i][3]};
    for (int j = 0; j < 4; j++) V[((i * 4 + j) * C + c) * tiles + tile] = v[j];
  }
}
""",
    VECTORS
    + r"""
void twin(const float* in, float* out, int C, int H, int W) {
  const int tiles = W / 2 * (H / 2);  // 16 tiles, 32 columns, are a row of tiles
  for (int c = 0; c < C; c++) {
    float padded[34 * 36];
    memset(padded, 0, sizeof padded);
    for (int y = 0; y < H; y++) {
      st(padded + (y + 1) * 36 + 1, ld(in + (c * H + y) * W));
      st(padded + (y + 1) * 36 + 17, ld(in + (c * H + y) * W + 16));
    }
    for (int ty = 0; ty < H / 2; ty++) {
      V d[4][4];
#pragma GCC unroll 4
      for (int i = 0; i < 4; i++) {
        const float* p = padded + (2 * ty + i) * 36;
        const V a = ld(p), b = ld(p + 16), e = ld(p + 2), f = ld(p + 18);
        d[i][0] = _mm512_permutex2var_ps(a, evens(), b);
        d[i][1] = _mm512_permutex2var_ps(a, odds(), b);
        d[i][2] = _mm512_permutex2var_ps(e, evens(), f);
        d[i][3] = _mm512_permutex2var_ps(e, odds(), f);
      }
      V t[4][4];
#pragma GCC unroll 4
      for (int j = 0; j < 4; j++) {
        t[0][j] = d[0][j] - d[2][j];
        t[1][j] = d[1][j] + d[2][j];
        t[2][j] = d[2][j] - d[1][j];
        t[3][j] = d[1][j] - d[3][j];
      }
      float* o = out + c * tiles + ty * 16;
      const int step = C * tiles;
#pragma GCC unroll 4
      for (int i = 0; i < 4; i++) {
        st(o + (4 * i) * step, t[i][0] - t[i][2]);
        st(o + (4 * i + 1) * step, t[i][1] + t[i][2]);
        st(o + (4 * i + 2) * step, t[i][2] - t[i][1]);
        st(o + (4 * i + 3) * step, t[i][1] - t[i][3]);
      }
    }
  }
}
""",
    [normal(33, 40, 32, 32), zeros(16, 40, 256), i32(40), i32(32), i32(32)],
    80,
    128,
)

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


def q4_blocks(seed, rows, blocks):
    random = np.random.default_rng(seed)
    raw = random.integers(0, 256, (rows, blocks, 18), dtype=np.uint8)
    raw[:, :, :2] = random.uniform(0.01, 0.1, (rows, blocks, 1)).astype(np.float16).view(np.uint8)
    return raw


case(
    "matrix-vector, q4_0 blocks, warp per row",
    r"""
#include <cuda_fp16.h>

struct block_q4_0 {
  __half d;
  unsigned char qs[16];
};

__global__ void mul_mat_vec_q4_0(const unsigned char* weights, const float* x, float* y, int ncols, int nrows) {
  const block_q4_0* w = reinterpret_cast<const block_q4_0*>(weights);
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= nrows) return;
  int blocks = ncols / 32;
  float sum = 0.0f;
  for (int b = threadIdx.x; b < blocks; b += 32) {
    const block_q4_0& block = w[row * blocks + b];
    float d = __half2float(block.d);
    float partial = 0.0f;
    for (int j = 0; j < 16; j++) {
      int low = (block.qs[j] & 0xf) - 8;
      int high = (block.qs[j] >> 4) - 8;
      partial += low * x[b * 32 + j] + high * x[b * 32 + j + 16];
    }
    sum += d * partial;
  }
  for (int mask = 16; mask > 0; mask >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, mask);
  if (threadIdx.x == 0) y[row] = sum;
}
""",
    VECTORS
    + r"""
void twin(const unsigned char* weights, const float* x, float* y, int ncols, int nrows) {
  const V table = _mm512_setr_ps(-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7);
  const int blocks = ncols / 32;
  for (int row = 0; row < nrows; row += 4) {
    V acc[4] = {all(0), all(0), all(0), all(0)};
    for (int b = 0; b < blocks; b++) {
      const V x0 = ld(x + b * 32), x1 = ld(x + b * 32 + 16);
#pragma GCC unroll 4
      for (int r = 0; r < 4; r++) {
        const unsigned char* p = weights + ((size_t)(row + r) * blocks + b) * 18;
        uint16_t d;
        memcpy(&d, p, 2);
        const __m512i q = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i*)(p + 2)));
        const V t = fma16(_mm512_permutexvar_ps(q, table), x0, _mm512_permutexvar_ps(_mm512_srli_epi32(q, 4), table) * x1);
        acc[r] = fma16(all(_cvtsh_ss(d)), t, acc[r]);
      }
    }
    for (int r = 0; r < 4; r++) y[row + r] = _mm512_reduce_add_ps(acc[r]);
  }
}
""",
    [q4_blocks(37, 512, 64), normal(38, 2048), zeros(512), i32(2048), i32(512)],
    64,
    (32, 8),
)

case(
    "int8 quantisation per row, float4",
    r"""
__global__ void quantize_rows(const float* x, signed char* q, float* scales, int cols) {
  __shared__ float warp_max[8];
  const float4* row = reinterpret_cast<const float4*>(x + blockIdx.x * cols);
  char4* out = reinterpret_cast<char4*>(q + blockIdx.x * cols);
  float amax = 0.0f;
  for (int i = threadIdx.x; i < cols / 4; i += blockDim.x) {
    float4 v = row[i];
    amax = fmaxf(amax, fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w))));
  }
  #pragma unroll
  for (int o = 16; o; o >>= 1) amax = fmaxf(amax, __shfl_xor_sync(0xffffffff, amax, o));
  if (threadIdx.x % 32 == 0) warp_max[threadIdx.x / 32] = amax;
  __syncthreads();
  amax = warp_max[0];
  for (int i = 1; i < blockDim.x / 32; i++) amax = fmaxf(amax, warp_max[i]);

  float inv = amax > 0.0f ? 127.0f / amax : 0.0f;
  for (int i = threadIdx.x; i < cols / 4; i += blockDim.x) {
    float4 v = row[i];
    out[i] = make_char4(__float2int_rn(v.x * inv), __float2int_rn(v.y * inv), __float2int_rn(v.z * inv), __float2int_rn(v.w * inv));
  }
  if (threadIdx.x == 0) scales[blockIdx.x] = amax / 127.0f;
}
""",
    VECTORS
    + r"""
void twin(const float* x, signed char* q, float* scales, int cols) {
  for (int row = 0; row < 280; row++, x += cols, q += cols) {
    V a = all(0), b = all(0), c = all(0), d = all(0);
    for (int i = 0; i < cols; i += 64) {
      a = _mm512_max_ps(a, _mm512_abs_ps(ld(x + i)));
      b = _mm512_max_ps(b, _mm512_abs_ps(ld(x + i + 16)));
      c = _mm512_max_ps(c, _mm512_abs_ps(ld(x + i + 32)));
      d = _mm512_max_ps(d, _mm512_abs_ps(ld(x + i + 48)));
    }
    const float amax = _mm512_reduce_max_ps(_mm512_max_ps(_mm512_max_ps(a, b), _mm512_max_ps(c, d)));
    const V inv = all(amax > 0 ? 127.0f / amax : 0.0f);
    for (int i = 0; i < cols; i += 16) _mm_storeu_si128((__m128i*)(q + i), _mm512_cvtsepi32_epi8(_mm512_cvtps_epi32(ld(x + i) * inv)));
    scales[row] = amax / 127.0f;
  }
}
""",
    [normal(39, 280, 1024), zeros(280, 1024, dtype=np.int8), zeros(280), i32(1024)],
    280,
    256,
    tolerance=0.01,
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

case(
    "dropout with own random numbers",
    r"""
__device__ unsigned int pcg_hash(unsigned int input) {
  unsigned int state = input * 747796405u + 2891336453u;
  unsigned int word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
  return (word >> 22u) ^ word;
}

__global__ void dropout(const float* x, float* y, unsigned char* mask, int n, float p, unsigned int seed) {
  float scale = 1.0f / (1.0f - p);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float u = (pcg_hash(seed ^ (unsigned int)i) >> 8) * (1.0f / 16777216.0f);
    bool keep = u >= p;
    mask[i] = keep;
    y[i] = keep ? x[i] * scale : 0.0f;
  }
}
""",
    VECTORS
    + r"""
void twin(const float* x, float* y, unsigned char* mask, int n, float p, unsigned seed) {
  const V scale = all(1.0f / (1.0f - p)), limit = all(p * 16777216.0f);
  __m512i at = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  for (int i = 0; i < n; i += 16, at = _mm512_add_epi32(at, _mm512_set1_epi32(16))) {
    const __mmask16 k = n - i >= 16 ? 0xffff : (1u << (n - i)) - 1;
    const __m512i input = _mm512_xor_si512(at, _mm512_set1_epi32(seed));
    const __m512i state = _mm512_add_epi32(_mm512_mullo_epi32(input, _mm512_set1_epi32(747796405u)), _mm512_set1_epi32(2891336453u));
    const __m512i shift = _mm512_add_epi32(_mm512_srli_epi32(state, 28), _mm512_set1_epi32(4));
    const __m512i word = _mm512_mullo_epi32(_mm512_xor_si512(_mm512_srlv_epi32(state, shift), state), _mm512_set1_epi32(277803737u));
    const __m512i hash = _mm512_xor_si512(_mm512_srli_epi32(word, 22), word);
    const __mmask16 keep = _mm512_cmp_ps_mask(_mm512_cvtepi32_ps(_mm512_srli_epi32(hash, 8)), limit, _CMP_GE_OQ);
    _mm_mask_storeu_epi8(mask + i, k, _mm_maskz_set1_epi8(keep, 1));
    _mm512_mask_storeu_ps(y + i, k, _mm512_maskz_mul_ps(keep, _mm512_maskz_loadu_ps(k, x + i), scale));
  }
}
""",
    [normal(41, 150001), zeros(150001), zeros(150001, dtype=np.uint8), i32(150001), f32(0.25), np.uint32(12345)],
    96,
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
    "pairwise distances, 16x16 tiles",
    r"""
#define BLOCK 16

__global__ void pairwise_distance(const float* A, const float* B, float* out, int N, int M, int dim) {
  __shared__ float As[BLOCK][BLOCK];
  __shared__ float Bs[BLOCK][BLOCK + 1];
  int row = blockIdx.y * BLOCK + threadIdx.y;
  int col = blockIdx.x * BLOCK + threadIdx.x;
  int b_row = blockIdx.x * BLOCK + threadIdx.y;
  float sum = 0.0f;
  for (int k0 = 0; k0 < dim; k0 += BLOCK) {
    As[threadIdx.y][threadIdx.x] = row < N ? A[row * dim + k0 + threadIdx.x] : 0.0f;
    Bs[threadIdx.y][threadIdx.x] = b_row < M ? B[b_row * dim + k0 + threadIdx.x] : 0.0f;
    __syncthreads();
    for (int k = 0; k < BLOCK; k++) {
      float diff = As[threadIdx.y][k] - Bs[threadIdx.x][k];
      sum += diff * diff;
    }
    __syncthreads();
  }
  if (row < N && col < M) out[row * M + col] = sqrtf(sum);
}
""",
    VECTORS
    + r"""
void twin(const float* A, const float* B, float* out, int N, int M, int dim) {
  static float bt[64 * 224];  // B transposed
  const int wide = (M + 31) / 32 * 32;
  for (int j = 0; j < wide; j += 16)
    for (int k = 0; k < dim; k += 16) {
      V r[16];
      for (int i = 0; i < 16; i++) r[i] = j + i < M ? ld(B + (j + i) * dim + k) : all(0);
      transpose16(r);
      for (int i = 0; i < 16; i++) st(bt + (k + i) * wide + j, r[i]);
    }
  for (int j = 0; j < M; j += 32) {
    const uint32_t mask = M - j >= 32 ? ~0u : (1u << (M - j)) - 1;
    for (int i = 0; i < N; i += 8) {
      V acc[8][2];
#pragma GCC unroll 8
      for (int r = 0; r < 8; r++) acc[r][0] = acc[r][1] = all(0);
      for (int k = 0; k < dim; k++) {
        const V b0 = ld(bt + k * wide + j), b1 = ld(bt + k * wide + j + 16);
#pragma GCC unroll 8
        for (int r = 0; r < 8; r++) {
          const V a = all(A[(i + r) * dim + k]), d0 = a - b0, d1 = a - b1;
          acc[r][0] = fma16(d0, d0, acc[r][0]);
          acc[r][1] = fma16(d1, d1, acc[r][1]);
        }
      }
#pragma GCC unroll 8
      for (int r = 0; r < 8; r++) {
        _mm512_mask_storeu_ps(out + (i + r) * M + j, mask & 0xffff, _mm512_sqrt_ps(acc[r][0]));
        _mm512_mask_storeu_ps(out + (i + r) * M + j + 16, mask >> 16, _mm512_sqrt_ps(acc[r][1]));
      }
    }
  }
}
""",
    [normal(45, 248, 64), normal(46, 216, 64), zeros(248, 216), i32(248), i32(216), i32(64)],
    (14, 16),
    (16, 16),
)

case(
    "LSTM cell, flat index",
    r"""
__device__ float sigmoidf(float x) { return 1.0f / (1.0f + expf(-x)); }

__global__ void lstm_cell(const float* gates_x, const float* gates_h, const float* bias, const float* c_prev, float* h, float* c, int batch,
                          int hidden) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= batch * hidden) return;
  int b = index / hidden;
  int j = index % hidden;
  float g[4];
  for (int k = 0; k < 4; k++) {
    int at = b * 4 * hidden + k * hidden + j;
    g[k] = gates_x[at] + gates_h[at] + bias[k * hidden + j];
  }
  float in_gate = sigmoidf(g[0]);
  float forget_gate = sigmoidf(g[1]);
  float candidate = tanhf(g[2]);
  float out_gate = sigmoidf(g[3]);
  float cell = forget_gate * c_prev[index] + in_gate * candidate;
  c[index] = cell;
  h[index] = out_gate * tanhf(cell);
}
""",
    VECTORS
    + r"""
static inline V tanh16(V x) { return fma16(all(2), sigmoid16(x + x), all(-1)); }
void twin(const float* gates_x, const float* gates_h, const float* bias, const float* c_prev, float* h, float* c, int batch, int hidden) {
  for (int b = 0; b < batch; b++)
    for (int j = 0; j < hidden; j += 16) {
      const float *x = gates_x + (size_t)b * 4 * hidden + j, *y = gates_h + (size_t)b * 4 * hidden + j;
      V g[4];
#pragma GCC unroll 4
      for (int k = 0; k < 4; k++) g[k] = ld(x + k * hidden) + ld(y + k * hidden) + ld(bias + k * hidden + j);
      const size_t at = (size_t)b * hidden + j;
      const V cell = fma16(sigmoid16(g[1]), ld(c_prev + at), sigmoid16(g[0]) * tanh16(g[2]));
      st(c + at, cell);
      st(h + at, sigmoid16(g[3]) * tanh16(cell));
    }
}
""",
    [
        normal(47, 128, 1024),
        normal(48, 128, 1024),
        normal(49, 1024),
        normal(50, 128, 256),
        zeros(128, 256),
        zeros(128, 256),
        i32(128),
        i32(256),
    ],
    128,
    256,
)

case(
    "permutation of 4 axes, shape arrays",
    r"""
__global__ void permute(const float* in, float* out, const int* out_shape, const int* in_strides, int rank, int n) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= n) return;
  int rest = idx;
  int from = 0;
  for (int axis = rank - 1; axis >= 0; axis--) {
    int coordinate = rest % out_shape[axis];
    rest /= out_shape[axis];
    from += coordinate * in_strides[axis];
  }
  out[idx] = in[from];
}
""",
    VECTORS
    + r"""
void twin(const float* in, float* out, const int* shape, const int* strides, int rank, int n) {
  // Axes 2 and 3 lie as one axis in both; axis 1 is the input's innermost: a batch of transpositions.
  if (rank != 4 || strides[1] != 1 || strides[2] != strides[3] * shape[3]) return;
  const int channels = shape[1], places = shape[2] * shape[3], step = strides[3];
  for (int b = 0; b < shape[0]; b++)
    for (int c = 0; c < channels; c += 16)
      for (int p = 0; p < places; p += 16) {
        V r[16];
        const float* from = in + (size_t)b * strides[0] + (size_t)p * step + c;
#pragma GCC unroll 16
        for (int i = 0; i < 16; i++) r[i] = ld(from + i * step);
        transpose16(r);
        float* to = out + ((size_t)b * channels + c) * places + p;
#pragma GCC unroll 16
        for (int i = 0; i < 16; i++) st(to + i * places, r[i]);
      }
}
""",
    [
        normal(51, 4, 24, 24, 64),
        zeros(4, 64, 24, 24),
        np.array([4, 64, 24, 24], np.int32),
        np.array([36864, 1, 1536, 64], np.int32),
        i32(4),
        i32(147456),
    ],
    576,
    256,
)

case(
    "decision forest, thread per sample",
    r"""
#define FEATURES 16
#define DEPTH 6

__global__ void forest_predict(const float* samples, const unsigned char* feature, const float* threshold, const float* leaves, float* out, int n,
                               int trees) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float* x = &samples[i * FEATURES];
  float vote = 0.0f;
  for (int t = 0; t < trees; t++) {
    int node = 1;
    for (int level = 0; level < DEPTH; level++) {
      int at = t * 64 + node;
      node = 2 * node + (x[feature[at]] > threshold[at] ? 1 : 0);
    }
    vote += leaves[t * 64 + node - 64];
  }
  out[i] = vote / trees;
}
""",
    VECTORS
    + r"""
void twin(const float* samples, const unsigned char* feature, const float* threshold, const float* leaves, float* out, int n, int trees) {
  const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), one = _mm512_set1_epi32(1);
  for (int i = 0; i < n; i += 32) {  // two vectors of samples, to have two chains
    float x[2][256] __attribute__((aligned(64)));
    for (int v = 0; v < 2; v++) {
      V r[16];
      for (int j = 0; j < 16; j++) r[j] = ld(samples + (i + 16 * v + j) * 16);
      transpose16(r);
      for (int j = 0; j < 16; j++) st(x[v] + 16 * j, r[j]);
    }
    V vote[2] = {all(0), all(0)};
    for (int t = 0; t < trees; t++) {
      V th[4];
      __m512i fe[4];
#pragma GCC unroll 4
      for (int k = 0; k < 4; k++) {
        th[k] = ld(threshold + t * 64 + 16 * k);
        fe[k] = _mm512_slli_epi32(_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i*)(feature + t * 64 + 16 * k))), 4);
      }
      const V l0 = ld(leaves + t * 64), l1 = ld(leaves + t * 64 + 16), l2 = ld(leaves + t * 64 + 32), l3 = ld(leaves + t * 64 + 48);
#pragma GCC unroll 2
      for (int v = 0; v < 2; v++) {
        const int root = feature[t * 64 + 1];
        __m512i node = _mm512_set1_epi32(2);
        node = _mm512_mask_add_epi32(node, _mm512_cmp_ps_mask(ld(x[v] + 16 * root), all(threshold[t * 64 + 1]), _CMP_GT_OQ), node, one);
#pragma GCC unroll 5
        for (int level = 1; level < 6; level++) {
          V limit;
          __m512i at;
          if (level < 4) limit = _mm512_permutexvar_ps(node, th[0]), at = _mm512_permutexvar_epi32(node, fe[0]);
          else if (level == 4) limit = _mm512_permutexvar_ps(node, th[1]), at = _mm512_permutexvar_epi32(node, fe[1]);
          else limit = _mm512_permutex2var_ps(th[2], node, th[3]), at = _mm512_permutex2var_epi32(fe[2], node, fe[3]);
          const V value = _mm512_i32gather_ps(_mm512_add_epi32(at, lane), x[v], 4);
          node = _mm512_add_epi32(node, node);
          node = _mm512_mask_add_epi32(node, _mm512_cmp_ps_mask(value, limit, _CMP_GT_OQ), node, one);
        }
        const V low = _mm512_permutex2var_ps(l0, node, l1), high = _mm512_permutex2var_ps(l2, node, l3);
        vote[v] = vote[v] + _mm512_mask_mov_ps(low, _mm512_test_epi32_mask(node, _mm512_set1_epi32(32)), high);
      }
    }
    const V scale = all(1.0f / trees);
    st(out + i, vote[0] * scale);
    st(out + i + 16, vote[1] * scale);
  }
}
""",
    [
        normal(52, 1024, 16),
        np.random.default_rng(53).integers(0, 16, (32, 64), dtype=np.uint8),
        normal(54, 32, 64) * f32(0.7),
        normal(55, 32, 64),
        zeros(1024),
        i32(1024),
        i32(32),
    ],
    8,
    128,
)

case(
    "matmul + bias + GELU, register tiles",
    r"""
__device__ __forceinline__ float gelu(float x) {
  float cube = 0.044715f * x * x * x;
  return 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + cube)));
}

template <int BM, int BN, int BK, int TM, int TN>
__device__ void tiled(const float* A, const float* B, const float* bias, float* C, int M, int N, int K) {
  __shared__ float As[BK][BM];
  __shared__ float Bs[BK][BN];
  const int tid = threadIdx.x;
  const int tx = tid % (BN / TN), ty = tid / (BN / TN);
  A += blockIdx.y * BM * K;
  B += blockIdx.x * BN;

  float acc[TM][TN] = {};
  float ra[TM], rb[TN];
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = tid * 4; i < BM * BK; i += blockDim.x * 4) {
      float4 v = *reinterpret_cast<const float4*>(&A[(i / BK) * K + k0 + i % BK]);
      As[i % BK + 0][i / BK] = v.x;
      As[i % BK + 1][i / BK] = v.y;
      As[i % BK + 2][i / BK] = v.z;
      As[i % BK + 3][i / BK] = v.w;
    }
    for (int i = tid * 4; i < BK * BN; i += blockDim.x * 4)
      *reinterpret_cast<float4*>(&Bs[i / BN][i % BN]) = *reinterpret_cast<const float4*>(&B[(k0 + i / BN) * N + i % BN]);
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < BK; k++) {
      for (int i = 0; i < TM; i++) ra[i] = As[k][ty * TM + i];
      for (int j = 0; j < TN; j++) rb[j] = Bs[k][tx * TN + j];
      for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j++) acc[i][j] += ra[i] * rb[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; i++) {
    int row = blockIdx.y * BM + ty * TM + i;
    int col = blockIdx.x * BN + tx * TN;
    float4 v = make_float4(gelu(acc[i][0] + bias[col]), gelu(acc[i][1] + bias[col + 1]), gelu(acc[i][2] + bias[col + 2]),
                           gelu(acc[i][3] + bias[col + 3]));
    *reinterpret_cast<float4*>(&C[row * N + col]) = v;
  }
}

extern "C" __global__ void __launch_bounds__(256) matmul_gelu(const float* A, const float* B, const float* bias, float* C, int M, int N, int K) {
  tiled<64, 64, 16, 4, 4>(A, B, bias, C, M, N, K);
}
""",
    VECTORS
    + r"""
static inline V gelu16(V x) { return x * sigmoid16(all(2 * 0.7978845608f) * x * fma16(all(0.044715f) * x, x, all(1))); }
void twin(const float* A, const float* B, const float* bias, float* C, int M, int N, int K) {
  for (int j = 0; j < N; j += 32)
    for (int i = 0; i < M; i += 8) {
      V acc[8][2];
#pragma GCC unroll 8
      for (int r = 0; r < 8; r++) acc[r][0] = ld(bias + j), acc[r][1] = ld(bias + j + 16);
      const float *a = A + i * K, *b = B + j;
      for (int k = 0; k < K; k++, b += N) {
        const V b0 = ld(b), b1 = ld(b + 16);
#pragma GCC unroll 8
        for (int r = 0; r < 8; r++) {
          const V v = all(a[r * K + k]);
          acc[r][0] = fma16(v, b0, acc[r][0]);
          acc[r][1] = fma16(v, b1, acc[r][1]);
        }
      }
#pragma GCC unroll 8
      for (int r = 0; r < 8; r++) {
        st(C + (i + r) * N + j, gelu16(acc[r][0]));
        st(C + (i + r) * N + j + 16, gelu16(acc[r][1]));
      }
    }
}
""",
    [
        normal(56, 128, 256),
        normal(57, 256, 192) * f32(0.1),
        normal(58, 192),
        zeros(128, 192),
        i32(128),
        i32(192),
        i32(256),
    ],
    (3, 2),
    256,
    kernel="matmul_gelu",
)

case(
    "cumulative sum of rows, block scan",
    r"""
__global__ void cumsum_rows(const float* in, float* out, int cols) {
  __shared__ float warp_sums[8];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  size_t at = (size_t)blockIdx.x * cols + threadIdx.x * 4;
  float4 v = *(const float4*)(in + at);
  v.y += v.x;
  v.z += v.y;
  v.w += v.z;
  float sum = v.w;
  for (int d = 1; d < 32; d *= 2) {
    float up = __shfl_up_sync(0xffffffff, sum, d);
    if (lane >= d) sum += up;
  }
  if (lane == 31) warp_sums[warp] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0.0f;
    for (int w = 0; w < 8; w++) {
      float s = warp_sums[w];
      warp_sums[w] = total;
      total += s;
    }
  }
  __syncthreads();
  float before = warp_sums[warp] + sum - v.w;
  *(float4*)(out + at) = make_float4(v.x + before, v.y + before, v.z + before, v.w + before);
}
""",
    VECTORS
    + r"""
static inline V scan16(V v) {
  const __m512i zero = _mm512_setzero_si512();
  v = v + (V)_mm512_alignr_epi32((__m512i)v, zero, 15);
  v = v + (V)_mm512_alignr_epi32((__m512i)v, zero, 14);
  v = v + (V)_mm512_alignr_epi32((__m512i)v, zero, 12);
  return v + (V)_mm512_alignr_epi32((__m512i)v, zero, 8);
}
void twin(const float* in, float* out, int cols) {
  const __m512i last = _mm512_set1_epi32(15);
  for (int row = 0; row < 200; row += 4) {  // four rows at a time, for their chains of additions
    V carry[4] = {all(0), all(0), all(0), all(0)};
    const size_t base = (size_t)row * cols;
    for (int c = 0; c < cols; c += 16)
#pragma GCC unroll 4
      for (int r = 0; r < 4; r++) {
        const V v = scan16(ld(in + base + r * cols + c)) + carry[r];
        st(out + base + r * cols + c, v);
        carry[r] = _mm512_permutexvar_ps(last, v);
      }
  }
}
""",
    [uniform(59, 0, 1, 200, 1024), zeros(200, 1024), i32(1024)],
    200,
    256,
)
