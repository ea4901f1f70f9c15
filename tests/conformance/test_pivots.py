"""What only the threads at one row, column or place do, which all threads know: pivots of tiles, owners of a slot."""

import numpy as np
from harness import case

CHOLESKY = """
__global__ void k(float* matrices) {
  __shared__ float a[SIZE][SIZE + 1];
  const int i = threadIdx.y, j = threadIdx.x;
  float* tile = matrices + blockIdx.x * SIZE * SIZE;
  a[i][j] = tile[i * SIZE + j];
  __syncthreads();
  for (int k = 0; k < SIZE; ++k) {
    if (i == k && j == k) a[k][k] = sqrtf(a[k][k]);
    __syncthreads();
    if (j == k && i > k) a[i][k] /= a[k][k];
    __syncthreads();
    if (j > k && i >= j) a[i][j] -= a[i][k] * a[j][k];
    __syncthreads();
  }
  tile[i * SIZE + j] = j <= i ? a[i][j] : 0.0f;
}
"""


@case(blocks=[(4, 4), (8, 8), (16, 16), (19, 19), (32, 32)])
def cholesky_of_tiles(run):
    """Of L L' with small whole numbers, so that L comes out exactly."""
    n = run.block[0]
    rng = np.random.default_rng(n)
    lower = np.tril(rng.integers(-3, 4, (3, n, n))).astype(np.float32)
    lower[:, np.arange(n), np.arange(n)] = 2.0 ** rng.integers(0, 3, (3, n))
    matrices = (lower @ lower.transpose(0, 2, 1)).astype(np.float32)
    run(CHOLESKY, matrices, grid=3, options=[f"-DSIZE={n}"])
    run.same(matrices, lower)


OWNERS = """
__global__ void k(const int* at, int* in, int* out, int steps) {
  __shared__ int slots[64], last;
  const int t = threadIdx.x + blockDim.x * threadIdx.y, n = blockDim.x * blockDim.y;
  if (t < 64) slots[t] = t;
  for (int i = t + n; i < 64; i += n) slots[i] = i;
  __syncthreads();
  int kept = in[t];
  for (int s = 0; s < steps; ++s) {
    const int k = at[s];
    if (t == k) { slots[t % 64] += kept; kept = slots[(t + s) % 64]; }
    __syncthreads();
    if (t / 4 == k) last = slots[t / 4 % 64] + 100 * (t / 4);  // four threads, the same number
    __syncthreads();
    if (t != k + 1) kept += last;
    else in[t] = slots[(t + 3) % 64] - last;
    __syncthreads();
  }
  out[t] = kept;
}
"""


@case(blocks=[16, 48, 100, (16, 4), (4, 16), 256])
def owners_of_places(run):
    """A thread whose number all know, or four of them, or none, at an index that is computed before the question."""
    n = run.threads
    at = np.array([0, 3, n - 1, n // 4, 7, n + 5, -1], np.int32)
    values = (np.arange(n) * 7 % 23).astype(np.int32)
    given, out = values.copy(), np.zeros(n, np.int32)
    run(OWNERS, at, given, out, len(at))
    slots, last, kept, expected = np.arange(64), 0, values.astype(np.int64), values.astype(np.int64)
    for s, k in enumerate(at):
        if 0 <= k < n:
            slots[k % 64] += kept[k]
            kept[k] = slots[(k + s) % 64]
        if 0 <= k <= (n - 1) // 4:
            last = slots[k % 64] + 100 * k
        others = np.arange(n) != k + 1
        kept[others] += last
        if 0 <= k + 1 < n:
            expected[k + 1] = slots[(k + 4) % 64] - last
    run.same(given, expected)
    run.same(out, kept)


SYSTEMS = """
__global__ void k(const int* systems, int* out, int n) {
  const int g = blockIdx.x * blockDim.x * blockDim.y + threadIdx.x + blockDim.x * threadIdx.y;
  if (g >= n) return;
  int m[ROWS][COLUMNS];
  for (int r = 0; r < ROWS; ++r)
    for (int c = 0; c < COLUMNS; ++c) m[r][c] = systems[(g * ROWS + r) * COLUMNS + c];
  for (int p = 0; p < ROWS; ++p) {
    int best = p;
    for (int r = p + 1; r < ROWS; ++r)
      if (abs(m[r][p]) > abs(m[best][p])) best = r;
    if (best != p)
      for (int c = 0; c < COLUMNS; ++c) { const int v = m[p][c]; m[p][c] = m[best][c]; m[best][c] = v; }
    for (int r = p + 1; r < ROWS; ++r) {
      const int f = m[r][p];
      for (int c = p; c < COLUMNS; ++c) m[r][c] = (m[r][c] * m[p][p] - f * m[p][c]) % 1009;
    }
  }
  for (int r = 0; r < ROWS; ++r)
    for (int c = 0; c < COLUMNS; ++c) out[(g * ROWS + r) * COLUMNS + c] = m[r][c];
}
"""


@case(blocks=[1, 33, 100, (16, 8)], each=["2 by 3", "3 by 4", "4 by 5", "4 by 8", "5 by 6", "6 by 7"])
def systems_of_each_thread(run, size):
    """Elimination with pivots in a matrix of the thread's own: rows change places that each thread finds for itself."""
    rows, columns = map(int, size.split(" by "))
    n = 2 * run.threads - 1
    given = np.random.default_rng(3).integers(-30, 30, (n, rows, columns)).astype(np.int32)
    out = np.zeros_like(given)
    run(SYSTEMS, given, out, np.int32(n), grid=2, options=[f"-DROWS={rows}", f"-DCOLUMNS={columns}"])
    m, each = given.astype(np.int64), np.arange(n)
    for p in range(rows):
        best = p + np.abs(m[:, p:, p]).argmax(1)
        m[each, p], m[each, best] = m[each, best].copy(), m[each, p].copy()
        pivots = m[:, p].copy()
        for r in range(p + 1, rows):
            factors = m[:, r, p].copy()
            m[:, r, p:] = np.fmod(m[:, r, p:] * pivots[:, [p]] - factors[:, None] * pivots[:, p:], 1009)
    run.same(out, m.astype(np.int32))
