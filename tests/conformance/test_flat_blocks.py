"""Blocks of one row whose threads stand for several: threadIdx.x % 16 and threadIdx.x / 16 are column and row."""

import numpy as np
from harness import case

F = np.float32

SHAPES = """
template <int ROW, class INDEX>
__global__ void k(const int* in, int* out, int* threads, int n) {
  __shared__ int tile[64 * 65], halves[1024];
  const INDEX t = threadIdx.x, column = t % ROW, row = t / ROW, rows = blockDim.x / ROW;
  const int* from = in + blockIdx.x * rows * n;
  int* to = out + blockIdx.x * rows * n;
  int sum = 0;
  for (int first = 0; first < n; first += ROW) {
    tile[row * (ROW + 1) + column] = from[row * n + first + column];
    halves[t] = t / 8 * 3 + t % 8 + t % 128 * 5 + (t >> 6);
    __syncthreads();
    for (int i = 0; i < ROW; ++i) sum = sum * 3 + tile[row * (ROW + 1) + i] * tile[(i % rows) * (ROW + 1) + column];
    sum += halves[blockDim.x - 1 - t];
    __syncthreads();
    to[row * n + first + column] = sum;
  }
  threads[blockIdx.x * blockDim.x + row * ROW + column] = threadIdx.x * 1000 + threadIdx.y + blockDim.x;
}
"""


@case(blocks=[32, 64, 96, 128, 256, 512, 1024])
def rows_of_flat_blocks(run):
    """Rows of 8 to 64 threads, as int and unsigned; threadIdx.x itself, quotients and remainders by other numbers, too."""
    size, n = run.threads, 128
    for length in (8, 16, 32, 64):
        for index in ("int", "unsigned"):
            rows = size // length
            if rows * length != size or rows > 64 or rows == 0:
                continue
            x = np.random.default_rng(size).integers(-9, 9, (2, rows, n)).astype(np.int32)
            out, threads = np.zeros_like(x), np.zeros(2 * size, np.int32)
            run(SHAPES, x, out, threads, n, grid=2, names=[f"k<{length}, {index}>"])
            t = np.arange(size)[::-1]
            halves = (t // 8 * 3 + t % 8 + t % 128 * 5 + t // 64).reshape(rows, length)
            want, total = np.zeros_like(x), np.zeros((2, rows, length), np.int64)
            for first in range(0, n, length):
                tile = x[:, :, first : first + length].astype(np.int64)
                for i in range(length):
                    total = total * 3 + tile[:, :, i : i + 1] * tile[:, i % rows, None, :]
                    total = (total + 2**31) % 2**32 - 2**31
                total += halves
                want[:, :, first : first + length] = ((total + 2**31) % 2**32 - 2**31).astype(np.int32)
            run.same(out, want, f"rows of {length}, {index}")
            expected = np.tile(np.arange(size, dtype=np.int32) * 1000 + size, 2)
            run.same(threads, expected, f"threads, rows of {length}, {index}")


PRODUCT = """
template <class INDEX, int T>
__global__ void k(const float* a, const float* b, float* c, int m, int n, int depth) {
  __shared__ float as[T * T], bs[T * T];
  const INDEX column = threadIdx.x % T, row = threadIdx.x / T;
  a += blockIdx.y * T * depth; b += blockIdx.x * T; c += blockIdx.y * T * n + blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < depth; k += T) {
    as[row * T + column] = a[row * depth + column];
    bs[row * T + column] = b[row * n + column];
    __syncthreads();
    a += T; b += T * n;
    for (int i = 0; i < T; ++i) sum += as[row * T + i] * bs[i * T + column];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
"""


@case(blocks=[256, 1024])
def products_in_tiles_of_flat_blocks(run):
    """Tiles that pointers walk through, by int and by unsigned indices; one block along an axis, and several."""
    side = int(run.threads**0.5)
    for across, down in ((1, 1), (2, 1), (1, 3), (3, 2)):
        m, n, depth = down * side, across * side, 2 * side
        rng = np.random.default_rng(across)
        a, b = rng.integers(-9, 9, (m, depth)).astype(F), rng.integers(-9, 9, (depth, n)).astype(F)
        for index in ("int", "unsigned"):
            c = np.zeros((m, n), F)
            run(PRODUCT, a, b, c, m, n, depth, grid=(across, down), names=[f"k<{index}, {side}>"])
            run.same(c, a @ b, f"{index}, {across} x {down}")


IN_PLACE = """
__global__ void k(int* x, int n) {
  __shared__ int tile[1024];
  const int column = threadIdx.x & 31, row = threadIdx.x >> 5, rows = blockDim.x >> 5;
  int* from = x + blockIdx.x * rows * n;
  for (int first = 0; first < n; first += 32) {
    tile[threadIdx.x] = from[row * n + first + column];
    __syncthreads();
    const int other = tile[(rows - 1 - row) * 32 + (31 - column)];
    __syncthreads();
    from[row * n + first + column] = other + column;
  }
}
"""


@case(blocks=[64, 256, 1024])
def tiles_turned_in_place(run):
    """What is read and written are the same memory: tiles are copies then, and barriers stay."""
    rows, n = run.threads // 32, 96
    x = np.arange(2 * rows * n, dtype=np.int32).reshape(2, rows, n)
    got = x.copy()
    run(IN_PLACE, got, n, grid=2)
    want = x.copy()
    for first in range(0, n, 32):
        part = slice(first, first + 32)
        want[:, :, part] = x[:, ::-1, part][:, :, ::-1] + np.arange(32, dtype=np.int32)
    run.same(got, want)


# Tiles that threads fill in several ways, one or several elements each.
FILLS = {
    "an element each": "as[t / K][t % K] = a[(row + t / K) * depth + k + t % K];",
    "in a loop": "for (int i = t; i < M * K; i += THREADS) as[i / K][i % K] = a[(row + i / K) * depth + k + i % K];",
    "rows apart": "for (int o = 0; o < M; o += THREADS / K) as[t / K + o][t % K] = a[(row + t / K + o) * depth + k + t % K];",
    "backwards": "for (int i = t; i < M * K; i += THREADS) as[M - 1 - i / K][i % K] = a[(row + M - 1 - i / K) * depth + k + i % K];",
    "twice over": "for (int i = t; i < 2 * M * K; i += THREADS) as[i / K % M][i % K] = a[(row + i / K % M) * depth + k + i % K];",
    "by columns": "for (int i = t; i < M * K; i += THREADS) as[i % M][i / M] = a[(row + i % M) * depth + k + i / M];",
}
STRIPS = """
template <int M, int N, int K, int EACH, int THREADS>
__global__ void k(const float* a, const float* b, float* c, int n, int depth) {
  __shared__ float as[M][K + PAD];
  __shared__ float bs[K][N];
  const int t = threadIdx.x, column = t % N, part = t / N;
  const int row = blockIdx.y * M, side = blockIdx.x * N;
  float sums[EACH] = {0.0f};
  for (int k = 0; k < depth; k += K) {
    FILL
    for (int o = t / N; o < K; o += THREADS / N) bs[o][t % N] = b[(k + o) * n + side + t % N];
    __syncthreads();
    for (int d = 0; d < K; ++d)
      for (int i = 0; i < EACH; ++i) sums[i] += as[part * EACH + i][d] * bs[d][column];
    __syncthreads();
  }
  for (int i = 0; i < EACH; ++i) c[(row + part * EACH + i) * n + side + column] = sums[i];
}
"""


@case(blocks=[256, 512])
def strips_of_sums_a_thread(run):
    """Each thread has several sums of a column; tiles are filled in ways that divide the thread's index."""
    tall, wide, deep = 64, 64, 8
    each = tall * wide // run.threads
    rng = np.random.default_rng(run.threads)
    m, n, depth = 2 * tall, 3 * wide, 3 * deep
    a, b = rng.integers(-9, 9, (m, depth)).astype(F), rng.integers(-9, 9, (depth, n)).astype(F)
    for number, (way, fill) in enumerate(FILLS.items()):
        if way == "an element each" and run.threads != tall * deep:
            continue
        c = np.zeros((m, n), F)
        source = STRIPS.replace("FILL", fill).replace("PAD", str(number % 2))
        name = f"k<{tall}, {wide}, {deep}, {each}, {run.threads}>"
        run(source, a, b, c, n, depth, grid=(3, 2), names=[name])
        run.same(c, a @ b, way)


SEARCH = """
template <int ROW, class T>
__global__ void k(const T* image, const T* wanted, T* far, int width, int height) {
  __shared__ T own[9];
  const int x = threadIdx.x % ROW - ROW / 2, y = (int)(threadIdx.x / ROW) - 2;
  if (threadIdx.x < 9) own[threadIdx.x] = wanted[threadIdx.x];
  __syncthreads();
  T sum = 0;
  for (int j = 0; j < 3; ++j) {
    int at = (int)blockIdx.y * 4 + y + j;
    at = at < 0 ? 0 : at >= height ? height - 1 : at;
    for (int i = 0; i < 3; ++i) {
      int to = (int)blockIdx.x * 8 + x + i;
      to = to < 0 ? 0 : to >= width ? width - 1 : to;
      sum += abs((int)image[at * width + to] - (int)own[3 * j + i]);
    }
  }
  far[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] = sum;
}
"""


@case(blocks=[64, 96, 128, 256])
def results_of_flat_blocks_that_read_rows(run):
    """Each thread compares at a place of its own, rows of 16 to 64, clamped; results lie as threads do."""
    width, height, grid = 37, 29, (4, 6)
    rng = np.random.default_rng(run.threads)
    t = np.arange(run.threads)
    for spelled, dtype in (("unsigned short", np.uint16), ("int", np.int32), ("unsigned char", np.uint8)):
        image = rng.integers(0, 256, (height, width)).astype(dtype)
        wanted = rng.integers(0, 256, (3, 3)).astype(dtype)
        for row in (8, 16, 32, 64):
            if run.threads % row:
                continue
            far = np.zeros((grid[1], grid[0], run.threads), dtype)
            run(SEARCH, image, wanted, far, width, height, grid=grid, names=[f"k<{row}, {spelled}>"])
            expected = np.zeros(far.shape, np.int64)
            for by, bx, j, i in np.ndindex(grid[1], grid[0], 3, 3):
                y = np.clip(by * 4 + t // row - 2 + j, 0, height - 1)
                x = np.clip(bx * 8 + t % row - row // 2 + i, 0, width - 1)
                expected[by, bx] += np.abs(image[y, x].astype(np.int64) - int(wanted[j, i]))
            run.same(far, expected.astype(dtype), f"rows of {row}, {spelled}")


RECURSION = """
__device__ int below(int n) { return n <= 0 ? threadIdx.x * 100 + threadIdx.y : below(n - 1) + 1; }
__global__ void k(const int* in, int* out) {
  __shared__ int tile[1024];
  const int column = threadIdx.x % 16, row = threadIdx.x / 16;
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[row * 16 + column] = below(tile[row * 16 + 15 - column]);
}
"""


@case(blocks=[32, 64, 256])
def functions_that_ask_for_their_thread(run):
    """A function that recurses asks for threadIdx itself."""
    t = np.arange(run.threads, dtype=np.int32)
    depth = t * 7 % 5
    out = np.zeros_like(t)
    run(RECURSION, depth, out)
    run.same(out, t * 100 + depth[t // 16 * 16 + 15 - t % 16])
