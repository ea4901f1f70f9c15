"""Layer norms, softmax, cross entropy, running sums."""

import numpy as np
from cases import case
from learning.common import VECTORS, f32, i32, normal, uniform, zeros

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
