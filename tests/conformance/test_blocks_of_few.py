"""Blocks of one thread, or of one along x: those side by side may be lanes of one group."""

import numpy as np
from harness import case

# Alone, a few, and columns; grids that fill no group, and that leave one over.
SHAPES = [(1, 1, 1), (2, 1, 1), (3, 1, 1), (5, 1, 1), (1, 2, 1), (1, 7, 1), (1, 40, 1), (1, 3, 5), (1, 1, 6), (2, 2, 1)]
GRIDS = (1, 2, 15, 16, 17, 100, 5000)


@case(blocks=SHAPES)
def rows_and_columns(run):
    """Neighbours in memory along either axis, behind guards, with edges."""
    source = """
      __global__ void k(const int* a, int* by_row, int* by_column, int w, int h) {
        const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
        if (x >= w || y >= h || threadIdx.z != 0) return;
        const int left = x > 0 ? a[y * w + x - 1] : 0, below = y + 1 < h ? a[(y + 1) * w + x] : 1;
        by_row[y * w + x] = left * 3 + below;
        by_column[x * h + y] = left - below;
      }
    """
    for w, h in ((1, 5), (16, 3), (37, 23), (130, 9)):
        a = (np.arange(w * h) * 37 % 101).astype(np.int32).reshape(h, w)
        by_row, by_column = np.zeros((h, w), np.int32), np.zeros((w, h), np.int32)
        run(source, a, by_row, by_column, w, h, grid=(-(-w // run.block[0]), -(-h // run.block[1])))
        left = np.pad(a, ((0, 0), (1, 0)))[:, :-1]
        below = np.pad(a, ((0, 1), (0, 0)), constant_values=1)[1:]
        run.same(by_row, left * 3 + below)
        run.same(by_column, (left - below).T)


@case(blocks=SHAPES)
def turns_of_each_thread_s_own(run):
    """Loops that threads leave one by one, an early end, and 64 bits of the block's number."""
    source = """
      __global__ void k(const unsigned* in, unsigned* out, int n) {
        const long long block = blockIdx.x;
        const unsigned long long i = (block * blockDim.z * blockDim.y + threadIdx.z * blockDim.y + threadIdx.y)
                                     * blockDim.x + threadIdx.x;
        if (i >= n) return;
        unsigned v = in[i], turns = 0;
        while (v != 1 && turns < 300) { v = v & 1 ? 3 * v + 1 : v / 2; ++turns; }
        out[i] = turns * 1000 + blockIdx.x % 3 * 10 + (unsigned)(block / 7);
      }
    """
    for grid in GRIDS:
        n = max(1, grid * run.threads - 3)
        values = (np.arange(n) * 7919 % 997 + 1).astype(np.uint32)
        out = np.zeros(n, np.uint32)
        run(source, values, out, n, grid=grid)
        expected = np.zeros(n, np.uint32)
        for i in range(n):
            v, turns, block = int(values[i]), 0, i // run.threads
            while v != 1 and turns < 300:
                v, turns = (3 * v + 1 if v & 1 else v // 2), turns + 1
            expected[i] = turns * 1000 + block % 3 * 10 + block // 7
        run.same(out, expected)


@case(blocks=SHAPES)
def grid_strides_and_counts(run):
    """Loops over the grid, and atomic additions, of which nobody wants the result."""
    source = """
      __global__ void k(const int* in, int* out, unsigned* counts, int n) {
        const int lane = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
        const int threads = blockDim.x * blockDim.y * blockDim.z;
        for (int i = blockIdx.x * threads + lane; i < n; i += gridDim.x * threads) {
          out[i] = in[i] * 3 + 1;
          atomicAdd(&counts[in[i] % 10], 1u);
        }
      }
    """
    n = 500
    values = (np.arange(n) * 7919 % 101).astype(np.int32)
    for grid in GRIDS:
        out, counts = np.zeros(n, np.int32), np.zeros(10, np.uint32)
        run(source, values, out, counts, n, grid=grid)
        run.same(out, values * 3 + 1)
        run.same(counts, np.bincount(values % 10, minlength=10).astype(np.uint32))


@case(blocks=SHAPES)
def order_within_a_block(run):
    """What a block's own memory, barriers and results of atomic operations say stays the block's."""
    source = """
      __global__ void k(int* out, int* next) {
        __shared__ int last;
        const int lane = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
        if (lane == 0) last = blockIdx.x * 5;
        __syncthreads();
        out[atomicAdd(next, 1)] = last + 1;
      }
    """
    for grid in GRIDS:
        out, following = np.zeros(grid * run.threads, np.int32), np.zeros(1, np.int32)
        run(source, out, following, grid=grid)
        run.same(np.sort(out), np.repeat(np.arange(grid) * 5 + 1, run.threads).astype(np.int32))


@case(blocks=SHAPES)
def sums_by_rows(run):
    """A row of memory for each block, or for each column of it, and a product."""
    source = """
      __global__ void k(const int* a, const int* b, int* sums, int* c, int n) {
        const int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n || j >= n || threadIdx.z != 0) return;
        int sum = 0;
        for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
        c[i * n + j] = sum;
        if (i == 0) {
          int all = 0;
          for (int k = 0; k < n; ++k) all += a[j * n + k];
          sums[j] = all;
        }
      }
    """
    for n in (1, 17, 40):
        a, b = ((np.arange(n * n) * k % 53).astype(np.int32).reshape(n, n) for k in (37, 11))
        sums, c = np.zeros(n, np.int32), np.zeros((n, n), np.int32)
        run(source, a, b, sums, c, n, grid=(-(-n // run.block[0]), -(-n // run.block[1])))
        run.same(c, a @ b)
        run.same(sums, a.sum(1).astype(np.int32))
