"""Code that several barriers lead to, guards in a row, and the same question asked again: compiled once each."""

import numpy as np
from harness import case

F = np.float32


def small_integers(rng, shape):
    """Values whose sums of products are exact in any order."""
    return rng.integers(-4, 5, shape).astype(F)


TILE = """
template <int R>
__global__ void product(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float as[4][16 * R], bs[4][16 * R];
  int t = threadIdx.x, tx = t % 16, ty = t / 16, row = blockIdx.y * 16 * R, column = blockIdx.x * 16 * R;
  float sums[R][R] = {};
  for (int first = 0; first < k; first += 4) {
    for (int e = t; e < 64 * R; e += blockDim.x) {
      int i = e / 4, j = e % 4;
      as[j][i] = row + i < m && first + j < k ? a[(row + i) * k + first + j] : 0;
    }
    for (int e = t; e < 64 * R; e += blockDim.x) {
      int i = e / (16 * R), j = e % (16 * R);
      bs[i][j] = first + i < k && column + j < n ? b[(first + i) * n + column + j] : 0;
    }
    __syncthreads();
    for (int i = 0; i < 4; i++)
      for (int y = 0; y < R; y++)
        for (int x = 0; x < R; x++) sums[y][x] += as[i][ty * R + y] * bs[i][tx * R + x];
    __syncthreads();
  }
  for (int y = 0; y < R; y++)
    for (int x = 0; x < R; x++) {
      int i = row + ty * R + y, j = column + tx * R + x;
      if (i < m && j < n) c[i * n + j] = 2 * sums[y][x] + c[i * n + j];
    }
}
"""


@case(blocks=[256])
def tiles_behind_guards(run):
    """Also of no turn at all: what follows behind the loop is reached from in front of it, too."""
    rng = np.random.default_rng(1)
    for r in (2, 4, 8):
        for m, n, k in ((16 * r, 32 * r, 8), (16 * r + 5, 32 * r - 3, 9), (3, 2, 5), (20, 40, 0)):
            a, b, c = (
                small_integers(rng, (m, max(k, 1))),
                small_integers(rng, (max(k, 1), n)),
                small_integers(rng, (m, n)),
            )
            expected = 2 * (a[:, :k] @ b[:k]) + c
            grid = (-(-n // (16 * r)), -(-m // (16 * r)))
            run(TILE, a, b, c, m, n, k, grid=grid, names=[f"product<{r}>"])
            run.same(c, expected, f"{r} {m} {n} {k}")


STEPS = """
__global__ void steps(const int* in, int* out, int turns, int from) {
  __shared__ int a[256], b[256];
  int t = threadIdx.x, v = in[blockIdx.x * blockDim.x + t], w = v;
  for (int i = from; i < turns; i++) {
    a[t] = v;
    b[t] = w * 3 + i;
    __syncthreads();
    int next = (t + i + 1) % blockDim.x;
    v += a[next] ^ b[(t + 2 * i) % blockDim.x];
    w = a[t] - b[next];
    if (i % 3 == 1) {
      __syncthreads();
      a[t] = w;
      __syncthreads();
      v ^= a[blockDim.x - 1 - t];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++) {
    w = w * 5 + (v ^ w >> 3);
    v += w * w - i;
  }
  out[blockIdx.x * blockDim.x + t] = v + w;
}
"""


@case(blocks=[32, 64, 100, 256])
def turns_with_barriers_that_some_take(run):
    n = run.block[0]
    data = np.random.default_rng(2).integers(-1000, 1000, 2 * n).astype(np.int32)
    t = np.arange(n)
    for turns, first in ((0, 0), (1, 0), (7, 0), (5, 4), (4, 4)):
        out = np.zeros(2 * n, np.int32)
        run(STEPS, data, out, turns, first, grid=2)
        expected = []
        for v in data.reshape(2, n):
            w = v.copy()
            for i in range(first, turns):
                a, b = v.copy(), (w * 3 + i).astype(np.int32)
                following = (t + i + 1) % n
                v, w = v + (a[following] ^ b[(t + 2 * i) % n]), a - b[following]
                if i % 3 == 1:
                    v = v ^ w[n - 1 - t]
            for i in range(4):
                w = w * 5 + (v ^ (w >> 3))
                v = v + w * w - i
            expected.append(v + w)
        run.same(out, np.concatenate(expected).astype(np.int32), f"{turns} {first}")


ROWS = """
template <int D>
__global__ void rows(const float* in, float* out, int n) {
  __shared__ float tile[64][D];
  int row = blockIdx.x * 64 + threadIdx.x;
  float v[D];
  for (int d = 0; d < D; d++) v[d] = row < n ? in[row * D + d] * 2 : -1;
  for (int d = 0; d < D; d++) tile[threadIdx.x][d] = v[d];
  __syncthreads();
  for (int d = 0; d < D; d++) v[d] += tile[63 - threadIdx.x][d];
  for (int d = 0; d < D; d++)
    if (row < n) out[row * D + d] = v[d];
}
"""


@case(blocks=[64])
def elements_behind_one_question(run):
    for d in (4, 16, 33):
        for n in (128, 100, 64, 1):
            data = small_integers(np.random.default_rng(d), (n, d))
            out = np.zeros((n, d), F)
            run(ROWS, data, out, n, grid=-(-n // 64), names=[f"rows<{d}>"])
            padded = np.full((-(-n // 64) * 64, d), -1, F)
            padded[:n] = 2 * data
            expected = padded.reshape(-1, 64, d) + padded.reshape(-1, 64, d)[:, ::-1]
            run.same(out, expected.reshape(-1, d)[:n], f"{d} {n}")


BINS = """
__global__ void bins(const int* keys, const float* weights, float* sums, int* counts, int n) {
  __shared__ float s[32];
  __shared__ int c[32];
  if (threadIdx.x < 32) s[threadIdx.x] = 0, c[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&s[keys[i]], weights[i]);
    atomicAdd(&c[keys[i]], 1);
  }
  __syncthreads();
  if (threadIdx.x < 32) atomicAdd(&sums[threadIdx.x], s[threadIdx.x]), atomicAdd(&counts[threadIdx.x], c[threadIdx.x]);
}
"""


@case(blocks=[32, 96, 256])
def bins_of_the_last_block(run):
    rng = np.random.default_rng(3)
    for n in (1000, 1024, 5, 256):
        keys, weights = rng.integers(0, 32, n).astype(np.int32), small_integers(rng, n)
        sums, counts = np.zeros(32, F), np.zeros(32, np.int32)
        run(BINS, keys, weights, sums, counts, n, grid=-(-n // run.block[0]))
        run.same(sums, np.bincount(keys, weights, 32).astype(F), f"{n}")
        run.same(counts, np.bincount(keys, minlength=32).astype(np.int32), f"{n}")
