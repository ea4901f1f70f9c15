"""Eliminations in shared memory: each turn asks rows of threads by its number, and fewer have something to do."""

import numpy as np
from harness import case

F = np.float32
SOURCE = """
__global__ void k(const float* in, float* out) {
  __shared__ float a[Y][X + PAD];
  const int col = threadIdx.x, row = threadIdx.y;
  const int base = blockIdx.x * X * Y;
  a[row][col] = in[base + row * X + col];
  __syncthreads();
  for (int k = 0; k < TURNS; k++) {
    if (col == k && ROWS) a[row][k] /= a[k][k];
    __syncthreads();
    if (ROWS && col > k) a[row][col] = __fsub_rn(a[row][col], __fmul_rn(a[row][k], a[k][col]));
    __syncthreads();
  }
  out[base + row * X + col] = a[row][col];
}
"""
ROWS = {"row > k": lambda r, k: r > k, "row != k": lambda r, k: r != k, "row >= k + 2": lambda r, k: r >= k + 2}


def eliminated(values: np.ndarray, turns: int, works) -> np.ndarray:
    a = values.copy()
    for k in range(turns):
        for r in range(a.shape[0]):
            if works(r, k):
                a[r, k] /= a[k, k]
                a[r, k + 1 :] -= a[r, k] * a[k, k + 1 :]
    return a


@case(blocks=[(16, 16), (16, 8), (13, 11), (32, 8), (20, 12), (4, 16)])
def rows_by_the_turn(run):
    """Rows of shared memory that each turn of an elimination asks by its number; NaN and infinity go where they belong."""
    x, y = run.block[:2]
    turns = min(x, y) - 1
    for rows, works in ROWS.items():
        for pad in (0, 1):
            values = np.random.default_rng(x * y).uniform(-1, 1, (3, y, x)).astype(F)
            values[:, range(min(x, y)), range(min(x, y))] += 8
            values[1, y // 2, x // 2] = np.nan
            values[2, 0, x - 1] = np.inf
            names = {"ROWS": rows, "TURNS": turns, "PAD": pad, "X": x, "Y": y}
            source = SOURCE
            for name, value in names.items():
                source = source.replace(name, str(value))
            out = np.zeros_like(values)
            run(source, values, out, grid=3)
            with np.errstate(all="ignore"):
                wanted = np.stack([eliminated(v, turns, works) for v in values])
            run.same(out, wanted, f"{rows}, {pad}")
