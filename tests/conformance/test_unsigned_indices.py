"""Unsigned indices that wrap, on purpose or not, beside launches of the same kernel in which they do not."""

import numpy as np
from harness import case

SHAPES = ((64, 1, 1), (100, 1, 1), (16, 16, 1), (32, 8, 1), (4, 4, 4))
TID = "unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"
WORD = 1 << 32


def kernel(parameters, body):
    """A kernel with the number of the thread in its block in `t`."""
    return "__global__ void k(int* out, const int* x, " + parameters + ") {\n" + TID + body + "}"


def numbers(count):
    return np.arange(count, dtype=np.int32) * 7 + 3


@case(blocks=SHAPES)
def offsets_that_wrap(run):
    """`i + offset`, the offset being small, or a negative number as unsigned: launches of both kinds by turns."""
    n = 3 * run.threads
    source = kernel(
        "unsigned n, unsigned offset",
        """
      unsigned i = blockIdx.x * (n / 3) + t, j = i + offset;
      if (i < n && j < n) out[j] = x[i] + x[j];
    """,
    )
    x, i = numbers(n), np.arange(n)
    for offset in (0, 5, WORD - 5, 1, WORD - 1, WORD - n, n - 1, 0, 1 << 31, WORD - 3):
        out = np.full(n, -1, np.int32)
        run(source, out, x, np.uint32(n), np.uint32(offset), grid=3)
        expected, j = np.full(n, -1, np.int32), (i + offset) % WORD
        inside = j < n
        expected[j[inside]] = x[i[inside]] + x[j[inside]]
        run.same(out, expected, f"offset {offset}")


@case(blocks=SHAPES)
def rows_whose_products_wrap(run):
    """`row * factor * pitch + row * width`, whose first part takes 2^32 round in every second launch."""
    n = run.threads
    source = kernel(
        "unsigned factor, unsigned pitch, unsigned width",
        """
      const unsigned row = blockIdx.x, at = row * factor * pitch + row * width + t;
      out[at] = x[at] + row;
    """,
    )
    x, t = numbers(3 * n), np.arange(n)
    for factor, pitch, width in (
        (1, n, 0),
        (1 << 31, 2, n),
        (1, 0, n),
        (1 << 16, 1 << 16, n),
        (1, WORD - 1, n + 1),
        (1, 1, n - 1),
    ):
        out, expected = np.full(3 * n, -1, np.int32), np.full(3 * n, -1, np.int32)
        run(source, out, x, np.uint32(factor), np.uint32(pitch), np.uint32(width), grid=3)
        for row in range(3):
            at = (row * factor * pitch + row * width) % WORD + t
            expected[at] = x[at] + row
        run.same(out, expected, f"{factor}, {pitch}, {width}")


@case(blocks=SHAPES)
def strides_that_wrap(run):
    """`t * pitch` of threads for which that is below n, once or again after 2^32."""
    n = run.threads
    source = kernel("unsigned n, unsigned pitch", "unsigned at = t * pitch; out[t] = at < n ? x[at] : -2;")
    x, t = numbers(3 * n), np.arange(n)
    for pitch in (1, 1 << 30, 3, (1 << 30) + 1, 1 << 28, (1 << 27) - 1, 0, WORD - 1, 2):
        out, at = np.full(n, -1, np.int32), t * pitch % WORD
        run(source, out, x, np.uint32(3 * n), np.uint32(pitch))
        run.same(out, np.where(at < 3 * n, x[np.minimum(at, 3 * n - 1)], -2), f"pitch {pitch}")


@case(blocks=SHAPES)
def one_block_of_rows(run):
    """The same kernel with pitches that wrap and others by turns; one block reads what no other writes."""
    n = run.threads
    source = kernel(
        "unsigned row, unsigned pitch, unsigned first",
        """
      unsigned at = row * pitch + first + t;
      out[t] = x[at] * 2 + x[at + 1];
    """,
    )
    x = numbers(8 * n + 8)
    for row, pitch, first in (
        (1, n, 0),
        (2, WORD // 2 + 3, 1),
        (3, n + 1, 2),
        (WORD - 1, WORD - n, 0),
        (5, n, WORD - n),
        (WORD // 4, 8, 3),
        (0, WORD - 1, n),
        (4, n, 0),
    ):
        out = np.full(n, -1, np.int32)
        run(source, out, x, np.uint32(row), np.uint32(pitch), np.uint32(first))
        at = ((row * pitch + first) % WORD + np.arange(n)) % WORD
        run.same(out, x[at] * 2 + x[at + 1], f"row {row}, pitch {pitch}, first {first}")


@case(blocks=SHAPES)
def counters_that_wrap(run):
    """Loops whose counter starts near 2^32 and comes round to 0, and loops that count to a limit there."""
    n = run.threads
    source = kernel(
        "unsigned first, unsigned turns, unsigned step",
        """
      int sum = 0;
      for (unsigned k = 0, i = first; k < turns; ++k, i += step) sum = sum * 3 + x[(i + t) % 64] + x[t + (i & 7)];
      out[t] = sum;
    """,
    )
    x = numbers(n + 64)
    t = np.arange(n)
    for first, turns, step in ((0, 9, 1), (WORD - 4, 9, 1), (WORD - 1, 5, 3), (7, 6, WORD - 1), (8, 0, 1), (5, 4, 2)):
        out = np.full(n, -1, np.int32)
        run(source, out, x, np.uint32(first), np.uint32(turns), np.uint32(step))
        expected = np.zeros(n, np.int32)
        for k in range(turns):
            i = (first + k * step) % WORD
            expected = expected * 3 + x[(i + t) % WORD % 64] + x[t + (i & 7)]
        run.same(out, expected, f"from {first} by {step}")


@case(blocks=SHAPES)
def counters_below_any_limit(run):
    """`for (i = t; i < n; i += step)` with a limit and a step beyond 2^31, after which i is below n again."""
    n = run.threads
    source = kernel(
        "unsigned limit, unsigned step, unsigned most",
        """
      int sum = 0;
      unsigned turns = 0;
      for (unsigned i = t; i < limit && turns < most; i += step, ++turns)
        sum = sum * 3 + (i < 2 * blockDim.x * blockDim.y * blockDim.z ? x[i] : int(i));
      out[t] = sum;
    """,
    )
    x, t = numbers(2 * n), np.arange(n, dtype=np.int64)
    for limit, step, most in (
        (2 * n, n, 4),
        (WORD - 1, 1 << 31, 5),
        (3 << 30, 1 << 30, 7),
        (n, 1, 3),
        (WORD - 9, WORD - 2, 4),
    ):
        out = np.full(n, -1, np.int32)
        run(source, out, x, np.uint32(limit), np.uint32(step), np.uint32(most))
        expected, i, on = np.zeros(n, np.int32), t.copy(), np.ones(n, bool)
        for _ in range(most):
            on &= i < limit
            value = np.where(i < 2 * n, x[np.minimum(i, 2 * n - 1)], i.astype(np.uint32).view(np.int32).reshape(n))
            expected = np.where(on, expected * 3 + value.astype(np.int32), expected)
            i = (i + step) % WORD
        run.same(out, expected, f"below {limit} by {step}")


@case(blocks=SHAPES)
def differences_below_zero(run):
    """`i - radius` of the first threads wraps, and comes back by `+ radius`; from the end, `n - 1 - i` of the last ones."""
    n = run.threads
    source = kernel(
        "unsigned n, unsigned radius",
        """
      unsigned left = t - radius, right = n - 1 - t;
      int sum = x[left + radius];
      if (left < n) sum += 100 * x[left];
      if (right < n) sum += 10000 * x[right];
      if (t + radius < n) sum += x[t + radius];
      out[t] = sum;
    """,
    )
    x, t = numbers(n), np.arange(n)
    for count, radius in ((n, 1), (n, 3), (n // 2, 2), (n, 0), (n, n), (n, WORD - 2)):
        out = np.full(n, -1, np.int32)
        run(source, out, x, np.uint32(count), np.uint32(radius))
        expected = x[t].copy()
        for index, factor in (((t - radius) % WORD, 100), ((count - 1 - t) % WORD, 10000), ((t + radius) % WORD, 1)):
            inside = index < count
            expected[inside] += factor * x[index[inside]]
        run.same(out, expected, f"{count} by {radius}")


@case(blocks=((16, 16, 1), (8, 8, 1)))
def tiles_of_wrapped_rows(run):
    """A tiled product whose rows begin at an offset: in turn where the arrays do, and at one that wraps to there."""
    size = run.block[0]
    source = """
    __global__ void k(int *c, const int *a, const int *b, unsigned n, unsigned pitch, unsigned first) {
      __shared__ int as[T][T], bs[T][T];
      const unsigned tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * T + ty, column = blockIdx.x * T + tx;
      int sum = 0;
      for (unsigned k = 0; k < n; k += T) {
        as[ty][tx] = a[row * pitch + first + k + tx];
        bs[ty][tx] = b[(k + ty) * n + column];
        __syncthreads();
        for (unsigned i = 0; i < T; ++i) sum += as[ty][i] * bs[i][tx];
        __syncthreads();
      }
      c[row * n + column] = sum;
    }""".replace("T", str(size))
    n = 3 * size
    a, b = numbers(n * (n + 8)).reshape(n, n + 8), numbers(n * n).reshape(n, n)
    memory = np.concatenate([a.reshape(-1), np.zeros(16, np.int32)])
    for pitch, first in ((n + 8, 0), (n + 8, 5), (WORD - n, n * (n - 1)), (n + 8, 1), (WORD - n - 1, n * n)):
        at = (np.arange(n)[:, None] * pitch + first + np.arange(n)) % WORD
        out = np.zeros((n, n), np.int32)
        run(source, out, memory, b, np.uint32(n), np.uint32(pitch), np.uint32(first), grid=(3, 3))
        run.same(out, memory[at] @ b, f"pitch {pitch}, first {first}")


@case(blocks=SHAPES)
def members_of_structures(run):
    """Widths and offsets in a structure by value, which wrap in every second launch."""
    n = run.threads
    source = (
        """
    struct Rows { short tag; unsigned pitch; long long other; unsigned first; };
    __global__ void k(int* out, const int* x, Rows rows, unsigned row) {
    """
        + TID
        + """
      out[t] = x[row * rows.pitch + rows.first + t] + rows.tag;
    }"""
    )
    record = np.dtype([("tag", np.int16), ("pitch", np.uint32), ("other", np.int64), ("first", np.uint32)], align=True)
    x, t = numbers(6 * n), np.arange(n)
    for row, pitch, first in ((2, n, 3), (3, WORD - n, 5 * n), (1, n + 1, 0), (2, 1 << 31, 7), (4, n, n)):
        out, rows = np.full(n, -1, np.int32), np.zeros((), record)
        rows["tag"], rows["pitch"], rows["first"] = 11, pitch, first
        run(source, out, x, rows, np.uint32(row))
        run.same(out, x[((row * pitch + first) % WORD + t) % WORD] + 11, f"row {row}, pitch {pitch}")


@case(blocks=((64, 1, 1), (33, 1, 1)))
def numbers_of_64_bits(run):
    """Counters and limits of 64 bits near 2^64, and sums of both widths."""
    n = run.threads
    source = kernel(
        "unsigned long long first, unsigned long long turns, unsigned long long limit",
        """
      int sum = 0;
      for (unsigned long long i = first + t, k = 0; k < turns && i < limit; i += blockDim.x, ++k) sum = sum * 3 + int(i) + x[unsigned(i) & 31];
      out[t] = sum;
    """,
    )
    x, t = numbers(32), np.arange(n)
    long = 1 << 64
    for first, turns, limit in (
        (0, 5, 4 * n),
        (long - 2 * n, 4, long - 1),
        (1 << 53, 3, 1 << 60),
        (7, 9, 3 * n),
        (long - n - 1, 3, long - 1),
    ):
        out = np.full(n, -1, np.int32)
        run(source, out, x, np.uint64(first), np.uint64(turns), np.uint64(limit))
        expected = []
        for thread in t:
            total, i, k = 0, (first + int(thread)) % long, 0
            while k < turns and i < limit:
                total = (total * 3 + i % WORD + int(x[i & 31])) % WORD
                i, k = (i + n) % long, k + 1
            expected.append(total)
        run.same(out, np.array(expected, np.uint64).astype(np.uint32).view(np.int32), f"from {first}")


@case(blocks=((64, 1, 1), (128, 1, 1)))
def hashes_as_indices(run):
    """Products and sums that wrap in every launch, made into indices by shifts, masks and remainders."""
    n = run.threads
    source = kernel(
        "unsigned size, unsigned seed",
        """
      unsigned i = blockIdx.x * blockDim.x + t, h = (i + seed) * 2654435761u, g = i * 7919u + seed;
      h ^= h >> 15;
      out[i] = x[h % size] + x[(g * 31u) >> 27] * 3 + x[(h * 16777619u) & 31] + x[(seed + g) / 134217728u];
    """,
    )
    x = numbers(64)
    i = np.arange(2 * n, dtype=np.uint64)
    for size, seed in ((64, 1), (37, WORD - 3), (1, 77), (64, 1 << 31)):
        out = np.full(2 * n, -1, np.int32)
        run(source, out, x, np.uint32(size), np.uint32(seed), grid=2)
        h, g = (i + seed) % WORD * 2654435761 % WORD, (i * 7919 + seed) % WORD
        h ^= h >> 15
        parts = (h % size, g * 31 % WORD >> 27, h * 16777619 % WORD & 31, (seed + g) % WORD // 134217728)
        a, b, c, d = (x[part.astype(int)] for part in parts)
        run.same(out, a + b * 3 + c + d, f"{size}, {seed}")
