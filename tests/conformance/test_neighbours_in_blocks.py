"""Threads that read what their neighbours stored: scans, steps of a stencil, shifts; guarded at the grid's end and not."""

import numpy as np
from harness import case

BLOCKS = [16, 32, 48, 100, 128, 256, 512]


def blocks_of(values, size, padding=0):
    count = -(-len(values) // size)
    padded = np.full(count * size, padding, values.dtype)
    padded[: len(values)] = values
    return padded.reshape(count, size)


SCAN = """
__global__ void k(const T* in, T* out, int n) {
  __shared__ T s[2][SIZE];
  const int t = threadIdx.x, i = blockIdx.x * SIZE + t;
  int from = 0;
  s[0][t] = i < n ? in[i] : T(0);
  __syncthreads();
  for (int d = 1; d < SIZE; d *= 2) {
    T v = s[from][t];
    if (t >= d) v += s[from][t - d];
    s[1 - from][t] = v;
    from = 1 - from;
    __syncthreads();
  }
  if (i < n) out[i] = s[from][t];
}
"""
IN_PLACE = """
__global__ void k(const T* in, T* out, int n) {
  __shared__ T s[SIZE];
  const int t = threadIdx.x, i = blockIdx.x * SIZE + t;
  s[t] = i < n ? in[i] : T(0);
  __syncthreads();
  for (int d = 1; d < SIZE; d *= 2) {
    T v = t >= d ? s[t - d] : T(0);
    __syncthreads();
    if (t >= d) s[t] += v;
    __syncthreads();
  }
  if (i < n) out[i] = s[t];
}
"""


KINDS = {
    "int": np.int32,
    "unsigned char": np.uint8,
    "short": np.int16,
    "long long": np.int64,
    "float": np.float32,
    "double": np.float64,
}


@case(blocks=BLOCKS, each=list(KINDS))
def scan(run, name):
    """Hillis and Steele's scan, from one array into another and in place; whole numbers, so that sums are exact."""
    size, n = run.block[0], 5 * run.block[0] + 7
    kind = KINDS[name]
    values = np.random.default_rng(size).integers(0, 9, n).astype(kind)
    expected = np.cumsum(blocks_of(values, size), 1, dtype=kind).ravel()[:n]
    for source in (SCAN, IN_PLACE):
        out = np.zeros(n, kind)
        run(f"typedef {name} T;" + source, values, out, n, grid=-(-n // size), options=[f"-DSIZE={size}"])
        run.same(out, expected)


STEPS = """
__global__ void k(const int* in, int* out, int steps) {
  __shared__ int s[SIZE + 2];
  const int t = threadIdx.x, i = blockIdx.x * SIZE + t;
  s[t + 1] = in[i];
  if (t == 0) s[0] = LEFT;
  if (t == SIZE - 1) s[SIZE + 1] = RIGHT;
  __syncthreads();
  for (int k = 0; k < STEPS; ++k) {
    const int v = s[t] + 3 * s[t + 1] - 2 * s[t + 2];
    __syncthreads();
    s[t + 1] = v;
    __syncthreads();
  }
  out[i] = s[t + 1];
}
"""


@case(blocks=BLOCKS, each={"known": "4", "unknown": "steps"})
def steps_of_a_stencil(run, steps):
    """Each element from itself and both neighbours, with a cell at either edge, for a number of steps known and not."""
    size = run.block[0]
    values = np.random.default_rng(size).integers(-9, 9, 3 * size, np.int32)
    out = np.zeros(3 * size, np.int32)
    run(STEPS, values, out, 4, grid=3, options=[f"-DSIZE={size}", f"-DSTEPS={steps}", "-DLEFT=5", "-DRIGHT=-7"])
    cells = np.pad(values.reshape(3, size), ((0, 0), (1, 1)))
    cells[:, 0], cells[:, -1] = 5, -7
    for _ in range(4):
        cells[:, 1:-1] = cells[:, :-2] + 3 * cells[:, 1:-1] - 2 * cells[:, 2:]
    run.same(out, cells[:, 1:-1].ravel())


SHIFTS = """
__global__ void k(const float* in, float* out, int n) {
  __shared__ float a[SIZE];
  __shared__ float b[SIZE];
  const int t = threadIdx.x, i = blockIdx.x * SIZE + t;
  a[t] = i < n ? in[i] : -1.f;
  __syncthreads();
  b[t] = a[t];
  if (t >= 3 && t < SIZE - 5) b[t] = a[t - 3] - a[t + 5];  // some lanes at either end keep theirs
  __syncthreads();
  if (t % 2 == 0) a[t] = t > 0 ? b[t - 1] : 100.f;         // every other lane
  __syncthreads();
  if (i < n) out[i] = a[t] + __int_as_float(__float_as_int(b[t]) & 0x7fffffff);
}
"""


@case(blocks=BLOCKS)
def shifts_of_some_lanes(run):
    """Stores of lanes in the middle and of every other lane, and reads across vectors in between."""
    size, n = run.block[0], 4 * run.block[0] + 3
    values = np.random.default_rng(size).integers(-99, 99, n).astype(np.float32)
    out = np.zeros(n, np.float32)
    run(SHIFTS, values, out, n, grid=5, options=[f"-DSIZE={size}"])
    a = blocks_of(values, size, -1)
    b = a.copy()
    b[:, 3 : size - 5] = a[:, : size - 8] - a[:, 8:]
    a[:, 2::2] = b[:, 1:-1:2]
    a[:, 0] = 100
    run.same(out, (a + np.abs(b)).ravel()[:n])


EXCHANGES = {
    "by_phase": "for (int p = 0; p < SIZE; ++p) { if ((t & 1) == (p & 1) && t + 1 < SIZE) EXCHANGE; __syncthreads(); }",
    "two_steps": """for (int p = 0; p < SIZE / 2 + 1; ++p) {
                      if (t % 2 == 0 && t < SIZE - 1) EXCHANGE;
                      __syncthreads();
                      if (t % 2 == 1 && t < SIZE - 1) EXCHANGE;
                      __syncthreads(); }""",
    "threads_left": """for (int p = 0; p < SIZE; ++p) { if (t > 0 && (t + p) % 2 == 1 && s[t - 1] > s[t]) {
                         const T x = s[t - 1]; s[t - 1] = s[t]; s[t] = x; } __syncthreads(); }""",
}  # fmt: skip


@case(blocks=[4, 16, 31, 32, 100, 256], each=[(e, k) for e in EXCHANGES for k in ("int", "float", "unsigned char")])
def exchanges_of_neighbours(run, which):
    """Odd-even transposition sort: every other thread compares its element with the next one's."""
    steps, name = which
    size, kind = run.block[0], KINDS[name]
    values = np.random.default_rng(size).integers(0, 250, 3 * size).astype(kind)
    source = f"""
    typedef {name} T;
    #define EXCHANGE {{ const T a = s[t], b = s[t + 1]; if (a > b) {{ s[t] = b; s[t + 1] = a; }} }}
    __global__ void k(T* data) {{
      __shared__ T s[SIZE];
      const int t = threadIdx.x;
      s[t] = data[blockIdx.x * SIZE + t];
      __syncthreads();
      {EXCHANGES[steps]}
      data[blockIdx.x * SIZE + t] = s[t];
    }}"""
    expected = np.sort(values.reshape(3, size), axis=1).ravel()
    run(source, values, grid=3, options=[f"-DSIZE={size}"])
    run.same(values, expected)


SCATTERED = """
__global__ void k(const int* in, int* out, int shift) {
  __shared__ int s[SIZE + 8];
  const int t = threadIdx.x, i = blockIdx.x * SIZE + t;
  s[t] = in[i];
  if (t < 8) s[SIZE + t] = -t;
  __syncthreads();
  for (int k = 0; k < 5; ++k) {
    const int v = s[t] + k;
    __syncthreads();
    if (t % 4 < 2) s[t + 3] = v;                                 // some lanes, across two vectors
    __syncthreads();
    if (t > 0 && in[i] % 3 == 0) s[t - 1] += 2 * s[t - 1] - v;   // lanes that only the run tells, to the left
    __syncthreads();
    if (t == SIZE - 1) s[t + 8] = k;                             // behind the last thread
    __syncthreads();
  }
  out[i] = s[t] + 7 * s[t + 8];
}
"""


@case(blocks=BLOCKS)
def stores_beside_a_threads_own_place(run):
    """To the right and to the left, of lanes known and not, with a rest behind the last thread's."""
    size = run.block[0]
    values = np.random.default_rng(size).integers(-99, 99, 3 * size).astype(np.int32)
    out = np.zeros(3 * size, np.int32)
    run(SCATTERED, values, out, 1, grid=3, options=[f"-DSIZE={size}"])
    t, rows = np.arange(size), values.reshape(3, size)
    expected = np.zeros((3, size), np.int32)
    for row, given in enumerate(rows):
        s = np.concatenate([given, -np.arange(8)]).astype(np.int32)
        for k in range(5):
            v = s[:size] + k
            s[t[t % 4 < 2] + 3] = v[t % 4 < 2]
            left = (t > 0) & (np.fmod(given, 3) == 0)
            s[t[left] - 1] += 2 * s[t[left] - 1] - v[left]
            s[size + 7] = k
        expected[row] = s[:size] + 7 * s[8:]
    run.same(out, expected.ravel())
