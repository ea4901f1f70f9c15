"""Narrow blocks with barriers, of which neighbours may run side by side: grids with odd rows, blocks that part."""

import numpy as np
from harness import case, kernel

SHAPES = ((8, 4), (16, 2), (16, 16), (32, 8), (32, 16), (16, 4, 3), (32, 2, 2), (16, 1), (24, 4))
GRIDS = ((1, 1, 1), (2, 1, 1), (3, 2, 1), (4, 1, 2), (5, 3, 2), (7, 2, 1))


def blocks_of(grid):
    """blockIdx in linear order, x fastest."""
    n = np.arange(int(np.prod(grid)))
    return n % grid[0], n // grid[0] % grid[1], n // (grid[0] * grid[1])


@case(blocks=SHAPES)
def own_shared_memory(run):
    """Each block has its own shared memory, its own indices, and its neighbours' places in memory beside it."""
    source = kernel(
        "int* out",
        """
        __shared__ int tile[1024];
        const int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
        const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
        tile[t] = b * 10000 + t + 7 * x;
        __syncthreads();
        const int other = n - 1 - t;
        out[b * n + t] = tile[other] + 1000000 * (x % 3) - y * 1000 + threadIdx.x;
        """,
    )
    for grid in GRIDS:
        n = run.threads
        out = np.full(int(np.prod(grid)) * n, -1, np.int32)
        run(source, out, grid=grid)
        bx, by, _ = (v[:, None] for v in blocks_of(grid))
        b = np.arange(int(np.prod(grid)))[:, None]
        x, y = bx * run.block[0] + run.thread.x, by * run.block[1] + run.thread.y
        tile = (b * 10000 + np.arange(n) + 7 * x)[:, ::-1]
        run.same(out, (tile + 1000000 * (x % 3) - y * 1000 + run.thread.x).reshape(-1), f"grid {grid}")


HALO = """
__global__ void k(const int* in, int* out, int width, int height) {
  __shared__ int t[TY + 2][TX + 2];
  int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y;
  for (int dy = threadIdx.y; dy < TY + 2; dy += TY)
    for (int dx = threadIdx.x; dx < TX + 2; dx += TX) {
      int gx = (int)blockIdx.x * TX + dx - 1, gy = (int)blockIdx.y * TY + dy - 1;
      t[dy][dx] = (gx >= 0 && gx < width && gy >= 0 && gy < height) ? in[gy * width + gx] : 0;
    }
  __syncthreads();
  int sum = 0;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) sum = sum * 3 + t[threadIdx.y + j][threadIdx.x + i];
  if (x < width && y < height) out[y * width + x] = sum;
}
"""


@case(blocks=[s for s in SHAPES if len(s) == 2])
def tiles_with_halo(run):
    """Tiles with their neighbours' edges, planes that end within a block, and rows of an odd number of blocks."""
    tx, ty, _ = run.block
    source = HALO.replace("TX", str(tx)).replace("TY", str(ty))
    for width, height in ((tx, ty), (2 * tx, ty), (3 * tx, 2 * ty), (3 * tx + 5, 2 * ty - 1), (4 * tx - 1, 3 * ty)):
        values = (np.arange(width * height) * 37 % 1009 - 500).astype(np.int32).reshape(height, width)
        out = np.full((height, width), -1, np.int32)
        run(source, values, out, width, height, grid=(-(-width // tx), -(-height // ty)))
        padded = np.pad(values, 1).astype(np.int64)
        wanted = np.zeros((height, width), np.int64)
        for j in range(3):
            for i in range(3):
                wanted = wanted * 3 + padded[j : j + height, i : i + width]
        run.same(out, wanted, f"{width} x {height}")


PLANES = """
__global__ void k(const int* in, int* out, int width, int height, int depth) {
  __shared__ int s[TY][TX];
  int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * TX + tx, y = blockIdx.y * TY + ty;
  bool inside = x < width && y < height;
  int a = 0, b = 0, c = 0, d = 0, e = 0, at = y * width + x;
  for (int z = 0; z < depth; z++) {
    e = d; d = c; c = b; b = a;
    a = inside ? in[at] : x;
    __syncthreads();
    s[ty][tx] = a + blockIdx.x;
    __syncthreads();
    if (inside) out[at] = s[TY - 1 - ty][TX - 1 - tx] + 3 * s[ty][(tx + 1) % TX] + 5 * b - 7 * c + 11 * d - 13 * e;
    at += width * height;
  }
}
"""


@case(blocks=[(8, 8), (16, 8), (16, 16), (32, 8), (32, 4)])
def plane_after_plane(run):
    """Loops around barriers that keep several planes' values, rows of an odd number of blocks, planes that end within."""
    tx, ty, _ = run.block
    source = PLANES.replace("TX", str(tx)).replace("TY", str(ty))
    for width, height, depth in ((tx, ty, 1), (2 * tx, ty, 6), (3 * tx, 2 * ty, 7), (4 * tx + 5, 2 * ty - 1, 3)):
        columns, rows = -(-width // tx), -(-height // ty)
        values = (np.arange(width * height * depth) * 37 % 1009 - 500).astype(np.int32).reshape(depth, height, width)
        out = np.full(values.shape, -1, np.int32)
        run(source, values, out, width, height, depth, grid=(columns, rows))
        x = np.arange(columns * tx)
        whole = np.broadcast_to(x, (depth, rows * ty, columns * tx)).copy()
        whole[:, :height, :width] = values
        tiles = (whole + x // tx).reshape(depth, rows, ty, columns, tx)
        wanted = (tiles[:, :, ::-1, :, ::-1] + 3 * np.roll(tiles, -1, axis=4)).reshape(whole.shape)
        for factor, back in ((5, 1), (-7, 2), (11, 3), (-13, 4)):
            wanted[back:] += factor * whole[: max(depth - back, 0)]
        run.same(out, wanted[:, :height, :width], f"{width} x {height} x {depth}")


ROW_ENDS = """
__global__ void k(const int* in, int* out, int* ends, int width, int height, int depth) {
  __shared__ int s[TY + 2][TX + 2];
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1, x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y;
  bool inside = x < width && y < height;
  int at = y * width + x, end = (blockIdx.y * gridDim.x + blockIdx.x) * TY + threadIdx.y;
  for (int z = 0; z < depth; z++) {
    __syncthreads();
    s[ty][tx] = inside ? in[at] : 1;
    if (threadIdx.x == 0) s[ty][0] = x > 0 && y < height ? in[at - 1] : 2;
    if (threadIdx.x == TX - 1) s[ty][TX + 1] = x < width - 1 && y < height ? in[at + 1] : 3;
    if (threadIdx.y == 0) s[0][tx] = y > 0 && x < width ? in[at - width] : 4;
    if (threadIdx.y == TY - 1) s[TY + 1][tx] = y < height - 1 && x < width ? in[at + width] : 5;
    if (threadIdx.x == 5 && inside) ends[end] += in[at] - x;
    __syncthreads();
    if (inside) out[at] = s[ty][tx] + 3 * s[ty][tx - 1] + 5 * s[ty][tx + 1] + 7 * s[ty - 1][tx] + 11 * s[ty + 1][tx];
    at += width * height;
  }
}
"""


@case(blocks=[(32, 8), (16, 8), (16, 4), (32, 2), (64, 2), (8, 8)])
def ends_of_rows(run):
    """The thread at the end of a row or column asks for what lies beyond it; one in the middle adds to a sum."""
    tx, ty, _ = run.block
    source = ROW_ENDS.replace("TX", str(tx)).replace("TY", str(ty))
    for width, height, depth in ((tx, ty, 2), (2 * tx, 2 * ty, 3), (3 * tx - 1, 2 * ty - 1, 2), (4 * tx + 5, ty, 1)):
        columns, rows = -(-width // tx), -(-height // ty)
        values = (np.arange(width * height * depth) * 37 % 1009 - 500).astype(np.int32).reshape(depth, height, width)
        out, ends = np.full(values.shape, -1, np.int32), np.zeros((rows, columns, ty), np.int32)
        run(source, values, out, ends, width, height, depth, grid=(columns, rows))
        whole = np.ones((depth, height + 2, width + 2), np.int64)
        whole[:, 1:-1, 1:-1] = values
        whole[:, :, 0] = 2
        # Beyond the last column stands the guard's own value, or what threads outside of it have put there.
        whole[:, :, -1] = 3 if width % tx == 0 else 1
        whole[:, 0], whole[:, -1] = 4, 5 if height % ty == 0 else 1
        wanted = whole[:, 1:-1, 1:-1] + 3 * whole[:, 1:-1, :-2] + 5 * whole[:, 1:-1, 2:]
        wanted += 7 * whole[:, :-2, 1:-1] + 11 * whole[:, 2:, 1:-1]
        run.same(out, wanted.astype(np.int32), f"{width} x {height} x {depth}")
        sums = np.zeros((rows * ty, columns * tx), np.int64)
        sums[:height, :width] = (values - np.arange(width)).sum(axis=0)
        run.same(ends, sums[:, 5::tx].reshape(rows, ty, columns).transpose(0, 2, 1).astype(np.int32), "in the middle")


@case(blocks=[(16, 16), (32, 8), (16, 4), (8, 8)])
def transposed_tiles(run):
    """Tiles of a plane change places; each block writes a column of tiles."""
    tx, ty, _ = run.block
    source = """
    __global__ void k(const short* in, short* out, int width, int height) {
      __shared__ short tile[TX][TX + 1];
      int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TX + threadIdx.y;
      for (int j = 0; j < TX; j += TY) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
      __syncthreads();
      x = blockIdx.y * TX + threadIdx.x;
      y = blockIdx.x * TX + threadIdx.y;
      for (int j = 0; j < TX; j += TY) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
    }
    """.replace("TX", str(tx)).replace("TY", str(ty))
    for word in ("short", "float", "double"):
        kind = {"short": np.int16, "float": np.float32, "double": np.float64}[word]
        for columns, rows in ((1, 1), (2, 3), (5, 2)):
            values = np.arange(columns * rows * tx * tx).reshape(rows * tx, columns * tx).astype(kind)
            out = np.zeros((columns * tx, rows * tx), kind)
            run(source.replace("short", word), values, out, columns * tx, rows * tx, grid=(columns, rows))
            run.same(out, values.T, f"{word}, {columns} x {rows} tiles")


@case(blocks=[(16, 8), (32, 4)])
def blocks_that_part(run):
    """Neighbours of which one leaves, or waits at another barrier, or goes round a loop more often."""
    ways = {
        "leaves": "if (blockIdx.x == 1) return; tile[t] = t; __syncthreads(); v = tile[n - 1 - t];",
        "waits elsewhere": "tile[t] = t; if (blockIdx.x & 1) { __syncthreads(); v = tile[n - 1 - t]; }",
        "goes round": "tile[t] = t; for (int i = 0; i <= (int)blockIdx.x; ++i) { __syncthreads(); v += tile[(t + i) % n]; }",
        "stores each turn": """
            for (int i = 0; i <= (int)blockIdx.x; ++i) {
              tile[t] = t + i;
              __syncthreads();
              out[blockIdx.x * n + t] = v = tile[n - 1 - t] + v;
              __syncthreads();
            }""",
        "asks memory": "tile[t] = t; if (choice[blockIdx.x]) { __syncthreads(); v = tile[n - 1 - t]; }",
    }
    n, t = run.threads, np.arange(run.threads)
    back, turns = n - 1 - t, np.arange(n)
    wanted = {
        "leaves": [back, turns * 0 - 1, back],
        "waits elsewhere": [t * 0, back, t * 0],
        "goes round": [sum((t + i) % n for i in range(b + 1)) for b in range(3)],
        "stores each turn": [sum(back + i for i in range(b + 1)) for b in range(3)],
        "asks memory": [back, t * 0, back],
    }
    choice = np.array([1, 0, 1], np.int32)
    for way, body in ways.items():
        out = np.full((3, n), -1, np.int32)
        source = kernel(
            "int* out, const int* choice", f"__shared__ int tile[1024]; int v = 0; {body} out[blockIdx.x * n + t] = v;"
        )
        run(source, out, choice, grid=3)
        run.same(out, np.stack(wanted[way]), way)


@case(blocks=[(16, 8), (32, 8)])
def blocks_that_count(run):
    """Atomics in shared and global memory; a block's own counts stay its own."""
    source = kernel(
        "int* own, int* all, const int* x",
        """
        __shared__ int bins[8];
        if (t < 8) bins[t] = 0;
        __syncthreads();
        const int b = blockIdx.x;
        atomicAdd(&bins[x[b * n + t] & 7], 1);
        atomicMax(&all[0], x[b * n + t]);
        __syncthreads();
        if (t < 8) own[b * 8 + t] = bins[t];
        """,
    )
    for blocks in (1, 2, 5):
        x = (np.arange(blocks * run.threads) * 2654435761 % 8191).astype(np.int32)
        own, most = np.zeros((blocks, 8), np.int32), np.zeros(1, np.int32)
        run(source, own, most, x, grid=blocks)
        run.same(own, [np.bincount(part & 7, minlength=8) for part in x.reshape(blocks, -1)], f"{blocks} blocks")
        run.same(most, [x.max()])


FRAMED_PLANES = """
__global__ void k(const int* in, const unsigned char* open, int* out, int width, int height, int depth) {
  __shared__ int s[TY + 2][TX + 2];
  int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * TX + tx, y = blockIdx.y * TY + ty;
  int stride = width * height, at = y * width + x;
  for (int z = 0; z < depth; z++, at += stride) {
    s[ty + 1][tx + 1] = in[at];
    if (tx == 0) s[ty + 1][0] = x > 0 ? in[at - 1] : -1;
    if (tx == TX - 1) s[ty + 1][TX + 1] = x < width - 1 && open[y] ? in[at + 1] : -2;
    if (ty == 0) s[0][tx + 1] = y > 0 ? in[at - width] : -3;
    if (ty == TY - 1) s[TY + 1][tx + 1] = y < height - 1 ? in[at + width] : -4;
    __syncthreads();
    out[at] = s[ty + 1][tx + 1] + 3 * s[ty + 1][tx] + 5 * s[ty + 1][tx + 2] + 7 * s[ty][tx + 1] + 11 * s[ty + 2][tx + 1];
    __syncthreads();
  }
}
"""


@case(blocks=[(8, 8), (16, 8), (16, 16), (32, 8), (32, 4)])
def planes_with_frames(run):
    """What a tile's first and last threads read beyond it, each behind a question of its own, plane after plane."""
    tx, ty, _ = run.block
    source = FRAMED_PLANES.replace("TX", str(tx)).replace("TY", str(ty))
    for columns, rows, depth in ((1, 1, 2), (2, 1, 3), (3, 2, 1), (5, 3, 2)):
        width, height = columns * tx, rows * ty
        values = (np.arange(width * height * depth) * 37 % 1009 - 500).astype(np.int32).reshape(depth, height, width)
        is_open = (np.arange(height) % 3 != 1).astype(np.uint8)
        out = np.full(values.shape, -1, np.int32)
        run(source, values, is_open, out, width, height, depth, grid=(columns, rows))
        framed = np.pad(values, ((0, 0), (1, 1), (1, 1)))
        framed[:, :, 0], framed[:, :, -1], framed[:, 0], framed[:, -1] = -1, -2, -3, -4
        wanted = values + 3 * framed[:, 1:-1, :-2] + 7 * framed[:, :-2, 1:-1] + 11 * framed[:, 2:, 1:-1]
        right = framed[:, 1:-1, 2:].copy()
        closed = np.where(is_open[:, None], right[:, :, tx - 1 :: tx], -2)
        right[:, :, tx - 1 :: tx] = closed
        run.same(out, wanted + 5 * right, f"{width} x {height} x {depth}")


@case(blocks=((32, 8), (32, 4), (16, 8), (64, 4)))
def volumes_by_planes(run):
    """A stencil that goes up a volume with its plane in shared memory; rows of one to seven blocks."""
    tx, ty, _ = run.block
    source = f"""
    __global__ void k(const int* in, int* out, int nx, int ny, int nz) {{
      __shared__ int plane[{ty} + 2][{tx} + 2];
      const int x = blockIdx.x * {tx} + threadIdx.x, y = blockIdx.y * {ty} + threadIdx.y;
      const int sx = threadIdx.x + 1, sy = threadIdx.y + 1, stride = nx * ny;
      int at = y * nx + x, below = 0, here = in[at], above = in[at + stride];
      for (int z = 1; z < nz - 1; ++z) {{
        at += stride;
        below = here;
        here = above;
        above = in[at + stride];
        __syncthreads();
        plane[sy][sx] = here;
        if (threadIdx.x == 0) plane[sy][0] = x > 0 ? in[at - 1] : 0;
        if (threadIdx.x == {tx} - 1) plane[sy][{tx} + 1] = x < nx - 1 ? in[at + 1] : 0;
        if (threadIdx.y == 0) plane[0][sx] = y > 0 ? in[at - nx] : 0;
        if (threadIdx.y == {ty} - 1) plane[{ty} + 1][sx] = y < ny - 1 ? in[at + nx] : 0;
        __syncthreads();
        out[at] = 3 * here + plane[sy][sx - 1] + 5 * plane[sy][sx + 1] + 7 * plane[sy - 1][sx] + 11 * plane[sy + 1][sx] +
                  13 * below + 17 * above;
      }}
    }}"""
    nz = 5
    for blocks in range(1, 8):
        nx, ny = blocks * tx, 2 * ty
        a = (np.arange(nx * ny * nz) * 37 % 1009).astype(np.int32).reshape(nz, ny, nx)
        out = np.full_like(a, -1)
        run(source, a, out, np.int32(nx), np.int32(ny), np.int32(nz), grid=(blocks, 2))
        p = np.pad(a, ((0, 0), (1, 1), (1, 1)))[1:-1]
        wanted = np.full_like(a, -1)
        wanted[1:-1] = 3 * a[1:-1] + p[:, 1:-1, :-2] + 5 * p[:, 1:-1, 2:] + 7 * p[:, :-2, 1:-1] + 11 * p[:, 2:, 1:-1]
        wanted[1:-1] += 13 * a[:-2] + 17 * a[2:]
        run.same(out, wanted, f"{blocks} blocks in a row")
