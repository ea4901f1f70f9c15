"""Rows whose groups lie between guards: bounds of several kinds, and what all threads of a row load."""

import numpy as np
from harness import case

BLOCKS = 5
KERNEL = """
__global__ void k(int* out, const int* x, const int* factor, TYPE low, TYPE n, int stride) {
  TYPE i = START + (TYPE)blockIdx.x * blockDim.x + threadIdx.x;
  unsigned row = blockIdx.y * (blockDim.y * blockDim.z) + threadIdx.y + blockDim.y * threadIdx.z;
  GUARD out[row * stride + (i - (START))] = BODY;
}
"""
GUARDS = {
    "both": "if (i >= low && i < n)",
    "returns": "if (i < low || i >= n) return;",
    "upper": "if (i < n)",
    "last": "if (i <= n - 1)",
    "lower": "if (i >= low)",
    "swapped": "if (n > i && low <= i)",
    "negated": "if (!(i >= n || i < low))",
    "rows too": "if (i >= low && i < n && row % 3 != 1)",
}
STARTS = {"int": ("0", "-7", "2147400000"), "unsigned": ("0u", "4294900000u"), "long": ("0l", "-3l", "2147483600l")}


# All guards from 0, the usual ones from elsewhere too.
WAYS = [("int", "0", name) for name in GUARDS]
WAYS += [(kind, start, name) for kind in STARTS for start in STARTS[kind] for name in ("both", "negated")][2:]
WIDE = {"int": np.int32, "unsigned": np.uint32, "long": np.int64}


def passed(name, rows, width, low, n):
    """Which places of a plane pass a guard."""
    at = np.arange(width)[None, :]
    inside = np.ones((rows, width), bool)
    if name not in ("upper", "last"):
        inside &= at >= low
    if name != "lower":
        inside &= at < n
    if name == "rows too":
        inside &= (np.arange(rows) % 3 != 1)[:, None]
    return inside


@case(blocks=[(32, 4), 64, 100, (16, 16), (8, 2, 2)])
def bounds(run):
    """Guards from below and above, by signed, unsigned and 64-bit indices, also near the end of their type."""
    width = BLOCKS * run.block[0]
    rows = 2 * run.threads // run.block[0]
    x = np.arange(width, dtype=np.int32) * 3 + 1
    factor = np.arange(rows, dtype=np.int32) + 2
    sums = "out[row * stride + (i - (START))] + factor[row] * x[i - (START)]"
    for kind, start, name in WAYS:
        source = KERNEL.replace("GUARD", GUARDS[name]).replace("BODY", sums)
        source = source.replace("TYPE", kind).replace("START", start)
        first = int(start.rstrip("ul"))
        for low, n in ((0, width), (1, width - 1), (17, width - 9), (5, 6), (3, 3)):
            out = np.full(rows * width, -1, np.int32)
            run(source, out, x, factor, WIDE[kind](first + low), WIDE[kind](first + n), width, grid=(BLOCKS, 2))
            expected = np.where(passed(name, rows, width, low, n), -1 + factor[:, None] * x[None, :], -1)
            run.same(out, expected.astype(np.int32).reshape(-1))


SHARED = """
__global__ void k(int* a, int n, int k, int rows) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * (blockDim.y * blockDim.z) + threadIdx.y + blockDim.y * threadIdx.z;
  if (i >= rows || j >= n) return;
  int through = a[i * n + k] + a[k * n + j];
  if (through < a[i * n + j]) a[i * n + j] = through;
}
"""
OWN = """
__global__ void k(int* a, int* b, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * (blockDim.y * blockDim.z) + threadIdx.y + blockDim.y * threadIdx.z;
  if (j >= n) return;
  a[i * n + j] = 5 * j;
  b[i * n + j] = a[i * n + j] + b[i * n + j];
  if (j == 3) a[i * n + j] += b[i * n + 3];
}
"""


@case(blocks=[(32, 4), 64, 100, (16, 16), (8, 2, 2)])
def one_element_for_a_row(run):
    """What all threads of a row load, where they store into the same array; a thread sees what it wrote itself."""
    block_rows = run.threads // run.block[0]
    n, rows = BLOCKS * run.block[0] - 3, 2 * block_rows - 1
    rng = np.random.default_rng(3)
    a = rng.integers(1, 100, (max(rows, n), n)).astype(np.int32)
    k = min(rows, n) // 2
    a[k, k] = 0
    got = a.copy().reshape(-1)
    run(SHARED, got, n, k, rows, grid=(BLOCKS, 2))
    expected = a.copy()
    expected[:rows] = np.minimum(a[:rows], a[:rows, k][:, None] + a[k][None, :])
    run.same(got, expected.reshape(-1))

    b = rng.integers(1, 100, (2 * block_rows, n)).astype(np.int32)
    first, second = np.zeros(b.size, np.int32), b.copy().reshape(-1)
    run(OWN, first, second, n, grid=(BLOCKS, 2))
    own = np.broadcast_to(5 * np.arange(n, dtype=np.int32), b.shape)
    expected = own.copy()
    if n > 3:
        expected[:, 3] += own[:, 3] + b[:, 3]
    run.same(first, expected.reshape(-1))
    run.same(second, (own + b).reshape(-1))
