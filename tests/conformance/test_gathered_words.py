"""Members of a word that each thread finds by a place of its own: pixels, pairs of shorts and of halves."""

import numpy as np
from harness import case

PIXELS = """
#include <cuda_fp16.h>
struct Odd { unsigned char r, g, b; };
struct __align__(8) Mixed { short a; unsigned char b, c; half d; short e; };
__global__ void k(uchar4* out, int* sums, half2* halves, uchar4* image, const short2* pairs, const half2* numbers,
                  const Mixed* mixed, const Odd* odd, const int* at, int n) {
  __shared__ uchar4 tile[64];
  __shared__ unsigned char five[5];
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = threadIdx.x; i < 64; i += blockDim.x) tile[i] = image[i];
  if (threadIdx.x < 5) five[threadIdx.x] = 10 * threadIdx.x;
  __syncthreads();
  if (t >= n) return;
  const int i = at[t];
  const uchar4 c = image[i], s = tile[i % 64];
  const short2 p = pairs[i];
  const Mixed m = mixed[i];
  const Odd o = odd[i];
  out[t] = make_uchar4(c.x + s.w, c.y - s.x, c.z ^ s.y, c.w);
  int sum = p.x * 3 + p.y + m.a + m.b * 5 + m.c + m.e + o.r + 2 * o.g + 4 * o.b;
  if (i % 3 == 0) sum += image[(i + 1) % n].y + 7 * image[(i + 1) % n].z;  // three of four members, of some threads
  sum += five[i % 4] + five[i % 4 + 1];
  sums[t] = sum;
  const half2 h = numbers[i];
  halves[t] = __halves2half2(__hadd(h.x, m.d), __hadd(h.y, h.y));
}
"""


@case(blocks=[16, 32, 100, 128])
def members_of_words_by_index(run):
    size = run.threads
    n = 3 * size - size // 5
    rng = np.random.default_rng(size)
    image = rng.integers(0, 256, (max(n, 64), 4)).astype(np.uint8)
    pairs = rng.integers(-100, 100, (n, 2)).astype(np.int16)
    numbers = rng.integers(-8, 8, (n, 2)).astype(np.float16)
    mixed = np.zeros(n, np.dtype([("a", "i2"), ("b", "u1"), ("c", "u1"), ("d", "f2"), ("e", "i2")]))
    mixed["a"], mixed["e"] = rng.integers(-99, 99, (2, n))
    mixed["b"], mixed["c"] = rng.integers(0, 256, (2, n))
    mixed["d"] = rng.integers(-8, 8, n)
    odd = rng.integers(0, 256, (n, 3)).astype(np.uint8)
    at = rng.permutation(n).astype(np.int32)
    out, sums, halves = np.zeros((n, 4), np.uint8), np.zeros(n, np.int32), np.zeros((n, 2), np.float16)
    words = [pairs.view("V4"), numbers.view("V4"), mixed.view("V8"), odd.view("V3")]
    run(PIXELS, out.view("V4"), sums, halves.view("V4"), image.view("V4"), *words, at, np.int32(n), grid=3)
    c, s, m, o = image[at], image[at % 64], mixed[at], odd[at].astype(int)
    run.same(out, np.stack([c[:, 0] + s[:, 3], c[:, 1] - s[:, 0], c[:, 2] ^ s[:, 1], c[:, 3]], 1))
    expected = (
        pairs[at].astype(int) @ np.array([3, 1])
        + m["a"]
        + m["b"].astype(int) * 5
        + m["c"]
        + m["e"]
        + o @ np.array([1, 2, 4])
    )
    following = image[(at + 1) % n].astype(int)
    expected = expected + np.where(at % 3 == 0, following[:, 1] + 7 * following[:, 2], 0)
    run.same(sums, expected + 10 * (at % 4) + 10 * (at % 4 + 1))
    run.same(halves, np.stack([numbers[at][:, 0] + m["d"], 2 * numbers[at][:, 1]], 1))
