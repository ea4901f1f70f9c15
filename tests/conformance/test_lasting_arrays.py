"""Private arrays that live through a loop, in registers or in memory, which groups of threads walk through together."""

import numpy as np
from harness import case

# A query and sums of each thread's own, kept through a loop over keys: in tiles in shared memory, and straight from memory.
ATTENTION = """
#define D DEPTH
__global__ void k(const T* q, const T* keys, const T* values, T* out, int n, int rows) {
  __shared__ T ks[8][D], vs[8][D];
  int row = (blockIdx.x * blockDim.x + threadIdx.x) % rows;
  T query[D], sums[D], most = -1000;
  for (int d = 0; d < D; ++d) { query[d] = q[row * D + d]; sums[d] = 0; }
  for (int first = 0; first < n; first += 8) {
    for (int i = threadIdx.x; i < 8 * D; i += blockDim.x) { ks[i / D][i % D] = keys[first * D + i]; vs[i / D][i % D] = values[first * D + i]; }
    __syncthreads();
    for (int j = 0; j < 8; ++j) {
      T score = 0;
      for (int d = 0; d < D; ++d) score += query[d] * ks[j][d];
      if (score > most) most = score;
      for (int d = 0; d < D; ++d) sums[d] = sums[d] + score * vs[j][d];
    }
    __syncthreads();
  }
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  for (int d = 0; d < D; ++d) out[at * (D + 1) + d] = sums[d];
  out[at * (D + 1) + D] = most;
}
__global__ void nearest(const T* points, const T* centres, int* out, int n, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  T own[D];
  for (int d = 0; d < D; ++d) own[d] = points[d * n + i];
  T least = 1e9f;
  int which = -1;
  for (int c = 0; c < count; ++c) {
    T distance = 0;
    for (int d = 0; d < D; ++d) { T difference = own[d] - centres[c * D + d]; distance += difference * difference; }
    if (distance < least) { least = distance; which = c; }
  }
  out[i] = which;
}
"""


@case(blocks=[1, 32, 33, 64, 100, 256])
def arrays_that_live_through_a_loop(run):
    """In registers, and in memory where there are too many elements; groups walk together through loops over them."""
    size, grid = run.threads, 3
    for depth in (5, 16, 33, 64):
        for spelled, dtype in (("float", np.float32), ("double", np.float64)):
            source = ATTENTION.replace("DEPTH", str(depth)).replace("T ", spelled + " ").replace("T*", spelled + "*")
            rng = np.random.default_rng(depth)
            rows, n = 37, 24
            q, keys = rng.integers(-3, 4, (rows, depth)).astype(dtype), rng.integers(-3, 4, (n, depth)).astype(dtype)
            values = rng.integers(-3, 4, (n, depth)).astype(dtype)
            out = np.zeros((grid * size, depth + 1), dtype)
            run(source, q, keys, values, out, n, rows, grid=grid, names=["k"])
            scores = (q @ keys.T)[np.arange(grid * size) % rows]
            run.same(out[:, :depth], scores @ values, f"sums, {spelled}, {depth}")
            run.same(out[:, depth], scores.max(1), f"scores, {spelled}, {depth}")
            for n in (1, grid * size - size // 3):
                points = rng.integers(-9, 10, (depth, n)).astype(dtype)
                which = np.zeros(n, np.int32)
                run(source, points, keys, which, n, 24, grid=grid, names=["nearest"])
                distances = ((points.T[:, None] - keys[None]) ** 2).sum(2)
                run.same(which, distances.argmin(1).astype(np.int32), f"nearest, {spelled}, {depth}, {n}")
