"""Whole programs that scan, sort and select: barriers in loops, warp operations, shared counters."""

import numpy as np
from harness import case, kernel

U = np.uint32


BLELLOCH = """
__global__ void scan(const int* in, int* out, int* sums, int n) {
  extern __shared__ int s[];
  const int t = threadIdx.x, base = blockIdx.x * 2 * blockDim.x;
  s[2 * t] = base + 2 * t < n ? in[base + 2 * t] : 0;
  s[2 * t + 1] = base + 2 * t + 1 < n ? in[base + 2 * t + 1] : 0;
  int offset = 1;
  for (int d = blockDim.x; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) {
      const int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
      s[b] += s[a];
    }
    offset *= 2;
  }
  if (t == 0) { sums[blockIdx.x] = s[2 * blockDim.x - 1]; s[2 * blockDim.x - 1] = 0; }
  for (int d = 1; d < 2 * blockDim.x; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      const int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
      const int before = s[a];
      s[a] = s[b];
      s[b] += before;
    }
  }
  __syncthreads();
  if (base + 2 * t < n) out[base + 2 * t] = s[2 * t];
  if (base + 2 * t + 1 < n) out[base + 2 * t + 1] = s[2 * t + 1];
}
__global__ void add(int* out, const int* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] += sums[i / SIZE];
}
"""


@case(blocks=[32, 64, 128, 256])
def work_efficient_scan(run):
    """Blelloch's scan, up and down a tree in shared memory, then the sums of the blocks added."""
    b, n = run.block[0], 1000
    blocks = -(-n // (2 * b))
    values = np.random.default_rng(1).integers(-50, 50, n, np.int32)
    out, sums = np.zeros(n, np.int32), np.zeros(blocks, np.int32)
    options = [f"-DSIZE={2 * b}"]
    run(BLELLOCH, values, out, sums, n, grid=blocks, shared=8 * b, kernel="scan", options=options)
    before = np.concatenate([[0], np.cumsum(sums)[:-1]]).astype(np.int32)
    run(BLELLOCH, out, before, n, grid=-(-n // b), kernel="add", options=options)
    run.same(out, np.concatenate([[0], np.cumsum(values)[:-1]]))


BUFFERS = """
#define SWAPPED int in = 0, out = 1; s[t] = first; __syncthreads(); \\
  for (unsigned d = 1; d < blockDim.x; d *= 2) { \\
    s[out * SIZE + t] = t >= d ? s[in * SIZE + t] + s[in * SIZE + t - d] : s[in * SIZE + t]; \\
    const int was = in; in = out; out = was; __syncthreads(); } \\
  const ELEMENT last = s[in * SIZE + t];
#define TURNED int out = 0, in = 1; s[t] = first; __syncthreads(); \\
  for (int d = 1; d < blockDim.x; d *= 2) { \\
    out = 1 - out; in = 1 - out; \\
    if (t >= d) s[out * SIZE + t] = s[in * SIZE + t] + s[in * SIZE + t - d]; else s[out * SIZE + t] = s[in * SIZE + t]; \\
    __syncthreads(); } \\
  const ELEMENT last = s[out * SIZE + t];
#define POINTERS ELEMENT *in = s, *out = s + SIZE; in[t] = first; \\
  for (int d = 1; d < blockDim.x; d *= 2) { \\
    __syncthreads(); \\
    out[t] = in[t]; if (t >= d) out[t] += in[t - d]; \\
    ELEMENT* was = in; in = out; out = was; } \\
  __syncthreads(); const ELEMENT last = in[t];
#define SUMS_FIRST ELEMENT* now = s; now[t] = first; \\
  for (unsigned d = 1; d < blockDim.x; d *= 2) { \\
    __syncthreads(); ELEMENT sum; if (t >= d) sum = now[t] + now[t - d]; \\
    __syncthreads(); if (t >= d) now[t] = sum; } \\
  const ELEMENT last = now[t];
__global__ void scan(const ELEMENT* x, ELEMENT* y, ELEMENT* sums, int n) {
  __shared__ ELEMENT s[2 * SIZE];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  const ELEMENT first = i < n ? x[i] : 0;
  STEPS
  if (i < n) y[i] = last;
  if (t == blockDim.x - 1) sums[blockIdx.x] = last;
}
"""


@case(blocks=[32, 64, 100, 128, 256, 512, 1000, 1024], each=["SWAPPED", "TURNED", "POINTERS", "SUMS_FIRST"])
def scan_by_two_buffers(run, steps):
    """Kogge and Stone's scan: each step from one buffer to the other, in whichever way they change places."""
    b, blocks = run.threads, 3
    n = blocks * b - 5
    for spelled, dtype in (("int", np.int32), ("float", np.float32), ("double", np.float64)):
        values = np.random.default_rng(b).integers(-50, 50, n).astype(dtype)
        out, sums = np.zeros(n, dtype), np.zeros(blocks, dtype)
        run(
            BUFFERS,
            values,
            out,
            sums,
            n,
            grid=blocks,
            options=[f"-DELEMENT={spelled}", f"-DSIZE={b}", f"-DSTEPS={steps}"],
        )
        expected = np.concatenate([values, np.zeros(5, dtype)]).reshape(blocks, b).cumsum(1)
        run.same(out, expected.ravel()[:n].astype(dtype), spelled)
        run.same(sums, expected[:, -1].astype(dtype), spelled)


WARP_SCAN = """
__device__ int warp_scan(int v) {
  const int lane = threadIdx.x & 31;
  for (int d = 1; d < 32; d <<= 1) {
    const int u = __shfl_up_sync(~0u, v, d);
    if (lane >= d) v += u;
  }
  return v;
}
__device__ int block_scan(int v, int* sums) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  v = warp_scan(v);
  if (lane == 31) sums[warp] = v;
  __syncthreads();
  if (warp == 0) sums[lane] = warp_scan(lane < blockDim.x / 32 ? sums[lane] : 0);
  __syncthreads();
  return v + (warp ? sums[warp - 1] : 0);
}
// Keeps the values over a threshold in their order; returns how many.
__global__ void select(const float* in, float* out, int* count, int n, float threshold) {
  __shared__ int sums[32];
  __shared__ int base;
  if (threadIdx.x == 0) base = 0;
  __syncthreads();
  for (int first = 0; first < n; first += blockDim.x) {
    const int i = first + threadIdx.x;
    const bool keep = i < n && in[i] > threshold;
    const int position = block_scan(keep, sums);
    if (keep) out[base + position - 1] = in[i];
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1) base += position;
    __syncthreads();
  }
  if (threadIdx.x == 0) *count = base;
}
"""


@case(blocks=[32, 64, 256, 1024])
def stream_compaction(run):
    """A scan of warps inside a loop over pieces, a device function with barriers, one warp that scans the sums."""
    n = 1777
    values = np.random.default_rng(2).standard_normal(n).astype(np.float32)
    out, count = np.zeros(n, np.float32), np.zeros(1, np.int32)
    run(WARP_SCAN, values, out, count, n, 0.25)
    kept = values[values > np.float32(0.25)]
    run.same(count, [len(kept)])
    run.same(out[: len(kept)], kept)


RADIX = """
// One pass of a stable sort by 4 bits of the keys of one block.
__global__ void pass(const unsigned* in, unsigned* out, int n, int shift) {
  extern __shared__ unsigned counts[];  // [16][blockDim.x]
  const int t = threadIdx.x;
  for (int d = 0; d < 16; d++) counts[d * blockDim.x + t] = 0;
  const int per = (n + blockDim.x - 1) / blockDim.x;
  const int from = t * per, to = min(n, from + per);
  for (int i = from; i < to; i++) counts[((in[i] >> shift) & 15) * blockDim.x + t]++;
  __syncthreads();
  if (t == 0) {
    unsigned sum = 0;
    for (int i = 0; i < 16 * blockDim.x; i++) {
      const unsigned c = counts[i];
      counts[i] = sum;
      sum += c;
    }
  }
  __syncthreads();
  for (int i = from; i < to; i++) {
    const unsigned key = in[i];
    out[counts[((key >> shift) & 15) * blockDim.x + t]++] = key;
  }
}
"""


@case(blocks=[32, 48, 128])
def radix_sort(run):
    """Counters per thread in dynamic shared memory, loops whose bounds differ between threads."""
    n = 700
    a = np.random.default_rng(3).integers(0, 1 << 32, n, U)
    expected, b = np.sort(a), np.zeros(n, U)
    for shift in range(0, 32, 4):
        run(RADIX, a, b, n, shift, shared=64 * run.block[0])
        a, b = b, a
    run.same(a, expected)


BITONIC = """
template <typename Key, int N>
__global__ void sort(Key* keys, int* values, bool down) {
  __shared__ Key k[N];
  __shared__ int v[N];
  const int t = threadIdx.x, at = blockIdx.x * N + t;
  k[t] = keys[at]; k[t + N / 2] = keys[at + N / 2];
  v[t] = values[at]; v[t + N / 2] = values[at + N / 2];
  for (unsigned size = 2; size < N; size <<= 1) {
    const bool up = (t & (size / 2)) != 0;
    for (unsigned stride = size / 2; stride > 0; stride >>= 1) {
      __syncthreads();
      const unsigned p = 2 * t - (t & (stride - 1));
      if ((k[p] > k[p + stride]) == (down ^ up ^ true)) {
        const Key a = k[p]; k[p] = k[p + stride]; k[p + stride] = a;
        const int b = v[p]; v[p] = v[p + stride]; v[p + stride] = b;
      }
    }
  }
  for (unsigned stride = N / 2; stride > 0; stride >>= 1) {
    __syncthreads();
    const unsigned p = 2 * t - (t & (stride - 1));
    if ((k[p] > k[p + stride]) == !down) {
      const Key a = k[p]; k[p] = k[p + stride]; k[p + stride] = a;
      const int b = v[p]; v[p] = v[p + stride]; v[p + stride] = b;
    }
  }
  __syncthreads();
  keys[at] = k[t]; keys[at + N / 2] = k[t + N / 2];
  values[at] = v[t]; values[at + N / 2] = v[t + N / 2];
}
"""


@case(blocks=[64])
def bitonic_sort_of_pairs(run):
    """Nested loops with barriers and divergent swaps, keys of 4 and 8 bytes by templates."""
    rng = np.random.default_rng(4)
    for spelled, keys in (("float", rng.permutation(384).astype(np.float32)), ("long long", rng.permutation(384))):
        for down in (False, True):
            k, v = keys.copy(), np.arange(384, dtype=np.int32)
            run(BITONIC, k, v, down, grid=3, names=[f"sort<{spelled}, 128>"])
            order = np.argsort(keys.reshape(3, 128), axis=1)
            order = order[:, ::-1] if down else order
            run.same(k.reshape(3, 128), np.take_along_axis(keys.reshape(3, 128), order, 1))
            run.same(v.reshape(3, 128), order + np.array([[0], [128], [256]]))


MERGE = """
__global__ void merge(const int* a, int na, const int* b, int nb, int* out) {
  // Each thread finds its place on the diagonal of the merge path, then merges its piece alone.
  const int per = (na + nb + blockDim.x * gridDim.x - 1) / (blockDim.x * gridDim.x);
  const int diagonal = min(na + nb, (int)(blockIdx.x * blockDim.x + threadIdx.x) * per);
  int low = max(0, diagonal - nb), high = min(diagonal, na);
  while (low < high) {
    const int middle = (low + high) / 2;
    if (a[middle] <= b[diagonal - 1 - middle]) low = middle + 1;
    else high = middle;
  }
  int i = low, j = diagonal - low;
  for (int k = 0; k < per && diagonal + k < na + nb; k++) {
    const bool first = j >= nb || (i < na && a[i] <= b[j]);
    out[diagonal + k] = first ? a[i++] : b[j++];
  }
}
"""


@case(blocks=[32, 64, 100])
def merge_path(run):
    """Binary search in a divergent loop, then a serial merge whose branches depend on data."""
    rng = np.random.default_rng(5)
    a, b = (np.sort(rng.integers(0, 500, n, np.int32)) for n in (533, 391))
    out = np.zeros(len(a) + len(b), np.int32)
    run(MERGE, a, len(a), b, len(b), out, grid=3)
    run.same(out, np.sort(np.concatenate([a, b])))


HISTOGRAM = """
__global__ void histogram(const unsigned char* data, unsigned* bins, int n) {
  __shared__ unsigned mine[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  const int stride = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) atomicAdd(&mine[data[i]], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x)
    if (mine[b]) atomicAdd(&bins[b], mine[b]);
}
__global__ void equalise(unsigned char* data, const unsigned* bins, int n) {
  __shared__ unsigned char table[256];
  if (threadIdx.x < 256) {
    unsigned sum = 0;
    for (int i = 0; i <= threadIdx.x; i++) sum += bins[i];
    table[threadIdx.x] = (unsigned char)((sum * 255ull) / n);
  }
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) data[i] = table[data[i]];
}
"""


@case(blocks=[256, 1000])
def histogram_equalisation(run):
    """Shared and global atomics, grid-strided loops, a table of bytes in shared memory."""
    n = 5003
    data = (np.random.default_rng(6).random(n) ** 2 * 256).astype(np.uint8)
    bins = np.zeros(256, U)
    original = data.copy()
    run(HISTOGRAM, data, bins, n, grid=3, kernel="histogram")
    run.same(bins, np.bincount(original, minlength=256))
    run(HISTOGRAM, data, bins, n, grid=3, kernel="equalise")
    table = np.cumsum(np.bincount(original, minlength=256)) * 255 // n
    run.same(data, table[original])


SOFTMAX = """
struct State { float most, sum; };
__device__ State joined(State a, State b) {
  const bool first = a.most >= b.most;
  const State big = first ? a : b, small = first ? b : a;
  return {big.most, big.sum + small.sum * exp2f(small.most - big.most)};
}
// A row a block, in one pass: the maximum and the sum together, warps first.
__global__ void softmax(const float* x, float* y, int columns) {
  __shared__ State parts[32];
  const float* row = x + blockIdx.x * columns;
  State s = {-3e38f, 0};
  for (int i = threadIdx.x; i < columns; i += blockDim.x) s = joined(s, {row[i], 1.0f});
  for (int d = 16; d; d >>= 1) {
    const State other = {__shfl_xor_sync(~0u, s.most, d), __shfl_xor_sync(~0u, s.sum, d)};
    s = joined(s, other);
  }
  if ((threadIdx.x & 31) == 0) parts[threadIdx.x / 32] = s;
  __syncthreads();
  s = parts[0];
  for (int w = 1; w < blockDim.x / 32; w++) s = joined(s, parts[w]);
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    y[blockIdx.x * columns + i] = exp2f(row[i] - s.most) / s.sum;
}
"""


@case(blocks=[32, 128, 256])
def softmax_in_one_pass(run):
    """A struct that is reduced by shuffles, block-strided loops over rows, powers of two that are exact."""
    rows, columns = 5, 777
    x = np.random.default_rng(7).integers(-6, 1, (rows, columns)).astype(np.float32)
    y = np.zeros_like(x)
    run(SOFTMAX, x, y, columns, grid=rows)
    powers = np.exp2(x)  # sums of such powers are exact in any order
    run.close(y, powers / powers.sum(1, dtype=np.float64, keepdims=True).astype(np.float32), ulps=1)


WARPS_ASKED = {
    "before": ("w = 0; w < warp; ++w", lambda warp, all: range(warp)),
    "up to its own": ("w = 0; w <= warp; ++w", lambda warp, all: range(warp + 1)),
    "behind": ("w = warp + 1; w < (n + 31) / 32; ++w", lambda warp, all: range(warp + 1, all)),
    "backwards": ("w = warp - 1; w >= 0; --w", lambda warp, all: range(warp - 1, -1, -1)),
    "every other": ("w = warp & 1; w < warp; w += 2", lambda warp, all: range(warp & 1, warp, 2)),
    "at least one": ("w = 0; w == 0 || w < warp; ++w", lambda warp, all: range(max(1, warp))),
}


@case(blocks=[32, 64, 100, 250, 256, 1024], each=list(WARPS_ASKED))
def sums_of_other_warps(run, which):
    """Each warp adds up what some others have left, one after the other: how many, its number tells."""
    turns, others = WARPS_ASKED[which]
    grid, warps = 3, (run.threads + 31) // 32
    for name, dtype in (("float", np.float32), ("double", np.float64), ("short", np.int16)):
        values = np.random.default_rng(7).integers(-300, 300, grid * run.threads).astype(dtype)
        values = values if name == "short" else values / dtype(7)
        out = np.zeros_like(values)
        code = kernel(
            f"const {name}* in, {name}* out",
            f"""
            __shared__ {name} left[32];
            int lane = t % 32, warp = t / 32, i = blockIdx.x * n + t;
            {name} v = in[i], sum = 0;
            if (lane == 0) left[warp] = v;
            __syncthreads();
            for (int {turns}) sum += left[w];
            out[i] = v + sum;
            """,
        )
        run(code, values, out, grid=grid)
        expected = values.copy()
        for block in range(grid):
            of_block = slice(block * run.threads, (block + 1) * run.threads)
            left = values[of_block][::32]
            for warp in range(warps):
                total = dtype(0)
                for w in others(warp, warps):
                    total = (
                        dtype((int(total) + int(left[w]) + 2**15) % 2**16 - 2**15)
                        if name == "short"
                        else total + left[w]
                    )
                expected[of_block][32 * warp : 32 * warp + 32] += total
        run.same(out, expected, name)
