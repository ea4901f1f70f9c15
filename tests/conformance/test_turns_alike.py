"""Work that is the same for all threads of a row, turn after turn of a loop: by the turn's number, and by what it reads."""

import numpy as np
from harness import case, kernel

TYPES = {"float": np.float32, "double": np.float64}
# Exact for small whole numbers, and long.
WORK = """
__device__ TYPE work(TYPE x) {
  TYPE y = x * 3 + 1;
  y = fabs(y - 7) * 2 + x;
  y = y > 20 ? y - 5 : y + 2;
  y = fmin(y, (TYPE)90) * x + 4;
  y = floor(y * (TYPE)0.5) - x * 2;
  return fmax(y, (TYPE)-3) + (int)(x * 2) % 8;
}
"""


def work(x):
    """The same."""
    x = np.asarray(x, np.float64)
    y = x * 3 + 1
    y = np.abs(y - 7) * 2 + x
    y = np.where(y > 20, y - 5, y + 2)
    y = np.minimum(y, 90) * x + 4
    y = np.floor(y * 0.5) - x * 2
    return np.maximum(y, -3) + np.fmod((x * 2).astype(int), 8)


def source(name, parameters, body):
    return WORK.replace("TYPE", name) + kernel(parameters.replace("TYPE", name), body.replace("TYPE", name))


def threads_numbers(run):
    return np.arange(run.threads) % 5


@case(each={f"{name}, {turns}": (name, turns) for name in TYPES for turns in (8, 15, 16, 40, 300)})
def constant_turns(run, what):
    """Of elements that lie side by side, up to the array's last one."""
    name, turns = what
    x = (np.arange(turns) * 7 % 11 - 4).astype(TYPES[name])
    out = np.zeros(run.threads, TYPES[name])
    body = f"""
      TYPE sum = t % 5;
      #pragma unroll 1
      for (int k = 0; k < {turns}; ++k) sum += work(x[k]) * (t % 5 + k % 3);
      out[t] = sum;
    """
    run(source(name, "const TYPE* x, TYPE* out", body), x, out)
    t = threads_numbers(run)
    expected = t + (work(x)[:, None] * (t[None] + (np.arange(turns) % 3)[:, None])).sum(0)
    run.same(out, expected.astype(out.dtype))


@case(each=TYPES)
def turns_of_the_launch(run, dtype):
    """As many as the launch says, none among them; up and down, in steps, by number and by element."""
    name = next(name for name, of in TYPES.items() if of is dtype)
    body = """
      TYPE up = 0, down = 0, steps = 0, read = t % 5;
      for (int k = 0; k < count; ++k) up += work(k) * (t % 5);
      for (int k = count; k > -2; --k) down += work(k) + t % 5;
      for (int k = -count; k < count; k += 3) steps += work(k - 1) * (t % 5);
      for (int k = 0; k < count; ++k) read += work(x[k + 1] - x[k]) * (t % 5);
      out[4 * t] = up + 0; out[4 * t + 1] = down; out[4 * t + 2] = steps + 0; out[4 * t + 3] = read;
    """
    code = source(name, "const TYPE* x, TYPE* out, int count", body)
    t = threads_numbers(run)
    for count in (0, 1, 7, 16, 17, 33):
        x = (np.arange(count + 1) ** 2 % 13).astype(dtype)
        out = np.zeros((run.threads, 4), dtype)
        run(code, x, out, count)
        sums = [work(np.arange(count)).sum() * t, (work(np.arange(count, -2, -1))[None] + t[:, None]).sum(1)]
        sums += [work(np.arange(-count, count, 3) - 1).sum() * t, t + work(np.diff(x)).sum() * t]
        run.same(out, np.stack(sums, 1).astype(dtype) + 0)


@case(each=TYPES)
def turns_that_write(run, dtype):
    """Where each turn writes: what goes by its number, and what it reads of what the one before has written."""
    name = next(name for name, of in TYPES.items() if of is dtype)
    body = """
      for (int k = 0; k < count; ++k) out[k * n + t] = work(k) * (t % 5) + 0;
      for (int k = 1; k < count; ++k) x[t * count + k] = fmod(work(x[t * count + k - 1]), (TYPE)16) + k;
    """
    code = source(name, "TYPE* x, TYPE* out, int count", body)
    for count in (1, 7, 16, 19):
        x, out = np.zeros((run.threads, count), dtype), np.zeros((count, run.threads), dtype)
        run(code, x, out, count)
        run.same(out, (work(np.arange(count))[:, None] * threads_numbers(run)).astype(dtype) + 0)
        row = np.zeros(count)
        for k in range(1, count):
            row[k] = np.fmod(work(row[k - 1]), 16) + k
        run.same(x, np.tile(row.astype(dtype), (run.threads, 1)))


@case
def rows_of_a_tile(run):
    """Each row of threads has its own elements of a tile, which another loop has written."""
    body = """
      __shared__ float tile[1024];
      const int row = t / 32 * 32;
      tile[t] = x[t];
      for (int turn = 0; turn < 3; ++turn) {
        __syncthreads();
        float sum = 0, most = -100;
        for (int k = 0; k < 32; ++k) most = fmaxf(most, row + k < threads ? tile[row + k] : -100);
        for (int k = 0; k < 32; ++k)
          if (row + k < threads) sum += work(tile[row + k] - most) * (t % 4);
        __syncthreads();
        tile[t] = fmodf(sum, 17) + 0.f;
      }
      out[t] = tile[t];
    """
    x = (np.arange(run.threads) * 5 % 9).astype(np.float32)
    out = np.zeros_like(x)
    run(source("float", "const float* x, float* out, int threads", body), x, out, run.threads)
    tile = x.astype(np.float64)
    for _ in range(3):
        rows = [tile[k : k + 32] for k in range(0, run.threads, 32)]
        sums = np.concatenate([np.full(len(row), work(row - row.max()).sum()) for row in rows])
        tile = np.fmod(sums * (np.arange(run.threads) % 4), 17) + 0.0
    run.same(out, tile.astype(np.float32))
