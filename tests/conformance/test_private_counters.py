"""Counters of each thread's own in shared memory, which several places of the block's sum up."""

import numpy as np
from harness import case

COUNT = """
template <class T, int step>
__global__ void k(const unsigned* in, unsigned* out, int shift, int n) {
  extern __shared__ char memory[];
  T (*own)[blocks] = (T (*)[blocks])memory;
  int t = threadIdx.x;
  for (int d = 0; d < 16; ++d) own[d][t] = 0;
  int base = blockIdx.x * blocks * 8;
  for (int k = 0; k < 8; ++k) {
    int i = base + k * blocks + t;
    if (i < n) own[(in[i] >> shift) & 15][t] += step;
  }
  __syncthreads();
  for (int d = t; d < 16; d += blocks) {
    unsigned sum = 0;
    for (int j = 0; j < blocks; ++j) sum += own[d][j];
    out[blockIdx.x * 16 + d] = sum;
  }
}
"""


@case(blocks=[1, 31, 32, 33, 64, 100, 256])
def digits_counted_by_each_thread(run):
    """A radix sort's first step: bytes, shorts and words in rows of a thread's column each, summed up row by row."""
    size = run.block[0]
    for spelled, width in (("unsigned char", 1), ("short", 2), ("unsigned", 4)):
        for n in (8 * size * 3, 8 * size * 2 + 5):
            for shift, step in ((4, 1), (8, 3)):
                values = np.random.default_rng(n).integers(0, 1 << 16, n).astype(np.uint32)
                blocks = -(-n // (8 * size))
                out = np.zeros((blocks, 16), np.uint32)
                source = COUNT.replace("blocks", str(size))
                run(
                    source,
                    values,
                    out,
                    shift,
                    n,
                    grid=blocks,
                    shared=16 * size * width,
                    names=[f"k<{spelled}, {step}>"],
                )
                digits = np.full(blocks * 8 * size, 16)
                digits[:n] = values >> shift & 15
                want = [step * np.bincount(d, minlength=17)[:16] for d in digits.reshape(blocks, -1)]
                run.same(out, np.array(want, np.uint32), f"{spelled}, {n}, {shift}")


TOGETHER = """
__global__ void k(unsigned char* out) {
  __shared__ volatile unsigned char counts[4];
  int t = threadIdx.x;
  if (t < 4) counts[t] = 0;
  __syncwarp();
  counts[t & 3]++;
  __syncwarp();
  if (t < 4) out[t] = counts[t];
}
"""


@case(blocks=[32])
def volatile_counts_of_a_warp_in_lock_step(run):
    """Legacy warp-synchronous code: all lanes read before any of them writes."""
    out = np.zeros(4, np.uint8)
    run(TOGETHER, out)
    run.same(out, np.ones(4, np.uint8), "each count once")
