"""Sorting networks in global memory, a launch for each step: partners by bits, in place and from one array to another."""

import numpy as np
from harness import case

U, F = np.uint32, np.float32


def steps(n):
    """Sizes and strides of a bitonic network."""
    size = 2
    while size <= n:
        stride = size // 2
        while stride:
            yield size, stride
            stride //= 2
        size *= 2


BOTH_WAYS = """
__global__ void step(float* values, int j, int k) {
  unsigned int i = threadIdx.x + blockDim.x * blockIdx.x, partner = i ^ j;
  if (partner > i) {
    if ((i & k) == 0) {
      if (values[i] > values[partner]) {
        float v = values[i];
        values[i] = values[partner];
        values[partner] = v;
      }
    }
    if ((i & k) != 0) {
      if (values[i] < values[partner]) {
        float v = values[i];
        values[i] = values[partner];
        values[partner] = v;
      }
    }
  }
}
"""


@case(blocks=[32, 64, 256])
def a_step_both_ways(run):
    """Each thread of a pair looks, the first one swaps; zeros of both signs and NaNs stay where no order moves them."""
    n = 1024
    rng = np.random.default_rng(4)
    values = rng.standard_normal(n).astype(F)
    values[rng.integers(0, n, 40)] = 0
    values[rng.integers(0, n, 40)] = -0.0
    values[rng.integers(0, n, 40)] = np.nan
    expected = values.copy()
    at = np.arange(n)
    for size, stride in steps(n):
        run(BOTH_WAYS, values, stride, size, grid=n // run.threads)
        partner = at ^ stride
        first = at[partner > at]
        a, b = expected[first], expected[first ^ stride]
        swap = np.where(first & size, a < b, a > b)
        expected[first], expected[first ^ stride] = np.where(swap, b, a), np.where(swap, a, b)
    run.same(values, expected)


PAIRS = """
__device__ void order(unsigned& a, unsigned& x, unsigned& b, unsigned& y, unsigned upwards) {
  if ((a > b) == upwards) {
    unsigned t = a; a = b; b = t;
    t = x; x = y; y = t;
  }
}
__global__ void merge(unsigned* keys, unsigned* values, const unsigned* from, const unsigned* with, unsigned n,
                      unsigned size, unsigned stride, unsigned direction) {
  unsigned pair = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned upwards = direction ^ (((pair & (n / 2 - 1)) & (size / 2)) != 0);
  unsigned at = 2 * pair - (pair & (stride - 1));
  unsigned a = from[at], x = with[at], b = from[at + stride], y = with[at + stride];
  order(a, x, b, y, upwards);
  keys[at] = a; values[at] = x;
  keys[at + stride] = b; values[at + stride] = y;
}
"""


@case(blocks=[32, 64, 256])
def keys_with_values(run):
    """A thread a pair; four values are chosen at once."""
    n = 1024
    rng = np.random.default_rng(5)
    keys, values = rng.integers(0, 2**32, n, U), np.arange(n, dtype=U)
    unsorted = keys.copy()
    for size, stride in steps(n):
        before, with_it = keys, values
        keys, values = np.zeros(n, U), np.zeros(n, U)
        run(PAIRS, keys, values, before, with_it, n, size, stride, 1, grid=n // 2 // run.threads)
        pair = np.arange(n // 2)
        at = 2 * pair - (pair & (stride - 1))
        swap = (before[at] > before[at + stride]) == ((pair & (size // 2)) == 0)
        expected = before.copy()
        expected[at] = np.where(swap, before[at + stride], before[at])
        expected[at + stride] = np.where(swap, before[at], before[at + stride])
        run.same(keys, expected)
    run.same(keys, np.sort(unsorted))
    run.same(unsorted[values], keys)


SHORTS = """
__global__ void k(const int* in, int* out, int rows, int width) {
  __shared__ short s[SIZE];
  const int t = threadIdx.y * blockDim.x + threadIdx.x, x = blockIdx.x * blockDim.x + threadIdx.x;
  const int found = in[x % rows * 2 + x / rows];
  s[t] = 37 * x % 101 - t;
  __syncthreads();
  for (int size = 2; size <= SIZE; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      const int p = t ^ stride;
      if (p > t && ((t & size) == 0 ? s[t] > s[p] : s[t] < s[p])) {
        const short kept = s[t];
        s[t] = s[p];
        s[p] = kept;
      }
      __syncthreads();
    }
  if (x < width) out[t] = found + 1000 * s[t];
}"""


@case(blocks=[(16, 16), (8, 8), (32, 4)])
def shorts_by_flat_blocks(run):
    """A sort between a gather of what a guard lets through and its store."""
    size, columns = run.threads, run.block[0]
    source, out = np.arange(256, dtype=np.int32) * 7, np.zeros(size, np.int32)
    run(SHORTS.replace("SIZE", str(size)), source, out, np.int32(3), np.int32(8))
    t = np.arange(size)
    x = t % columns
    found = source[x % 3 * 2 + x // 3]
    run.same(out, np.where(x < 8, found + 1000 * np.sort(37 * x % 101 - t), 0))
