"""Sums of bytes along a row: differences of blocks of pixels, boxes, taps."""

import numpy as np
from harness import case

DIFFERENCES = """
__global__ void k(unsigned* sums, const unsigned char* block, const unsigned char* image, int width, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= n) return;
  unsigned sum = 4000000000u + x;
  for (int j = 0; j < 8; j++)
    for (int i = 0; i < 8; i++) sum += abs(block[8 * j + i] - image[(y + j) * width + x + i]);
  sums[y * n + x] = sum;
}
"""


@case(blocks=[16, 32, 64, 100])
def differences_of_blocks(run):
    rng = np.random.default_rng(run.threads)
    for n in (2 * run.threads, 2 * run.threads - 9):
        block, image = rng.integers(0, 256, (8, 8)).astype(np.uint8), rng.integers(0, 256, (12, n + 7)).astype(np.uint8)
        sums = np.zeros((5, n), np.uint32)
        run(DIFFERENCES, sums, block, image, np.int32(n + 7), np.int32(n), grid=(2, 5))
        windows = np.lib.stride_tricks.sliding_window_view(image.astype(np.int64), (8, 8))
        wanted = np.abs(windows - block).sum((2, 3)) + 4000000000 + np.arange(n)
        run.same(sums, wanted.astype(np.uint32))


BOX = """
template <class T, int TAPS>
__global__ void box(int* sums, const T* row, const T* other, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= n) return;
  int sum = 0, larger = 0, both = other[0];
  for (int i = 0; i < TAPS; i++) {
    sum += row[x + i];
    larger += row[x + i] > other[i] ? row[x + i] : other[i];
    both += (T)(row[x + TAPS - 1 - i] ^ row[x + i] & other[TAPS - 1 - i]);
  }
  sums[3 * x] = sum, sums[3 * x + 1] = larger, sums[3 * x + 2] = both;
}
"""


@case(blocks=[16, 32, 100])
def boxes_of_bytes(run):
    rng = np.random.default_rng(run.threads)
    n = 2 * run.threads - 3
    for name, kind in (("unsigned char", np.uint8), ("signed char", np.int8)):
        for taps in (4, 5, 9, 16):
            row, other = rng.integers(0, 256, n + taps).astype(np.uint8).view(kind), rng.integers(0, 256, taps)
            other = other.astype(np.uint8).view(kind)
            sums = np.zeros((n, 3), np.int32)
            run(BOX, sums, row, other, np.int32(n), grid=2, names=[f"box<{name}, {taps}>"])
            window = np.lib.stride_tricks.sliding_window_view(row, taps)[:n]
            both = (window[:, ::-1] ^ window & other[::-1]).astype(int).sum(1) + int(other[0])
            wanted = [window.astype(int).sum(1), np.maximum(window, other).astype(int).sum(1), both]
            run.same(sums, np.stack(wanted, 1).astype(np.int32))
