"""Loops around barriers in which fewer, or more, threads work each turn: they compute, wait, and store by one question."""

import numpy as np
from harness import case

TREE = """
__global__ void k(const float* in, float* out, float* all, int given) {
  __shared__ float s[blockDim_x + 1];
  const int i = threadIdx.x;
  float v = in[blockIdx.x * blockDim.x + i], bound = i;
  s[i] = v;
  if (i == 0) s[blockDim.x] = 1.5f;
  __syncthreads();
  for (int t = STEPS - 1; t >= 0; t--) {
    bound *= 1.25f;
    if (i <= t) {
      float hold = 0.5f * s[i + 1] - 0.25f * v;
      v = fmaxf(hold, -40.0f - bound);
    }
    __syncthreads();
    if (i <= t) s[i] = v;
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + i] = v;
  all[blockIdx.x * blockDim.x + i] = s[i];
}
"""

WAVE = """
__global__ void k(const unsigned* in, unsigned* out, int first, int last, int by) {
  __shared__ unsigned s[blockDim_x + 1];
  const int i = threadIdx.x;
  unsigned v = in[blockIdx.x * blockDim.x + i];
  s[i + 1] = v;
  if (i == 0) s[0] = 7;
  __syncthreads();
  for (int d = first; d < last; d += by) {
    if (i >= d) v = min(v * 3 + s[i] * 5 ^ d, 4000000000u - s[i]) + (v >> 7);
    __syncthreads();
    if (i >= d) s[i + 1] = v;
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + i] = s[i + 1] + v;
}
"""


def floats(count):
    """Among them what no comparison knows."""
    values = (np.arange(count) * 37 % 101 - 50).astype(np.float32)
    values[5 % count :: 29] = np.nan
    values[11 % count :: 31] = np.inf
    values[3 % count :: 23] = -0.0
    return values


@case(blocks=[16, 33, 48, 96, 127, 128, 200, 256])
def shrinking_tree(run):
    """Of a binomial tree: thread `i` works in the steps down from `i`."""
    n = run.threads
    sizes = (n, n - 1, n // 2 + 1, 1, 0, n + 40)
    for steps, written in ((steps, written) for steps in sizes for written in (False, True)):
        values = floats(3 * n)
        out, left = np.zeros(3 * n, np.float32), np.zeros(3 * n, np.float32)
        source = TREE.replace("blockDim_x", str(n)).replace("STEPS", str(steps) if written else "given")
        run(source, values, out, left, steps, grid=3)
        for block in range(3):
            part = slice(block * n, block * n + n)
            v, s = values[part].copy(), np.append(values[part], np.float32(1.5))
            bound = np.arange(n, dtype=np.float32)
            for t in range(steps - 1, -1, -1):
                on = np.arange(n) <= t
                with np.errstate(invalid="ignore", over="ignore"):
                    bound *= np.float32(1.25)
                    hold = np.float32(0.5) * s[1:] - np.float32(0.25) * v
                    v[on] = np.fmax(hold, np.float32(-40) - bound)[on]
                s[:-1][on] = v[on]
            for got, expected in ((out[part], v), (left[part], s[:-1])):
                known = ~np.isnan(expected)
                assert np.array_equal(np.isnan(got), ~known), f"{steps} steps"
                run.same(got[known].view(np.uint32), expected[known].view(np.uint32), f"{steps} steps")


@case(blocks=[16, 33, 48, 96, 127, 128, 200, 256])
def waves_from_a_thread_on(run):
    """Threads from one on, which moves up; it may begin below all of them, and end behind all."""
    n = run.threads
    for first, last, by in ((0, n, 1), (-20, n + 20, 1), (1, n, 16), (n - 1, n + 3, 1), (-5, 70, 7), (15, 18, 1)):
        values = (np.arange(2 * n) * 1234567 + 89).astype(np.uint32)
        out = np.zeros(2 * n, np.uint32)
        run(WAVE.replace("blockDim_x", str(n)), values, out, first, last, by, grid=2)
        for block in range(2):
            part = slice(block * n, block * n + n)
            v, s = values[part].copy(), np.append(np.uint32(7), values[part])
            for d in range(first, last, by):
                on = np.arange(n) >= d
                low = v * np.uint32(3) + s[:-1] * np.uint32(5) ^ np.uint32(d % 2**32)
                v[on] = (np.minimum(low, np.uint32(4000000000) - s[:-1]) + (v >> np.uint32(7)))[on]
                s[1:][on] = v[on]
            run.same(out[part], s[1:] + v, f"{first}, {last}, {by}")
