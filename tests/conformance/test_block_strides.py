"""Loops in which the threads of a block stride over an array, from where no vector begins: interiors, rows of a list."""

import numpy as np
from harness import case, kernel

BLOCKS = 40


@case
def interiors(run):
    """Elements with two neighbours, by `<` and by `<=`, signed and unsigned, up and by twos."""
    for n in (3, run.threads, 2 * run.threads + 1, 333):
        values = np.random.default_rng(n).standard_normal(BLOCKS * n).astype(np.float32)
        rows = values.reshape(BLOCKS, n)
        inner = (rows[:, :-2] + rows[:, 2:]) * np.float32(0.5)
        for loop in (
            "for (int i = t + 1; i < size - 1; i += blockDim.x * blockDim.y * blockDim.z)",
            "for (int i = t + 1; i <= size - 2; i += blockDim.x * blockDim.y * blockDim.z)",
            "for (unsigned i = t + 1; i < unsigned(size - 1); i += blockDim.x * blockDim.y * blockDim.z)",
        ):
            result = np.zeros_like(values)
            body = f"""
              from += blockIdx.x * size; to += blockIdx.x * size;
              {loop} to[i] = (from[i - 1] + from[i + 1]) * 0.5f;
            """
            run(kernel("const float* from, float* to, int size", body), values, result, n, grid=BLOCKS)
            run.same(result.reshape(BLOCKS, n)[:, 1:-1], inner, f"{n}: {loop}")
            run.same(result.reshape(BLOCKS, n)[:, [0, -1]], np.zeros((BLOCKS, 2), np.float32), f"edges of {n}")


@case
def rows_of_a_list(run):
    """From where one row ends to where the next one does: empty ones, short and long ones; written and summed up."""
    lengths = np.random.default_rng(3).integers(0, 3 * run.threads, BLOCKS)
    lengths[:3] = 0, 1, run.threads
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    values = np.random.default_rng(4).integers(-99, 99, starts[-1]).astype(np.int32)
    for index in ("int", "unsigned"):
        for begin in ("starts[blockIdx.x] + t", "starts[blockIdx.x] + unsigned(t)"):
            result, sums = np.zeros_like(values), np.zeros(BLOCKS, np.int32)
            body = f"""
              int sum = 0;
              const {index} end = starts[blockIdx.x + 1];
              for ({index} i = {begin}; i < end; i += blockDim.x * blockDim.y * blockDim.z) {{
                to[i] = from[i] * 3 + int(blockIdx.x);
                sum += from[i];
              }}
              atomicAdd(&sums[blockIdx.x], sum);
            """
            parameters = "const int* starts, const int* from, int* to, int* sums"
            run(kernel(parameters, body), starts, values, result, sums, grid=BLOCKS)
            run.same(result, values * 3 + np.repeat(np.arange(BLOCKS), lengths).astype(np.int32), f"{index} {begin}")
            run.same(sums, np.array([r.sum() for r in np.split(values, starts[1:-1])], np.int32), f"{index} {begin}")


@case
def every_other(run):
    """Odd elements, by an index of the whole grid."""
    n = 2 * BLOCKS * run.threads - 7
    values = np.random.default_rng(9).integers(-99, 99, n).astype(np.int32)
    result = np.zeros_like(values)
    body = """
      int i = 2 * (blockIdx.x * n + t) + 1;
      if (i < size - 1) to[i] = from[i - 1] - from[i + 1];
    """
    run(kernel("const int* from, int* to, int size", body), values, result, n, grid=BLOCKS)
    expected = np.zeros_like(values)
    expected[1:-1:2] = values[:-2:2] - values[2::2]
    run.same(result, expected)


@case
def first_indices_that_wrap(run):
    """Beyond 2^31 - 1 an index is negative, and below an end that the first threads are beyond."""
    room, size = 20, 300
    first, end = 2**31 - room, -(2**31) + size
    result = np.zeros(size, np.int32)
    body = """
      for (int i = first + unsigned(t); i < end; i += blockDim.x * blockDim.y * blockDim.z)
        to[unsigned(i) - 0x80000000u] += t;
    """
    run(kernel("int* to, int first, int end", body), result, first, end)
    expected = np.zeros(size, np.int32)
    for t in range(room, run.threads):
        expected[t - room :: run.threads] += t
    run.same(result, expected)


@case
def pairs_of_rows(run):
    """Each row's first half with its second, by a flat index taken apart: rotations of heads."""
    for half in (1, 3, 8, 32, 40):
        rows = -(-2 * run.threads // half) + 1
        values = np.random.default_rng(half).integers(-99, 99, (BLOCKS, rows, 2, half)).astype(np.int32)
        factors = np.random.default_rng(half + 1).integers(-9, 9, half).astype(np.int32)
        body = """
          values += blockIdx.x * rows * half * 2;
          for (int i = t; i < rows * half; i += blockDim.x * blockDim.y * blockDim.z) {
            int* pair = values + i / half * half * 2 + i % half;
            const int a = pair[0], b = pair[half], f = factors[i % half];
            pair[0] = a * f - b;
            pair[half] = b * f + a;
          }
        """
        result = values.copy()
        run(
            kernel("int* values, const int* factors, int rows, int half", body),
            result,
            factors,
            rows,
            half,
            grid=BLOCKS,
        )
        a, b = values[:, :, 0], values[:, :, 1]
        run.same(result, np.stack([a * factors - b, b * factors + a], axis=2), f"{half}")


@case
def factors_of_blocks(run):
    """A number of the block's is read before its loop: from memory, or from what a thread left in shared memory."""
    for n in (1, 31, run.threads, 2 * run.threads + 3):
        values = np.random.default_rng(n).integers(-99, 99, BLOCKS * n).astype(np.int32)
        factors = np.arange(BLOCKS, dtype=np.int32) - 7
        sums, scaled = np.zeros(BLOCKS, np.int32), np.zeros_like(values)
        body = """
          __shared__ int shift;
          if (t == 0) shift = factors[blockIdx.x] * 3;
          __syncthreads();
          int sum = 0;
          const int threads = blockDim.x * blockDim.y * blockDim.z;
          for (int i = t; i < size; i += threads) sum += from[blockIdx.x * size + i] * factors[blockIdx.x];
          for (int i = t; i < size; i += threads) sum ^= (from[blockIdx.x * size + i] - shift) * i;
          for (int i = t; i < size; i += threads) to[blockIdx.x * size + i] = from[blockIdx.x * size + i] - shift;
          atomicXor(&sums[blockIdx.x], sum);
        """
        parameters = "const int* factors, const int* from, int* to, int* sums, int size"
        run(kernel(parameters, body), factors, values, scaled, sums, n, grid=BLOCKS)
        rows = values.reshape(BLOCKS, n)
        run.same(scaled, (rows - 3 * factors[:, None]).reshape(-1), f"{n}: written")
        expected = np.zeros(BLOCKS, np.int32)
        for t in range(run.threads):
            mine = np.zeros(BLOCKS, np.int32)
            for i in range(t, n, run.threads):
                mine += rows[:, i] * factors
            for i in range(t, n, run.threads):
                mine ^= (rows[:, i] - 3 * factors) * np.int32(i)
            expected ^= mine
        run.same(sums, expected, f"{n}: sums")
