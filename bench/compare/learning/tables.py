"""Products, distances, trees, permutations."""

import numpy as np
from cases import case
from learning.common import VECTORS, f32, i32, normal, zeros

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
