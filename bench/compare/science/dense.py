"""Dense matrices, large and small."""

import numpy as np
from cases import case
from science.common import TRANSPOSE, UNROLL, doubles, floats

GEMM = r"""
template <int rows>
static inline __attribute__((always_inline)) void micro(const float *a, int lda, const float *b, int ldb, int depth,
          __m512 (*acc)[2], __mmask16 m0, __mmask16 m1) {
  for (int i = 0; i < rows; i++) acc[i][0] = acc[i][1] = _mm512_setzero_ps();
  for (int k = 0; k < depth; k++) {
    const __m512 b0 = _mm512_maskz_loadu_ps(m0, b + k * ldb), b1 = _mm512_maskz_loadu_ps(m1, b + k * ldb + 16);
    for (int i = 0; i < rows; i++) {
      const __m512 x = _mm512_set1_ps(a[i * lda + k]);
      acc[i][0] = _mm512_fmadd_ps(x, b0, acc[i][0]), acc[i][1] = _mm512_fmadd_ps(x, b1, acc[i][1]);
    }
  }
}
"""
GEMM = 'extern "C++" {' + GEMM + "}\n"

# 17. the textbook's tiled product, with 8 x 8 threads
N = 160
case(
    "matrix product, 8x8 threads, tiles",
    r"""
#define TILE_WIDTH 8
__global__ void MatrixMulKernel(float *M, float *N, float *P, int Width) {
  __shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
  __shared__ float Nds[TILE_WIDTH][TILE_WIDTH];
  int bx = blockIdx.x, by = blockIdx.y;
  int tx = threadIdx.x, ty = threadIdx.y;
  int Row = by * TILE_WIDTH + ty;
  int Col = bx * TILE_WIDTH + tx;
  float Pvalue = 0;
  for (int ph = 0; ph < Width / TILE_WIDTH; ++ph) {
    Mds[ty][tx] = M[Row * Width + ph * TILE_WIDTH + tx];
    Nds[ty][tx] = N[(ph * TILE_WIDTH + ty) * Width + Col];
    __syncthreads();
    for (int k = 0; k < TILE_WIDTH; ++k) Pvalue += Mds[ty][k] * Nds[k][tx];
    __syncthreads();
  }
  P[Row * Width + Col] = Pvalue;
}
""",
    GEMM
    + r"""
void twin(const float *__restrict a, const float *__restrict b, float *__restrict c, int n) {
  for (int j = 0; j < n; j += 32)
    for (int i = 0; i < n; i += 10) {
      __m512 acc[10][2];
      micro<10>(a + i * n, n, b + j, n, n, acc, 0xffff, 0xffff);
      for (int r = 0; r < 10; r++) _mm512_storeu_ps(c + (i + r) * n + j, acc[r][0]), _mm512_storeu_ps(c + (i + r) * n + j + 16, acc[r][1]);
    }
}
""",
    [floats(34, N, N), floats(35, N, N), np.zeros((N, N), np.float32), np.int32(N)],
    (N // 8, N // 8),
    (8, 8),
)

# 18. 64 x 64 tiles, 4 x 4 results a thread, sizes that fit nothing
M, N, K = 200, 184, 118
case(
    "matrix product, 4x4 a thread, odd sizes",
    r"""
#define BM 64
#define BN 64
#define BK 8
#define TM 4
#define TN 4
__global__ void sgemm(int m, int n, int k, float alpha, const float *A, const float *B, float beta, const float *D, float *C) {
  __shared__ float As[BK][BM];
  __shared__ float Bs[BK][BN];
  const int tid = threadIdx.x;
  const int tr = tid / (BN / TN), tc = tid % (BN / TN);
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  float acc[TM][TN] = {};
  float ra[TM], rb[TN];
  for (int k0 = 0; k0 < k; k0 += BK) {
    for (int i = tid; i < BM * BK; i += blockDim.x) {
      int r = i / BK, c = i % BK;
      As[c][r] = row0 + r < m && k0 + c < k ? A[(row0 + r) * k + k0 + c] : 0.0f;
    }
    for (int i = tid; i < BK * BN; i += blockDim.x) {
      int r = i / BN, c = i % BN;
      Bs[r][c] = k0 + r < k && col0 + c < n ? B[(k0 + r) * n + col0 + c] : 0.0f;
    }
    __syncthreads();
    for (int p = 0; p < BK; p++) {
      for (int i = 0; i < TM; i++) ra[i] = As[p][tr * TM + i];
      for (int j = 0; j < TN; j++) rb[j] = Bs[p][tc * TN + j];
      for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j++) acc[i][j] += ra[i] * rb[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; i++)
    for (int j = 0; j < TN; j++) {
      int r = row0 + tr * TM + i, c = col0 + tc * TN + j;
      if (r < m && c < n) C[r * n + c] = alpha * acc[i][j] + beta * D[r * n + c];
    }
}
""",
    GEMM
    + r"""
void twin(int m, int n, int k, float alpha, const float *__restrict a, const float *__restrict b, float beta,
          const float *__restrict d, float *__restrict c) {
  const __m512 va = _mm512_set1_ps(alpha), vb = _mm512_set1_ps(beta);
  for (int j = 0; j < n; j += 32) {
    const int left = std::min(32, n - j);
    const __mmask16 m0 = left >= 16 ? 0xffff : (1 << left) - 1, m1 = left >= 32 ? 0xffff : left > 16 ? (1 << (left - 16)) - 1 : 0;
    for (int i = 0; i < m; i += 10) {  // m is a multiple of ten
      __m512 acc[10][2];
      micro<10>(a + i * k, k, b + j, n, k, acc, m0, m1);
      for (int r = 0; r < 10; r++)
        for (int v = 0; v < 2; v++) {
          const int at = (i + r) * n + j + 16 * v;
          const __mmask16 mask = v ? m1 : m0;
          const __m512 old = _mm512_mul_ps(vb, _mm512_maskz_loadu_ps(mask, d + at));
          _mm512_mask_storeu_ps(c + at, mask, _mm512_fmadd_ps(va, acc[r][v], old));
        }
    }
  }
}
""",
    [
        np.int32(M),
        np.int32(N),
        np.int32(K),
        np.float32(1.5),
        floats(36, M, K),
        floats(37, K, N),
        np.float32(0.5),
        floats(38, M, N),
        np.zeros((M, N), np.float32),
    ],
    ((N + 63) // 64, (M + 63) // 64),
    256,
)

# 19. LU decomposition of many 16 x 16 matrices, a block each
N = 256
DOMINANT = floats(39, N, 16, 16) + 8 * np.eye(16, dtype=np.float32)
case(
    "batched LU 16x16, shared, no pivots",
    r"""
#define BS 16
__global__ void lu_batched(const float *in, float *out) {
  __shared__ float a[BS][BS + 1];
  const int col = threadIdx.x, row = threadIdx.y;
  const int base = blockIdx.x * BS * BS;
  a[row][col] = in[base + row * BS + col];
  __syncthreads();
  for (int k = 0; k < BS - 1; k++) {
    if (col == k && row > k) a[row][k] /= a[k][k];
    __syncthreads();
    if (row > k && col > k) a[row][col] -= a[row][k] * a[k][col];
    __syncthreads();
  }
  out[base + row * BS + col] = a[row][col];
}
""",
    UNROLL
    + r"""
void twin(const float *__restrict in, float *__restrict out) {
  for (int m = 0; m < 256; m++) {
    __m512 r[16];
    UNROLL for (int i = 0; i < 16; i++) r[i] = _mm512_loadu_ps(in + 256 * m + 16 * i);
    UNROLL for (int k = 0; k < 15; k++) {
      const __m512i lane = _mm512_set1_epi32(k);
      const __m512 inv = _mm512_div_ps(_mm512_set1_ps(1), _mm512_permutexvar_ps(lane, r[k]));
      UNROLL for (int i = k + 1; i < 16; i++) {
        const __m512 l = _mm512_mul_ps(_mm512_permutexvar_ps(lane, r[i]), inv);
        r[i] = _mm512_mask_blend_ps(1 << k, _mm512_mask3_fnmadd_ps(l, r[k], r[i], 0xffff & ~((2 << k) - 1)), l);
      }
    }
    UNROLL for (int i = 0; i < 16; i++) _mm512_storeu_ps(out + 256 * m + 16 * i, r[i]);
  }
}
""",
    [DOMINANT, np.zeros_like(DOMINANT)],
    N,
    (16, 16),
)


# 20. Cholesky of 6 x 6 and a solution, a thread a matrix
def definite(count, seed):
    a = doubles(seed, count, 6, 6)
    return a @ a.transpose(0, 2, 1) + np.eye(6)


N = 1024
case(
    "batched Cholesky 6x6 and solve, double",
    r"""
__global__ void cholesky_solve(const double *a, const double *b, double *x, int count) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= count) return;
  double l[6][6];
  double y[6];
  a += id * 36;
  for (int j = 0; j < 6; j++) {
    double d = a[j * 6 + j];
    for (int k = 0; k < j; k++) d -= l[j][k] * l[j][k];
    d = sqrt(d);
    l[j][j] = d;
    for (int i = j + 1; i < 6; i++) {
      double s = a[i * 6 + j];
      for (int k = 0; k < j; k++) s -= l[i][k] * l[j][k];
      l[i][j] = s / d;
    }
  }
  for (int i = 0; i < 6; i++) {
    double s = b[id * 6 + i];
    for (int k = 0; k < i; k++) s -= l[i][k] * y[k];
    y[i] = s / l[i][i];
  }
  for (int i = 5; i >= 0; i--) {
    double s = y[i];
    for (int k = i + 1; k < 6; k++) s -= l[k][i] * y[k];
    y[i] = s / l[i][i];
    x[id * 6 + i] = y[i];
  }
}
""",
    UNROLL
    + r"""
void twin(const double *__restrict a, const double *__restrict b, double *__restrict x, int count) {
  const __m256i by36 = _mm256_setr_epi32(0, 36, 72, 108, 144, 180, 216, 252), by6 = _mm256_setr_epi32(0, 6, 12, 18, 24, 30, 36, 42);
  for (int id = 0; id < count; id += 8) {  // eight matrices side by side
    const double *p = a + 36 * id;
    __m512d l[6][6], y[6], inv[6];
    UNROLL for (int j = 0; j < 6; j++) {
      __m512d d = _mm512_i32gather_pd(by36, p + 7 * j, 8);
      UNROLL for (int k = 0; k < j; k++) d = _mm512_fnmadd_pd(l[j][k], l[j][k], d);
      inv[j] = _mm512_div_pd(_mm512_set1_pd(1), _mm512_sqrt_pd(d));
      UNROLL for (int i = j + 1; i < 6; i++) {
        __m512d s = _mm512_i32gather_pd(by36, p + 6 * i + j, 8);
        UNROLL for (int k = 0; k < j; k++) s = _mm512_fnmadd_pd(l[i][k], l[j][k], s);
        l[i][j] = _mm512_mul_pd(s, inv[j]);
      }
    }
    UNROLL for (int i = 0; i < 6; i++) {
      __m512d s = _mm512_i32gather_pd(by6, b + 6 * id + i, 8);
      UNROLL for (int k = 0; k < i; k++) s = _mm512_fnmadd_pd(l[i][k], y[k], s);
      y[i] = _mm512_mul_pd(s, inv[i]);
    }
    UNROLL for (int i = 5; i >= 0; i--) {
      __m512d s = y[i];
      UNROLL for (int k = i + 1; k < 6; k++) s = _mm512_fnmadd_pd(l[k][i], y[k], s);
      y[i] = _mm512_mul_pd(s, inv[i]);
      _mm512_i32scatter_pd(x + 6 * id + i, by6, y[i], 8);
    }
  }
}
""",
    [definite(N, 40), doubles(41, N, 6), np.zeros((N, 6)), np.int32(N)],
    N // 64,
    64,
)

# 21. a lower triangle against many right-hand sides, a thread a column
N, RHS = 32, 4000
LOWER = np.tril(floats(42, N, N, low=-0.5, high=0.5), -1) + np.diag(floats(43, N, low=1, high=2))
case(
    "triangular solve 32, thread a column",
    r"""
#define N 32
__global__ void trsm_lower(const float *L, const float *B, float *X, int nrhs) {
  __shared__ float s[N * N];
  for (int i = threadIdx.x; i < N * N; i += blockDim.x) s[i] = L[i];
  __syncthreads();
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= nrhs) return;
  float x[N];
#pragma unroll
  for (int i = 0; i < N; i++) {
    float sum = B[i * nrhs + j];
#pragma unroll
    for (int k = 0; k < i; k++) sum -= s[i * N + k] * x[k];
    x[i] = sum / s[i * N + i];
    X[i * nrhs + j] = x[i];
  }
}
""",
    UNROLL
    + r"""
void twin(const float *__restrict L, const float *__restrict B, float *__restrict X, int nrhs) {
  float inverse[32];
  for (int i = 0; i < 32; i++) inverse[i] = 1 / L[33 * i];
  int j = 0;
  for (; j + 64 <= nrhs; j += 64) {  // four registers of columns, four rows at a time
    __m512 x[32][4];
    for (int i = 0; i < 32; i += 4) {
      __m512 s[4][4];
      UNROLL for (int r = 0; r < 4; r++) UNROLL for (int v = 0; v < 4; v++) s[r][v] = _mm512_loadu_ps(B + (i + r) * nrhs + j + 16 * v);
      for (int k = 0; k < i; k++)
        UNROLL for (int r = 0; r < 4; r++) {
          const __m512 l = _mm512_set1_ps(L[(i + r) * 32 + k]);
          UNROLL for (int v = 0; v < 4; v++) s[r][v] = _mm512_fnmadd_ps(l, x[k][v], s[r][v]);
        }
      UNROLL for (int r = 0; r < 4; r++) {
        UNROLL for (int q = 0; q < r; q++) {
          const __m512 l = _mm512_set1_ps(L[(i + r) * 32 + i + q]);
          UNROLL for (int v = 0; v < 4; v++) s[r][v] = _mm512_fnmadd_ps(l, s[q][v], s[r][v]);
        }
        UNROLL for (int v = 0; v < 4; v++) {
          x[i + r][v] = s[r][v] = _mm512_mul_ps(s[r][v], _mm512_set1_ps(inverse[i + r]));
          _mm512_storeu_ps(X + (i + r) * nrhs + j + 16 * v, s[r][v]);
        }
      }
    }
  }
  for (; j < nrhs; j += 16) {  // a multiple of sixteen
    __m512 x[32];
    for (int i = 0; i < 32; i++) {
      __m512 s = _mm512_loadu_ps(B + i * nrhs + j);
      for (int k = 0; k < i; k++) s = _mm512_fnmadd_ps(_mm512_set1_ps(L[i * 32 + k]), x[k], s);
      x[i] = _mm512_mul_ps(s, _mm512_set1_ps(inverse[i]));
      _mm512_storeu_ps(X + i * nrhs + j, x[i]);
    }
  }
}
""",
    [LOWER.astype(np.float32), floats(44, N, RHS), np.zeros((N, RHS), np.float32), np.int32(RHS)],
    (RHS + 127) // 128,
    128,
)

# 22. tridiagonal systems by parallel cyclic reduction, a block a system; the twin runs Thomas's algorithm
SYSTEMS, N = 96, 256
case(
    "tridiagonal systems, cyclic reduction",
    r"""
__global__ void pcr(const float *lower, const float *diag, const float *upper, const float *rhs, float *x) {
  __shared__ float a[256], b[256], c[256], d[256];
  const int n = blockDim.x, i = threadIdx.x, g = blockIdx.x * n + i;
  a[i] = i == 0 ? 0.0f : lower[g];
  b[i] = diag[g];
  c[i] = i == n - 1 ? 0.0f : upper[g];
  d[i] = rhs[g];
  __syncthreads();
  for (int stride = 1; stride < n; stride *= 2) {
    int l = i - stride, r = i + stride;
    float na = 0.0f, nb = b[i], nc = 0.0f, nd = d[i];
    if (l >= 0) {
      float k = a[i] / b[l];
      na = -a[l] * k;
      nb -= c[l] * k;
      nd -= d[l] * k;
    }
    if (r < n) {
      float k = c[i] / b[r];
      nc = -c[r] * k;
      nb -= a[r] * k;
      nd -= d[r] * k;
    }
    __syncthreads();
    a[i] = na;
    b[i] = nb;
    c[i] = nc;
    d[i] = nd;
    __syncthreads();
  }
  x[g] = d[i] / b[i];
}
""",
    TRANSPOSE
    + r"""
void twin(const float *__restrict lower, const float *__restrict diag, const float *__restrict upper,
          const float *__restrict rhs, float *__restrict x) {
  constexpr int n = 256, systems = 96;
  __m512 cp[2][n], dp[2][n];
  for (int s = 0; s < systems; s += 32) {  // two times sixteen systems side by side
    __m512 pc[2] = {}, pd[2] = {};
    for (int i = 0; i < n; i += 16) {
      __m512 a[2][16], b[2][16], c[2][16], d[2][16];
      for (int v = 0; v < 2; v++) {
        for (int l = 0; l < 16; l++) {
          const int at = (s + 16 * v + l) * n + i;
          a[v][l] = _mm512_loadu_ps(lower + at), b[v][l] = _mm512_loadu_ps(diag + at);
          c[v][l] = _mm512_loadu_ps(upper + at), d[v][l] = _mm512_loadu_ps(rhs + at);
        }
        transpose16(a[v]), transpose16(b[v]), transpose16(c[v]), transpose16(d[v]);
      }
      for (int r = 0; r < 16; r++)
        for (int v = 0; v < 2; v++) {  // pc and pd are zero before the first row
          const __m512 m = _mm512_div_ps(_mm512_set1_ps(1), _mm512_fnmadd_ps(a[v][r], pc[v], b[v][r]));
          cp[v][i + r] = pc[v] = _mm512_mul_ps(c[v][r], m);
          dp[v][i + r] = pd[v] = _mm512_mul_ps(_mm512_fnmadd_ps(a[v][r], pd[v], d[v][r]), m);
        }
    }
    __m512 last[2];
    for (int i = n - 16; i >= 0; i -= 16) {
      __m512 o[2][16];
      for (int r = 15; r >= 0; r--)
        for (int v = 0; v < 2; v++) last[v] = o[v][r] = i + r == n - 1 ? dp[v][i + r] : _mm512_fnmadd_ps(cp[v][i + r], last[v], dp[v][i + r]);
      for (int v = 0; v < 2; v++) {
        transpose16(o[v]);
        for (int l = 0; l < 16; l++) _mm512_storeu_ps(x + (s + 16 * v + l) * n + i, o[v][l]);
      }
    }
  }
}
""",
    [
        floats(45, SYSTEMS, N, low=-1, high=-0.98),
        floats(46, SYSTEMS, N, low=2.02, high=2.06),
        floats(47, SYSTEMS, N, low=-1, high=-0.98),
        floats(48, SYSTEMS, N),
        np.zeros((SYSTEMS, N), np.float32),
    ],
    SYSTEMS,
    N,
)
