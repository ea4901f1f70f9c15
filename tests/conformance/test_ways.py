"""Ways of a branch that compute alike, of different numbers."""

import numpy as np
from harness import case

TYPES = {"float": np.float32, "double": np.float64}

SOURCE = """
__device__ T size(T v) { return v < 0 ? -v : v; }
__global__ void k(const T* in, const T* by, T* out, T* sides, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  T v = by[i], slope, limited, here = in[i + 1];
  if (v > 0) {
    T step = here - in[i];
    slope = size(v) > T(0.5) ? step / v : T(0);
    T more = slope + size(slope);
    limited = more / (1 + size(slope));
    sides[i] = here / (step - 3);
  } else {
    T step = in[i + 2] - here;
    slope = size(v) > T(0.25) ? v / step : T(0);
    T more = slope + size(slope);
    limited = more / (2 + size(slope)) - slope;
    sides[i] = in[i] / (step + 5);
    out[i + n] = step;
  }
  out[i] = limited;
}
"""


def expected(values, by, n):
    left, here, right = values[:n], values[1 : n + 1], values[2 : n + 2]
    up, kind = by > 0, values.dtype.type
    step = np.where(up, here - left, right - here)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(up, step, by) / np.where(up, by, step)
        slope = np.where(np.abs(by) > np.where(up, kind(0.5), kind(0.25)), slope, kind(0))
        size = np.where(slope < 0, -slope, slope)
        limited = (slope + size) / (np.where(up, kind(1), kind(2)) + size) - np.where(up, kind(0), slope)
        sides = np.where(up, here, left) / (step + np.where(up, kind(-3), kind(5)))
    return limited, sides, np.where(up, kind(0), step)


@case(blocks=[256, 64, 128, 100, 33])
def ways_that_compute_alike(run):
    """Both ways of a branch divide what they load, guarded and not, and store by themselves."""
    n = run.threads * 2 + 5
    for kind, dtype in TYPES.items():
        rng = np.random.default_rng(n)
        values = rng.integers(-9, 10, n + 2).astype(dtype)
        by = (rng.integers(-9, 10, n) / 8).astype(dtype)
        out, sides = np.zeros(2 * n, dtype), np.zeros(n, dtype)
        run(f"typedef {kind} T;{SOURCE}", values, by, out, sides, np.int32(n), grid=-(-n // run.threads))
        limited, of_sides, steps = expected(values, by, n)
        run.same(out[:n], limited)
        run.same(sides, of_sides)
        run.same(out[n:], steps)
