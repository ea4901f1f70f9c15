"""Elements that go to, or come from, places whose bits are those of their numbers in reverse order, as in front of a transform."""

import numpy as np
from harness import case

PLACED = """
__global__ void k(const {type}* in, {type}* placed, {type}* taken, int* shifted) {{
  __shared__ {type} s[{size}], t[{size}];
  __shared__ int u[{size} * 2];
  const int n = blockDim.x;
  const {type}* from = in + blockIdx.x * {size};
  for (int i = threadIdx.x; i < {size}; i += n) u[i] = u[i + {size}] = -1;
  __syncthreads();
  for (int i = threadIdx.x; i < {size}; i += n) {{
    s[__brev(i) >> {shift}] = from[i];
    t[i] = from[i];
    u[(i & 7) | (i & ~7) << 1] = i;
  }}
  __syncthreads();
  for (int i = threadIdx.x; i < {size}; i += n) {{
    placed[blockIdx.x * {size} + i] = s[i];
    taken[blockIdx.x * {size} + i] = t[__brev(i) >> {shift}];
    shifted[blockIdx.x * {size} + i] = u[i] * 1000 + u[i + {size}];
  }}
}}
"""


@case(blocks=[16, 32, 48, 100, 128, 256])
def places_by_reversed_bits(run):
    """Of 64 to 512 elements, by blocks that are no power of two, too, and may be larger than what they place."""
    for bits in (6, 8, 9):
        size = 1 << bits
        order = np.array([int(f"{i:0{bits}b}"[::-1], 2) for i in range(size)])
        spread = np.full(2 * size, -1)
        spread[np.arange(size) & 7 | (np.arange(size) & ~7) << 1] = np.arange(size)
        for name, kind in (("float", np.float32), ("double", np.float64), ("short", np.int16)):
            values = (np.arange(2 * size) * 37 % 1009).astype(kind)
            if kind != np.int16:
                values[3::41] = np.nan
            placed, taken = np.zeros_like(values), np.zeros_like(values)
            shifted = np.zeros(2 * size, np.int32)
            source = PLACED.format(type=name, size=size, shift=32 - bits)
            run(source, values, placed, taken, shifted, grid=2)
            for block in range(2):
                part = slice(block * size, block * size + size)
                moved = values[part][order]
                assert np.array_equal(placed[part].view(np.uint8), moved.view(np.uint8)), f"{name}, {size}"
                assert np.array_equal(taken[part].view(np.uint8), moved.view(np.uint8)), f"{name}, {size}"
                run.same(shifted[part], (spread[:size] * 1000 + spread[size:]).astype(np.int32), f"{name}, {size}")
