"""Long kernels that wait often: parts of them are compiled beside the others, each with what it takes and leaves."""

import numpy as np
from harness import case

U = np.uint32
SIZES = [64, 128, 256]


@case(blocks=SIZES)
def scan_by_a_tree(run):
    """A scan up a tree and down again, two elements a thread; the last block is not full."""
    b = run.block[0]
    blocks, n = 7, 7 * 2 * b - 5
    source = f"""
__global__ void k(const unsigned* in, unsigned* out, unsigned* sums, int n) {{
  __shared__ unsigned s[{2 * b}];
  int t = threadIdx.x, first = blockIdx.x * {2 * b};
  s[2 * t] = first + 2 * t < n ? in[first + 2 * t] : 0;
  s[2 * t + 1] = first + 2 * t + 1 < n ? in[first + 2 * t + 1] : 0;
  int step = 1;
  for (int d = {b}; d > 0; d >>= 1, step *= 2) {{
    __syncthreads();
    if (t < d) s[step * (2 * t + 2) - 1] += s[step * (2 * t + 1) - 1];
  }}
  if (t == 0) {{ sums[blockIdx.x] = s[{2 * b - 1}]; s[{2 * b - 1}] = 0; }}
  for (int d = 1; d < {2 * b}; d *= 2) {{
    step >>= 1;
    __syncthreads();
    if (t < d) {{
      int left = step * (2 * t + 1) - 1, right = step * (2 * t + 2) - 1;
      unsigned v = s[left];
      s[left] = s[right];
      s[right] += v;
    }}
  }}
  __syncthreads();
  if (first + 2 * t < n) out[first + 2 * t] = s[2 * t];
  if (first + 2 * t + 1 < n) out[first + 2 * t + 1] = s[2 * t + 1];
}}"""
    values = np.random.default_rng(b).integers(0, 1 << 32, n, U)
    out, sums = np.zeros(n, U), np.zeros(blocks, U)
    run(source, values, out, sums, n, grid=blocks)
    rows = np.zeros(blocks * 2 * b, U)
    rows[:n] = values
    rows = rows.reshape(blocks, 2 * b)
    ends = np.cumsum(rows, axis=1, dtype=U)
    run.same(sums, ends[:, -1])
    run.same(out, (ends - rows).reshape(-1)[:n])


@case(blocks=SIZES)
def many_variables_over_barriers(run):
    """Each thread keeps 48 numbers while a block goes through tiles: products with all of them, in 0, 1 and 5 rounds."""
    b, kept = run.block[0], 48
    source = f"""
__global__ void k(const unsigned* own, const unsigned* tiles, unsigned* out, int rounds) {{
  __shared__ unsigned tile[{b}];
  unsigned q[{kept}], sums[{kept}];
  int i = blockIdx.x * {b} + threadIdx.x;
  for (int d = 0; d < {kept}; ++d) {{ q[d] = own[i * {kept} + d]; sums[d] = d; }}
  for (int r = 0; r < rounds; ++r) {{
    tile[threadIdx.x] = tiles[r * {b} + threadIdx.x];
    __syncthreads();
    unsigned largest = 0;
    for (int d = 0; d < {kept}; ++d) largest = max(largest, q[d] ^ tile[(threadIdx.x + d) % {b}]);
    for (int d = 0; d < {kept}; ++d) sums[d] = sums[d] * 3 + (q[d] ^ largest);
    __syncthreads();
    tile[threadIdx.x] += largest;
    __syncthreads();
    for (int d = 0; d < {kept}; ++d) sums[d] += tile[({b - 1} - threadIdx.x + d) % {b}];
    __syncthreads();
  }}
  for (int d = 0; d < {kept}; ++d) out[i * {kept} + d] = sums[d];
}}"""
    blocks, generator = 3, np.random.default_rng(b)
    own = generator.integers(0, 1 << 32, (blocks, b, kept), U)
    t, d = np.arange(b)[:, None], np.arange(kept)[None, :]
    for rounds in (0, 1, 5):
        tiles = generator.integers(0, 1 << 32, (max(rounds, 1), b), U)
        out = np.zeros_like(own)
        run(source, own, tiles, out, rounds, grid=blocks)
        want = np.broadcast_to(d.astype(U), own.shape).copy()
        for r in range(rounds):
            largest = (own ^ tiles[r][(t + d) % b]).max(axis=2)
            want = want * U(3) + (own ^ largest[:, :, None])
            want += (tiles[r] + largest)[:, (b - 1 - t + d) % b]
        run.same(out, want)


@case(blocks=SIZES)
def phases_that_follow_on_each_other(run):
    """Straight code with a barrier behind each step, of which every third is left out where the launch says so."""
    b, steps = run.block[0], 24
    lines = ""
    for s in range(steps):
        step = f"v = v * {2 * s + 3}u + s[(t + {s + 1}) % {b}]; w ^= v >> {s % 13}; "
        lines += f"  if (all) {{ {step} }}\n" if s % 3 == 2 else f"  {step}\n"
        lines += "  __syncthreads(); s[t] = w + v; __syncthreads();\n"
    source = f"""
__global__ void k(const unsigned* in, unsigned* out, int all) {{
  __shared__ unsigned s[{b}];
  int t = threadIdx.x;
  unsigned v = in[blockIdx.x * {b} + t], w = t;
  s[t] = v;
  __syncthreads();
{lines}  out[blockIdx.x * {b} + t] = v ^ w;
}}"""
    values = np.random.default_rng(b).integers(0, 1 << 32, (4, b), U)
    for everything in (0, 1):
        out = np.zeros_like(values)
        run(source, values, out, everything, grid=4)
        v, w, shared = values.copy(), np.broadcast_to(np.arange(b, dtype=U), values.shape).copy(), values.copy()
        for s in range(steps):
            if s % 3 != 2 or everything:
                v = v * U(2 * s + 3) + np.roll(shared, -(s + 1), axis=1)
                w = w ^ (v >> U(s % 13))
            shared = w + v
        run.same(out, v ^ w)


@case(blocks=SIZES)
def stores_of_some_threads(run):
    """Ninety steps in which some threads of a block write to shared memory, and others have left."""
    b, steps = run.block[0], 90
    body = "".join(
        f"if ((v + {k}) % 3) s[t ^ {k % 8}] = v; __syncthreads(); v = v * 5 + s[(t + {k}) % {b}]; __syncthreads();\n"
        for k in range(steps)
    )
    source = f"""
__global__ void k(const unsigned* in, unsigned* out, int n) {{
  __shared__ unsigned s[{b}];
  int t = threadIdx.x, i = blockIdx.x * {b} + t;
  s[t] = t;
  if (i >= n) return;
  unsigned v = in[i];
  {body}
  out[i] = v;
}}"""
    blocks, n = 3, 3 * b - 5
    values = np.random.default_rng(b).integers(0, 1 << 32, n, U)
    out, expected = np.zeros(n, U), np.zeros(n, U)
    run(source, values, out, n, grid=blocks)
    t = np.arange(b)
    for first in range(0, n, b):
        v, shared, here = values[first : first + b].copy(), t.astype(U), t[: n - first]
        for k in range(steps):
            writes = (v + U(k)) % 3 != 0
            shared[here[writes] ^ (k % 8)] = v[writes]
            v = v * U(5) + shared[(here + k) % b]
        expected[first : first + b] = v
    run.same(out, expected)
