"""A warp a row: numbers that all lanes of a warp have alike live through a loop, while warps share what they load."""

import numpy as np
from harness import case

F = np.float32

# Attention as a warp has it: the greatest and the sum so far are one number a row, what is added up is one a lane.
ATTENTION = """
template <class T>
__global__ void k(const T* q, const T* keys, const T* values, T* out, int n, int rows) {
  int lane = threadIdx.x % 32, row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= rows) return;
  T mine = q[row * 32 + lane], most = -INFINITY, sum = 0, all = 0;
  for (int j = 0; j < n; ++j) {
    T s = mine * keys[j * 32 + lane];
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    T now = fmax(most, s), before = exp(most - now), part = exp(s - now);
    sum = sum * before + part;
    all = all * before + part * values[j * 32 + lane];
    most = now;
  }
  out[row * 32 + lane] = all / sum;
}
"""


@case(blocks=[256, 128, 64, 32, (32, 8), 96])
def attention_a_row_a_warp(run):
    """Of float and double, for rows that fill the blocks and that do not; of one key the result is its value."""
    x, y = (*run.block, 1)[:2]
    rows_of_block = max(1, x * y // 32)
    if y > 1:
        source = ATTENTION.replace("threadIdx.x % 32", "threadIdx.x").replace("threadIdx.x / 32", "threadIdx.y")
        source = source.replace("blockDim.x / 32", "blockDim.y")
    else:
        source = ATTENTION
    for spelled, dtype in (("float", F), ("double", np.float64)):
        for rows, n in ((2 * rows_of_block, 37), (2 * rows_of_block - 1, 5), (rows_of_block, 1)):
            rng = np.random.default_rng(n)
            q, keys = (rng.standard_normal((m, 32)).astype(dtype) for m in (rows, n))
            values = rng.uniform(1, 2, (n, 32)).astype(dtype)
            out = np.zeros((rows, 32), dtype)
            run(source, q, keys, values, out, n, rows, grid=-(-rows // rows_of_block), names=[f"k<{spelled}>"])
            scores = q.astype(np.float64) @ keys.astype(np.float64).T
            parts = np.exp(scores - scores.max(1, keepdims=True))
            want = parts @ values.astype(np.float64) / parts.sum(1, keepdims=True)
            run.close(out, want.astype(dtype), 64, f"{spelled}, {rows} rows of {n}")


# Mean and variance of a row as they go, by parts that are put together: quotients of numbers in each turn.
WELFORD = """
__global__ void k(const float* x, float* mean, float* variance, int columns) {
  int lane = threadIdx.x & 31, row = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
  float m = 0, s = 0, count = 0;
  for (int i = 0; i < columns; i += 32) {
    float v = x[row * columns + i + lane], part = v;
    for (int o = 16; o > 0; o >>= 1) part += __shfl_xor_sync(0xffffffffu, part, o);
    part /= 32;
    float d = v - part, squares = d * d;
    for (int o = 16; o > 0; o >>= 1) squares += __shfl_xor_sync(0xffffffffu, squares, o);
    float delta = part - m, now = count + 32;
    m += delta * 32 / now;
    s += squares + delta * delta * count * 32 / now;
    count = now;
  }
  if (lane == 0) { mean[row] = m; variance[row] = s / count; }
}
"""


@case(blocks=[256, 128, 32])
def welford_a_row_a_warp(run):
    """Means and variances of rows of 32 to 160 columns."""
    rows = 3 * run.block[0] // 32
    for columns in (32, 96, 160):
        x = np.random.default_rng(columns).standard_normal((rows, columns)).astype(F) + 2
        mean, variance = np.zeros(rows, F), np.zeros(rows, F)
        run(WELFORD, x, mean, variance, columns, grid=3)
        run.close(mean, x.mean(1, dtype=np.float64).astype(F), 32, f"means of {columns}")
        run.close(variance, x.var(1, dtype=np.float64).astype(F), 64, f"variances of {columns}")
