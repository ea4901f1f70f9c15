"""Loops over tiles, of which those on the diagonal have turns of each thread's own: pairs, causal masks, triangles."""

import numpy as np
from harness import case, extents

PAIRS = """
__global__ void k(const float* x, unsigned long long* mask, int n, float near) {
  __shared__ float tile[64];
  const int t = threadIdx.x, row = blockIdx.y, column = blockIdx.x;
  const int rows = min(n - row * 64, 64), columns = min(n - column * 64, 64);
  if (t < columns) tile[t] = x[column * 64 + t];
  __syncthreads();
  if (t < rows) {
    unsigned long long bits = 0;
    int start = 0;
    if (row == column) start = t + 1;
    for (int i = start; i < columns; i++)
      if (fabsf(x[row * 64 + t] - tile[i]) < near) bits |= 1ull << i;
    mask[(row * 64 + t) * gridDim.x + column] = bits;
  }
}
"""


@case(blocks=[64])
def pairs_of_neighbours(run):
    """As of non-maximum suppression: who is near to whom, each pair once in the tiles on the diagonal."""
    n, tiles = 150, 3
    x = (np.arange(n) * 37 % 101).astype(np.float32)
    mask = np.zeros((n, tiles), np.uint64)
    run(PAIRS, x, mask, n, 4.5, grid=(tiles, tiles))
    near = np.abs(x[:, None] - x[None, :]) < 4.5
    expected = np.zeros((n, tiles), np.uint64)
    for i in range(n):
        for j in range(n):
            if near[i, j] and (i // 64 != j // 64 or j > i):
                expected[i, j // 64] |= np.uint64(1) << np.uint64(j % 64)
    run.same(mask, expected)


CAUSAL = """
__global__ void k(const int* x, const int* w, int* out, int n) {
  const int t = threadIdx.x, size = blockDim.x, i = blockIdx.x * size + t;
  int sum = 0;
  for (int tile = 0; tile <= blockIdx.x; ++tile) {
    const int end = tile == blockIdx.x ? t + 1 : size;
    const int begin = tile == 0 && n % 2 ? t / 2 : 0;
    for (int j = begin; j < end; ++j) sum = sum * 3 + x[tile * size + j] * w[(j + t) % size];
  }
  for (int j = blockIdx.x == gridDim.x - 1 ? size - 1 : t; j >= 0; --j) sum ^= x[j] + j;
  if (i < n) out[i] = sum;
}
"""


@case(blocks=[16, 37, 64, 100])
def causal_sums(run):
    """Each thread goes as far as its own place, begins at one of its own, or counts down from it, in some tiles."""
    size = run.block[0]
    n = 3 * size - 2 - size % 2
    rng = np.random.default_rng(size)
    x, w = rng.integers(-9, 9, 3 * size).astype(np.int32), rng.integers(-9, 9, size).astype(np.int32)
    for count in (n, n + 1):
        out, expected = np.zeros(3 * size, np.int32), np.zeros(3 * size, np.int32)
        run(CAUSAL, x, w, out, count, grid=3)
        for i in range(count):
            block, t, total = i // size, i % size, 0
            for tile in range(block + 1):
                for j in range(t // 2 if tile == 0 and count % 2 else 0, t + 1 if tile == block else size):
                    total = total * 3 + int(x[tile * size + j]) * int(w[(j + t) % size])
            total = (total + 2**31) % 2**32 - 2**31
            for j in range(size - 1 if block == 2 else t, -1, -1):
                total ^= int(x[j]) + j
            expected[i] = total
        run.same(out, expected)


TURNS = """
__global__ void k(const int* x, int* up, int* down, int* last, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int sum = 0;
  for (int j = 0; j <= i; ++j) sum = sum * 3 + x[j] * x[i - j];
  up[i] = sum;
  sum = 1;
  for (int j = i; j >= 0; --j) sum = sum * 5 + x[j];
  down[i] = sum;
  int j = i;
  do { sum ^= x[j] + j; j += 3; } while (j < n);
  last[i] = sum + j;
}
"""


@case
def a_turn_at_least(run):
    """Loops in front of which nobody asks, as each thread begins them."""
    columns = extents(run.block)[0]
    for n in (1, columns, 2 * columns + 5):
        x = (np.arange(n) * 29 % 83).astype(np.int32)
        up, down, last = (np.zeros(n, np.int32) for _ in range(3))
        run(TURNS, x, up, down, last, n, grid=-(-n // columns))
        wide = [int(v) for v in x]
        for i in range(n):
            total = 0
            for j in range(i + 1):
                total = (total * 3 + wide[j] * wide[i - j]) % 2**32
            assert up[i] == np.uint32(total).astype(np.int32)
            total = 1
            for j in range(i, -1, -1):
                total = (total * 5 + wide[j]) % 2**32
            assert down[i] == np.uint32(total).astype(np.int32)
            j = i
            while True:
                total ^= wide[j] + j
                j += 3
                if j >= n:
                    break
            assert last[i] == np.uint32((total + j) % 2**32).astype(np.int32)


MASKED = """
__global__ void k(const int* q, const int* keys, int* scores, int n, int depth) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n) return;
  if (j > i + SHIFT) {
    scores[i * n + j] = -1;
    return;
  }
  int sum = 0;
  for (int d = 0; d < depth; ++d) sum = sum * 3 + q[i * depth + d] * keys[j * depth + d];
  scores[i * n + j] = sum;
}
"""


@case(blocks=[(16, 16), (32, 8), (7, 5), 64])
def masked_products(run):
    """Products of all pairs, but for those beyond a diagonal: groups within, beyond and across it."""
    n, rng = 53, np.random.default_rng(8)
    columns, rows, _ = extents(run.block)
    for depth, shift in ((0, 0), (1, -3), (20, 0), (20, 60)):
        q, keys = (rng.integers(-9, 9, (n, depth)).astype(np.int32) for _ in range(2))
        if depth == 0:
            q = keys = np.zeros((1, 1), np.int32)
        scores = np.zeros((n, n), np.int32)
        run(MASKED.replace("SHIFT", str(shift)), q, keys, scores, n, depth, grid=(-(-n // columns), -(-n // rows)))
        sums = np.zeros((n, n), np.uint32)
        for d in range(depth):
            sums = sums * np.uint32(3) + np.outer(q[:, d], keys[:, d]).astype(np.uint32)
        beyond = np.arange(n)[None, :] > np.arange(n)[:, None] + shift
        run.same(scores, np.where(beyond, np.int32(-1), sums.astype(np.int32)))
