"""Barriers of the grid between the steps of whole programs: what blocks keep over them, and what they then see."""

import numpy as np
import pytest
from cooperative import BEGIN
from harness import case
from test_forward_progress import SIZE, THREAD

import lanza

F = np.float32
SHAPES = (1, 31, 32, 33, 64, 100, 256, 1024, (7, 5), (16, 16), (4, 4, 4))
RANK = f"auto grid = cg::this_grid(); {THREAD} {SIZE} const int all = n * gridDim.x;"


def sums_by_blocks(terms, blocks, threads):
    """As `dot` below: each thread its part with the grid's stride, each block its threads, then the blocks, all in order."""
    padded = np.zeros(-(-len(terms) // (blocks * threads)) * blocks * threads, F)
    padded[: len(terms)] = terms
    of_threads = padded.reshape(-1, blocks, threads)
    total = np.zeros((blocks, threads), F)
    for turn in of_threads:
        total = total + turn
    of_blocks = np.add.accumulate(np.concatenate([np.zeros((blocks, 1), F), total], 1), 1, F)[:, -1]
    return np.add.accumulate(np.concatenate([np.zeros(1, F), of_blocks]), dtype=F)[-1]


SOLVER = f"""
{BEGIN}
__device__ float dot(cg::grid_group grid, const float* a, const float* b, float* sums, int size) {{
  {THREAD} {SIZE}
  __shared__ float of_threads[1024];
  float sum = 0;
  for (int i = blockIdx.x * n + t; i < size; i += n * gridDim.x) sum += a[i] * b[i];
  of_threads[t] = sum;
  __syncthreads();
  if (t == 0) {{
    float total = 0;
    for (int k = 0; k < n; ++k) total += of_threads[k];
    sums[blockIdx.x] = total;
  }}
  grid.sync();
  float total = 0;
  for (int k = 0; k < gridDim.x; ++k) total += sums[k];
  grid.sync();
  return total;
}}
__global__ void k(const float* b, float* x, float* r, float* p, float* q, float* sums, float* residuals, int size, int steps) {{
  {RANK}
  const int first = blockIdx.x * n + t;
  for (int i = first; i < size; i += all) {{
    x[i] = 0;
    r[i] = p[i] = b[i];
  }}
  grid.sync();
  float square = dot(grid, r, r, sums, size);
  for (int step = 0; step < steps; ++step) {{
    for (int i = first; i < size; i += all)
      q[i] = 2.0f * p[i] - ((i > 0 ? p[i - 1] : 0.0f) + (i < size - 1 ? p[i + 1] : 0.0f));
    grid.sync();
    const float alpha = square / dot(grid, p, q, sums, size);
    for (int i = first; i < size; i += all) {{
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }}
    grid.sync();
    const float next = dot(grid, r, r, sums, size), beta = next / square;
    square = next;
    for (int i = first; i < size; i += all) p[i] = r[i] + beta * p[i];
    grid.sync();
    if (t == 0 && blockIdx.x == 0) residuals[step] = square;
  }}
}}
"""


@case(blocks=SHAPES)
def conjugate_gradients(run):
    """A solver in one kernel: products with a matrix, dot products over the grid, four barriers of the grid a step."""
    blocks, size, steps = 4, 1500, 5
    b = np.random.default_rng(1).random(size, F)
    x, r, p, q = (np.zeros(size, F) for _ in range(4))
    sums, residuals = np.zeros(blocks, F), np.zeros(steps, F)
    run(SOLVER, b, x, r, p, q, sums, residuals, size, steps, grid=blocks, cooperative=True)
    wanted, rest, way, squares = np.zeros(size, F), b.copy(), b.copy(), []
    square = sums_by_blocks(rest * rest, blocks, run.threads)
    for _ in range(steps):
        wide = np.pad(way, 1)
        image = F(2) * way - (wide[:-2] + wide[2:])
        alpha = square / sums_by_blocks(way * image, blocks, run.threads)
        wanted, rest = wanted + alpha * way, rest - alpha * image
        squares.append(sums_by_blocks(rest * rest, blocks, run.threads))
        way, square = rest + squares[-1] / square * way, squares[-1]
    run.same(x, wanted, "the solution")
    run.same(residuals, squares, "squares of what is left")


@case(blocks=SHAPES)
def reduction_in_several_passes(run):
    """Half as many sums each pass, from one array to the other and back, a barrier of the grid between them."""
    size = 10007
    data = np.random.default_rng(2).integers(-1000, 1000, size).astype(np.int32)
    out = np.zeros(2, np.int32)
    source = f"""{BEGIN}
    __global__ void k(int* a, int* b, int* out, int size) {{
      {RANK}
      int passes = 0;
      for (; size > 1; size = (size + 1) / 2, ++passes) {{
        for (int i = blockIdx.x * n + t; i < (size + 1) / 2; i += all)
          b[i] = a[2 * i] + (2 * i + 1 < size ? a[2 * i + 1] : 0);
        grid.sync();
        int* other = a;
        a = b;
        b = other;
      }}
      if (t == 0 && blockIdx.x == gridDim.x - 1) {{
        out[0] = a[0];
        out[1] = passes;
      }}
    }}
    """
    run(source, data.copy(), np.zeros(size, np.int32), out, size, grid=7, cooperative=True)
    run.same(out, [data.sum(), 14])


@case(blocks=SHAPES)
def relaxation_until_it_converges(run):
    """Jacobi: all blocks leave the loop when the greatest change of the step, an atomic maximum, is small enough."""
    width, height, limit = 40, 24, 0.01
    a = np.random.default_rng(3).random((height, width), F)
    b = a.copy()
    changes = np.zeros(200, np.int32)
    source = f"""{BEGIN}
    __global__ void k(float* from, float* to, int* changes, int width, int height, float limit, int* steps) {{
      {RANK}
      int step = 0;
      for (;;) {{
        float most = 0;
        for (int i = blockIdx.x * n + t; i < width * height; i += all) {{
          const int x = i % width, y = i / width;
          if (x == 0 || y == 0 || x == width - 1 || y == height - 1) continue;
          const float value = 0.25f * ((from[i - 1] + from[i + 1]) + (from[i - width] + from[i + width]));
          most = fmaxf(most, fabsf(value - from[i]));
          to[i] = value;
        }}
        atomicMax(&changes[step], __float_as_int(most));
        grid.sync();
        const bool ends = __int_as_float(changes[step++]) < limit;
        float* other = from;
        from = to;
        to = other;
        if (ends || step == 200) break;
      }}
      if (t == 0) steps[blockIdx.x] = step;
    }}
    """
    steps, expected = np.zeros(3, np.int32), [a.copy()]
    run(source, a, b, changes, width, height, limit, steps, grid=3, cooperative=True)
    greatest = []
    while not greatest or greatest[-1] >= F(limit):
        p = expected[-1]
        value = F(0.25) * ((p[1:-1, :-2] + p[1:-1, 2:]) + (p[:-2, 1:-1] + p[2:, 1:-1]))
        greatest.append(np.abs(value - p[1:-1, 1:-1]).max())
        expected.append(p.copy())
        expected[-1][1:-1, 1:-1] = value
    run.same(steps, [len(greatest)] * 3, "steps")
    run.same(changes[: len(greatest)], np.array(greatest, F).view(np.int32), "changes")
    run.same(b if len(greatest) % 2 else a, expected[-1])


@case(blocks=SHAPES)
def generations_of_life(run):
    """The game of life on a torus, many generations in one kernel: a thread a cell of each turn."""
    w, h, generations = 70, 31, 6
    a = np.random.default_rng(4).integers(0, 2, (h, w), np.uint8)
    expected = a.copy()
    source = f"""{BEGIN}
    __global__ void k(unsigned char* cells, unsigned char* others, int w, int h, int generations) {{
      {RANK}
      for (int g = 0; g < generations; ++g) {{
        const unsigned char* from = g % 2 ? others : cells;
        unsigned char* to = g % 2 ? cells : others;
        for (int i = blockIdx.x * n + t; i < w * h; i += all) {{
          const int x = i % w, y = i / w;
          int count = 0;
          for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx)
              if (dx || dy) count += from[(y + dy + h) % h * w + (x + dx + w) % w];
          to[i] = count == 3 || (count == 2 && from[i]);
        }}
        grid.sync();
      }}
    }}
    """
    run(source, a, np.zeros_like(a), w, h, generations, grid=5, cooperative=True)
    for _ in range(generations):
        n = sum(np.roll(expected, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
        expected = ((n == 3) | ((n == 2) & (expected == 1))).astype(np.uint8)
    run.same(a, expected)


@case(blocks=SHAPES)
def kept_over_barriers_of_the_grid(run):
    """Registers, private arrays, static and dynamic shared memory of every block are the block's own, and stay."""
    blocks, rounds = 9, 3
    out = np.zeros((blocks, run.threads, 2), np.int32)
    source = f"""{BEGIN}
    __global__ void k(int* words, int* out) {{
      {RANK}
      __shared__ int tile[1024];
      extern __shared__ int more[];
      int history[{rounds}];
      const int i = blockIdx.x * n + t;
      tile[t] = i;
      more[t] = 5 * i;
      for (int round = 0; round < {rounds}; ++round) {{
        words[i] = i * (round + 1);
        grid.sync();
        history[round] = words[(i + n + 1) % all];
        __syncthreads();
        tile[t] += round;
        grid.sync();
      }}
      int sum = 0;
      for (int round = 0; round < {rounds}; ++round) sum = sum * 3 + history[(round + blockIdx.x) % {rounds}];
      out[2 * i] = sum;
      out[2 * i + 1] = tile[t] + more[t];
    }}
    """
    all_threads = blocks * run.threads
    run(source, np.zeros(all_threads, np.int32), out, grid=blocks, shared=4 * run.threads, cooperative=True)
    i = np.arange(all_threads).reshape(blocks, run.threads)
    other, sums = (i + run.threads + 1) % all_threads, np.zeros_like(i)
    for r in range(rounds):
        sums = sums * 3 + other * ((r + np.arange(blocks)[:, None]) % rounds + 1)
    run.same(out[:, :, 0], sums)
    run.same(out[:, :, 1], 6 * i + rounds * (rounds - 1) // 2)


@case(blocks=SHAPES)
def sorting_by_counts(run):
    """Counters of the whole grid: cleared, counted, summed up and used for places, a barrier of the grid after each."""
    bins, size = 16, 3000
    keys = np.random.default_rng(5).integers(0, bins, size).astype(np.int32)
    counts, sorted_keys = np.full(bins, 77, np.int32), np.zeros(size, np.int32)
    source = f"""{BEGIN}
    __global__ void k(const int* keys, int* counts, int* places, int* sorted, int bins, int size) {{
      {RANK}
      const int first = blockIdx.x * n + t;
      for (int i = first; i < bins; i += all) counts[i] = 0;
      grid.sync();
      for (int i = first; i < size; i += all) atomicAdd(&counts[keys[i]], 1);
      grid.sync();
      for (int i = first; i < bins; i += all) {{
        int before = 0;
        for (int k = 0; k < i; ++k) before += counts[k];
        places[i] = before;
      }}
      grid.sync();
      for (int i = first; i < size; i += all) sorted[atomicAdd(&places[keys[i]], 1)] = keys[i];
    }}
    """
    run(source, keys, counts, np.zeros(bins, np.int32), sorted_keys, bins, size, grid=6, cooperative=True)
    run.same(counts, np.bincount(keys, minlength=bins))
    run.same(sorted_keys, np.sort(keys))


@case(blocks=SHAPES)
def threads_that_leave_before_the_grid_meets(run):
    """Threads without work return; those of the same block that stay meet the other blocks without them."""
    blocks = 4
    stays = max(1, run.threads * 2 // 3)
    out = np.zeros((blocks, run.threads), np.int32)
    source = f"""{BEGIN}
    __global__ void k(int* words, int* out, int stays) {{
      {RANK}
      if (t >= stays) return;
      const int i = blockIdx.x * n + t;
      words[i] = i + 1;
      grid.sync();
      const int sum = words[i] + words[(blockIdx.x + 1) % gridDim.x * n + t];
      grid.sync();
      out[i] = sum;
    }}
    """
    run(source, np.zeros_like(out), out, stays, grid=blocks, cooperative=True)
    words = np.arange(out.size).reshape(out.shape) + 1
    expected = words + np.roll(words, -1, 0)
    expected[:, stays:] = 0
    run.same(out, expected)


@case(
    blocks=SHAPES, cpu_only=True, reason="a GPU's barrier of the grid waits for all blocks, also for those that ended"
)
def blocks_that_leave_before_the_grid_meets(run):
    """Blocks that have ended are waited for no more: the others go on, round after round."""
    blocks = 12
    rounds = np.zeros((blocks, run.threads), np.int32)
    source = f"""{BEGIN}
    __global__ void k(int* words, int* rounds) {{
      {RANK}
      const int i = blockIdx.x * n + t;
      for (int round = 0; round < blockIdx.x; ++round) {{
        if (t == 0) atomicAdd(&words[round], 1);
        grid.sync();
        rounds[i] += words[round];
      }}
    }}
    """
    run(source, np.zeros(blocks, np.int32), rounds, grid=blocks, cooperative=True)
    b = np.arange(blocks)
    expected = np.concatenate([[0], np.cumsum(blocks - 1 - b)])[:blocks]
    run.same(rounds, np.broadcast_to(expected[:, None], rounds.shape))


@case(blocks=SHAPES)
def barriers_of_the_grid_at_several_places(run):
    """Which barrier a block stands at depends on its number: the grid meets all the same; functions hold some."""
    blocks, rounds = 6, 4
    out = np.zeros((rounds, blocks, run.threads), np.int32)
    source = f"""{BEGIN}
    __device__ void meet(cg::grid_group grid, int round) {{
      if (round == 1) grid.barrier_wait(grid.barrier_arrive());
      else grid.sync();
    }}
    __global__ void k(int* words, int* out) {{
      {RANK}
      const int i = blockIdx.x * n + t;
      for (int round = 0; round < {rounds}; ++round) {{
        words[i] = i + round;
        if (blockIdx.x % 2) meet(grid, round);
        else grid.sync();
        out[round * all + i] = words[(i + n) % all];
        meet(grid, 0);
      }}
    }}
    """
    run(source, np.zeros(out[0].size, np.int32), out, grid=blocks, cooperative=True)
    i = np.arange(out[0].size)
    expected = (i + run.threads) % i.size + np.arange(rounds)[:, None]
    run.same(out, expected.reshape(out.shape))


@case(blocks=(32, 64, (16, 4)))
def grids_of_three_dimensions_that_meet(run):
    """A grid with y and z, more blocks than any processor has cores, one of one block."""
    for grid in ((5, 3, 4), (300, 1, 1), (1, 1, 1)):
        blocks = int(np.prod(grid))
        out = np.zeros(blocks, np.int32)
        source = f"""{BEGIN}
        __global__ void k(int* words, int* out) {{
          auto grid = cg::this_grid();
          {THREAD}
          for (int round = 0; round < 3; ++round) {{
            if (t == 0) words[grid.block_rank()] += grid.block_rank() + round;
            grid.sync();
            const int seen = words[(grid.block_rank() + 1) % grid.num_blocks()];
            grid.sync();
            if (t == 0) out[grid.block_rank()] = out[grid.block_rank()] * 2 + seen;
          }}
        }}
        """
        run(source, np.zeros(blocks, np.int32), out, grid=grid, cooperative=True)
        other = (np.arange(blocks) + 1) % blocks
        run.same(out, other * 4 + (2 * other + 1) * 2 + 3 * other + 3)


@case(blocks=(64, 100), cpu_only=True, reason="a GPU's kernels cannot be ended without the loss of their context")
def endless_barriers_of_the_grid(run):
    """A loop around a barrier of the grid that never ends is ended by its time limit; a trap behind one names its block."""
    source = f"""{BEGIN}
    __global__ void k(volatile int* out, int trap) {{
      {RANK}
      for (;;) {{
        grid.sync();
        if (trap && blockIdx.x == 2 && t == 40) __trap();
      }}
    }}
    """
    with pytest.raises(lanza.LaunchError, match="k: timed out after 100 ms"):
        run(source, np.zeros(1, np.int32), 0, grid=5, cooperative=True, timeout=0.1)
    with pytest.raises(lanza.LaunchError, match=r"block \(2,0,0\)"):
        run(source, np.zeros(1, np.int32), 1, grid=5, cooperative=True)
