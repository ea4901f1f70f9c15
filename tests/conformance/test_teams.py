"""Teams of a few threads, each of which goes round a loop of its own length: rows of small blocks of a sparse matrix."""

import numpy as np
from harness import case

SOURCE = """
__global__ void k(const int* first, const int* column, const float4* blocks, const float4* x, float* y, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x, team = row / T, r = row % T;
  if (row >= rows) return;
  float sum = 0;
  for (int b = first[team]; b < first[team + 1]; ++b) {
    const float4 a = blocks[T * b + r], v = x[column[b]];
    sum = fmaf(a.x, v.x, sum);
    sum = fmaf(a.y, v.y, sum);
    sum = fmaf(a.z, v.z, sum);
    sum = fmaf(a.w, v.w, sum);
  }
  y[row] = sum;
}
"""


@case(blocks=[128, 100, 8, (4, 8)], each=[2, 4, 8, 6])
def rows_of_blocks(run, team):
    """Two, four, six and eight rows of a block's: the last teams end within a block of threads."""
    rng = np.random.default_rng(team)
    count = 150
    first = np.concatenate([[0], np.cumsum(rng.integers(0, 9, count))]).astype(np.int32)
    column = rng.integers(0, 60, first[-1]).astype(np.int32)
    blocks = rng.integers(-4, 5, (first[-1], team, 4)).astype(np.float32)
    x = rng.integers(-4, 5, (60, 4)).astype(np.float32)
    per_block = run.threads
    rows = count * team - 1
    source = SOURCE
    if len(run.block) > 1 and run.block[1] > 1:
        source = source.replace(
            "blockDim.x + threadIdx.x", "blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x"
        )
    y = np.zeros(count * team, np.float32)
    run(
        f"#define T {team}\n{source}",
        first,
        column,
        blocks.view("V16"),
        x.view("V16"),
        y,
        np.int32(rows),
        grid=-(-rows // per_block),
    )
    expected = np.zeros((count, team), np.float32)
    for i in range(count):
        for b in range(first[i], first[i + 1]):
            expected[i] += blocks[b] @ x[column[b]]
    expected = expected.reshape(-1)
    expected[-1] = 0
    run.same(y, expected)
