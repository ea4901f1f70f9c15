"""Blocks whose threads load a tile with its halo, one each, and of which only those within compute, behind a barrier."""

import numpy as np
from harness import case

SHAPES = [(20, 20), (18, 18), (34, 6), (18, 1), (19, 7), (40, 3), (50, 2)]
WITHIN = {
    "both": (
        "tx >= R && tx < X - R && ty >= 1 && ty < Y - 1",
        lambda tx, ty, X, Y, R: (R <= tx < X - R) and 1 <= ty < Y - 1,
    ),
    "columns": ("tx >= R && tx < X - R", lambda tx, ty, X, Y, R: R <= tx < X - R),
    "ends": ("!(tx == 0 || tx == X - 1 || ty == 0)", lambda tx, ty, X, Y, R: 0 < tx < X - 1 and ty > 0),
    "left": ("tx > R", lambda tx, ty, X, Y, R: tx > R),
    "right": ("tx < X - 2 * R", lambda tx, ty, X, Y, R: tx < X - 2 * R),
    "none": ("tx > 2 && tx < 2", lambda tx, ty, X, Y, R: False),
}
SOURCE = """
__global__ void k(const int* u, int* out, const int* __restrict__ more, int width, int n) {
  constexpr int X = %d, Y = %d, R = 2;
  __shared__ int tile[Y][X];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * (X - 2 * R) + tx - R;
  const int at = min(max(x, 0), width - 1);
  const int own = more[at], part = (at + n) %% n;
  tile[ty][tx] = u[ty * width + at];
  __syncthreads();
  if (%s) {
    if (x >= width) return;
    int sum = ty;
    for (int k = -R; k <= R; ++k) sum = 3 * sum + tile[ty][min(max(tx + k, 0), X - 1)];
    out[(blockIdx.x * Y + ty) * X + tx] = sum + own * part + (tx << 20);
  }
}
"""


@case(blocks=SHAPES, each=WITHIN)
def halo(run, within):
    text, holds = within
    columns, rows = run.block[0], run.block[1]
    blocks, radius, n = 3, 2, 7
    width = blocks * (columns - 2 * radius) - 3
    generator = np.random.default_rng(columns)
    u, more = generator.integers(0, 50, (rows, width), np.int32), generator.integers(0, 50, width, np.int32)
    expected = np.full((blocks, rows, columns), -1, np.int32)
    for b, ty, tx in np.ndindex(expected.shape):
        first = b * (columns - 2 * radius) - radius
        if not holds(tx, ty, columns, rows, radius) or first + tx >= width:
            continue
        total = ty
        for k in range(-radius, radius + 1):
            beside = min(max(tx + k, 0), columns - 1)
            total = 3 * total + int(u[ty, min(max(first + beside, 0), width - 1)])
        at = min(max(first + tx, 0), width - 1)
        expected[b, ty, tx] = total + int(more[at]) * ((at + n) % n) + (tx << 20)
    out = np.full_like(expected, -1)
    run(SOURCE % (columns, rows, text), u, out, more, width, n, grid=blocks)
    run.same(out, expected)


CLAMPED = """
__global__ void k(const float* u, float* out, float f) {
  constexpr int X = %d, Y = %d, W = %d, H = %d, R = 1;
  __shared__ float tile[Y][X];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * (X - 2 * R) + tx - R, y = blockIdx.y * (Y - 2 * R) + ty - R;
  tile[ty][tx] = u[min(max(y, 0), H - 1) * W + min(max(x, 0), W - 1)];
  __syncthreads();
  if (tx >= R && tx < X - R && ty >= R && ty < Y - R && x < W && y < H)
    out[y * W + x] = (tile[ty - 1][tx] - tile[ty][tx - 1]) * f + (tile[ty][tx + 1] - tile[ty + 1][tx]) + tile[ty][tx];
}
"""


@case(blocks=[(18, 18), (20, 5), (34, 4), (10, 10)])
def a_plane_of_known_size(run):
    """Its edges are numbers, so that LLVM turns clamps into other ones."""
    (columns, rows, _), blocks = run.block, (5, 4)
    width, height = blocks[0] * (columns - 2) - 3, blocks[1] * (rows - 2) - 1
    u = np.random.default_rng(rows).integers(-99, 99, (height, width)).astype(np.float32)  # sums are exact
    padded = np.pad(u, 1, mode="edge")
    up, down, left, right = padded[:-2, 1:-1], padded[2:, 1:-1], padded[1:-1, :-2], padded[1:-1, 2:]
    out = np.full_like(u, np.nan)
    run(CLAMPED % (columns, rows, width, height), u, out, np.float32(3), grid=blocks)
    run.same(out, (up - left) * 3 + (right - down) + u)
