"""Index sums of 32 bits, as CUDA's unsigned builtins make them: neighbours where they do not wrap, right where they do."""

import numpy as np
from harness import case

TID = "unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"


def launch(run, parameters, body, *args, length=None):
    """A kernel over two blocks with the number of the thread in its block in `t`."""
    out = np.full(length or 2 * run.threads, -1, np.int32)
    source = "__global__ void k(int* out, const int* x" + parameters + ") {\n" + TID + body + "}"
    run(source, out, *args, grid=2)
    return out


def numbers(count):
    return np.arange(count, dtype=np.int32) * 7 + 3


@case
def rows_of_any_width(run):
    """Rows that begin anywhere, read and written."""
    body = "out[blockIdx.x * width + t] = x[blockIdx.x * width + t] + x[blockIdx.x * width + t + 1];"
    for width in (run.threads, run.threads + 1, run.threads + 5):
        x = numbers(2 * width + 2)
        expected = np.full(2 * width, -1, np.int32)
        for row in range(2):
            at = row * width + np.arange(run.threads)
            expected[at] = x[at] + x[at + 1]
        run.same(launch(run, ", unsigned width", body, x, np.uint32(width), length=2 * width), expected)


@case
def low_bits_of_an_index(run):
    """What is the same in all blocks of a size that a power of two divides, and what is not."""
    grid = 7
    at = np.arange(grid * run.threads)
    for bits in (1, 2, 3, 7, 12, 31):
        body = f"int i = blockIdx.x * {run.threads} + t; out[i] = (i & {bits}) * 1000 + (i & 1 ? x[i] : -x[i]);"
        x, out = numbers(len(at)), np.full(len(at), -1, np.int32)
        run("__global__ void k(int* out, const int* x) {\n" + TID + body + "}", out, x, grid=grid)
        run.same(out, ((at & bits) * 1000 + np.where(at & 1, x, -x)).astype(np.int32), f"{bits}")


@case
def strides_over_rows(run):
    """A block strides over rows of which few begin where its lanes do; indices signed and unsigned."""
    for index in ("int", "unsigned"):
        body = f"""
          int sum = 0;
          for ({index} i = t; i < width; i += blockDim.x * blockDim.y * blockDim.z)
            sum = sum * 3 + x[blockIdx.x * width + i];
          out[blockIdx.x * blockDim.x * blockDim.y * blockDim.z + t] = sum;
        """
        width = 2 * run.threads + run.threads // 2 + 1
        x = numbers(2 * width)
        expected = np.zeros((2, run.threads), np.int32)
        for first in range(0, width, run.threads):
            part = x.reshape(2, width)[:, first : first + run.threads]
            expected[:, : part.shape[1]] = expected[:, : part.shape[1]] * 3 + part
        run.same(launch(run, f", {index} width", body, x, np.int32(width)), expected.reshape(-1))


@case
def tiles_and_barriers(run):
    """Sums between barriers, in a loop."""
    n = run.threads
    body = f"""
      __shared__ int s[{n}];
      int sum = 0;
      for (int k = 0; k < 3; ++k) {{
        s[t] = x[blockIdx.x * pitch + k * step + t];
        __syncthreads();
        sum = sum * 5 + s[{n - 1} - t];
        __syncthreads();
      }}
      out[blockIdx.x * {n} + t] = sum;
    """
    step, pitch = n + 3, 3 * n + 11
    x = numbers(2 * pitch + n)
    expected = np.zeros((2, n), np.int32)
    for k in range(3):
        for block in range(2):
            first = block * pitch + k * step
            expected[block] = expected[block] * 5 + x[first : first + n][::-1]
    run.same(launch(run, ", unsigned pitch, int step", body, x, np.uint32(pitch), step), expected.reshape(-1))


@case
def backwards(run):
    """Indices that fall from lane to lane: from the end of an array, of a part of it, and where some lie before it."""
    n = run.threads
    x = numbers(2 * n + 40)
    i = np.arange(2 * n)
    for index, length in (("int", "int"), ("unsigned", "unsigned"), ("long long", "int")):
        body = f"""
          {index} i = blockIdx.x * (blockDim.x * blockDim.y * blockDim.z) + t;
          out[i] = x[length - 1 - i] + 3 * x[length - 1 - i / 2];
        """
        expected = x[len(x) - 1 - i] + 3 * x[len(x) - 1 - i // 2]
        run.same(launch(run, f", {length} length", body, x, np.int32(len(x))), expected)
    body = (
        "int i = blockIdx.x * (blockDim.x * blockDim.y * blockDim.z) + t; int j = end - i; out[i] = j < 0 ? j : x[j];"
    )
    for end in (n - 3, n // 2 + 1, 7, -1):
        expected = np.where(end - i < 0, end - i, x[np.maximum(end - i, 0)])
        run.same(launch(run, ", int end", body, x, end), expected, str(end))


@case
def backwards_across_the_wrap(run):
    """The indices of some threads are below 0: as unsigned ones they lie behind 2**31 and take no part."""
    n = 2 * run.threads
    x = numbers(n)
    i = np.arange(n)
    for first in (min(3, n - 1), n - 1, run.threads // 2 + 5):
        if first >= n:
            continue
        body = """
          unsigned i = blockIdx.x * (blockDim.x * blockDim.y * blockDim.z) + t, at = first - i;
          if (at < limit) out[at] = x[at] + i;
        """
        expected = np.full(n, -1, np.int32)
        at = first - i[i <= first]
        expected[at] = x[at] + i[i <= first]
        run.same(launch(run, ", unsigned first, unsigned limit", body, x, np.uint32(first), np.uint32(n)), expected)


@case
def stored_backwards(run):
    """Some lanes store in the other direction."""
    n = run.threads
    body = f"__shared__ int s[{n}]; s[{n - 1} - t] = x[t]; __syncthreads(); if (t % 3) out[{n - 1} - t] = s[t] + 1;"
    expected = np.full(2 * n, -1, np.int32)
    x = numbers(n)
    t = np.arange(n)
    t = t[t % 3 != 0]
    expected[n - 1 - t] = x[::-1][t] + 1
    run.same(launch(run, "", body, x), expected)


@case
def wraps_to_the_start(run):
    """The sum of some threads is above 2**32: these read and write the start, the others nothing."""
    body = """
      unsigned at = first + t;
      if (blockIdx.x == 0 && t >= 0u - first) out[at] = x[at] + x[at + 1];
    """
    x = numbers(2 * run.threads + 1)
    for gap in sorted({1, run.threads // 2, run.threads} - {0}):
        expected = np.full(2 * run.threads, -1, np.int32)
        at = np.arange(run.threads - gap)
        expected[at] = x[at] + x[at + 1]
        first = np.uint32(2**32 - gap)
        run.same(launch(run, ", unsigned first", body, x, first), expected)


@case
def stays_below_the_wrap(run):
    """The sums of the threads that read lie just below 2**32, and below 2**31 where indices are signed."""
    x = numbers(run.threads)
    for index, limit in (("unsigned", 2**32), ("int", 2**31)):
        body = f"""
          const int* far = x - {limit}ll + below;
          {index} at = first + t;
          if (t < below) out[blockIdx.x * blockDim.x * blockDim.y * blockDim.z + t] = far[at];
        """
        for below in sorted({1, run.threads // 2, run.threads} - {0}):
            expected = np.full((2, run.threads), -1, np.int32)
            expected[:, :below] = x[:below]
            first = np.uint32(limit - below)
            out = launch(run, ", unsigned first, unsigned below", body, x, first, np.uint32(below))
            run.same(out, expected.reshape(-1))


@case
def loops_over_the_wrap(run):
    """A loop goes on beyond 2**32, and reads only there."""
    body = """
      int sum = 0;
      for (int i = t; i < n; i += blockDim.x * blockDim.y * blockDim.z)
        if (i >= gap) sum = sum * 3 + x[first + i];
      out[blockIdx.x * blockDim.x * blockDim.y * blockDim.z + t] = sum;
    """
    n = 3 * run.threads
    x = numbers(n)
    for gap in (1, run.threads + 1):
        expected = np.zeros(run.threads, np.int32)
        for i in range(gap, n):
            expected[i % run.threads] = expected[i % run.threads] * 3 + x[i - gap]
        out = launch(run, ", unsigned first, int gap, int n", body, x, np.uint32(2**32 - gap), gap, n)
        run.same(out, np.tile(expected, 2))


@case
def counters_of_signed_sums(run):
    """A block strides over a row by a signed sum, of which other indices are made, and which may wrap at 2**31."""
    wraps = """
      const int *far = x + (1ll << 31), *groups = x + (1 << 27);
      int sum = 0;
      for (int i = t; i < n; i += blockDim.x * blockDim.y * blockDim.z) {
        int at = first + i;
        sum = sum * 3 + (at < 0 ? far[at] + groups[at >> 4] : 0);
      }
      out[blockIdx.x * blockDim.x * blockDim.y * blockDim.z + t] = sum;
    """
    n = 2 * run.threads + run.threads // 2 + 1
    x = numbers(2 * n)
    for gap in (0, 1, run.threads, n):  # sums from `gap` on are beyond 2**31
        expected = np.zeros(run.threads, np.int64)
        for i in range(n):
            value = x[i - gap] + x[(i - gap) >> 4] if i >= gap else 0
            expected[i % run.threads] = (expected[i % run.threads] * 3 + value).astype(np.int32)
        out = launch(run, ", unsigned first, int n", wraps, x, np.uint32(2**31 - gap), n)
        run.same(out, np.tile(expected.astype(np.int32), 2))
    rows = """
      int sum = 0;
      for (int i = t; i < n; i += blockDim.x * blockDim.y * blockDim.z) {
        int at = blockIdx.x * n + i;
        sum = sum * 3 + x[at] + x[at >> 4];
      }
      out[blockIdx.x * blockDim.x * blockDim.y * blockDim.z + t] = sum;
    """
    expected = np.zeros((2, run.threads), np.int64)
    for row in range(2):
        for i in range(n):
            value = x[row * n + i] + x[(row * n + i) >> 4]
            expected[row, i % run.threads] = (expected[row, i % run.threads] * 3 + value).astype(np.int32)
    run.same(launch(run, ", int n", rows, x, n), expected.astype(np.int32).reshape(-1))


@case
def several_elements_a_thread(run):
    """Elements that lie beside each other are a thread's own; blocks follow on each other along the row."""
    width = run.block[0]
    rows = run.threads // width
    for each in (2, 3, 4):
        source = f"""
        __global__ void k(int* out, const int* x, int n) {{
          int i = (blockIdx.x * blockDim.x + threadIdx.x) * {each}, row = threadIdx.z * blockDim.y + threadIdx.y;
          for (int j = 0; j < {each}; ++j)
            if (i + j < n) out[row * n + i + j] = x[row * n + i + j] * 3 + i;
        }}"""
        for n in (3 * width * each, 3 * width * each - 1, 2 * width * each + 1):
            x, out = numbers(rows * n), np.zeros(rows * n, np.int32)
            run(source, out, x, n, grid=3)
            i = np.arange(n) // each * each
            run.same(out, (x.reshape(rows, n) * 3 + i).astype(np.int32).reshape(-1))


@case
def indices_that_are_negative(run):
    """Signed indices from unsigned sums, on both sides of zero."""
    body = """
      int at = first + t;
      out[blockIdx.x * blockDim.x * blockDim.y * blockDim.z + t] = (x + offset)[at];
    """
    x = numbers(2 * run.threads)
    for offset in (0, 1, run.threads // 2, run.threads):
        first = np.uint32(-offset % 2**32)
        out = launch(run, ", unsigned first, int offset", body, x, first, offset)
        run.same(out, np.tile(x[: run.threads], 2))


@case
def records_of_a_row(run):
    """Members of records, whose indices differ by constants."""
    body = """
      unsigned at = 3 * (blockIdx.x * width + t);
      out[at] = x[at + 2];
      out[at + 1] = x[at] - x[at + 1];
      out[at + 2] = x[at + 1];
    """
    width = run.threads + 1
    x = numbers(6 * width)
    expected = np.full(6 * width, -1, np.int32).reshape(2, width, 3)
    given = x.reshape(2, width, 3)[:, : run.threads]
    expected[:, : run.threads, 0] = given[:, :, 2]
    expected[:, : run.threads, 1] = given[:, :, 0] - given[:, :, 1]
    expected[:, : run.threads, 2] = given[:, :, 1]
    run.same(launch(run, ", unsigned width", body, x, np.uint32(width), length=6 * width), expected.reshape(-1))
