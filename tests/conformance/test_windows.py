"""Windows: threads that read what lies beside each other in memory, so that what they read overlaps."""

import numpy as np
from harness import case

TYPES = {"float": np.float32, "double": np.float64, "int": np.int32, "long long": np.int64}
WINDOWS = [(-1, 2), (0, 3), (-2, 3), (-4, 5), (-8, 9), (0, 16), (-9, 9), (3, 8)]  # distances from, to
AT_MARGIN = 16

DIRECT = """
__global__ void k(const T* in, T* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  T sum = 0;
  for (int d = FROM; d < TO; d++) sum += T(d + 20) * in[i + d + MARGIN];
  out[i] = sum;
}"""
FILLS_TILE = """
__global__ void k(const T* in, T* out, int n) {
  __shared__ T tile[THREADS + 2 * MARGIN];
  int i = blockIdx.x * THREADS + threadIdx.x;
  for (int j = threadIdx.x; j < THREADS + 2 * MARGIN; j += THREADS) {
    int at = blockIdx.x * THREADS + j;
    tile[j] = at < n + 2 * MARGIN ? in[at] : T(0);
  }
  __syncthreads();"""
THROUGH_TILE = (
    FILLS_TILE
    + """
  T sum = 0;
  for (int d = FROM; d < TO; d++) sum += T(d + 20) * tile[threadIdx.x + d + MARGIN];
  if (i < n) out[i] = sum;
}"""
)
# The tile changes between the reads: what comes later sees it.
CHANGED = (
    FILLS_TILE
    + """
  T* mine = tile + threadIdx.x + MARGIN;
  T sum = 20 * mine[0] + 21 * mine[1] + 22 * mine[2];
  __syncthreads();
  *mine = *mine + 1;
  __syncthreads();
  sum += mine[0] + 2 * mine[1] + 3 * mine[2] + 4 * mine[-1];
  if (i < n) out[i] = sum;
}"""
)
# Each thread reads on from what it has just written beside it: nobody else looks there.
OWN = """
__global__ void k(const T* in, T* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  T* mine = out + i;
  const T* here = in + i + MARGIN;
  T sum = here[0] + here[1] + here[2];
  *mine = sum;
  sum += here[3] * 2 + *mine + here[4] + here[5];
  *mine = sum;
}"""


def weighed(values, n, first, last):
    return sum((d + 20) * values[AT_MARGIN + d : AT_MARGIN + d + n] for d in range(first, last))


def check(run, source, kind, n, expected, window=(0, 1)):
    rng = np.random.default_rng(n + window[1])
    values = rng.integers(-9, 10, n + 2 * AT_MARGIN).astype(TYPES[kind])
    got = np.zeros(n, TYPES[kind])
    for name, number in {"FROM": window[0], "TO": window[1], "MARGIN": AT_MARGIN, "THREADS": run.threads}.items():
        source = source.replace(name, f"({number})")
    run(f"typedef {kind} T;{source}", values, got, np.int32(n), grid=-(-n // run.threads))
    run.same(got, expected(values, n).astype(TYPES[kind]))


@case(blocks=[256, 64, 128, 100])
def windows_of_memory(run):
    """Sums over neighbours, read from global memory: at whole vectors and not, of 4 and 8 bytes."""
    for kind in TYPES:
        for first, last in WINDOWS:
            for n in (run.threads * 3, run.threads * 2 + 37):
                check(run, DIRECT, kind, n, lambda v, n: weighed(v, n, first, last), (first, last))  # noqa: B023


@case(blocks=[256, 64, 128, 512])
def windows_of_a_tile(run):
    """The same through a tile in shared memory."""
    for kind in TYPES:
        for first, last in WINDOWS:
            check(run, THROUGH_TILE, kind, run.threads * 2 + 5, lambda v, n: weighed(v, n, first, last), (first, last))  # noqa: B023


@case(blocks=[256, 64, 128])
def windows_that_change(run):
    """A tile that changes between two windows; memory of the thread's own that is written between the reads."""

    def expected(values, n):
        whole = values.copy()
        count = -(-n // run.threads) * run.threads
        result = np.zeros(count, values.dtype)
        for block in range(count // run.threads):
            tile = np.zeros(run.threads + 2 * AT_MARGIN, values.dtype)
            part = whole[block * run.threads : block * run.threads + len(tile)]
            tile[: len(part)] = part

            def at(distance, tile=tile):
                return tile[AT_MARGIN + distance : AT_MARGIN + distance + run.threads].copy()

            total = 20 * at(0) + 21 * at(1) + 22 * at(2)
            tile[AT_MARGIN : AT_MARGIN + run.threads] += 1
            total += at(0) + 2 * at(1) + 3 * at(2) + 4 * at(-1)
            result[block * run.threads : (block + 1) * run.threads] = total
        return result[:n]

    def own(values, n):
        def here(d):
            return values[AT_MARGIN + d : AT_MARGIN + d + n]

        first = here(0) + here(1) + here(2)
        return first + here(3) * 2 + first + here(4) + here(5)

    for kind in TYPES:
        check(run, CHANGED, kind, run.threads * 2, expected)
        check(run, OWN, kind, run.threads * 2 + 9, own)


PLANE = """
__global__ void k(const T* in, T* out, T* mean, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
    out[y * w + x] = 4 * in[y * w + x] - in[y * w + x - 1] - 2 * in[y * w + x + 1] - 3 * in[(y - 1) * w + x]
                     - 5 * in[(y + 1) * w + x];
  T sum = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      sum += T(3 * dy + dx + 7) * in[min(max(y + dy, 0), h - 1) * w + min(max(x + dx, 0), w - 1)];
  mean[y * w + x] = sum;
}"""


@case(blocks=[(32, 8), (16, 16), (64, 2)])
def windows_of_planes(run):
    """Rows of planes, long and short: groups that lie inside follow on each other, the others are at an edge."""
    for kind in TYPES:
        for width, height in ((3 * run.block[0] + 7, 2 * run.block[1] + 1), (2 * run.block[0], run.block[1]), (3, 2)):
            rng = np.random.default_rng(width)
            plane = rng.integers(-9, 10, (height, width)).astype(TYPES[kind])
            out, mean = np.full((height, width), 77, TYPES[kind]), np.zeros((height, width), TYPES[kind])
            grid = (-(-width // run.block[0]), -(-height // run.block[1]))
            run(f"typedef {kind} T;{PLANE}", plane, out, mean, np.int32(width), np.int32(height), grid=grid)
            expected = np.full((height, width), 77, TYPES[kind])
            if height > 2 and width > 2:
                expected[1:-1, 1:-1] = (
                    4 * plane[1:-1, 1:-1]
                    - plane[1:-1, :-2]
                    - 2 * plane[1:-1, 2:]
                    - 3 * plane[:-2, 1:-1]
                    - 5 * plane[2:, 1:-1]
                )
            run.same(out, expected)
            sums = np.zeros((height, width), TYPES[kind])
            for dy in (-1, 0, 1):
                for dx in (-1, 0, 1):
                    rows = np.clip(np.arange(height) + dy, 0, height - 1)
                    columns = np.clip(np.arange(width) + dx, 0, width - 1)
                    sums += TYPES[kind](3 * dy + dx + 7) * plane[rows][:, columns]
            run.same(mean, sums)


DISPARITIES = """
__global__ void k(const T* left, const T* right, int* out, int w, int h, int r, int most) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int least = 1 << 30, found = -1;
  for (int d = 0; d < most; d++) {
    int cost = 0;
    for (int i = -r; i <= r; i++) {
      int a = min(max(x + i, 0), w - 1), b = min(max(x + i - d, 0), w - 1);
      cost += abs(int(left[y * w + a]) - int(right[y * w + b]));
    }
    if (cost < least) { least = cost; found = d; }
  }
  out[y * w + x] = found;
}"""


@case(blocks=[(32, 8, 1), (16, 16, 1), 100])
def places_that_fall_with_a_counter(run):
    """The nearest of several windows to the left, clamped at both edges: one counter is added, the other taken off."""
    for name, kind in (("unsigned char", np.uint8), ("int", np.int32)):
        for w, h in ((150, 11), (64, 3), (9, 2)):
            for r, most in ((0, 1), (1, 5), (2, 16), (3, 0)):
                random = np.random.default_rng(w + r)
                left, right = random.integers(0, 50, (2, h, w)).astype(kind)
                x = np.arange(w)
                costs = [
                    sum(
                        np.abs(
                            left[:, np.clip(x + i, 0, w - 1)].astype(int)
                            - right[:, np.clip(x + i - d, 0, w - 1)].astype(int)
                        )
                        for i in range(-r, r + 1)
                    )
                    for d in range(most)
                ]
                expected = np.argmin(costs, axis=0) if most else np.full((h, w), -1)
                out = np.zeros((h, w), np.int32)
                numbers = [np.int32(v) for v in (w, h, r, most)]
                grid = (-(-w // run.block[0]), -(-h // run.block[1]))
                run(f"typedef {name} T;{DISPARITIES}", left, right, out, *numbers, grid=grid)
                run.same(out, expected.astype(np.int32), f"{name}, {w} x {h}, {most} windows of {2 * r + 1}")


@case(blocks=[(64,), (100,), (32, 2)])
def windows_centred_by_an_argument(run):
    """`i + j - k / 2` of a length that the launch knows, also an even one, none, or one below 0."""
    source = """
    __global__ void k(const int* x, const int* w, int* out, int size, int channels, int k) {
      int i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
      if (i >= size) return;
      unsigned sum = 0;
      for (int c = 0; c < channels; c++)
        for (int j = 0; j < k; j++) {
          int p = i + j - k / 2;
          if (p >= 0 && p < size) sum = sum * 3 + (unsigned)(x[c * size + p] * w[c * k + j]);
        }
      int q = i - k / 2;
      if (q >= 0 && q < size) sum += x[q];
      out[i] = sum;
    }"""
    channels = 2
    for size in (3 * run.threads, 3 * run.threads - 7, 5):
        x = (np.arange(channels * size) * 37 % 101 - 50).astype(np.int32).reshape(channels, size)
        for k in (1, 2, 5, 8, 0, -3, -8):
            w = (np.arange(channels * max(k, 1)) * 13 % 7 - 3).astype(np.int32)
            half, i = int(k / 2), np.arange(size)
            total = np.zeros(size, np.int64)
            for c in range(channels):
                for j in range(k):
                    p = i + j - half
                    inside = (p >= 0) & (p < size)
                    total = np.where(inside, total * 3 + x[c, p.clip(0, size - 1)] * w[c * k + j], total)
            q = i - half
            total += np.where((q >= 0) & (q < size), x[0, q.clip(0, size - 1)], 0)
            out = np.full(3 * run.threads, -1, np.int32)
            run(source, x, w, out, size, channels, k, grid=3)
            expected = np.full(3 * run.threads, -1, np.int64)
            expected[:size] = total
            run.same(out, expected.astype(np.int32), f"{size} elements, {k} wide")


POOLS = {
    "max": ("-INFINITY", "m = fmaxf(m, VALUE)", np.maximum),
    "sum": ("0", "m += VALUE", np.add),
    "greater": ("-1e30f", "{ float v = VALUE; if (v > m) m = v; }", np.maximum),
}


@case(blocks=[(16, 16), (32, 4), (8, 8), 64])
def pools(run):
    """Of 3 x 3, padded by 1, by strides of 1 to 3; NaN and zeros with either sign among the numbers."""
    x, y = (*run.block, 1)[:2]
    for stride in (1, 2, 3):
        for name, (start, step, fold) in POOLS.items():
            source = f"""
            __global__ void k(const float* in, float* out, int h, int w) {{
              int ow = blockIdx.x * blockDim.x + threadIdx.x, oh = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.z;
              int width = w / {stride}, height = h / {stride};
              if (ow >= width || oh >= height) return;
              float m = {start};
              for (int r = 0; r < 3; r++)
                for (int s = 0; s < 3; s++) {{
                  int ih = oh * {stride} + r - 1, iw = ow * {stride} + s - 1;
                  if (ih >= 0 && ih < h && iw >= 0 && iw < w) {step.replace("VALUE", "in[(c * h + ih) * w + iw]")};
                }}
              out[(c * height + oh) * width + ow] = m;
            }}"""
            for h, w in ((33, 70), (6, 40), (48, 48)):
                values = np.random.default_rng(w).integers(-9, 10, (2, h, w)).astype(np.float32)
                values[values == 3] = -0.0
                if name == "max":
                    values[values == 5] = np.nan
                height, width = h // stride, w // stride
                padded = np.pad(
                    values, ((0, 0), (1, 1), (1, 1)), constant_values=float(start.strip("f").replace("INFINITY", "inf"))
                )
                want = np.full((2, height, width), float(start.strip("f").replace("INFINITY", "inf")), np.float32)
                for r in range(3):
                    for s in range(3):
                        tap = padded[:, r : r + height * stride : stride, s : s + width * stride : stride]
                        tap = tap[:, :height, :width]
                        want = np.fmax(want, tap) if name == "max" else fold(want, tap)
                out = np.zeros_like(want)
                run(source, values, out, h, w, grid=(-(-width // x), -(-height // y), 2))
                run.same(
                    np.where(out == 0, 0, out),
                    np.where(want == 0, 0, want).astype(np.float32),
                    f"{name}, {stride}, {h} x {w}",
                )
