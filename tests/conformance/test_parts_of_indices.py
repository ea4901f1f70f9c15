"""Multiples of threadIdx.x and of blockIdx.x by themselves, beside the index of the grid."""

import numpy as np
from harness import case

INDICES = {
    "threadIdx.x": lambda t, b, size: t,
    "threadIdx.x * 2": lambda t, b, size: t * 2,
    "threadIdx.x * 3": lambda t, b, size: t * 3,
    "threadIdx.x << 4": lambda t, b, size: t << 4,
    "(long long)threadIdx.x * 3": lambda t, b, size: t * 3,
    "(int)threadIdx.x * 2 + 1": lambda t, b, size: t * 2 + 1,
    "blockIdx.x * 3": lambda t, b, size: b * 3,
    "blockIdx.x * 64": lambda t, b, size: b * 64,
    "blockIdx.x * 2ull": lambda t, b, size: b * 2,
    "threadIdx.x * 2 + blockIdx.x * 2 * blockDim.x": lambda t, b, size: 2 * (t + b * size),
    "threadIdx.x * 2 + blockIdx.x * 3 * blockDim.x": lambda t, b, size: 2 * t + 3 * b * size,
    "threadIdx.x * 3 + blockIdx.x * 7": lambda t, b, size: 3 * t + 7 * b,
    "blockIdx.x * blockDim.x": lambda t, b, size: b * size,
    "threadIdx.x / 2": lambda t, b, size: t // 2,
    "threadIdx.x & 3": lambda t, b, size: t & 3,
    "threadIdx.x * 2 & 3": lambda t, b, size: t * 2 & 3,
}
SOURCE = """
__global__ void k(const int* in, int* out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = in[INDEX];
}"""


@case(blocks=[64, 256, 33, 100], each=list(INDICES))
def loads_beside_a_store_in_rows(run, index):
    blocks, size = 5, run.threads
    source = np.random.default_rng(size).integers(-99, 99, 16 * blocks * size + 16).astype(np.int32)
    out = np.zeros(blocks * size, np.int32)
    run(SOURCE.replace("INDEX", index), source, out, grid=blocks)
    i = np.arange(blocks * size)
    run.same(out, source[INDICES[index](i % size, i // size, size)])
