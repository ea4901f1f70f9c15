"""Bytes, shorts and parts of rows that threads find by quotients, remainders and indices from memory."""

import numpy as np
from harness import case

PARTS = """
#include <cuda_fp16.h>
__global__ void k(unsigned char* bytes, short* shorts, half* halves, const unsigned char* a, const short* b,
                  const half* c, const int* at, const size_t* far, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  bytes[t] = (a + 1)[at[t]] + (a + 2)[far[t]];
  shorts[t] = t % 3 ? (b + 1)[at[t]] : b[far[t] + 3];
  if (at[t] & 1) halves[t] = (c + 1)[at[t]];
}
"""


@case(blocks=[16, 32, 100, 128])
def parts_of_words_at_any_place(run):
    size = run.threads
    n = 3 * size - size // 5
    rng = np.random.default_rng(size)
    a, b = rng.integers(0, 256, n + 4).astype(np.uint8), rng.integers(-999, 999, n + 4).astype(np.int16)
    c = rng.integers(-9, 9, n + 4).astype(np.float16)
    at = rng.integers(0, n, n).astype(np.int32)
    far = rng.integers(0, n, n).astype(np.uint64)
    bytes_, shorts, halves = np.zeros(n, np.uint8), np.zeros(n, np.int16), np.zeros(n, np.float16)
    run(PARTS, bytes_, shorts, halves, a, b, c, at, far, np.int32(n), grid=3)
    run.same(bytes_, a[at + 1] + a[far.astype(int) + 2])
    run.same(shorts, np.where(np.arange(n) % 3, b[at + 1], b[far.astype(int) + 3]))
    run.same(halves, np.where(at & 1, c[at + 1], np.float16(0)))


ROWS = """
struct Block { short scale; unsigned char codes[16]; };
__global__ void k(int* out, const Block* blocks, const int* scales, int columns, int from) {
  for (int j = threadIdx.x; j < columns; j += blockDim.x) {
    const int i = blockIdx.x * columns + j + from;
    out[blockIdx.x * columns + j] = blocks[i / 32].scale * blocks[i / 32].codes[i % 32 / 2] + scales[i / 16];
  }
}
"""


@case(blocks=[32, 64, 100])
def quotients_of_rows_that_begin_anywhere(run):
    rng = np.random.default_rng(run.threads)
    blocks = np.zeros(64, np.dtype([("scale", "i2"), ("codes", "u1", 16)]))
    blocks["scale"], blocks["codes"] = rng.integers(-9, 9, 64), rng.integers(0, 256, (64, 16))
    scales = rng.integers(0, 99, 128).astype(np.int32)
    for columns, start in ((128, 0), (128, 16), (96, 5), (100, 0)):
        out = np.zeros((4, columns), np.int32)
        run(ROWS, out, blocks.view("V18"), scales, np.int32(columns), np.int32(start), grid=4)
        i = (np.arange(4 * columns) + start).reshape(4, columns)
        run.same(out, blocks["scale"][i // 32].astype(int) * blocks["codes"][i // 32, i % 32 // 2] + scales[i // 16])


PRODUCTS = """
template <class T, int N>
__device__ void product(const T* x, const T* y, T* z, int count) {
  __shared__ T a[N * N], b[N * N];
  const int t = threadIdx.x, row = t / N, column = t % N;
  if (t < count) a[t] = x[t], b[t] = y[t];
  __syncthreads();
  if (t >= count) return;
  T sum = 0;
  for (int k = 0; k < N; ++k) sum += a[row * N + k] * b[k * N + column];
  z[t] = sum;
}
__global__ void k(const float* x, const float* y, float* z, const double* u, const double* v, double* w) {
  product<float, 5>(x, y, z, 25);
  product<double, 5>(u, v, w, 25);
}
"""


@case(blocks=[32, 64])
def products_of_small_matrices(run):
    rng = np.random.default_rng(run.threads)
    x, y = rng.integers(-9, 9, (2, 5, 5)).astype(np.float32)
    u, v = rng.integers(-9, 9, (2, 5, 5)).astype(np.float64)
    z, w = np.zeros((5, 5), np.float32), np.zeros((5, 5))
    run(PRODUCTS, x, y, z, u, v, w)
    run.same(z, x @ y)
    run.same(w, u @ v)


EXTREMA = """
__global__ void k(unsigned char* v, unsigned short* w, const unsigned char* a, const unsigned char* b,
                  const unsigned short* c, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  unsigned char least = v[t], up = a[t], left = b[t];
  if (up + 1 < least) least = up + 1;
  if (left + 200 < least) least = left + 200;
  if (least - 3 > left) left = least - 3;
  v[t] = min(least + left, 255);
  unsigned short most = w[t], other = c[t];
  if (other - 9 > most) most = other - 9;
  w[t] = min(most + other, 65535) - max(most - other, 0);
}
"""


@case(blocks=[32, 100, 128])
def sums_of_bytes_that_end_at_their_limits(run):
    size = run.threads
    n = 3 * size - size // 5
    rng = np.random.default_rng(size)
    v, a, b = rng.integers(0, 256, (3, n)).astype(np.uint8)
    w, c = rng.integers(0, 65536, (2, n)).astype(np.uint16)
    least = np.minimum(np.minimum(v, a.astype(int) + 1), b.astype(int) + 200)
    left = np.maximum(b, least - 3)
    most = np.maximum(w, c.astype(int) - 9)
    first = np.minimum(least + left, 255)
    second = np.minimum(most + c, 65535) - np.maximum(most - c, 0)
    run(EXTREMA, v, w, a, b, c, np.int32(n), grid=3)
    run.same(v, first.astype(np.uint8))
    run.same(w, second.astype(np.uint16))
