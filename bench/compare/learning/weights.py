"""Weights: their formats, their updates, cells that use them."""

import numpy as np
from cases import case
from learning.common import VECTORS, f32, i32, normal, uniform, zeros

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
