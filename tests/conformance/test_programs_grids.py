"""Whole programs on grids and images: neighbours through shared memory, halos, edges, several launches."""

import numpy as np
from harness import case

F = np.float32


def blocks_of(size, block):
    """Blocks that cover so many elements."""
    return tuple(-(-n // b) for n, b in zip(size, block, strict=False))


HEAT = """
#define TILE_X 16
#define TILE_Y 8
__global__ void step(const float* __restrict__ in, const float* __restrict__ source, float* __restrict__ out,
                     int width, int height, float k) {
  __shared__ float tile[TILE_Y + 2][TILE_X + 2];
  const int x = blockIdx.x * TILE_X + threadIdx.x, y = blockIdx.y * TILE_Y + threadIdx.y;
  const int cx = min(x, width - 1), cy = min(y, height - 1);
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  tile[ty][tx] = in[cy * width + cx];
  if (threadIdx.x == 0) tile[ty][0] = in[cy * width + max(x - 1, 0)];
  if (threadIdx.x == TILE_X - 1 || x == width - 1) tile[ty][tx + 1] = in[cy * width + min(x + 1, width - 1)];
  if (threadIdx.y == 0) tile[0][tx] = in[max(y - 1, 0) * width + cx];
  if (threadIdx.y == TILE_Y - 1 || y == height - 1) tile[ty + 1][tx] = in[min(y + 1, height - 1) * width + cx];
  __syncthreads();
  if (x >= width || y >= height) return;
  const float c = tile[ty][tx];
  const float sum = ((tile[ty][tx - 1] + tile[ty][tx + 1]) + tile[ty - 1][tx]) + tile[ty + 1][tx];
  out[y * width + x] = c + k * (sum - 4.0f * c) + source[y * width + x];
}
"""


@case(blocks=[(16, 8)])
def heat_with_a_halo_in_shared_memory(run):
    """Four neighbours from a tile with a halo, 5 steps, sizes that no tile divides."""
    width, height = 45, 29
    rng = np.random.default_rng(1)
    a = rng.random((height, width), F)
    source = (rng.random((height, width), F) * F(0.01)).astype(F)
    expected = a.copy()
    b = np.zeros_like(a)
    for _ in range(5):
        run(HEAT, a, source, b, width, height, 0.2, grid=blocks_of((width, height), (16, 8)))
        a, b = b, a
        p = np.pad(expected, 1, mode="edge")
        total = ((p[1:-1, :-2] + p[1:-1, 2:]) + p[:-2, 1:-1]) + p[2:, 1:-1]
        expected = (expected + F(0.2) * (total - F(4) * expected)) + source
    run.same(a, expected)


LIFE = """
__global__ void life(const unsigned char* in, unsigned char* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int n = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (dx || dy) n += in[((y + dy + h) % h) * w + (x + dx + w) % w];
  out[y * w + x] = n == 3 || (n == 2 && in[y * w + x]);
}
"""


@case(blocks=[(32, 4), (8, 8), (33, 2), (5, 3)])
def game_of_life_on_a_torus(run):
    """Bytes, wrapped neighbours by remainders, an early return."""
    w, h = 70, 31
    a = np.random.default_rng(2).integers(0, 2, (h, w), np.uint8)
    expected = a.copy()
    b = np.zeros_like(a)
    for _ in range(4):
        run(LIFE, a, b, w, h, grid=blocks_of((w, h), run.block))
        a, b = b, a
        n = sum(np.roll(expected, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
        expected = ((n == 3) | ((n == 2) & (expected == 1))).astype(np.uint8)
    run.same(a, expected)


SOBEL = """
__global__ void sobel(const uchar4* in, unsigned char* out, int w, int h, int threshold) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int v[3][3];
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) {
      const int sx = max(0, min(w - 1, x + i - 1)), sy = max(0, min(h - 1, y + j - 1));
      const uchar4 p = in[sy * w + sx];
      v[j][i] = (p.x * 77 + p.y * 150 + p.z * 29) >> 8;
    }
  const int gx = v[0][2] + 2 * v[1][2] + v[2][2] - v[0][0] - 2 * v[1][0] - v[2][0];
  const int gy = v[2][0] + 2 * v[2][1] + v[2][2] - v[0][0] - 2 * v[0][1] - v[0][2];
  const int magnitude = abs(gx) + abs(gy);
  out[y * w + x] = magnitude > threshold ? 255 : (unsigned char)(magnitude >> 2);
}
"""


@case(blocks=[(16, 16), (32, 8), (7, 9)])
def sobel_of_colour_pixels(run):
    """uchar4, a private 3x3 window, clamped edges, a conditional store of a byte."""
    w, h = 51, 38
    pixels = np.random.default_rng(3).integers(0, 256, (h, w, 4), np.uint8)
    out = np.zeros((h, w), np.uint8)
    run(SOBEL, pixels.view("V4"), out, w, h, 300, grid=blocks_of((w, h), run.block))
    c = pixels.astype(np.int64)
    grey = np.pad((c[..., 0] * 77 + c[..., 1] * 150 + c[..., 2] * 29) >> 8, 1, mode="edge")

    def v(j, i):
        return grey[j : j + h, i : i + w]

    gx = v(0, 2) + 2 * v(1, 2) + v(2, 2) - v(0, 0) - 2 * v(1, 0) - v(2, 0)
    gy = v(2, 0) + 2 * v(2, 1) + v(2, 2) - v(0, 0) - 2 * v(0, 1) - v(0, 2)
    magnitude = np.abs(gx) + np.abs(gy)
    run.same(out, np.where(magnitude > 300, 255, magnitude >> 2))


PATHS = """
// One row after the other inside a block; each block owns a strip and recomputes its halo.
__global__ void cheapest(const int* wall, const int* start, int* result, int width, int rows, int from, int steps) {
  __shared__ int before[256], now[256];
  const int tx = threadIdx.x, inner = blockDim.x - 2 * steps;
  const int x = (int)blockIdx.x * inner - steps + tx;
  const bool valid = x >= 0 && x < width;
  if (valid) before[tx] = start[x];
  bool computed = false;
  __syncthreads();
  for (int i = 0; i < steps; i++) {
    computed = false;
    if (tx >= i + 1 && tx <= (int)blockDim.x - 2 - i && valid) {
      computed = true;
      const int west = x > 0 ? before[tx - 1] : INT_MAX, east = x < width - 1 ? before[tx + 1] : INT_MAX;
      now[tx] = min(before[tx], min(west, east)) + wall[(from + i) * width + x];
    }
    __syncthreads();
    if (i == steps - 1) break;
    if (computed) before[tx] = now[tx];
    __syncthreads();
  }
  if (computed) result[x] = now[tx];
}
"""


@case(blocks=[64, 128, 256])
def cheapest_paths_row_by_row(run):
    """Dynamic programming with a shrinking halo: guarded work between barriers, a break out of a loop with barriers."""
    width, rows, steps = 301, 13, 4
    wall = np.random.default_rng(4).integers(0, 10, (rows, width), np.int32)
    a, b = wall[0].copy(), np.zeros(width, np.int32)
    expected = wall[0].astype(np.int64)
    grid = -(-width // (run.block[0] - 2 * steps))
    for row in range(1, rows, steps):
        run("#define INT_MAX 2147483647\n" + PATHS, wall, a, b, width, rows, row, steps, grid=grid)
        a, b = b, a
    for row in range(1, rows):
        p = np.pad(expected, 1, constant_values=1 << 40)
        expected = np.minimum(p[1:-1], np.minimum(p[:-2], p[2:])) + wall[row]
    run.same(a, expected)


WAVE = """
template <int R>
__global__ void wave(const float* u, float* v, int nx, int ny, int nz, const float* c) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < R || y < R || x >= nx - R || y >= ny - R) return;
  const int plane = nx * ny;
  float behind[R], infront[R], current = u[y * nx + x + R * plane];
  for (int i = 0; i < R; i++) {
    behind[i] = u[y * nx + x + (R - 1 - i) * plane];
    infront[i] = u[y * nx + x + (R + 1 + i) * plane];
  }
  for (int z = R; z < nz - R; z++) {
    const int at = z * plane + y * nx + x;
    float value = c[0] * current;
    for (int i = 1; i <= R; i++) {
      value += c[i] * (infront[i - 1] + behind[i - 1]);
      value += c[i] * (u[at + i] + u[at - i]);
      value += c[i] * (u[at + i * nx] + u[at - i * nx]);
    }
    v[at] = 2.0f * current - v[at] + value;
    for (int i = R - 1; i > 0; i--) behind[i] = behind[i - 1];
    behind[0] = current;
    current = infront[0];
    for (int i = 0; i < R - 1; i++) infront[i] = infront[i + 1];
    if (z + 1 < nz - R) infront[R - 1] = u[at + (R + 1) * plane];
  }
}
"""


@case(blocks=[(16, 4), (32, 2), (5, 5)])
def wave_equation_with_a_queue_in_registers(run):
    """A 3-D stencil of radius 3 that marches along z with its column in private arrays."""
    r, nx, ny, nz = 3, 37, 19, 14
    rng = np.random.default_rng(5)
    u, v = rng.random((nz, ny, nx), F), rng.random((nz, ny, nx), F)
    c = np.array([-2.5, 1.3, -0.2, 0.05], F)
    expected = v.copy()
    s = slice(r, -r)
    value = c[0] * u[s, s, s]

    def shifted(axis, by):
        index = [slice(r + (by if a == axis else 0), n - r + (by if a == axis else 0)) for a, n in enumerate(u.shape)]
        return u[tuple(index)]

    for i in range(1, r + 1):
        for axis in (0, 2, 1):
            value = value + c[i] * (shifted(axis, i) + shifted(axis, -i))
    expected[s, s, s] = (F(2) * u[s, s, s] - v[s, s, s]) + value
    run(WAVE, u, v, nx, ny, nz, c, grid=blocks_of((nx, ny), run.block), names=["wave<3>"])
    run.same(v, expected)


DIFFUSION = """
struct Cell { float value; float weight[4]; };
__device__ float edge(float difference, float k) { return 1.0f / (1.0f + difference * difference / (k * k)); }
__global__ void weights(Cell* cells, int w, int h, float k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= w * h) return;
  const int x = i % w, y = i / w;
  const float c = cells[i].value;
  const int at[4] = {x ? i - 1 : i, x < w - 1 ? i + 1 : i, y ? i - w : i, y < h - 1 ? i + w : i};
  for (int d = 0; d < 4; d++) cells[i].weight[d] = edge(cells[at[d]].value - c, k);
}
__global__ void diffuse(const Cell* cells, float* out, int w, int h, float lambda) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= w * h) return;
  const int x = i % w, y = i / w;
  const Cell cell = cells[i];
  float flow = 0;
  if (x > 0) flow += cell.weight[0] * (cells[i - 1].value - cell.value);
  if (x < w - 1) flow += cell.weight[1] * (cells[i + 1].value - cell.value);
  if (y > 0) flow += cell.weight[2] * (cells[i - w].value - cell.value);
  if (y < h - 1) flow += cell.weight[3] * (cells[i + w].value - cell.value);
  out[i] = cell.value + lambda * flow;
}
"""


@case(blocks=[64, 100, 256])
def anisotropic_diffusion_of_structs(run):
    """Arrays of structs with an array inside, an index table in a private array, two kernels of one source."""
    w, h, k, step = 23, 17, F(0.3), F(0.15)
    cells = np.zeros(w * h, np.dtype([("value", F), ("weight", F, 4)]))
    cells["value"] = np.random.default_rng(6).random(w * h, F)
    out = np.zeros(w * h, F)
    grid = -(-w * h // run.block[0])
    run(DIFFUSION, cells, w, h, float(k), grid=grid, kernel="weights")
    run(DIFFUSION, cells, out, w, h, float(step), grid=grid, kernel="diffuse")
    v = np.random.default_rng(6).random(w * h, F).reshape(h, w)
    p = np.pad(v, 1, mode="edge")
    neighbours = [p[1:-1, :-2], p[1:-1, 2:], p[:-2, 1:-1], p[2:, 1:-1]]
    inside = np.zeros((4, h, w), bool)
    inside[0, :, 1:] = inside[1, :, :-1] = inside[2, 1:] = inside[3, :-1] = True
    flow = np.zeros_like(v)
    for there, n in zip(inside, neighbours, strict=True):
        difference = n - v
        weight = F(1) / (F(1) + difference * difference / (k * k))
        flow = np.where(there, flow + weight * difference, flow)
    run.same(out.reshape(h, w), v + step * flow)


DISTANCE = """
__global__ void jump(const int2* in, int2* out, int n, int step) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  int2 best = in[y * n + x];
  long long least = best.x < 0 ? 1ll << 40 : (long long)(best.x - x) * (best.x - x) + (long long)(best.y - y) * (best.y - y);
  for (int j = -1; j <= 1; j++) {
    const int sy = y + j * step;
    if (sy < 0 || sy >= n) continue;
    for (int i = -1; i <= 1; i++) {
      const int sx = x + i * step;
      if (sx < 0 || sx >= n) continue;
      const int2 seed = in[sy * n + sx];
      if (seed.x < 0) continue;
      const long long d = (long long)(seed.x - x) * (seed.x - x) + (long long)(seed.y - y) * (seed.y - y);
      if (d < least) { least = d; best = seed; }
    }
  }
  out[y * n + x] = best;
}
"""


@case(blocks=[(8, 8), (32, 4)])
def jump_flooding(run):
    """Nearest seeds: int2, 64-bit sums, nested loops with continue."""
    n = 40
    rng = np.random.default_rng(7)
    field = np.full((n, n, 2), -1, np.int32)
    for _ in range(9):
        x, y = rng.integers(0, n, 2)
        field[y, x] = x, y
    expected, step = field.astype(np.int64), n // 2
    a, b = field.copy(), np.zeros_like(field)
    ys, xs = np.mgrid[:n, :n]

    def squared(seed):
        d = (seed[..., 0] - xs) ** 2 + (seed[..., 1] - ys) ** 2
        return np.where(seed[..., 0] < 0, 1 << 40, d)

    while step:
        run(DISTANCE, a.view("V8"), b.view("V8"), n, step, grid=blocks_of((n, n), run.block))
        a, b = b, a
        best, least = expected.copy(), squared(expected)
        for j in (-1, 0, 1):
            for i in (-1, 0, 1):
                sy, sx = ys + j * step, xs + i * step
                inside = (sy >= 0) & (sy < n) & (sx >= 0) & (sx < n)
                seed = np.where(inside[..., None], expected[sy % n, sx % n], -1)
                d = squared(seed)
                better = d < least
                best, least = np.where(better[..., None], seed, best), np.where(better, d, least)
        expected, step = best, step // 2
    run.same(a, expected)


GHOST_ZONES = """
#define TILE 16
__global__ void steps(int turns, const float* source, const float* in, float* out, int w, int h, float k) {
  __shared__ float now[TILE][TILE], next[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y, inner = TILE - 2 * turns;
  int left = inner * blockIdx.x - turns, top = inner * blockIdx.y - turns;
  int right = left + TILE - 1, bottom = top + TILE - 1;
  int x = left + tx, y = top + ty, at = w * y + x;
  if (y >= 0 && y <= h - 1 && x >= 0 && x <= w - 1) now[ty][tx] = in[at];
  __syncthreads();
  int low_x = left < 0 ? -left : 0, low_y = top < 0 ? -top : 0;
  int high_x = right > w - 1 ? TILE - 1 - (right - w + 1) : TILE - 1;
  int high_y = bottom > h - 1 ? TILE - 1 - (bottom - h + 1) : TILE - 1;
  int n = max(ty - 1, low_y), s = min(ty + 1, high_y), e = min(tx + 1, high_x);
  int o = tx - 1 < low_x ? low_x : tx - 1;
  bool mine = false;
  for (int i = 0; i < turns; ++i) {
    mine = false;
    if (tx >= i + 1 && tx <= TILE - i - 2 && ty >= i + 1 && ty <= TILE - i - 2 && tx >= low_x && tx <= high_x &&
        ty >= low_y && ty <= high_y) {
      mine = true;
      next[ty][tx] = now[ty][tx] + k * (source[at] + ((now[n][tx] + now[s][tx]) - 2.0f * now[ty][tx]) +
                                        ((now[ty][o] + now[ty][e]) - 2.0f * now[ty][tx]));
    }
    __syncthreads();
    if (i == turns - 1) break;
    if (mine) now[ty][tx] = next[ty][tx];
    __syncthreads();
  }
  if (mine) out[at] = next[ty][tx];
}
"""


@case(blocks=[(16, 16)])
def several_steps_in_a_tile_that_shrinks(run):
    """Each step leaves out the tile's outermost elements; neighbours beyond the plane are its own edge."""
    w, h = 61, 53
    rng = np.random.default_rng(2)
    source, a = rng.random((h, w), F), rng.random((h, w), F)
    k = F(0.125)
    for turns in (1, 2, 3):
        out = np.zeros_like(a)
        run(GHOST_ZONES, turns, source, a, out, w, h, k, grid=blocks_of((w, h), (16 - 2 * turns,) * 2))
        expected = a
        for _ in range(turns):
            p = np.pad(expected, 1, mode="edge")
            down = (p[:-2, 1:-1] + p[2:, 1:-1]) - F(2) * expected
            across = (p[1:-1, :-2] + p[1:-1, 2:]) - F(2) * expected
            expected = expected + k * (source + down + across)
        run.close(out, expected, ulps=4)


SHORTEST_WAYS = """
#define ROW 256
__global__ void ways(int turns, const int* wall, const int* from, int* to, int columns, int start) {
  __shared__ int now[ROW], next[ROW];
  int t = threadIdx.x, first = (ROW - 2 * turns) * blockIdx.x - turns, last = first + ROW - 1, x = first + t;
  int low = first < 0 ? -first : 0, high = last > columns - 1 ? ROW - 1 - (last - columns + 1) : ROW - 1;
  int before = t - 1 < low ? low : t - 1, behind = t + 1 > high ? high : t + 1;
  bool valid = t >= low && t <= high, mine = false;
  if (x >= 0 && x <= columns - 1) now[t] = from[x];
  __syncthreads();
  for (int i = 0; i < turns; ++i) {
    mine = false;
    if (t >= i + 1 && t <= ROW - i - 2 && valid) {
      mine = true;
      next[t] = min(min(now[before], now[t]), now[behind]) + wall[columns * (start + i) + x];
    }
    __syncthreads();
    if (i == turns - 1) break;
    if (mine) now[t] = next[t];
    __syncthreads();
  }
  if (mine) to[x] = next[t];
}
"""


@case(blocks=[256])
def several_rows_of_shortest_ways(run):
    """As above in one dimension: of each row the least of three neighbours."""
    columns, rows, turns = 1000, 21, 10
    rng = np.random.default_rng(3)
    wall = rng.integers(0, 10, (rows, columns), np.int32)
    a, b = wall[0].copy(), np.zeros(columns, np.int32)
    for start in range(1, rows, turns):
        run(SHORTEST_WAYS, turns, wall, a, b, columns, start, grid=-(-columns // (256 - 2 * turns)))
        a, b = b, a
    expected = wall[0]
    for row in wall[1:]:
        p = np.pad(expected, 1, mode="edge")
        expected = np.minimum(np.minimum(p[:-2], expected), p[2:]) + row
    run.same(a, expected)
