"""Whole programs of linear algebra: tiles in shared memory, tiles in registers, factorisations with many barriers."""

import numpy as np
from harness import case

F = np.float32


def small_integers(rng, shape, dtype=F):
    """Values whose sums of products are exact in any order."""
    return rng.integers(-4, 5, shape).astype(dtype)


TILED = """
template <typename T, int TILE>
__global__ void product(const T* a, const T* b, T* c, int m, int n, int k) {
  __shared__ T as[TILE][TILE], bs[TILE][TILE + 1];
  const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  T sum = 0;
  for (int t = 0; t < (k + TILE - 1) / TILE; t++) {
    const int ka = t * TILE + threadIdx.x, kb = t * TILE + threadIdx.y;
    as[threadIdx.y][threadIdx.x] = row < m && ka < k ? a[row * k + ka] : T(0);
    bs[threadIdx.y][threadIdx.x] = kb < k && column < n ? b[kb * n + column] : T(0);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; i++) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
"""


@case(blocks=[(4, 4), (8, 8), (16, 16), (32, 32)])
def tiled_product(run):
    """Tiles of 4 to 32, sizes that no tile divides, float, double and int."""
    m, n, k = 37, 45, 29
    rng = np.random.default_rng(1)
    for spelled, dtype in (("float", F), ("double", np.float64), ("int", np.int32)):
        a, b = small_integers(rng, (m, k), dtype), small_integers(rng, (k, n), dtype)
        c, tile = np.zeros((m, n), dtype), run.block[0]
        names = [f"product<{spelled}, {tile}>"]
        run(TILED, a, b, c, m, n, k, grid=(-(-n // tile), -(-m // tile)), names=names)
        run.same(c, a @ b, spelled)


REGISTERS = """
#define TILE 64
#define DEPTH 8
// Each of 256 threads has 4 x 4 results in registers.
__global__ void __launch_bounds__(256) product(const float* a, const float* b, float* c, int n) {
  __shared__ float as[DEPTH][TILE], bs[DEPTH][TILE];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16;
  const int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
  float sums[4][4] = {};
  for (int k = 0; k < n; k += DEPTH) {
    for (int i = t; i < DEPTH * TILE; i += 256) {
      as[i % DEPTH][i / DEPTH] = a[(row + i / DEPTH) * n + k + i % DEPTH];
      bs[i / TILE][i % TILE] = b[(k + i / TILE) * n + column + i % TILE];
    }
    __syncthreads();
    for (int d = 0; d < DEPTH; d++) {
      float x[4], y[4];
      for (int i = 0; i < 4; i++) x[i] = as[d][ty * 4 + i];
      for (int j = 0; j < 4; j++) y[j] = bs[d][tx + 16 * j];
      for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) sums[i][j] += x[i] * y[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) c[(row + ty * 4 + i) * n + column + tx + 16 * j] = sums[i][j];
}
"""


@case(blocks=[256])
def product_with_tiles_in_registers(run):
    """Accumulators in a private 4x4 array that lives across barriers."""
    n = 128
    rng = np.random.default_rng(2)
    a, b = small_integers(rng, (n, n)), small_integers(rng, (n, n))
    c = np.zeros((n, n), F)
    run(REGISTERS, a, b, c, n, grid=(2, 2))
    run.same(c, a @ b)


TRANSPOSE = """
__global__ void transpose(const float* in, float* out, int width, int height) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += blockDim.y)
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += blockDim.y)
    if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
"""


@case(blocks=[(32, 8), (32, 32), (32, 1)])
def transpose_by_padded_tiles(run):
    """A column of shared memory is read where a row was written."""
    w, h = 75, 41
    a = np.random.default_rng(3).random((h, w), F)
    out = np.zeros((w, h), F)
    run(TRANSPOSE, a, out, w, h, grid=(-(-w // 32), -(-h // 32)))
    run.same(out, a.T)


LU = """
// LU of one matrix a block, without pivoting, in shared memory.
template <int N>
__global__ void factorise(float* matrices) {
  __shared__ float a[N][N];
  float* m = matrices + blockIdx.x * N * N;
  for (int i = threadIdx.x; i < N * N; i += blockDim.x) a[i / N][i % N] = m[i];
  __syncthreads();
  for (int k = 0; k < N - 1; k++) {
    for (int i = k + 1 + threadIdx.x; i < N; i += blockDim.x) a[i][k] /= a[k][k];
    __syncthreads();
    const int rest = N - 1 - k;
    for (int i = threadIdx.x; i < rest * rest; i += blockDim.x) {
      const int row = k + 1 + i / rest, column = k + 1 + i % rest;
      a[row][column] -= a[row][k] * a[k][column];
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < N * N; i += blockDim.x) m[i] = a[i / N][i % N];
}
"""


@case(blocks=[32, 50, 128])
def lu_of_many_matrices(run):
    """A loop with two barriers whose inner bounds shrink; quotients by variable numbers."""
    n = 18
    m = np.random.default_rng(4).random((3, n, n), F) + F(n) * np.eye(n, dtype=F)
    expected = m.copy()
    run(LU, m, grid=3, names=[f"factorise<{n}>"])
    for a in expected:
        for k in range(n - 1):
            a[k + 1 :, k] /= a[k, k]
            a[k + 1 :, k + 1 :] -= a[k + 1 :, k : k + 1] * a[k, k + 1 :]
    run.same(m, expected)


CHOLESKY = """
__global__ void factorise(double* a, int n) {
  extern __shared__ double column[];
  for (int k = 0; k < n; k++) {
    if (threadIdx.x == 0) a[k * n + k] = sqrt(a[k * n + k]);
    __syncthreads();
    for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x) column[i] = a[i * n + k] /= a[k * n + k];
    __syncthreads();
    for (int j = k + 1; j < n; j++)
      for (int i = j + threadIdx.x; i < n; i += blockDim.x) a[i * n + j] -= column[i] * column[j];
    __syncthreads();
  }
}
"""


@case(blocks=[32, 64])
def cholesky_in_global_memory(run):
    """Doubles, square roots by one thread, dynamic shared memory for a column."""
    n = 25
    r = np.random.default_rng(5).random((n, n))
    a = r @ r.T + n * np.eye(n)
    expected = a.copy()
    run(CHOLESKY, a, n, shared=8 * n)
    for k in range(n):
        expected[k, k] = np.sqrt(expected[k, k])
        expected[k + 1 :, k] /= expected[k, k]
        for j in range(k + 1, n):
            expected[j:, j] -= expected[j:, k] * expected[j, k]
    run.same(np.tril(a), np.tril(expected))


DOT8 = """
__global__ void product(const int* a, const int* b, int* c, int m, int n, int k4) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= m || j >= n) return;
  int sum = 0;
  for (int k = 0; k < k4; k++) sum = __dp4a(a[i * k4 + k], b[j * k4 + k], sum);
  c[i * n + j] = sum;
}
"""


@case(blocks=[(8, 8), (32, 4), (16, 3)])
def product_of_bytes(run):
    """Four products of signed bytes an instruction."""
    m, n, k = 19, 33, 24
    rng = np.random.default_rng(6)
    a, b = rng.integers(-128, 128, (m, k), np.int8), rng.integers(-128, 128, (n, k), np.int8)
    c = np.zeros((m, n), np.int32)
    x, y, _ = run.block
    run(DOT8, a.view(np.int32), b.view(np.int32), c, m, n, k // 4, grid=(-(-n // x), -(-m // y)))
    run.same(c, a.astype(np.int32) @ b.T.astype(np.int32))


FFT = """
__device__ float2 times(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
template <int N>
__global__ void fft(float2* data, const float2* roots) {
  __shared__ float2 s[N];
  float2* mine = data + blockIdx.x * N;
  const int t = threadIdx.x, bits = __ffs(N) - 1;
  for (int i = t; i < N; i += N / 2) s[__brev(i) >> (32 - bits)] = mine[i];
  for (int half = 1; half < N; half *= 2) {
    __syncthreads();
    const int k = t & (half - 1), at = ((t - k) << 1) + k;
    const float2 a = s[at], b = times(s[at + half], roots[k * (N / 2 / half)]);
    s[at] = make_float2(a.x + b.x, a.y + b.y);
    s[at + half] = make_float2(a.x - b.x, a.y - b.y);
  }
  __syncthreads();
  for (int i = t; i < N; i += N / 2) mine[i] = s[i];
}
"""


@case(blocks=[64])
def fourier_transform(run):
    """Butterflies in shared memory, float2, indices from bits."""
    n, rows = 128, 3
    rng = np.random.default_rng(7)
    x = rng.random((rows, 2 * n), F).view(np.complex64)
    roots = np.exp(-2j * np.pi * np.arange(n // 2) / n).astype(np.complex64)
    expected = x[:, [int(f"{i:07b}"[::-1], 2) for i in range(n)]].copy()
    out = x.copy()
    run(FFT, out, roots, grid=rows, names=[f"fft<{n}>"])
    half = 1
    while half < n:
        e = expected.reshape(rows, -1, 2, half)
        w, a, b = roots[:: n // 2 // half], e[:, :, 0].copy(), e[:, :, 1].copy()
        product = np.empty_like(b)
        product.real, product.imag = b.real * w.real - b.imag * w.imag, b.real * w.imag + b.imag * w.real
        e[:, :, 0], e[:, :, 1] = a + product, a - product
        half *= 2
    run.same(out.view(F), expected.view(F))
    assert np.abs(out - np.fft.fft(x)).max() < 1e-4


JACOBI = """
// Rotates pairs of columns of one small matrix a thread: a private array that is indexed by loops.
struct Matrix { float a[3][3]; };
__global__ void eigenvalues(const Matrix* in, float3* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float m[3][3];
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) m[r][c] = in[i].a[r][c];
  for (int sweep = 0; sweep < 5; sweep++)
    for (int p = 0; p < 2; p++)
      for (int q = p + 1; q < 3; q++) {
        if (fabsf(m[p][q]) < 1e-12f) continue;
        const float theta = (m[q][q] - m[p][p]) / (2.0f * m[p][q]);
        const float t = (theta >= 0 ? 1.0f : -1.0f) / (fabsf(theta) + sqrtf(theta * theta + 1.0f));
        const float c = 1.0f / sqrtf(t * t + 1.0f), s = t * c;
        for (int k = 0; k < 3; k++) {
          const float x = m[k][p], y = m[k][q];
          m[k][p] = c * x - s * y;
          m[k][q] = s * x + c * y;
        }
        for (int k = 0; k < 3; k++) {
          const float x = m[p][k], y = m[q][k];
          m[p][k] = c * x - s * y;
          m[q][k] = s * x + c * y;
        }
      }
  out[i] = make_float3(m[0][0], m[1][1], m[2][2]);
}
"""


@case(blocks=[32, 100, 256])
def eigenvalues_of_small_matrices(run):
    """Private 3x3 arrays, continue in nested loops, float3 results."""
    n = 300
    r = np.random.default_rng(8).random((n, 3, 3), F)
    m = r + r.transpose(0, 2, 1)
    out = np.zeros((n, 3), F)
    run(JACOBI, m.reshape(n, 9).view("V36"), out.view("V12"), n, grid=-(-n // run.block[0]))
    assert np.abs(np.sort(out, 1) - np.linalg.eigvalsh(m.astype(float))).max() < 2e-5


BLOCKED_LU = """
#define B 16
__global__ void diagonal(float* m, int n, int at) {
  __shared__ float a[B][B];
  int t = threadIdx.x;
  for (int i = 0; i < B; ++i) a[i][t] = m[(at + i) * n + at + t];
  __syncthreads();
  for (int i = 0; i < B - 1; ++i) {
    if (t > i) {
      for (int j = 0; j < i; ++j) a[t][i] -= a[t][j] * a[j][i];
      a[t][i] /= a[i][i];
    }
    __syncthreads();
    if (t > i)
      for (int j = 0; j < i + 1; ++j) a[i + 1][t] -= a[i + 1][j] * a[j][t];
    __syncthreads();
  }
  for (int i = 1; i < B; ++i) m[(at + i) * n + at + t] = a[i][t];
}
__global__ void perimeter(float* m, int n, int at) {
  __shared__ float d[B][B], row[B][B], column[B][B];
  int t = threadIdx.x % B, away = at + (blockIdx.x + 1) * B;
  bool of_row = threadIdx.x < B;
  if (of_row) {
    for (int i = 0; i < B / 2; ++i) d[i][t] = m[(at + i) * n + at + t];
    for (int i = 0; i < B; ++i) row[i][t] = m[(at + i) * n + away + t];
  } else {
    for (int i = B / 2; i < B; ++i) d[i][t] = m[(at + i) * n + at + t];
    for (int i = 0; i < B; ++i) column[i][t] = m[(away + i) * n + at + t];
  }
  __syncthreads();
  if (of_row) {
    for (int i = 1; i < B; ++i)
      for (int j = 0; j < i; ++j) row[i][t] -= d[i][j] * row[j][t];
  } else {
    for (int i = 0; i < B; ++i) {
      for (int j = 0; j < i; ++j) column[t][i] -= column[t][j] * d[j][i];
      column[t][i] /= d[i][i];
    }
  }
  __syncthreads();
  if (of_row)
    for (int i = 1; i < B; ++i) m[(at + i) * n + away + t] = row[i][t];
  else
    for (int i = 0; i < B; ++i) m[(away + i) * n + at + t] = column[i][t];
}
__global__ void inner(float* m, int n, int at) {
  __shared__ float row[B][B], column[B][B];
  int x = threadIdx.x, y = threadIdx.y, across = at + (blockIdx.x + 1) * B + x, down = at + (blockIdx.y + 1) * B + y;
  row[y][x] = m[(at + y) * n + across];
  column[y][x] = m[down * n + at + x];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < B; ++i) sum += column[y][i] * row[i][x];
  m[down * n + across] -= sum;
}
"""


@case(blocks=[16])
def lu_in_blocks(run):
    """A diagonal block, then what lies beside and below it, then the rest: kernels of 16, 32 and 256 threads."""
    n = 80
    rng = np.random.default_rng(6)
    start = rng.random((n, n), F) + n * np.eye(n, dtype=F)
    m = start.copy()
    for at in range(0, n, 16):
        rest = (n - at) // 16 - 1
        run(BLOCKED_LU, m, n, at, kernel="diagonal")
        if rest:
            run(BLOCKED_LU, m, n, at, kernel="perimeter", grid=rest, block=32)
            run(BLOCKED_LU, m, n, at, kernel="inner", grid=(rest, rest), block=(16, 16))
    lower, upper = np.tril(m.astype(np.float64), -1) + np.eye(n), np.triu(m.astype(np.float64))
    error = np.abs(lower @ upper - start).max()
    assert error < 1e-4, error
