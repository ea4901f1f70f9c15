"""Threads of a block that share what they load, behind guards that some rows or layers of the block do not pass."""

import numpy as np
from harness import case

F = np.float32
BLOCKS = [(16, 16), (32, 8), (8, 8), (16, 3), (33, 4), (8, 4, 4), 64, 100]

# The product of A (m x k) and B (k x n), a thread an element, as everybody writes it first.
GUARDS = {
    "both at once": "if (row < m && column < n) { PRODUCT }",
    "the row first": "if (row < m) if (column < n) { PRODUCT }",
    "the column first": "if (column < n) if (row < m) { PRODUCT }",
    "early return": "if (row >= m || column >= n) return; PRODUCT",
    "two returns": "if (row >= m) return; if (column >= n) return; PRODUCT",
    "another way": "if (row >= m || column >= n) { if (row < m + 4) more[row] = row; return; } PRODUCT",
    "both ways loop": "if (row % 3 == 1) { for (int i = 0; i < row; ++i) sum += i; } if (row < m && column < n) { PRODUCT }",
}
PRODUCT = """
template <class T>
__global__ void k(const T* a, const T* b, T* c, int* more, int m, int n, int k) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = (blockIdx.y * blockDim.y + threadIdx.y) * blockDim.z + threadIdx.z;
  T sum = 0;
  GUARDED
}
"""
INNER = "for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column]; c[row * n + column] = sum;"


@case(blocks=BLOCKS)
def a_thread_an_element_of_a_product(run):
    """Guards written in several ways; sizes that no block divides, and that all do; float, double and int."""
    x, y, z = (*run.block, 1, 1)[:3]
    for m, n, k in ((37, 45, 19), (2 * y * z, 2 * x, 8), (3, 70, 5)):
        rng = np.random.default_rng(m)
        for spelled, dtype in (("float", F), ("double", np.float64), ("int", np.int32)):
            a, b = rng.integers(-9, 9, (m, k)).astype(dtype), rng.integers(-9, 9, (k, n)).astype(dtype)
            for way, guarded in GUARDS.items() if spelled == "float" else [("both at once", GUARDS["both at once"])]:
                c, more = np.zeros((m, n), dtype), np.full(m + 4, -1, np.int32)
                source = PRODUCT.replace("GUARDED", guarded).replace("PRODUCT", INNER)
                rows = -(-m // (y * z))
                grid = (-(-n // x), rows)
                run(source, a, b, c, more, m, n, k, grid=grid, names=[f"k<{spelled}>"])
                want = (a @ b).astype(dtype)
                if way == "both ways loop":
                    want += np.array([r * (r - 1) // 2 if r % 3 == 1 else 0 for r in range(m)], dtype)[:, None]
                run.same(c, want, f"{spelled}, {way}, {m} x {n} x {k}")
                if way == "another way":
                    r = np.arange(m + 4)
                    touched = (r < rows * y * z) & ((r >= m) | (-(-n // x) * x > n))
                    run.same(more, np.where(touched, r, -1).astype(np.int32), "the rows beyond")


IN_MEMORY = """
template <class T>
__global__ void k(const T* a, const T* b, T* c, int m, int n, int k, int step) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = (blockIdx.y * blockDim.y + threadIdx.y) * blockDim.z + threadIdx.z;
  if (row >= m || column >= n) return;
  SUM
}
"""
SUMS = {
    "from nothing": "c[row * n + column] = 0; for (int i = 0; i < k; ++i) c[row * n + column] += a[row * k + i] * b[i * n + column];",
    "what is there": "for (int i = 0; i < k; ++i) c[row * n + column] += a[row * k + i] * b[i * n + column];",
    "scaled": "c[row * n + column] *= 2; for (int i = 0; i < k; ++i) c[row * n + column] += 3 * a[row * k + i] * b[i * n + column];",
    "rows": "c[row * n + column] = 1; for (int i = 0; i < k; ++i) c[row * n + column] += a[row * k + i] * b[column * k + i];",
    "its own": "for (int i = 0; i < k; ++i) c[row * n + column] = 3 * c[row * n + column + i * step] + a[row * k + i];",
}


@case(blocks=BLOCKS)
def a_sum_in_memory(run):
    """The same product, its sums in memory in each turn; one that reads them by another way, too."""
    x, y, z = (*run.block, 1, 1)[:3]
    for m, n, k in ((37, 45, 19), (2 * y * z, 2 * x, 8), (3, 70, 5)):
        rng = np.random.default_rng(n)
        for spelled, dtype in (("float", F), ("double", np.float64), ("int", np.int32)):
            a, b = rng.integers(-9, 9, (m, k)).astype(dtype), rng.integers(-9, 9, (k, n)).astype(dtype)
            before = rng.integers(-9, 9, (m, n)).astype(dtype)
            own = before.copy()
            for i in range(k):
                own = 3 * own + a[:, i : i + 1]
            want = {
                "from nothing": a @ b,
                "what is there": before + a @ b,
                "scaled": 2 * before + 3 * (a @ b),
                "rows": 1 + a @ b,
                "its own": own,
            }
            for way, sums in (
                SUMS.items() if spelled == "float" else [("scaled", SUMS["scaled"]), ("rows", SUMS["rows"])]
            ):
                c, second = before.copy(), b.T.copy() if way == "rows" else b
                source = IN_MEMORY.replace("SUM", sums)
                run(source, a, second, c, m, n, k, 0, grid=(-(-n // x), -(-m // (y * z))), names=[f"k<{spelled}>"])
                run.same(c, want[way].astype(dtype), f"{spelled}, {way}, {m} x {n} x {k}")


TRIANGLE = """
__global__ void k(float* s, const float* data, int m, int n) {
  int j1 = blockIdx.x * blockDim.x + threadIdx.x;
  if (j1 >= m) return;
  for (int j2 = j1; j2 < m; j2++) {
    s[j1 * m + j2] = 1;
    for (int i = 0; i < n; i++) s[j1 * m + j2] += data[i * m + j1] * data[i * m + j2];
    s[j2 * m + j1] = s[j1 * m + j2];
  }
}
__global__ void inside(float* all, int m, int n, int first, int second) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= m) return;
  for (int i = 0; i < n; i++) all[first + j * 40] = 2 * all[first + j * 40] + all[second + i * m + j];
}
"""


@case
def sums_far_apart(run):
    """Places of sums a row apart: of a covariance; among what is read, and where a thread reads its own."""
    size = run.block[0]
    for m, n in ((1, 4), (size + 3, 7), (40, 19)):
        rng = np.random.default_rng(m)
        data, s = rng.integers(-5, 6, (n, m)).astype(F), np.zeros((m, m), F)
        run(TRIANGLE, s, data, m, n, grid=-(-m // size), block=size, names=["k"])
        run.same(s, 1 + data.T @ data, f"{m} x {m}")
    m, n = min(size, 39), 6
    for first, second in ((0, 40 * m), (40 * m, 0), (0, 0)):
        x = np.random.default_rng(first).integers(-5, 6, 80 * m + m * n).astype(F)
        if (first, second) == (0, 0):
            m = 1  # what others read they must not write
        out, want = x.copy(), x.copy()
        run(TRIANGLE, out, m, n, first, second, grid=1, block=size, names=["inside"])
        for j in range(m):
            for i in range(n):
                want[first + j * 40] = 2 * want[first + j * 40] + want[second + i * m + j]
        run.same(out, want, f"from {second} to {first}")


COLUMNS = """
__global__ void k(int* x, const int* weight, int width, int height, int steps) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= width) return;
  int sum = 0;
  for (int row = 0; row < height; ++row) { sum += x[row * width + column] * weight[row]; x[row * width + column] = sum; }
  for (int i = 0; i < steps; ++i) x[column] += i;
}
"""


@case
def a_thread_a_column(run):
    """Sums down a plane in place: columns of several blocks side by side, widths on both sides of a block's."""
    n = run.block[0]
    for width in (1, max(1, n - 1), n, n + 1, 3 * n, 5 * n + 7):
        x = (np.arange(7 * width) * 37 % 101 - 50).astype(np.int32).reshape(7, width)
        weight = np.array([1, 2, -3, 4, 5, -6, 7], np.int32)
        out = x.copy()
        run(COLUMNS, out, weight, width, 7, 3, grid=-(-width // n), block=n)
        want = np.cumsum(x * weight[:, None], axis=0)
        want[0] += 3
        run.same(out, want.astype(np.int32), f"width {width}")


# Sums over the planes of a volume, behind a guard that cuts rows within a group and blocks within their rows. Each AT_ROW
# is something that a thread beyond the last row must not do.
PLANES = """
__global__ void k(const int* x, const int* weights, const int* rows, int* out, int depth, int height, int width) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = (blockIdx.y * blockDim.y + threadIdx.y) * blockDim.z + threadIdx.z;
  if (column >= width - 2 || row >= height - 2) return;
  int sum = weights[0];
  for (int d = 0; d < depth; d++) { TURN }
  out[row * width + column] = sum;
}
"""
TURNS = {
    "nine taps": """for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++)
        sum += x[(d * height + row + i) * width + column + j] * weights[(d * 3 + i) * 3 + j];""",
    "a row's number": "sum += x[(d * height + row) * width + column] * rows[row];",
    "a row's quotient": "sum += x[(d * height + row) * width + column] / (height - 2 - row) + d * 100 / (height - 2 - row);",
    "a row's turns": "if (d < rows[row]) sum += x[(d * height + row) * width + column];",
    "turns to its last row": "for (int e = 0; e != height - 2 - row; e++) sum += x[(d * height + row + e) * width + column];",
    "a store a turn": "sum += x[(d * height + row) * width + column]; out[((d + 1) * height + row) * width + column] = sum;",
}


@case(blocks=BLOCKS)
def sums_over_planes(run):
    """A filter in several channels, and what only threads may do that pass the guard."""
    x, y, z = (*run.block, 1, 1)[:3]
    for height, width in ((2 * y * z + 2, 2 * x + 2), (12, 16), (30, 58), (y * z + 3, x + 1)):
        depth = 5
        rng = np.random.default_rng(width)
        volume = rng.integers(-99, 100, (depth, height, width)).astype(np.int32)
        weights = rng.integers(-9, 10, (depth, 3, 3)).astype(np.int32)
        rows = rng.integers(0, depth + 1, height - 2).astype(np.int32)
        below, inner = volume[:, :-2, :-2], np.arange(height - 2)[:, None]
        left = height - 2 - inner
        want = {
            "nine taps": sum(
                (volume[:, i : i + height - 2, j : j + width - 2] * weights[:, i, j, None, None]).sum(0)
                for i in range(3)
                for j in range(3)
            ),
            "a row's number": below.sum(0) * rows[:, None],
            "a row's quotient": sum(np.trunc(below[d] / left).astype(np.int32) + d * 100 // left for d in range(depth)),
            "a row's turns": np.where(np.arange(depth)[:, None, None] < rows[:, None], below, 0).sum(0),
            "turns to its last row": np.cumsum(below.sum(0)[::-1], axis=0)[::-1],
            "a store a turn": below.sum(0),
        }
        for way, turn in TURNS.items():
            out = np.full((depth + 1, height, width), -7, np.int32)
            grid = (-(-(width - 2) // x), -(-(height - 2) // (y * z)))
            run(PLANES.replace("TURN", turn), volume, weights, rows, out, depth, height, width, grid=grid)
            expected = np.full_like(out, -7)
            expected[0, :-2, :-2] = want[way] + weights[0, 0, 0]
            if way == "a store a turn":
                expected[1:, :-2, :-2] = np.cumsum(below, axis=0) + weights[0, 0, 0]
            run.same(out, expected, f"{way}, {height} x {width}")


# Taps of a window in each plane of a volume, each behind a guard that some lanes, or whole rows, do not pass; and what only
# those may do that pass it.
PADDED = """
__global__ void k(const int* x, const int* weights, const int* rows, int* out, int depth, int height, int width, int r) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = (blockIdx.y * blockDim.y + threadIdx.y) * blockDim.z + threadIdx.z;
  if (column >= width || row >= height) return;
  int sum = 1, taps = 0;
  for (int d = 0; d < depth; d++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        int y = row + i - r, z = column + j - r;
        if (y >= 0 && y < height && z >= 0 && z < width) { TAP }
      }
  out[row * width + column] = sum + 1000 * taps;
}
"""
TAPS = {
    "a product": (
        "sum += x[(d * height + y) * width + z] * weights[(d * 3 + i) * 3 + j];",
        lambda v, w, y, rows: v * w,
    ),
    "counted": ("sum += x[(d * height + y) * width + z]; taps++;", lambda v, w, y, rows: v + 1000),
    "of its row": ("sum += x[(d * height + y) * width + z] * rows[y];", lambda v, w, y, rows: v * rows[y]),
    "a quotient": ("sum += x[(d * height + y) * width + z] / (y + 1);", lambda v, w, y, rows: np.trunc(v / (y + 1))),
}


@case(blocks=BLOCKS)
def guarded_taps_in_planes(run):
    """Padded filters in several channels: edges of one element and of more than a row of threads."""
    x, y, z = (*run.block, 1, 1)[:3]
    for height, width, r in ((y * z + 3, x + 5, 1), (2 * y * z, 2 * x, 2), (7, 28, 1), (14, 14, 0), (3, 2, 3)):
        depth = 3
        rng = np.random.default_rng(width)
        volume = rng.integers(-99, 100, (depth, height, width)).astype(np.int32)
        weights, rows = (
            rng.integers(-9, 10, (depth, 3, 3)).astype(np.int32),
            rng.integers(1, 9, height).astype(np.int32),
        )
        lines, columns = np.arange(height)[:, None], np.arange(width)[None]
        for way, (tap, value) in TAPS.items():
            want = np.ones((height, width), np.int64)
            for d, i, j in np.ndindex(depth, 3, 3):
                at, beside = lines + i - r, columns + j - r
                inside = (at >= 0) & (at < height) & (beside >= 0) & (beside < width)
                at, beside = np.clip(at, 0, height - 1), np.clip(beside, 0, width - 1)
                want += np.where(inside, value(volume[d, at, beside], weights[d, i, j], at, rows), 0).astype(np.int64)
            out = np.zeros((height, width), np.int32)
            grid = (-(-width // x), -(-height // (y * z)))
            run(PADDED.replace("TAP", tap), volume, weights, rows, out, depth, height, width, r, grid=grid)
            run.same(out, want.astype(np.int32), f"{way}, {height} x {width}, {r}")
