"""Sums of neighbouring columns, several a thread, which loops carry and whose ends go their own ways."""

import numpy as np
from harness import case

PRODUCT = """
template <typename T, int R, int C>
__global__ void product(const T* a, const T* b, const T* d, T* c, int rows, int columns, int k, int across) {{
  __shared__ T as[4][32 * R];
  __shared__ T bs[4][64 * C];
  const int t = threadIdx.x, tx = t % across, ty = t / across, width = across * C, height = blockDim.x / across * R;
  const int row = blockIdx.y * height, column = blockIdx.x * width;
  T sums[R][C] = {{}};
  for (int first = 0; first < k; first += 4) {{
    for (int e = t; e < height * 4; e += blockDim.x) {{
      int i = e / 4, j = e % 4;
      as[j][i] = row + i < rows && first + j < k ? a[(row + i) * k + first + j] : T(0);
    }}
    for (int e = t; e < 4 * width; e += blockDim.x) {{
      int i = e / width, j = e % width;
      bs[i][j] = first + i < k && column + j < columns ? b[(first + i) * columns + column + j] : T(0);
    }}
    __syncthreads();
    for (int i = 0; i < 4; i++)
      for (int y = 0; y < R; y++)
        for (int x = 0; x < C; x++) {turn};
    __syncthreads();
  }}
  for (int y = 0; y < R; y++)
    for (int x = 0; x < C; x++) {{
      int i = row + ty * R + y, j = column + tx * C + x;
      if (i < rows && j < columns) c[i * columns + j] = 3 * sums[y][x] - d[i * columns + j] + T(0);  // no -0
    }}
}}
"""

TURNS = {
    "sums": "sums[y][x] += as[i][ty * R + y] * bs[i][tx * C + x]",
    "greatest": "{ T z = as[i][ty * R + y] + bs[i][tx * C + x]; sums[y][x] = z > sums[y][x] ? z : sums[y][x]; }",
    "alternating": "sums[y][x] = (x & 1 ? sums[y][x] : -sums[y][x]) + as[i][ty * R + y] * bs[i][tx * C + x]",
}
TYPES = {"float": np.float32, "double": np.float64, "int": np.int32, "short": np.int16}


def turn_of(name, sums, a, b, c):
    if name == "sums":
        return sums + a * b
    if name == "greatest":
        return np.maximum(sums, a + b)
    if name == "alternating":
        sign = np.where(np.arange(b.size) % c & 1, 1, -1)
        return sign * sums + a * b
    raise ValueError(name)


def expected(name, a, b, d, c):
    """In whole numbers, small enough to be exact in all types; `c` columns a thread."""
    rows, k = a.shape
    columns = b.shape[1]
    steps = -(-k // 4) * 4  # what is not there is zero
    a = np.pad(a.astype(np.int64), ((0, 0), (0, steps - k)))
    b = np.pad(b.astype(np.int64), ((0, steps - k), (0, -columns % c)))
    sums = np.zeros((rows, b.shape[1]), np.int64)
    for i in range(steps):
        for row in range(rows):
            sums[row] = turn_of(name, sums[row], a[row, i], b[i], c)
    return 3 * sums[:, :columns] - d


@case(blocks=[64, 128, 32], each=list(TURNS))
def sums_that_loops_carry(run, name):
    """Columns beside each other, in blocks in which a group's lanes share a row and in which they have two or four."""
    rng = np.random.default_rng(run.threads)
    source = PRODUCT.format(turn=TURNS[name])
    for type_, r, c, across in (("float", 4, 4, 16), ("double", 1, 2, 8), ("float", 2, 8, 32), ("int", 3, 3, 16),
                                ("float", 2, 4, 8), ("float", 2, 8, 8), ("double", 1, 8, 4), ("short", 2, 4, 16)):  # fmt: skip
        dtype = TYPES[type_]
        height, width = run.threads // across * r, across * c
        for rows, columns, k in ((height, 2 * width, 8), (height + 1, width - 1, 5)):
            a, b, d = (rng.integers(-4, 5, shape).astype(dtype) for shape in ((rows, k), (k, columns), (rows, columns)))
            result = np.zeros((rows, columns), dtype)
            grid = (-(-columns // width), -(-rows // height))
            run(source, a, b, d, result, rows, columns, k, across, grid=grid, names=[f"product<{type_}, {r}, {c}>"])
            run.same(result, expected(name, a, b, d, c).astype(dtype), f"{type_} {r} {c} {across} {rows} {columns} {k}")


IN_PLACE = """
__global__ void scaled(const float* weights, const float* factors, const float* rows, float* out, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, width = gridDim.x * blockDim.x * 4;
  float sums[4] = {1, 2, 3, 4};
  for (int j = 0; j < n; j++) {
    const float scale = factors[j], weight = weights[j];
    for (int c = 0; c < 4; c++) sums[c] = sums[c] * scale + weight * rows[j * width + 4 * t + c];
  }
  // Each is written before the next one is known to the memory: `out` may be `rows`.
  for (int c = 0; c < 4; c++) out[c * width / 4 + t] = sums[c] + rows[4 * t + c];
}"""


@case(blocks=[32, 100])
def sums_that_are_scaled(run):
    """As attention in steps has them; the results go to an array of another order, also that which was read from."""
    rng = np.random.default_rng(3)
    n, width = 3, 2 * run.threads * 4
    weights = rng.integers(-3, 4, n).astype(np.float32)
    factors = rng.choice(np.array([0.5, 1, 2], np.float32), n)
    rows = rng.integers(-4, 5, (n, width)).astype(np.float32)
    sums = np.tile(np.array([1, 2, 3, 4], np.float32), width // 4)
    for j in range(n):
        sums = sums * factors[j] + weights[j] * rows[j]
    out = np.zeros(width, np.float32)
    run(IN_PLACE, weights, factors, rows, out, n, grid=2)
    run.same(out, (sums + rows[0]).reshape(-1, 4).T.ravel(), "apart")


BEYOND = """
__global__ void beyond(const float* in, float* out, int n) {
  __shared__ float tile[32 * 8 + 16];
  const int t = threadIdx.x, x = t % 8, y = t / 8, rows = blockDim.x / 8;
  for (int i = t; i < 32 * 8 + 16; i += blockDim.x) tile[i] = in[i];
  __syncthreads();
  float sum = 0;
  for (int j = 0; j < n; j++) {
    for (int c = 0; c < 8; c++) sum += tile[j * 64 + x * 8 + c] * (c + y);
    sum -= tile[j * 64 + x * 8 + 8] + tile[j * 64 + x * 8 + 11];
  }
  out[(blockIdx.x * rows + y) * 8 + x] = sum;
}"""


@case(blocks=[64, 128, 32])
def records_and_what_lies_beyond(run):
    """Rows of eight lanes that read whole records, all rows the same ones, and elements of the next record."""
    rng = np.random.default_rng(5)
    values = rng.integers(-4, 5, 32 * 8 + 16).astype(np.float32)
    rows, n = run.threads // 8, 4
    x, y = np.arange(8), np.arange(rows)[:, None]
    sums = np.zeros((rows, 8), np.float32)
    for j in range(n):
        for c in range(8):
            sums += values[j * 64 + x * 8 + c] * (c + y)
        sums -= values[j * 64 + x * 8 + 8] + values[j * 64 + x * 8 + 11]
    out = np.zeros(2 * run.threads, np.float32)
    run(BEYOND, values, out, n, grid=2)
    run.same(out, np.tile(sums.ravel(), 2))
