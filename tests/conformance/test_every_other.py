"""Every second element of bytes, shorts and words, as of a checkerboard's fields: by a row's parity, and by `x ^ 1`."""

import numpy as np
from harness import case

TYPES = {"signed char": np.int8, "unsigned short": np.uint16, "int": np.int32, "double": np.float64}
FIELDS = """
__constant__ int weights[4] = {3, 1, 4, 1};
__global__ void fields(const T* in, T* out, int n, int rows, int colour) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = k / (n / 2);
  if (y >= rows) return;
  const int x = 2 * (k % (n / 2)) + ((y + colour) & 1);
  out[y * n + x] = in[y * n + x] + weights[in[y * n + (x ^ 1)] & 3];
}
__global__ void both(const T* in, T* out, int n, int rows, int colour) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = k / (n / 2);
  if (y >= rows) return;
  const int x = 2 * (k % (n / 2)) + ((y + colour) & 1), other = x ^ 1;
  out[y * n + x] = in[y * n + other];
  out[y * n + other] = 2 * in[y * n + x];
}
"""
# Bits below the step are the same for all lanes, whatever they are.
BITS = """
__global__ void bits(const T* in, T* out, int n, int low) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int at = 4 * i + low;
  out[at] = in[at ^ 3];
  out[at ^ 2] = in[(4 * i) | low] + 1;
  if (i % 3) out[at ^ 1] = in[at & ~3] + 2;
}
"""
# What two neighbours share: of x >= 0, and with x < 0, of which a mask takes the sign.
PAIRS = """
__global__ void pairs(const T* in, T* out, int width, int rows) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= width || y >= rows) return;
  const T* row = in + (y / 2) * width;
  out[y * width + x] = row[(x / 2) * 2] + 2 * in[(y / 2) * width + (x / 2) * 2 + 1];
}
__global__ void masked(const T* in, T* out, int n, int start, int first) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[((i + start) & 0x7ffffffe) - first];
}
"""


@case(blocks=[256, 100])
def fields_of_a_board(run):
    """Boards of one colour's fields: the other ones are not written."""
    for kind, dtype in TYPES.items():
        integer = "int" if kind == "double" else kind
        source = f"typedef {integer} T;{FIELDS}"
        dtype = np.int32 if kind == "double" else dtype
        for n, rows, colour in ((64, 9, 0), (34, 20, 1), (128, 33, 1), (6, 50, 0)):
            values = np.random.default_rng(n).integers(0, 60, (rows, n)).astype(dtype)
            other = values.reshape(rows, n // 2, 2)[:, :, ::-1].reshape(rows, n)
            mine = (np.arange(n) + np.arange(rows)[:, None] + colour) % 2 == 0
            grid = -(-(rows * n // 2) // run.threads)
            given = (np.int32(n), np.int32(rows), np.int32(colour))
            out = np.full_like(values, 99)
            run(source, values, out, *given, grid=grid, kernel="fields")
            weights = np.array([3, 1, 4, 1])[other & 3]
            run.same(out, np.where(mine, values + weights, 99).astype(dtype), f"{kind}, {rows} x {n}")
            run(source, values, out, *given, grid=grid, kernel="both")
            run.same(out, np.where(mine, other, 2 * other).astype(dtype), f"{kind}, {rows} x {n}, both")


@case(blocks=[128, 33])
def bits_below_the_step(run):
    """Places made by `^`, `|` and `&` of bits that all lanes have."""
    for kind, dtype in TYPES.items():
        for low in range(4):
            n = 500
            values = np.random.default_rng(low).integers(0, 90, 4 * n).astype(dtype)
            out = np.full_like(values, 99)
            run(f"typedef {kind} T;{BITS}", values, out, np.int32(n), np.int32(low), grid=-(-n // run.threads))
            expected = np.full_like(values, 99)
            i = np.arange(n)
            at = 4 * i + low
            expected[at] = values[at ^ 3]
            expected[at ^ 2] = values[at] + 1
            some = i % 3 != 0
            expected[(at ^ 1)[some]] = values[4 * i[some]] + 2
            run.same(out, expected, f"{kind}, {low}")


@case(blocks=[256, 100])
def places_of_pairs(run):
    """Rows by `x / 2 * 2`, and by a mask that makes something else of negative numbers."""
    for kind, dtype in TYPES.items():
        source = f"typedef {kind} T;{PAIRS}"
        for width, rows in ((64, 6), (300, 3), (514, 4)):
            values = np.random.default_rng(width).integers(0, 40, (rows, width)).astype(dtype)
            out = np.full_like(values, 99)
            given = (np.int32(width), np.int32(rows))
            run(source, values, out, *given, grid=(-(-width // run.threads), rows), kernel="pairs")
            x = np.arange(width) // 2 * 2
            half = values[np.arange(rows) // 2]
            run.same(out, (half[:, x] + 2 * half[:, x + 1]).astype(dtype), f"{kind}, {rows} x {width}")
        for start in (0, 6, -600, -601):
            n = 500
            places = (np.arange(n) + start) & 0x7FFFFFFE
            first = places.min()
            values = np.random.default_rng(7).integers(0, 90, n + 2).astype(dtype)
            out = np.full(n, 99, dtype)
            given = (np.int32(n), np.int32(start), np.int32(first))
            run(source, values, out, *given, grid=-(-n // run.threads), kernel="masked")
            run.same(out, values[places - first], f"{kind}, from {start}")
