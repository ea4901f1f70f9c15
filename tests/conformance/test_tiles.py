"""Tiles of shared memory that rows of a block share, and tiles of sums that each thread keeps across barriers."""

import numpy as np
from harness import case

F = np.float32


def small_integers(rng, shape):
    """Values whose sums of products are exact in any order."""
    return rng.integers(-4, 5, shape).astype(F)


SUMS = """
template <int R, int K, int W, int H>
__global__ void product(const float* a, const float* b, float* c, int n) {
  __shared__ float as[H * R][K + 1], bs[K][W * R];
  int tx = threadIdx.x, ty = threadIdx.y, t = ty * W + tx;
  int row = blockIdx.y * H * R, column = blockIdx.x * W * R;
  float sums[R][R] = {};
  for (int first = 0; first < n; first += K) {
    for (int i = t; i < H * R * K; i += W * H) as[i / K][i % K] = a[(row + i / K) * n + first + i % K];
    for (int i = t; i < W * R * K; i += W * H)
      bs[i / (W * R)][i % (W * R)] = b[(first + i / (W * R)) * n + column + i % (W * R)];
    __syncthreads();
    for (int k = 0; k < K; k++) {
      float x[R], y[R];
      for (int i = 0; i < R; i++) x[i] = as[ty * R + i][k];
      for (int j = 0; j < R; j++) y[j] = bs[k][tx * R + j];
      for (int i = 0; i < R; i++)
        for (int j = 0; j < R; j++) sums[i][j] += x[i] * y[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < R; i++)
    for (int j = 0; j < R; j++) c[(row + ty * R + i) * n + column + tx * R + j] = sums[i][j];
}
"""


@case(blocks=[(16, 16), (8, 8), (32, 4), (8, 2)])
def tiles_of_sums_a_thread(run):
    """Products with 2x2 to 8x8 sums a thread, which are more than the registers of some CPUs."""
    w, h = run.block[0], run.block[1]
    rng = np.random.default_rng(1)
    for r, k in ((2, 16), (4, 16), (8, 8)):
        n = max(w, h) * r
        a, b = small_integers(rng, (n, n)), small_integers(rng, (n, n))
        c = np.zeros((n, n), F)
        name = f"product<{r}, {k}, {w}, {h}>"
        run(SUMS, a, b, c, n, grid=(n // (w * r), n // (h * r)), names=[name])
        run.same(c, a @ b, name)


PARTING = """
template <int W, int H>
__global__ void rows(const float* in, const int* turns, float* out) {
  __shared__ float tile[16][W];
  int x = threadIdx.x, y = threadIdx.y;
  for (int i = y; i < 16; i += H) tile[i][x] = in[i * W + x];
  __syncthreads();
  float sum = 0, other = 0;
  for (int k = 0; k < 16; k++) {
    sum += tile[k][x] * (y + 1);
    other += tile[15 - k][x];
    if (y % 3 == 1) sum -= other;
  }
  for (int k = 0; k < turns[y]; k++) {
    sum += tile[(k + y) % 16][x];
    if (sum > 100.f) break;
  }
  if (x != y) out[y * W + x] = y % 2 ? sum + other : sum - other;
}
"""


@case(blocks=[(16, 16), (8, 8), (20, 6), (32, 2)])
def rows_share_a_tile_and_part(run):
    """Rows of a block read the same tile in a loop, branch by their row, and make different numbers of turns."""
    w, h = run.block[0], run.block[1]
    rng = np.random.default_rng(2)
    tile, turns = small_integers(rng, (16, w)), rng.integers(0, 9, h).astype(np.int32)
    out = np.zeros((h, w), F)
    run(PARTING, tile, turns, out, names=[f"rows<{w}, {h}>"])
    wanted = np.zeros((h, w), F)
    for y in range(h):
        for x in range(w):
            total = other = F(0)
            for k in range(16):
                total += tile[k, x] * F(y + 1)
                other += tile[15 - k, x]
                if y % 3 == 1:
                    total -= other
            for k in range(turns[y]):
                total += tile[(k + y) % 16, x]
                if total > 100:
                    break
            if x != y:
                wanted[y, x] = total + other if y % 2 else total - other
    run.same(out, wanted)


SHARED_BY_COLUMNS = """
template <int W, int H>
__global__ void columns(const float* in, const float* weights, float* out, int width) {
  __shared__ float tile[H + 4][W];
  int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * W + x;
  for (int i = y; i < H + 4; i += H) tile[i][x] = column < width ? in[i * width + column] : 0.f;
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 5; k++) sum += weights[k] * tile[y + k][x];
  __syncthreads();
  tile[y][x] = sum;
  __syncthreads();
  if (column < width) out[y * width + column] = sum + tile[H - 1 - y][x];
}
"""


@case(blocks=[(16, 16), (16, 4), (32, 8), (12, 4)])
def weights_for_all_rows(run):
    """A column filter whose weights all rows share; the tile is written again behind it."""
    w, h = run.block[0], run.block[1]
    width = 3 * w - 5
    rng = np.random.default_rng(3)
    image, weights = small_integers(rng, (h + 4, width)), small_integers(rng, 5)
    out = np.zeros((h, width), F)
    run(SHARED_BY_COLUMNS, image, weights, out, width, grid=3, names=[f"columns<{w}, {h}>"])
    sums = sum(weights[k] * image[k : k + h] for k in range(5))
    run.same(out, sums + sums[::-1])


TURNED = """
template <typename T, int W, int H>
__global__ void turn(const T* in, T* out) {
  __shared__ T tile[W][W + 1];
  int x = threadIdx.x, y = threadIdx.y;
  for (int j = 0; j < W; j += H) tile[y + j][x] = in[(y + j) * W + x];
  __syncthreads();
  for (int j = 0; j < W; j += H) out[(y + j) * W + x] = tile[x][y + j];
  __syncthreads();
  for (int j = 0; j < W; j += H) {
    T before = tile[x][y + j];
    tile[x][y + j] = before + out[(y + j) * W + x];
  }
  __syncthreads();
  for (int j = 0; j < W; j += H) out[(W + y + j) * W + x] = tile[y + j][x];
}
"""


@case(blocks=[(32, 8), (16, 16), (16, 4), (32, 2)])
def columns_of_a_tile_are_rows(run):
    """Tiles of numbers of 2 to 8 bytes are read by columns; then written by columns, a column after the other."""
    w, h = run.block[0], run.block[1]
    rng = np.random.default_rng(4)
    for spelled, dtype in (("float", F), ("double", np.float64), ("int", np.int32), ("short", np.int16)):
        tile = rng.integers(-99, 99, (w, w)).astype(dtype)
        out = np.zeros((2 * w, w), dtype)
        run(TURNED, tile, out, names=[f"turn<{spelled}, {w}, {h}>"])
        run.same(out[:w], tile.T, spelled)
        run.same(out[w:], 2 * tile, spelled)


GRIDS = """
template <int W, int H>
__global__ void product(const float* a, const float* b, float* c, int* visits, int m, int n, int k) {
  __shared__ float as[H][W], bs[W][W];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * H + y, column = blockIdx.x * W + x;
  a += blockIdx.z * m * k, b += blockIdx.z * k * n, c += blockIdx.z * m * n;
  float sum = 0;
  for (int first = 0; first < k; first += W) {
    as[y][x] = row < m && first + x < k ? a[row * k + first + x] : 0.f;
    for (int i = y; i < W; i += H) bs[i][x] = first + i < k && column < n ? b[(first + i) * n + column] : 0.f;
    __syncthreads();
    for (int i = 0; i < W; i++) sum += as[y][i] * bs[i][x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
  if (x + y == 0) visits[(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] += 1;
}
"""


@case(blocks=[(16, 16), (8, 8), (32, 4), (12, 12), (18, 9), (5, 10)])
def every_block_of_a_grid(run):
    """Products whose blocks are done strip by strip: grids that strips divide and do not, of several layers."""
    w, h = run.block[0], run.block[1]
    rng = np.random.default_rng(5)
    for columns, rows, layers in ((1, 3, 1), (7, 5, 2), (8, 3, 1), (9, 4, 3), (17, 2, 2), (33, 3, 1)):
        m, n, k = rows * h - 1, columns * w - 2, w + 3
        a, b = small_integers(rng, (layers, m, k)), small_integers(rng, (layers, k, n))
        c, visits = np.zeros((layers, m, n), F), np.zeros((layers, rows, columns), np.int32)
        run(GRIDS, a, b, c, visits, m, n, k, grid=(columns, rows, layers), names=[f"product<{w}, {h}>"])
        run.same(c, a @ b, f"{columns} x {rows} x {layers}")
        run.same(visits, np.ones_like(visits), "each block once")


COPIES = """
template <int T, int P, class F>
__global__ void copied(const F* a, const F* b, F* c, int n) {
  __shared__ F as[T][T + P], bs[T][T + P];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, column = blockIdx.x * T + x;
  F sum = 0;
  for (int t = 0; t < n / T; t++) {
    as[y][x] = a[row * n + t * T + x];
    bs[y][x] = b[(t * T + y) * n + column];
    __syncthreads();
    for (int k = 0; k < T; k++) sum += as[y][k] * bs[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
template <int T>
__global__ void last_tile(const float* a, float* c, int n) {  // read behind the loop, too; the one before it is gone
  __shared__ float s[T][T];
  int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * T + x;
  float sum = 0;
  for (int t = 0; t < n / T; t++) {
    s[y][x] = a[(t * T + y) * n + column];
    __syncthreads();
    for (int k = 0; k < T; k++) sum = sum * 0.5f + s[k][x];
    __syncthreads();
  }
  c[(blockIdx.y * T + y) * n + column] = sum + s[T - 1 - y][x] * blockIdx.y;
}
"""


@case(blocks=[(16, 16), (8, 8), (18, 18), (32, 32)])
def tiles_that_are_copies(run):
    """Products whose tiles hold copies: several blocks, one of them alone, also onto its own operands."""
    side = run.block[0]
    rng = np.random.default_rng(3)
    for padding, kind in ((0, "float"), (1, "int"), (1, "double"), (0, "short")):
        name = f"copied<{side}, {padding}, {kind}>"
        dtype = {"float": F, "int": np.int32, "double": np.float64, "short": np.int16}[kind]
        for blocks in (3, 1, 2):
            n = blocks * side
            a, b = small_integers(rng, (n, n)).astype(dtype), small_integers(rng, (n, n)).astype(dtype)
            c, product = np.zeros((n, n), dtype), a @ b
            run(COPIES, a, b, c, n, grid=(blocks, blocks), names=[name])
            run.same(c, product, f"{name}, {blocks} blocks")
            if blocks == 1:
                run(COPIES, a, b, a, n, grid=(1, 1), names=[name])
                run.same(a, product, f"{name}, in place")
    n, name = 3 * side, f"last_tile<{side}>"
    a, c = small_integers(rng, (n, n)), np.zeros((n, n), F)
    run(COPIES, a, c, n, grid=(3, 3), names=[name])
    sums = np.zeros(n, F)
    for row in a:
        sums = sums * F(0.5) + row
    last = a[: -side - 1 : -1]
    run.same(c, np.concatenate([sums + last * F(y) for y in range(3)]), name)


@case(blocks=[32, 64, 100, 256])
def extrema_over_tiles(run):
    """What a thread has found so far is kept over barriers: least squares' sums, greatest values; NaN, infinities, zeros of both signs."""
    source = """
    __global__ void k(const float* x, const float* y, float* out, int n) {
      __shared__ float tx[SIZE], ty[SIZE];
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      float px = i < n ? x[i] : 0.f, py = i < n ? y[i] : 0.f;
      float least = INFINITY, also = 3.4e38f, greatest = -INFINITY, lowest = 0.f;
      for (int first = 0; first < n; first += SIZE) {
        int count = min(SIZE, n - first);
        if (threadIdx.x < count) { tx[threadIdx.x] = x[first + threadIdx.x]; ty[threadIdx.x] = y[first + threadIdx.x]; }
        __syncthreads();
        for (int j = 0; j < count; ++j) {
          float dx = px - tx[j], dy = py - ty[j], d = dx * dx + dy * dy;
          least = fminf(least, d);
          also = fminf(d + sqrtf(d), also);
          greatest = fmaxf(greatest, tx[j]);
          lowest = fminf(ty[j], lowest);
        }
        __syncthreads();
      }
      if (i >= n) return;
      out[4 * i] = least; out[4 * i + 1] = also; out[4 * i + 2] = greatest; out[4 * i + 3] = lowest;
    }
    """.replace("SIZE", str(run.block[0]))
    n = 3 * run.block[0] - 7
    rng = np.random.default_rng(n)
    x, y = rng.integers(-5, 5, (2, n)).astype(np.float32) * 3
    x[::9] = np.nan
    y[4::11] = np.inf
    y[y == 0] = rng.choice([0.0, -0.0], int((y == 0).sum()))
    x[5] = -0.0
    for low in (0, n - 20):  # then nothing but NaN and zeros
        x[:low] = np.nan
        y[:low] = np.nan
        out = np.zeros((n, 4), np.float32)
        run(source, x, y, out, n, grid=3)
        with np.errstate(invalid="ignore"):
            d = (x[:, None] - x) ** 2 + (y[:, None] - y) ** 2
            wanted = np.zeros_like(out)
            wanted[:, 0] = np.fmin.reduce(d, axis=1, initial=np.float32(np.inf))
            wanted[:, 1] = np.fmin.reduce(d + np.sqrt(d), axis=1, initial=np.float32(3.4e38))
        numbers = x[~np.isnan(x)]
        wanted[:, 2] = numbers.max()
        if numbers.max() == 0:
            wanted[:, 2] = 0.0 if (~np.signbit(numbers[numbers == 0])).any() else -0.0
        numbers = y[~np.isnan(y)]
        wanted[:, 3] = min(numbers.min(), np.float32(0))
        if wanted[0, 3] == 0:
            wanted[:, 3] = -0.0 if np.signbit(numbers[numbers == 0]).any() else 0.0
        run.same(out, wanted, str(low))


@case(blocks=[32, 64, 100])
def members_summed_in_memory(run):
    """Members of a thread's own record, in memory, to which a loop over a tile adds."""
    source = """
    struct Body { float v, x, y, z; };
    __global__ void k(const Body* in, const float* charges, Body* out, int n) {
      __shared__ Body own[SIZE], tile[SIZE];
      __shared__ float charge[SIZE];
      int first = blockIdx.x * SIZE, t = threadIdx.x;
      while (t < SIZE) { own[t] = in[first + t]; t += blockDim.x; }
      t = threadIdx.x;
      __syncthreads();
      for (int other = 0; other < n; other += SIZE) {
        while (t < SIZE) { tile[t] = in[other + t]; charge[t] = charges[other + t]; t += blockDim.x; }
        t = threadIdx.x;
        __syncthreads();
        while (t < SIZE) {
          for (int j = 0; j < SIZE; ++j) {
            float d = own[t].x * tile[j].x + own[t].y * tile[j].y;
            out[first + t].v += charge[j];
            out[first + t].x += charge[j] * d;
            out[first + t].y += own[t].v - tile[j].v;
            out[first + t].z += tile[j].z * d;
          }
          t += blockDim.x;
        }
        t = threadIdx.x;
        __syncthreads();
      }
    }
    """
    size, n = run.block[0], 3 * run.block[0]
    rng = np.random.default_rng(n)
    bodies, charges = small_integers(rng, (n, 4)), small_integers(rng, n)
    start = small_integers(rng, (n, 4))
    d = bodies[:, None, 1] * bodies[None, :, 1] + bodies[:, None, 2] * bodies[None, :, 2]
    wanted = start.copy()
    wanted[:, 0] += charges.sum()
    wanted[:, 1] += (charges * d).sum(axis=1)
    wanted[:, 2] += (bodies[:, None, 0] - bodies[None, :, 0]).sum(axis=1)
    wanted[:, 3] += (bodies[None, :, 3] * d).sum(axis=1)
    out = start.copy()
    source = source.replace("SIZE", str(size))
    run(source, bodies.reshape(-1).view("V16"), charges, out.reshape(-1).view("V16"), n, grid=3)
    run.same(out, wanted)
