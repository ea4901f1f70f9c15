"""Tiles in shared memory with what lies around them, written in the ways that GPU code has for it."""

import numpy as np
from harness import case

PLACE = """
  int tx = threadIdx.x, ty = threadIdx.y * blockDim.z + threadIdx.z, bx = blockDim.x, by = blockDim.y * blockDim.z;
  int x = blockIdx.x * bx + tx, y = blockIdx.y * by + ty, p = y * width + x;
"""
HEAD = "__global__ void k(const int* in, int* out, int width, int height) {" + PLACE


def images(run):
    """(width, height) of whole blocks: one, with and without blocks inside."""
    rows = run.block[1] * run.block[2]
    return [(run.block[0] * wide, rows * high) for wide, high in ((1, 1), (4, 3), (3, 5))]


def shifted(image, dx, dy):
    """The image's value at (x + dx, y + dy) for each (x, y); 0 beyond its edges."""
    height, width = image.shape
    x, y = np.meshgrid(np.arange(width) + dx, np.arange(height) + dy)
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    return np.where(inside, image[np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)], 0)


def cross(image, step_x=1, step_y=1):
    return sum(
        f * shifted(image, dx * step_x, dy * step_y)
        for f, dx, dy in ((1, 0, 0), (2, -1, 0), (3, 1, 0), (5, 0, -1), (7, 0, 1))
    )


def square(image):
    return sum((3 * j + i + 1) * shifted(image, i - 1, j - 1) for j in range(3) for i in range(3))


def check(run, source, expected, shared=0, dtype=np.int32):
    rows = run.block[1] * run.block[2]
    source = source.replace("BX", str(run.block[0])).replace("BY", str(rows))
    for width, height in images(run):
        image = (np.arange(width * height) * 7919 % 101 + 1).astype(dtype).reshape(height, width)
        out = np.full(image.shape, -1, np.int32)
        grid = (width // run.block[0], height // rows)
        run(source, image, out, width, height, grid=grid, shared=shared)
        run.same(out, expected(image.astype(np.int32)))


CROSS = "out[p] = s[ty + 1][tx + 1] + 2 * s[ty + 1][tx] + 3 * s[ty + 1][tx + 2] + 5 * s[ty][tx + 1] + 7 * s[ty + 2][tx + 1];"
SQUARE = """int sum = 0;
  for (int j = 0; j < 3; j++) for (int i = 0; i < 3; i++) sum += (3 * j + i + 1) * s[ty + j][tx + i];
  out[p] = sum;"""


FILL = """
      for (int j = ty; j < BY + 2; j += BY)
        for (int i = tx; i < BX + 2; i += BX) {
          int gx = x - tx + i - 1, gy = y - ty + j - 1;
          s[j][i] = gx >= 0 && gx < width && gy >= 0 && gy < height ? in[gy * width + gx] : 0;
        }
"""


@case
def a_row_s_first_threads_bring_both_ends(run):
    """The halo by the first threads of the block, behind a guard each."""
    source = """__global__ void k(const int* in, int* out, int n) {
      const int R = RADIUS;
      __shared__ int s[BX + 2 * R];
      int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z), g = blockIdx.x * BX + t;
      s[t + R] = g < n ? in[g] : 0;
      if (t < R) {
        s[t] = g >= R ? in[g - R] : 0;
        s[t + BX + R] = g + BX < n ? in[g + BX] : 0;
      }
      __syncthreads();
      int sum = 0;
      for (int o = -R; o <= R; o++) sum += (o + R + 1) * s[t + R + o];
      if (g < n) out[g] = sum;
    }"""
    radius = min(3, run.threads)
    source = source.replace("BX", str(run.threads)).replace("RADIUS", str(radius))
    for n in (1, run.threads, 4 * run.threads - 1, 5 * run.threads):
        x = (np.arange(n, dtype=np.int32) * 7919) % 101 + 1
        out = np.full(n, -1, np.int32)
        run(source, x, out, n, grid=-(-n // run.threads))
        wide = np.pad(x, radius)
        run.same(out, sum((o + 1) * wide[o : o + n] for o in range(2 * radius + 1)))


@case
def edges_by_the_threads_there(run):
    """Each side by the threads that are next to it."""
    source = (
        HEAD
        + """
      __shared__ int s[BY + 2][BX + 2];
      s[ty + 1][tx + 1] = in[p];
      if (tx == 0) s[ty + 1][0] = x > 0 ? in[p - 1] : 0;
      if (tx == BX - 1) s[ty + 1][BX + 1] = x < width - 1 ? in[p + 1] : 0;
      if (ty == 0) s[0][tx + 1] = y > 0 ? in[p - width] : 0;
      if (ty == BY - 1) s[BY + 1][tx + 1] = y < height - 1 ? in[p + width] : 0;
      __syncthreads();
      """
        + CROSS
        + "}"
    )
    check(run, source, cross)


@case
def a_loop_over_rows_and_columns(run):
    source = HEAD + "__shared__ int s[BY + 2][BX + 2];" + FILL + "__syncthreads();" + SQUARE + "}"
    check(run, source, square)


@case
def a_flat_loop(run):
    """Elements by a number that is taken apart; the tile's edges are the image's last values, not 0."""
    source = (
        HEAD
        + """
      __shared__ int s[BY + 2][BX + 2];
      for (int k = ty * BX + tx; k < (BX + 2) * (BY + 2); k += BX * BY) {
        int gx = x - tx + k % (BX + 2) - 1, gy = y - ty + k / (BX + 2) - 1;
        s[k / (BX + 2)][k % (BX + 2)] = in[min(max(gy, 0), height - 1) * width + min(max(gx, 0), width - 1)];
      }
      __syncthreads();
      """
        + SQUARE
        + "}"
    )

    def clamped(image):
        wide = np.pad(image, 1, mode="edge")
        height, width = image.shape
        return sum((3 * j + i + 1) * wide[j : j + height, i : i + width] for j in range(3) for i in range(3))

    check(run, source, clamped)


@case
def a_dynamic_tile_of_bytes(run):
    """The tile's rows are as long as the block says."""
    source = (
        HEAD.replace("const int* in", "const unsigned char* in")
        + """
      extern __shared__ unsigned char tile[];
      int pitch = bx + 2;
      for (int j = ty; j < by + 2; j += by)
        for (int i = tx; i < pitch; i += bx) {
          int gx = x - tx + i - 1, gy = y - ty + j - 1;
          tile[j * pitch + i] = gx >= 0 && gx < width && gy >= 0 && gy < height ? in[gy * width + gx] : 0;
        }
      __syncthreads();
      int sum = 0;
      for (int j = 0; j < 3; j++) for (int i = 0; i < 3; i++) sum += (3 * j + i + 1) * tile[(ty + j) * pitch + tx + i];
      out[p] = sum;
    }"""
    )
    rows = run.block[1] * run.block[2]
    check(run, source, square, shared=(run.block[0] + 2) * (rows + 2), dtype=np.uint8)


@case
def two_tiles(run):
    """Of one array with a halo, and of another one without."""
    source = (
        HEAD.replace("const int* in", "const int* in, const int* more")
        + "__shared__ int s[BY + 2][BX + 2], own[BY][BX];"
        + FILL
        + "own[ty][tx] = more[p]; __syncthreads();"
        + SQUARE.replace("sum = 0", "sum = own[ty][tx]")
        + "}"
    )
    rows = run.block[1] * run.block[2]
    source = source.replace("BX", str(run.block[0])).replace("BY", str(rows))
    for width, height in images(run):
        image = (np.arange(width * height, dtype=np.int32) * 7919 % 101 + 1).reshape(height, width)
        more = np.ascontiguousarray(image[::-1])
        out = np.full_like(image, -1)
        run(source, image, more, out, width, height, grid=(width // run.block[0], height // rows))
        run.same(out, square(image) + more)


@case
def threads_beyond_the_results(run):
    """Blocks overlap where they are large enough: their outermost threads only bring what others read."""
    columns, rows = run.block[0], run.block[1] * run.block[2]
    halo_x, halo_y = int(columns >= 3), int(rows >= 3)
    source = """__global__ void k(const int* in, int* out, int width, int height) {
      __shared__ int s[BY][BX];
      int tx = threadIdx.x, ty = threadIdx.y * blockDim.z + threadIdx.z;
      int x = blockIdx.x * (BX - 2 * HX) + tx - HX, y = blockIdx.y * (BY - 2 * HY) + ty - HY;
      s[ty][tx] = x >= 0 && x < width && y >= 0 && y < height ? in[y * width + x] : 0;
      __syncthreads();
      if (tx >= HX && tx < BX - HX && ty >= HY && ty < BY - HY && x < width && y < height)
        out[y * width + x] =
          s[ty][tx] + 2 * s[ty][tx - HX] + 3 * s[ty][tx + HX] + 5 * s[ty - HY][tx] + 7 * s[ty + HY][tx];
    }"""
    source = source.replace("BX", str(columns)).replace("BY", str(rows))
    source = source.replace("HX", str(halo_x)).replace("HY", str(halo_y))
    for width, height in ((3 * columns, 3 * rows), (5 * columns + 1, 4 * rows - 1)):
        image = (np.arange(width * height, dtype=np.int32) * 7919 % 101 + 1).reshape(height, width)
        out = np.full_like(image, -1)
        run(
            source,
            image,
            out,
            width,
            height,
            grid=(-(-width // (columns - 2 * halo_x)), -(-height // (rows - 2 * halo_y))),
        )
        run.same(out, cross(image, halo_x, halo_y))


@case
def results_where_the_halo_was(run):
    """One block at a time writes over what it has read, from all of it to its last element, and beside it."""
    source = """__global__ void k(int* all, int in, int out, int first, int n) {
      const int R = RADIUS;
      __shared__ int s[BX + 2 * R];
      int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z), g = (blockIdx.x + first) * BX + t;
      s[t + R] = g < n ? all[in + g] : 0;
      if (t < R) {
        s[t] = g >= R ? all[in + g - R] : 0;
        s[t + BX + R] = g + BX < n ? all[in + g + BX] : 0;
      }
      __syncthreads();
      if (g < n) all[out + g] = s[t] + 3 * s[t + R] + 5 * s[t + 2 * R];
    }"""
    threads, radius = run.threads, min(2, run.threads)
    source = source.replace("BX", str(threads)).replace("RADIUS", str(radius))
    n, first = 4 * threads, 1
    for distance in (0, 1, 2, threads + 1, threads + 2, -threads - 1, -threads - 2):
        at = 2 * threads + 8
        before = (np.arange(n + 2 * at, dtype=np.int32) * 7919) % 101 + 1
        g = np.arange(first * threads, (first + 1) * threads)
        expected = before.copy()
        expected[at + distance + g] = before[at + g - radius] + 3 * before[at + g] + 5 * before[at + g + radius]
        run(source, before, at, at + distance, first, n, grid=1)
        run.same(before, expected)


COLUMNS = """
    const int R = RADIUS, HIGH = RUNS * BY;
    __shared__ int s[HIGH + 2 * R][BX];
    int tx = threadIdx.x, ty = threadIdx.y * blockDim.z + threadIdx.z;
    int x = blockIdx.x * BX + tx, first = blockIdx.y * HIGH;
"""


def weighed_columns(image, radius):
    return sum((k + radius + 1) * shifted(image, 0, k) for k in range(-radius, radius + 1))


def check_columns(run, body, radius, runs):
    """Blocks of `runs` rows a thread, and images of whole blocks."""
    source = "__global__ void k(const int* in, int* out, int width, int height) {" + COLUMNS + body + "}"
    high = runs * run.block[1] * run.block[2]
    for word, value in (("BX", run.block[0]), ("BY", high // runs), ("RADIUS", radius), ("RUNS", runs)):
        source = source.replace(word, str(value))
    for wide, tall in ((1, 1), (3, 4), (16, 6)):
        image = (np.arange(run.block[0] * wide * high * tall, dtype=np.int32) * 7919 % 101 + 1).reshape(high * tall, -1)
        out = np.full_like(image, -1)
        run(source, image, out, image.shape[1], image.shape[0], grid=(wide, tall))
        run.same(out, weighed_columns(image, radius))


SUM_OF_COLUMN = """
    __syncthreads();
    for (int j = ty; j < HIGH; j += BY) {
      int sum = 0;
      for (int k = -R; k <= R; k++) sum += (k + R + 1) * s[j + R + k][tx];
      out[(first + j) * width + x] = sum;
    }
"""


@case
def columns_by_a_loop_over_rows(run):
    """A halo above and below: whether a block has it is one question for all its threads, or for some."""
    body = """
      for (int j = ty; j < HIGH + 2 * R; j += BY) {
        int y = first + j - R;
        s[j][tx] = y >= 0 && y < height ? in[y * width + x] : 0;
      }"""
    rows = run.block[1] * run.block[2]
    for radius, runs in ((1, 1), (rows, 2), (8, 2), (3, 4)):
        if run.on_gpu and 4 * run.block[0] * (rows * runs + 2 * radius) > 48 << 10:
            continue  # more than it has without asking
        check_columns(run, body + SUM_OF_COLUMN, radius, runs)


@case
def columns_by_single_rows(run):
    """The halo's rows behind guards of their own."""
    body = """
      for (int j = ty; j < HIGH; j += BY) s[j + R][tx] = in[(first + j) * width + x];
      if (first > 0) { for (int j = ty; j < R; j += BY) s[j][tx] = in[(first + j - R) * width + x]; }
      else { for (int j = ty; j < R; j += BY) s[j][tx] = 0; }
      if (first + HIGH < height) {
        for (int j = ty; j < R; j += BY) s[R + HIGH + j][tx] = in[(first + HIGH + j) * width + x];
      } else { for (int j = ty; j < R; j += BY) s[R + HIGH + j][tx] = 0; }"""
    check_columns(run, body + SUM_OF_COLUMN, 2, 2)


@case
def columns_where_the_halo_was(run):
    """One strip at a time writes over rows that it has read, or beside them."""
    source = """__global__ void k(int* all, int in, int out, int width, int height, int start) {
      const int R = 2;
      __shared__ int s[BY + 2 * R][BX];
      int tx = threadIdx.x, ty = threadIdx.y * blockDim.z + threadIdx.z;
      int x = blockIdx.x * BX + tx, first = (blockIdx.y + start) * BY;
      for (int j = ty; j < BY + 2 * R; j += BY) {
        int y = first + j - R;
        s[j][tx] = y >= 0 && y < height ? all[in + y * width + x] : 0;
      }
      __syncthreads();
      all[out + (first + ty) * width + x] = s[ty][tx] + 3 * s[ty + R][tx] + 5 * s[ty + 2 * R][tx];
    }"""
    columns, rows = run.block[0], run.block[1] * run.block[2]
    source = source.replace("BX", str(columns)).replace("BY", str(rows))
    start = -(-2 // rows)
    height, around = (2 * start + 1) * rows, 2 * rows + 8
    for distance in (0, 1, 2, -1, rows + 1, rows + 2, -rows - 2):
        before = (np.arange((height + 2 * around) * columns, dtype=np.int32) * 7919 % 101 + 1).reshape(-1, columns)
        expected, y = before.copy(), around + start * rows + np.arange(rows)
        expected[y + distance] = before[y - 2] + 3 * before[y] + 5 * before[y + 2]
        run(source, before, around * columns, (around + distance) * columns, columns, height, start, grid=1)
        run.same(before, expected)
