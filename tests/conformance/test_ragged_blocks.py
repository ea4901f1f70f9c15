"""Blocks whose threads fill no group of lanes."""

import numpy as np
from harness import case

TREE_OF_ANY_SIZE = """
__global__ void k(float* norms, int* counts, int* order, const float* in, int count) {
  __shared__ float s[1024];
  __shared__ int c[1024];
  const int t = threadIdx.x, size = blockDim.x, i = blockIdx.x * size + t;
  const float v = i < count ? in[i] : 0.0f;
  s[t] = v * v;
  c[t] = v > 0.0f;
  __syncthreads();
  for (int m = size; m > 1;) {
    const int h = (m + 1) / 2;
    if (t + h < m) {
      s[t] += s[t + h];
      c[t] += c[t + h];
    }
    __syncthreads();
    m = h;
  }
  if (t == 0) norms[blockIdx.x] = s[0];
  if (t == size - 1) counts[blockIdx.x] = c[0];
  __syncthreads();
  if (t > size / 3) c[t - size / 3 - 1] = t;
  __syncthreads();
  if (t < size / 2) c[t] += 2 * c[size - 1 - t];
  __syncthreads();
  if (i < count) order[i] = t >= size / 3 ? c[t] : -c[t];
}
"""


@case(blocks=[7, 17, 40, 96, 100, 255, 500, 1000, 1024])
def trees_in_blocks_that_fill_no_group(run):
    """Sums of any number of threads, halved and rounded up, and what the first, the last and some in between ask."""
    size = run.block[0]
    count = 3 * size - size // 4
    values = np.zeros(3 * size, np.float32)
    values[:count] = np.random.default_rng(size).integers(-3, 4, count)
    norms, counts, order = np.zeros(3, np.float32), np.zeros(3, np.int32), np.zeros(count, np.int32)
    run(TREE_OF_ANY_SIZE, norms, counts, order, values[:count].copy(), np.int32(count), grid=3)
    blocks = values.reshape(3, size)
    run.same(norms, (blocks * blocks).sum(1))
    run.same(counts, (blocks > 0).sum(1))
    kept = np.zeros((3, size), np.int32)
    for b in range(3):
        c = [int(v > 0) for v in blocks[b]]
        for m in steps_of_halves(size):
            h = (m + 1) // 2
            for t in range(m - h):
                c[t] += c[t + h]
        for t in range(size // 3 + 1, size):
            c[t - size // 3 - 1] = t
        for t in range(size // 2):
            c[t] += 2 * c[size - 1 - t]
        kept[b] = [v if t >= size // 3 else -v for t, v in enumerate(c)]
    run.same(order, kept.reshape(-1)[:count])


def steps_of_halves(size):
    """From how many numbers each step of the tree begins."""
    while size > 1:
        yield size
        size = (size + 1) // 2


DOWN_COLUMNS = """
__global__ void k(float* sums, unsigned char* greatest, const float* in, const unsigned char* bytes, int rows,
                  int columns) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= columns) return;
  float sum = 0;
  unsigned char most = 0;
  for (int row = y; row < rows; row += gridDim.y * blockDim.y) {
    const int i = row * columns + x;
    sum += in[i];
    most = bytes[i] > most ? bytes[i] : most;
    greatest[i] = most;
  }
  sums[y * columns + x] = sum;
}
"""


@case(blocks=[5, 20, 48, 100, 250, 500, (20, 3), (30, 4), (100, 2)], each=[997, 1000, 64])
def loops_down_columns_in_blocks_that_fill_no_group(run, columns):
    """Rows of such blocks go as one; groups that walk down together begin and end where blocks do not."""
    width, height = run.block[0], 2 * run.block[1]
    rows = 41
    rng = np.random.default_rng(columns)
    values = rng.integers(-50, 50, (rows, columns)).astype(np.float32)
    numbers = rng.integers(0, 256, (rows, columns), np.uint8)
    sums, greatest = np.zeros((height, columns), np.float32), np.zeros((rows, columns), np.uint8)
    grid = ((columns + width - 1) // width, 2)
    run(DOWN_COLUMNS, sums, greatest, values, numbers, np.int32(rows), np.int32(columns), grid=grid)
    run.same(sums, np.array([values[y::height].sum(0) for y in range(height)]))
    run.same(
        greatest,
        np.concatenate([[np.maximum.accumulate(numbers[y % height :: height])[y // height]] for y in range(rows)]),
    )
