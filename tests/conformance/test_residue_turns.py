"""Loops that do something only in turns with a certain remainder: transposed filters, checkerboards, every third step."""

import numpy as np
from harness import case

# Of (i + AT - k) % STEP == 0: the quotient is a place, which may lie before the array or behind it.
TRANSPOSED = """
__global__ void k(const float* in, const float* w, float* out, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = FROM; k < TO; k++) {
    int x = i + (AT) - k;
    if (ASKS) continue;
    x /= STEP;
    if (x >= m) continue;
    sum += in[x] * w[k];
  }
  out[i] = sum;
}"""
WAYS = {"before": "x < 0 || x % STEP != 0", "behind": "x % STEP != 0 || x < 0"}


@case(
    blocks=[256, 64, 100],
    each=[(s, a, b, at) for s in (2, 3, 4, 8) for a, b, at in ((0, 4, 1), (0, 7, 2), (1, 6, -3), (0, 3, 9))],
)
def transposed_filter(run, shape):
    step, first, end, at = shape
    n = 2 * run.threads - 3
    m = n // step
    rng = np.random.default_rng(3)
    x, w = rng.integers(-9, 9, m).astype(np.float32), rng.integers(-9, 9, end).astype(np.float32)
    i = np.arange(n)
    expected = np.zeros(n, np.float32)
    for k in range(first, end):
        d = i + at - k
        q = np.maximum(d, 0) // step
        expected += np.where((d >= 0) & (d % step == 0) & (q < m), x[np.minimum(q, m - 1)] * w[k], 0)
    for name, way in WAYS.items():
        source = (
            TRANSPOSED.replace("ASKS", way).replace("AT", str(at)).replace("FROM", str(first)).replace("TO", str(end))
        )
        out = np.zeros(n, np.float32)
        run(source.replace("STEP", str(step)), x, w, out, np.int32(n), np.int32(m), grid=2)
        run.same(out, expected, name)


CHECKERED = """
__global__ void k(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int sum = 0, last = -1;
  for (int j = 0; j < 9; j++)
    if (ASKS) {
      sum += in[i + j] * (j + 1);
      last = j;
    }
  out[i] = sum * 16 + last;
}"""
QUESTIONS = {
    "(i + j) % 2 == 0": lambda i, j: (i + j) % 2 == 0,
    "(i + j) % 2": lambda i, j: (i + j) % 2 == 1,
    "((j - i) & 3) == 2": lambda i, j: (j - i) % 4 == 2,
    "(i - j) % 3 == 0": lambda i, j: (i - j) % 3 == 0,
    "(i + j - 5) % 3 == 0": lambda i, j: (i + j - 5) % 3 == 0,
    "((i + j) & 7) == 7 && in[i] > 0": lambda i, j: (i + j) % 8 == 7,
    "(i - j) % 16 == 0": lambda i, j: (i - j) % 16 == 0,
}


@case(blocks=[256, 48], each=list(QUESTIONS))
def every_few_turns(run, question):
    n = 2 * run.threads - 5
    i = np.arange(n)
    x = np.random.default_rng(4).integers(1, 100, n + 9, np.int32)
    total, last = np.zeros(n, np.int32), np.full(n, -1, np.int32)
    for j in range(9):
        asked = QUESTIONS[question](i, j)
        total += np.where(asked, x[i + j] * (j + 1), 0).astype(np.int32)
        last = np.where(asked, j, last).astype(np.int32)
    out = np.zeros(n, np.int32)
    run(CHECKERED.replace("ASKS", question), x, out, np.int32(n), grid=2)
    run.same(out, total * 16 + last)


ENLARGED = """
__global__ void k(const int* in, const int* w, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || in[i] < LEAST) return;
  out[i] = in[(i + 1) >> 1] - in[(i + 3) / 4] + w[(i + AHEAD) & 1] * in[(i + 5) >> 2] + w[(i + AHEAD) & 3];
}"""


@case(blocks=[256, 64, 100], each=[(least, ahead) for least in (-100, 0, 90) for ahead in (0, 1, 2, 3)])
def places_between(run, shape):
    """Neighbours that share a place which does not begin where a group does, some of them idle."""
    least, ahead = shape
    n = 2 * run.threads - 3
    rng = np.random.default_rng(6)
    x, w = rng.integers(-100, 100, n + 8, np.int32), rng.integers(-9, 9, 4, np.int32)
    i = np.arange(n)
    expected = x[(i + 1) // 2] - x[(i + 3) // 4] + w[(i + ahead) & 1] * x[(i + 5) // 4] + w[(i + ahead) & 3]
    out = np.zeros(n, np.int32)
    run(ENLARGED.replace("LEAST", str(least)).replace("AHEAD", str(ahead)), x, w, out, np.int32(n), grid=2)
    run.same(out, np.where(x[:n] < least, 0, expected))


PLANE = """
__global__ void k(const float* in, const float* w, float* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= 2 * width || y >= 2 * height) return;
  float sum = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int v = y + 1 - i, u = x + 1 - j;
      if (v % 2 == 0 && u % 2 == 0) {
        v /= 2;
        u /= 2;
        if (v >= 0 && v < height && u >= 0 && u < width) sum += in[v * width + u] * w[i * 3 + j];
      }
    }
  out[y * 2 * width + x] = sum;
}"""


@case(blocks=[(16, 16), (32, 8), (20, 3)])
def transposed_plane(run):
    """What is asked of rows first is the same in all turns of the inner loop."""
    width, height = 29, 9
    rng = np.random.default_rng(8)
    x, w = rng.integers(-9, 9, (height, width)).astype(np.float32), rng.integers(-9, 9, (3, 3)).astype(np.float32)
    wide = np.zeros((2 * height + 3, 2 * width + 3), np.float32)
    for v in range(height):
        for u in range(width):
            wide[2 * v : 2 * v + 3, 2 * u : 2 * u + 3] += x[v, u] * w
    out = np.zeros((2 * height, 2 * width), np.float32)
    across, down = run.block[:2]
    run(PLANE, x, w, out, np.int32(width), np.int32(height), grid=(-(-2 * width // across), -(-2 * height // down)))
    run.same(out, wide[1 : 2 * height + 1, 1 : 2 * width + 1])
