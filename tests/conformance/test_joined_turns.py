"""Loops that begin or end at each thread's own number, around loops that add up: a matrix of correlations, nearest neighbours."""

import numpy as np
from harness import case

BLOCKS = [1, 31, 32, 64, 100, 256, (16, 4)]
INDEX = "int i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;"


def values(rows, columns, seed=1):
    """Products are exact in double, so that one rounding of a double is what a fused operation does."""
    a = np.random.default_rng(seed).integers(-2000, 2000, (rows, columns))
    return a.astype(np.float32)


def products(a, i, j):
    """The sum of products of columns i and j, row after row, each rounded once."""
    total = np.float32(0)
    for x, y in zip(a[:, i].astype(np.float64), a[:, j].astype(np.float64), strict=True):
        total = np.float32(x * y + np.float64(total))
    return total


CORRELATION = (
    "__global__ void k(float* symmat, float* data, int m, int n) {"
    + INDEX
    + """
  if (i < m - 1) {
    symmat[i * m + i] = 1.0;
    for (int j = i + 1; j < m; j++) {
      symmat[i * m + j] = 0.0;
      for (int k = 0; k < n; k++) symmat[i * m + j] += data[k * m + i] * data[k * m + j];
      symmat[j * m + i] = symmat[i * m + j];
    }
  }
}"""
)


@case(blocks=BLOCKS)
def correlations(run):
    """Both halves of a matrix; with no row at all, and as many columns as leave each number of turns over."""
    for m, n in ((1, 3), (2, 1), (41, 7), (26, 0)):
        a = values(n, m)
        out = np.full((m, m), 7, np.float32)
        run(CORRELATION, out, a if n else np.zeros((1, m), np.float32), m, n, grid=m // run.threads + 1)
        expected = np.full((m, m), 7, np.float32)
        for i in range(m - 1):
            expected[i, i] = 1
            for j in range(i + 1, m):
                expected[i, j] = expected[j, i] = products(a, i, j)
        run.same(out, expected)


@case(blocks=BLOCKS)
def nearest_of_those_behind(run):
    """What a turn ends with depends on the turns before: the least distance so far, and whose it is."""
    source = (
        "__global__ void k(int* nearest, float* least, const float* a, int m, int n) {"
        + INDEX
        + """
      if (i >= m) return;
      float best = 3e38f;
      int at = -1;
      for (int j = i + 1; j < m; ++j) {
        float sum = 0;
        for (int k = 0; k < n; ++k) {
          float d = a[k * m + i] - a[k * m + j];
          sum += d * d;
        }
        if (sum < best) {
          best = sum;
          at = j;
        }
      }
      nearest[i] = at;
      least[i] = best;
    }"""
    )
    m, n = 45, 5
    a = np.random.default_rng(2).integers(-9, 9, (n, m)).astype(np.float32)
    nearest, least = np.zeros(m, np.int32), np.zeros(m, np.float32)
    run(source, nearest, least, a, m, n, grid=m // run.threads + 1)
    distances = ((a[:, :, None] - a[:, None, :]) ** 2).sum(0)
    distances[np.tri(m, dtype=bool)] = 3e38
    run.same(nearest[:-1], distances.argmin(1)[:-1])
    run.same(nearest[-1:], [-1])
    run.same(least, distances.min(1).astype(np.float32))


@case(blocks=BLOCKS)
def stores_in_their_order(run):
    """Two sums of doubles, every other turn; each turn writes over what the one before wrote, and its neighbour's half."""
    source = (
        "__global__ void k(double* last, double* pairs, const double* a, int m, int n) {"
        + INDEX
        + """
      if (i >= m) return;
      for (int j = i; j < m; j += 2) {
        double x = 0, y = 1;
        pairs[i * (m + 2) + j] = j;
        for (int k = 0; k < n; ++k) {
          x += a[k * m + j];
          y -= a[k * m + i];
          pairs[i * (m + 2) + j + 2] = x;
        }
        last[i] = x - y;
        pairs[i * (m + 2) + j + 1] = y;
      }
    }"""
    )
    m, n = 37, 6
    a = np.random.default_rng(3).integers(-99, 99, (n, m)).astype(np.float64)
    last, pairs = np.zeros(m), np.zeros((m, m + 2))
    run(source, last, pairs, a, m, n, grid=m // run.threads + 1)
    expected, ends = np.zeros_like(pairs), np.zeros(m)
    for i in range(m):
        for j in range(i, m, 2):
            expected[i, j] = j
            expected[i, j + 2] = a[:, j].sum()
            expected[i, j + 1] = 1 - a[:, i].sum()
            ends[i] = a[:, j].sum() - expected[i, j + 1]
    run.same(pairs, expected)
    run.same(last, ends)


@case(blocks=BLOCKS)
def turns_that_read_what_others_wrote(run):
    """Both pointers lead to one array: in each thread's own part of it a sum is of the sums before."""
    source = (
        "__global__ void k(float* sums, const float* a, int m, int n) {"
        + INDEX
        + """
      for (int j = i % 5; j < m; ++j) {
        float sum = 0;
        for (int k = 0; k < n; ++k) sum += a[i * (m + n) + j + k] * 2;
        sums[i * (m + n) + j + n] = sum;
      }
    }"""
    )
    m, n = 9, 3
    a = np.random.default_rng(4).integers(-1, 2, (run.threads, m + n)).astype(np.float32)
    memory = run.on_device(a.ravel())
    run(source, memory, memory, m, n)
    for i in range(run.threads):
        for j in range(i % 5, m):
            a[i, j + n] = 2 * a[i, j : j + n].sum()
    run.same(run.contents(memory), a.ravel())
