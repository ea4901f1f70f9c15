"""One thread of a few, by its number, reads or writes what belongs to all of them."""

import numpy as np
from harness import case

FEW = """
__global__ void k(const int* in, const int* small, int* sums, int* picked, int* both, int n) {{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int v = i < n ? in[i] : 0;
  if (i % {few} == 0) sums[i / {few}] = v * 3;
  if (i < n && (i & {few} - 1) == {few} / 2) picked[i / {few}] = v + small[i / {few}];
  if (i >= n) return;
  if ((i & {few} - 1) < 2) both[i / {few}] = v;
}}
"""


@case(blocks=[32, 48, 128, 256])
def each_for_a_few(run):
    """A power of two of them; what two threads write, one of them has written."""
    columns = run.threads
    for few in (2, 4, 8, 16, 32):
        for n in (3 * columns, 2 * columns + columns // 2, 1):
            count = 3 * columns
            values = (np.arange(count) * 31 % 97 + 1).astype(np.int32)
            small = (np.arange(count) * 7 % 53).astype(np.int32)
            groups = -(-count // few)
            sums, picked, both = (np.full(groups, -1, np.int32) for _ in range(3))
            run(FEW.format(few=few), values, small, sums, picked, both, n, grid=3)
            at = np.arange(count)
            inside = np.where(at < n, values, 0)
            run.same(sums, inside[::few] * 3, f"{few}, {n}")
            expected = np.full(groups, -1, np.int32)
            takers = at[(at < n) & (at % few == few // 2)]
            expected[takers // few] = values[takers] + small[takers // few]
            run.same(picked, expected, f"{few}, {n}")
            for group in range(groups):
                writers = [i for i in range(group * few, min(group * few + 2, count)) if i < n]
                assert both[group] in ([values[i] for i in writers] or [-1]), f"{few}, {n}: {group}"
