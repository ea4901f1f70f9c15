"""Reductions by trees in shared memory, in the forms that CUDA programs have."""

import numpy as np
from harness import case

POWERS = [32, 64, 128, 256, 512, 1024]
F = np.float32


def halved(values: np.ndarray) -> np.ndarray:
    """Rows summed as a tree with halving strides does it."""
    rows = values.copy()
    while rows.shape[1] > 1:
        half = rows.shape[1] // 2
        rows = rows[:, :half] + rows[:, half:]
    return rows[:, 0]


HALVING = """
__global__ void k(const float* in, float* out, int n) {
  SHARED
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
  float v = i < n ? in[i] : 0;
  if (i + blockDim.x < n) v += in[i + blockDim.x];
  s[t] = v;
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
"""


def halving(run, memory: str, shared: int) -> None:
    b, n = run.block[0], 5000
    blocks = -(-n // (2 * b))
    padded = np.zeros(blocks * 2 * b, F)
    padded[:n] = np.random.default_rng(b).standard_normal(n, F)
    out = np.zeros(blocks, F)
    run(HALVING.replace("SHARED", memory), padded[:n].copy(), out, n, grid=blocks, shared=shared)
    rows = padded.reshape(blocks, 2, b)
    run.same(out, halved(rows[:, 0] + rows[:, 1]))


@case(blocks=POWERS)
def tree_in_static_memory(run):
    """A tree with halving strides; the last block is not full."""
    halving(run, f"__shared__ float s[{run.block[0]}];", 0)


@case(blocks=POWERS)
def tree_in_dynamic_memory(run):
    """The same in memory whose size the launch gives."""
    halving(run, "extern __shared__ float s[];", 4 * run.block[0])


@case(blocks=POWERS)
def tree_behind_static_memory(run):
    """Dynamic memory behind an array of a fixed size that another index goes through."""
    halving(run, "__shared__ int first[5]; extern __shared__ float s[]; first[threadIdx.x % 5] = 1;", 4 * run.block[0])


@case(blocks=[32, 64, 256, 1024])
def interleaved_trees(run):
    """Growing strides: by the remainder of the thread's number, and with neighbouring threads at work."""
    b = run.block[0]
    values = np.random.default_rng(b).standard_normal((3, b), F)
    out = np.zeros((2, 3), F)
    run(
        """
        __global__ void k(const float* in, float* out) {
          extern __shared__ float s[];
          unsigned t = threadIdx.x;
          s[t] = in[blockIdx.x * blockDim.x + t];
          __syncthreads();
          for (unsigned d = 1; d < blockDim.x; d *= 2) {
            if (t % (2 * d) == 0) s[t] += s[t + d];
            __syncthreads();
          }
          if (t == 0) out[blockIdx.x] = s[0];
          __syncthreads();
          s[t] = in[blockIdx.x * blockDim.x + t];
          __syncthreads();
          for (unsigned d = 1; d < blockDim.x; d *= 2) {
            unsigned i = 2 * d * t;
            if (i < blockDim.x) s[i] += s[i + d];
            __syncthreads();
          }
          if (t == 0) out[3 + blockIdx.x] = s[0];
        }
        """,
        values.reshape(-1),
        out,
        grid=3,
        shared=4 * b,
    )
    rows = values
    while rows.shape[1] > 1:
        rows = rows[:, ::2] + rows[:, 1::2]
    run.same(out, np.stack([rows[:, 0]] * 2))


@case(blocks=[64, 128, 256, 512])
def unrolled_last_warp(run):
    """Grid strides, a tree, and a last warp without barriers on volatile memory."""
    b, n = run.block[0], 4 * 3 * run.block[0] + 17
    values = np.random.default_rng(b).integers(-1000, 1000, n, np.int32)
    out = np.zeros(3, np.int32)
    run(
        """
        __device__ void last(volatile int* s, unsigned t) {
          s[t] += s[t + 32]; s[t] += s[t + 16]; s[t] += s[t + 8]; s[t] += s[t + 4]; s[t] += s[t + 2]; s[t] += s[t + 1];
        }
        __global__ void k(const int* in, int* out, unsigned n) {
          extern __shared__ int s[];
          unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
          int v = 0;
          for (; i < n; i += 2 * blockDim.x * gridDim.x) {
            v += in[i];
            if (i + blockDim.x < n) v += in[i + blockDim.x];
          }
          s[t] = v;
          __syncthreads();
          if (blockDim.x >= 512) { if (t < 256) s[t] += s[t + 256]; __syncthreads(); }
          if (blockDim.x >= 256) { if (t < 128) s[t] += s[t + 128]; __syncthreads(); }
          if (blockDim.x >= 128) { if (t < 64) s[t] += s[t + 64]; __syncthreads(); }
          if (t < 32) last(s, t);
          if (t == 0) out[blockIdx.x] = s[0];
        }
        """,
        values,
        out,
        n,
        grid=3,
        shared=4 * b,
    )
    owner = np.arange(n) // (2 * b) % 3
    run.same(out, [values[owner == k].sum() for k in range(3)])


@case(blocks=[32, 100, 128, 256])
def tree_larger_than_the_block(run):
    """Accumulators in shared memory, more than threads: each step is a loop, around it one over rows."""
    n, vectors = 700, 5
    a, c = np.random.default_rng(1).standard_normal((2, vectors, n), F)
    out = np.zeros(vectors, F)
    run(
        """
        __global__ void k(const float* a, const float* b, float* out, int vectors, int n) {
          __shared__ float sums[512];
          for (int v = blockIdx.x; v < vectors; v += gridDim.x) {
            for (int i = threadIdx.x; i < 512; i += blockDim.x) {
              float sum = 0;
              for (int p = v * n + i; p < (v + 1) * n; p += 512) sum = __fadd_rn(sum, __fmul_rn(a[p], b[p]));
              sums[i] = sum;
            }
            for (int d = 256; d > 0; d >>= 1) {
              __syncthreads();
              for (int i = threadIdx.x; i < d; i += blockDim.x) sums[i] += sums[i + d];
            }
            __syncthreads();
            if (threadIdx.x == 0) out[v] = sums[0];
            __syncthreads();
          }
        }
        """,
        a.reshape(-1),
        c.reshape(-1),
        out,
        vectors,
        n,
        grid=2,
    )
    products = np.zeros((vectors, 1024), F)
    products[:, :n] = a * c
    run.same(out, halved(products[:, :512] + products[:, 512:]))


@case(blocks=[64, 256, 1000, 1024])
def shared_values_by_every_index(run):
    """Dynamic memory read turned around, shifted past the ends, and by an index from memory."""
    b = run.block[0]
    values = np.random.default_rng(b).integers(0, 1 << 20, b, np.int32)
    places = np.random.default_rng(b + 1).integers(0, b, b, np.int32)
    out = np.zeros((3, b), np.int32)
    run(
        """
        __global__ void k(const int* in, const int* places, int* out) {
          extern __shared__ int s[];
          int t = threadIdx.x, b = blockDim.x;
          s[t] = in[t];
          __syncthreads();
          out[t] = s[b - 1 - t];
          out[b + t] = (t > 0 ? s[t - 1] : 0) + (t + 1 < b ? s[t + 1] : 0);
          out[2 * b + t] = BY_INDEX ? s[places[t]] : s[(t + 7) % b];
        }
        """.replace("BY_INDEX", str(int(b != 256))),
        values,
        places,
        out,
        shared=4 * b,
    )
    around = np.pad(values, 1)
    third = values[places] if b != 256 else np.roll(values, -7)
    run.same(out, np.stack([values[::-1], around[:-2] + around[2:], third]))


@case(blocks=[(16, 16), (8, 8), (32, 8), (16, 32), (8, 4, 8), (4, 16), (16, 6)])
def trees_over_planes(run):
    """Blocks of several rows that sum up a tile; then some rows, one row, or a row the launch names, do something."""
    x, y, z = (*run.block, 1, 1)[:3]
    b, width, height = x * y * z, 3 * x - 1, 2 * y * z - 1
    source = """
    __global__ void k(const float* in, float* out, int* rows, int width, int height, int most, int only) {
      __shared__ float s[SIZE];
      int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
      int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * (SIZE / blockDim.x) + t / blockDim.x;
      int block = blockIdx.y * gridDim.x + blockIdx.x;
      s[t] = x < width && y < height ? in[y * width + x] : 0.f;
      __syncthreads();
      for (int d = FIRST; d > 0; d >>= 1) {
        if (t < d && t + d < SIZE) s[t] += s[t + d];
        __syncthreads();
      }
      if (t == 0) atomicAdd(&out[block], s[0]);
      __syncthreads();
      if (threadIdx.y < most) rows[block * SIZE + t] += 1 + threadIdx.x;
      __syncthreads();
      if (threadIdx.y == only) rows[block * SIZE + t] += 100;
      __syncthreads();
      if (threadIdx.y % 2 == 1 && threadIdx.y >= most) rows[block * SIZE + t] += 1000;
    }
    """
    first = 1 << (b - 1).bit_length() - 1
    source = source.replace("SIZE", str(b)).replace("FIRST", str(first))
    values = np.random.default_rng(b).standard_normal((height, width), F)
    padded = np.zeros((2 * y * z, 3 * x), F)
    padded[:height, :width] = values
    tiles = padded.reshape(2, y * z, 3, x).transpose(0, 2, 1, 3).reshape(6, b)
    sums = np.zeros((6, 2 * first), F)
    sums[:, :b] = tiles
    row = np.arange(b) // x % y
    for most, only in ((0, 0), (1, 1), (y // 2, y - 1), (y, y), (y + 3, -1), (-2, 2)):
        out, rows = np.zeros(6, F), np.zeros((6, b), np.int32)
        run(source, values, out, rows, width, height, most, only, grid=(3, 2))
        limit = most if most >= 0 else y  # compared without a sign
        wanted = (row < limit) * (1 + np.arange(b) % x) + (row == only) * 100 + (row % 2 == 1) * (row >= limit) * 1000
        run.same(out, halved(sums), f"sums, {most}")
        run.same(rows, np.broadcast_to(wanted, rows.shape).astype(np.int32), f"rows, {most}, {only}")


SCAN = """
__global__ void k(int* data, int n) {
  extern __shared__ int s[];
  int t = threadIdx.x, offset = 1, first = 2 * t + PAD(2 * t), second = 2 * t + 1 + PAD(2 * t + 1);
  int* block = data + blockIdx.x * n;
  if (2 * t < n) s[first] = block[2 * t];
  if (2 * t + 1 < n) s[second] = block[2 * t + 1];
  for (int d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) {
      int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
      s[b + PAD(b)] += s[a + PAD(a)];
    }
    offset *= 2;
  }
  if (t == 0) s[n - 1 + PAD(n - 1)] = 0;
  for (int d = 1; d < n; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
      int left = s[a + PAD(a)];
      s[a + PAD(a)] = s[b + PAD(b)];
      s[b + PAD(b)] += left;
    }
  }
  __syncthreads();
  if (2 * t < n) block[2 * t] = s[first];
  if (2 * t + 1 < n) block[2 * t + 1] = s[second];
}
"""


@case(blocks=[*POWERS, 100])
def scans_of_a_length_that_the_launch_gives(run):
    """Blelloch's scan by factors that only the launch knows, also with places left out for the sake of banks; shorter than the block, too."""
    for pad in ("0", "((i) >> 5)", "((i) >> 4)"):
        source = f"#define PAD(i) {pad}\n" + SCAN
        length = 2
        while length <= 2 * run.block[0]:
            values = np.random.default_rng(length).integers(-1000, 1000, (3, length)).astype(np.int32)
            out = values.copy()
            run(source, out, length, grid=3, shared=8 * length + 64)
            run.same(out, np.cumsum(values, axis=1, dtype=np.int32) - values, f"{pad}, {length}")
            length *= 4


@case(blocks=POWERS)
def butterflies_behind_barriers(run):
    """A Walsh transform by fours, then by twos, of a length that the launch gives; places are made in front of barriers."""
    source = """
    __global__ void k(int* data, int n) {
      extern __shared__ int s[];
      int t = threadIdx.x;
      int* block = data + blockIdx.x * n;
      for (int i = t; i < n; i += blockDim.x) s[i] = block[i];
      int stride = n >> 2;
      for (; stride > 1; stride >>= 2) {
        int low = t & (stride - 1), a = ((t - low) << 2) + low, b = a + stride, c = b + stride, d = c + stride;
        __syncthreads();
        if (4 * t < n) {
          int p = s[a] + s[c], q = s[a] - s[c], r = s[b] + s[d], u = s[b] - s[d];
          s[a] = p + r; s[b] = p - r; s[c] = q + u; s[d] = q - u;
        }
      }
      for (stride = stride ? 2 * stride : 1; stride > 0; stride >>= 1) {
        int low = t & (stride - 1), a = 2 * t - low;
        __syncthreads();
        int x = 0, y = 0;
        if (2 * t < n) x = s[a], y = s[a + stride];
        __syncthreads();
        if (2 * t < n) s[a] = x + y, s[a + stride] = x - y;
      }
      __syncthreads();
      for (int i = t; i < n; i += blockDim.x) block[i] = s[i];
    }
    """
    for length in (4, 16, run.block[0], 2 * run.block[0]):
        values = np.random.default_rng(length).integers(-100, 100, (2, length)).astype(np.int32)
        wanted = values.copy()
        h = 1
        while h < length:
            pairs = wanted.reshape(2, -1, 2, h)
            wanted = np.stack([pairs[:, :, 0] + pairs[:, :, 1], pairs[:, :, 0] - pairs[:, :, 1]], 2).reshape(2, length)
            h *= 2
        out = values.copy()
        run(source, out, length, grid=2, shared=4 * length)
        run.same(out, wanted, str(length))


@case(blocks=POWERS)
def smallest_with_ties(run):
    """Of equal elements the first one; what is no number is never chosen."""
    source = """
    __global__ void k(const float* in, float* values, int* places, int n) {
      __shared__ float v[BLOCK];
      __shared__ int k[BLOCK];
      int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
      v[t] = i < n ? in[i] : 9;
      k[t] = (i * 7) % BLOCK;
      __syncthreads();
      for (int s = BLOCK / 2; s > 0; s >>= 1) {
        if (t < s) {
          if (v[t + s] < v[t] || (v[t + s] == v[t] && k[t + s] < k[t])) {
            v[t] = v[t + s];
            k[t] = k[t + s];
          }
        }
        __syncthreads();
      }
      if (t == 0) values[blockIdx.x] = v[0], places[blockIdx.x] = k[0];
    }
    """.replace("BLOCK", str(run.block[0]))
    b, blocks = run.block[0], 3
    n = blocks * b - 5
    padded = np.full(blocks * b, 9, F)
    padded[:n] = np.random.default_rng(b).integers(0, 4, n)
    padded[3:n:17] = np.nan
    v, k = padded.reshape(blocks, b).copy(), (np.arange(blocks * b) * 7 % b).reshape(blocks, b).astype(np.int32)
    half = b // 2
    while half:
        near, far = v[:, :half], v[:, half : 2 * half]
        takes = (far < near) | ((far == near) & (k[:, half : 2 * half] < k[:, :half]))
        v[:, :half] = np.where(takes, far, near)
        k[:, :half] = np.where(takes, k[:, half : 2 * half], k[:, :half])
        half //= 2
    values, places = np.zeros(blocks, F), np.zeros(blocks, np.int32)
    run(source, padded[:n].copy(), values, places, n, grid=blocks)
    run.same(values, v[:, 0])
    run.same(places, k[:, 0])
