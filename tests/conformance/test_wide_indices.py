"""Indices of 64 bits beyond 32, and at their edges, beside launches of the same kernel that stay below."""

import numpy as np
from harness import case

SHAPES = ((64, 1, 1), (100, 1, 1), (16, 16, 1), (32, 8, 1), (4, 4, 4))
TID = "unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"
HALF, WORD, LONG = 1 << 31, 1 << 32, 1 << 64


def kernel(parameters, body):
    """A kernel with the number of the thread in its block in `t`, and 64-bit unsigned numbers as `u64`."""
    return (
        "using u64 = unsigned long long;\n__global__ void k(int* out, const int* x, "
        + parameters
        + ") {\n"
        + TID
        + body
        + "}"
    )


def numbers(count):
    return np.arange(count, dtype=np.int32) * 7 + 3


def u64(number):
    return np.uint64(number % LONG)


@case(blocks=SHAPES)
def offsets_beyond_a_word(run):
    """`i + offset` that comes to 2^31, 2^32 or 2^64 and beyond, or stays, by turns."""
    n = 3 * run.threads
    source = kernel(
        "u64 n, u64 offset",
        """
      u64 i = blockIdx.x * (n / 3) + t, j = i + offset;
      if (i < n && j < n) out[j] = x[i] + x[j];
    """,
    )
    x, i = numbers(n), np.arange(n)
    for offset in (0, 5, -5, 1, -n, n - 1, WORD, WORD - 3, HALF - 3, HALF, LONG // 2, 0, -1):
        out = np.full(n, -1, np.int32)
        run(source, out, x, u64(n), u64(offset), grid=3)
        expected = np.full(n, -1, np.int32)
        for k in i:
            j = (int(k) + offset) % LONG
            if j < n:
                expected[j] = x[k] + x[j]
        run.same(out, expected, f"offset {offset}")


@case(blocks=SHAPES)
def rows_that_go_far_and_come_back(run):
    """`row * pitch - row * back + t`, whose parts are beyond 2^32 in every second launch."""
    n = run.threads
    source = kernel(
        "u64 pitch, u64 back",
        """
      const u64 row = blockIdx.x, at = row * pitch - row * back + t;
      out[at] = x[at] + int(row);
    """,
    )
    x, t = numbers(3 * n), np.arange(n)
    for pitch, back in ((n, 0), (WORD + n, WORD), (n + 3, 3), (HALF, HALF - n), (LONG // 2 + n, LONG // 2), (1, 1 - n)):
        out, expected = np.full(3 * n, -1, np.int32), np.full(3 * n, -1, np.int32)
        run(source, out, x, u64(pitch), u64(back), grid=3)
        for row in range(3):
            at = row * n + t
            expected[at] = x[at] + row
        run.same(out, expected, f"{pitch} - {back}")


@case(blocks=SHAPES)
def strides_beyond_a_word(run):
    """`t * pitch` of threads for which that is below n: not where only its low 32 bits are."""
    n = run.threads
    source = kernel("u64 n, u64 pitch", "u64 at = u64(t) * pitch; out[t] = at < n ? x[at] : -2;")
    x = numbers(3 * n)
    for pitch in (1, WORD, 3, WORD + 1, HALF, LONG // 2, HALF + 1, 0, LONG - 1, 2):
        out = np.full(n, -1, np.int32)
        run(source, out, x, u64(3 * n), u64(pitch))
        places = [(k * pitch) % LONG for k in range(n)]
        run.same(out, np.array([x[p] if p < 3 * n else -2 for p in places], np.int32), f"pitch {pitch}")


@case(blocks=SHAPES)
def signed_offsets(run):
    """`long long` offsets and pitches, below 0 and beyond 32 bits both ways."""
    n = run.threads
    source = kernel(
        "long long first, long long pitch, long long back",
        """
      long long at = first + (long long)(t) * pitch + (blockIdx.x + 1) * back;
      out[blockIdx.x * (blockDim.x * blockDim.y * blockDim.z) + t] = x[at] * 2;
    """,
    )
    x, t = numbers(4 * n), np.arange(n)
    for first, pitch, back in ((0, 1, 0), (n - 1, -1, 0), (2 * WORD, 1, -WORD), (n, 1, 1), (-HALF, 2, HALF), (0, 0, 2)):
        out = np.full(2 * n, -1, np.int32)
        grid = 1 if abs(back) > n else 2
        if grid == 1:
            first, back = -back, back
        run(source, out, x, np.int64(first), np.int64(pitch), np.int64(back), grid=grid)
        expected = np.full(2 * n, -1, np.int32)
        for block in range(grid):
            expected[block * n : (block + 1) * n] = x[first + t * pitch + (block + 1) * back] * 2
        run.same(out, expected, f"{first}, {pitch}, {back}")


@case(blocks=SHAPES)
def counters(run):
    """Loops by counters of 64 bits: up with steps beyond 32 bits, by factors, and down to 0."""
    n = run.threads
    source = kernel(
        "u64 limit, u64 step, long long last",
        """
      int sum = 0;
      for (u64 i = t; i < limit; i += step) sum = sum * 3 + x[i % 64];
      for (long long k = last; k >= 0; --k) sum = sum * 5 + x[k];
      for (u64 d = 1; d < limit; d *= 2) sum += x[d & 31];
      out[t] = sum;
    """,
    )
    x = numbers(64)
    for limit, step, last in (
        (300, 100, 5),
        (WORD, HALF, 3),
        (3 * WORD, WORD + 7, -1),
        (0, 1, 9),
        (n, n, 63),
        (HALF, HALF, 2),
    ):
        out = np.full(n, -1, np.int32)
        run(source, out, x, u64(limit), u64(step), np.int64(last))
        expected = []
        for t in range(n):
            total = 0
            for i in range(t, limit, step):
                total = total * 3 + int(x[i % 64])
            for k in range(last, -1, -1):
                total = total * 5 + int(x[k])
            d = 1
            while d < limit:
                total, d = total + int(x[d & 31]), d * 2
            expected.append((total + HALF) % WORD - HALF)
        run.same(out, np.array(expected, np.int32), f"below {limit} by {step}, from {last}")


@case(blocks=SHAPES)
def quotients(run):
    """`i / width` and `i % width`, of widths and of numbers beyond 32 bits, too."""
    n = run.threads
    source = kernel(
        "u64 first, u64 width, u64 n",
        """
      u64 i = first + t, row = i / width, column = i % width;
      out[t] = (row < n ? x[row] : -3) * 2 + (column < n ? x[column] : -5);
    """,
    )
    x = numbers(2 * n)
    for first, width in (
        (0, 1),
        (0, 7),
        (WORD, WORD),
        (3, WORD + 5),
        (WORD * 3, HALF),
        (HALF - 5, 9),
        (LONG - n, 3),
        (5, LONG - 1),
    ):
        out = np.full(n, -1, np.int32)
        run(source, out, x, u64(first), u64(width), u64(2 * n))
        pick = lambda at, other: int(x[at]) if at < 2 * n else other  # noqa: E731
        expected = [pick((first + t) // width, -3) * 2 + pick((first + t) % width, -5) for t in range(n)]
        run.same(out, np.array(expected, np.int32), f"from {first} by {width}")


@case(blocks=SHAPES)
def clamped(run):
    """Neighbours at distances that an edge cuts off, of int, unsigned and 64 bits, and sizes that are 0 or very large."""
    n = run.threads
    for index, far in (("int", HALF - 1), ("unsigned", WORD - 1), ("long long", WORD * 4), ("u64", WORD * 4)):
        source = kernel(
            f"{index} n, {index} d",
            f"""
          {index} i = t, left = i > d ? i - d : 0, right = i + 1 < n ? i + 1 : n - 1, own = i < n ? i : n - 1;
          out[t] = n == 0 ? x[left] * 100 : x[left] * 100 + x[right] * 10 + x[own];
        """,
        )
        kind = {"int": np.int32, "unsigned": np.uint32, "long long": np.int64, "u64": np.uint64}[index]
        x, i = numbers(n + 1), np.arange(n)
        for size, distance in ((n, 1), (n, 0), (n // 2 + 1, 5), (far, 2), (1, far), (n, n), (n - 1, far - 1), (0, 3)):
            out = np.full(n, -1, np.int32)
            run(source, out, x, kind(size), kind(distance))
            expected = x[np.maximum(i - distance, 0)] * 100
            if size:
                expected = expected + x[np.minimum(i + 1, size - 1)] * 10 + x[np.minimum(i, size - 1)]
            run.same(out, expected.astype(np.int32), f"{index}: {size} by {distance}")


@case(blocks=SHAPES)
def saturated_numbers(run):
    """`a > b ? a - b : 0` and `a < n ? a : n - 1` of data at the edges of their types."""
    source = """
    __global__ void k(unsigned* u, int* s, const unsigned* a, const unsigned* b, int n) {
      unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
      int i = blockIdx.x * blockDim.x * blockDim.y * blockDim.z + t;
      if (i >= n) return;
      unsigned p = a[i], q = b[i];
      int v = int(p), w = int(q) == -2147483647 - 1 ? 0 : int(q);
      u[i] = (p > q ? p - q : 0) ^ (p > 9u ? p - 9u : 0) * 3 ^ (p < q ? p : q - 1) * 5;
      s[i] = (v > 0 ? v - 1 : 0) ^ (v < w ? v : w - 1) * 3;
    }"""
    edges = np.array([0, 1, 2, 8, 9, 10, HALF - 2, HALF - 1, HALF, HALF + 1, WORD - 2, WORD - 1], np.uint32)
    a, b = (part.ravel() for part in np.meshgrid(edges, edges))
    n = a.size
    u, s = np.zeros(n, np.uint32), np.zeros(n, np.int32)
    run(source, u, s, a, b, np.int32(n), grid=-(-n // run.threads))
    p, q = a.astype(np.int64), b.astype(np.int64)
    v, w = a.view(np.int32).astype(np.int64), b.view(np.int32).astype(np.int64)
    w = np.where(w == -HALF, 0, w)
    expected = np.maximum(p - q, 0) ^ (np.maximum(p - 9, 0) * 3) ^ (np.where(p < q, p, (q - 1) % WORD) * 5)
    run.same(u, (expected % WORD).astype(np.uint32), "unsigned")
    expected = np.where(v > 0, v - 1, 0) ^ (np.where(v < w, v, w - 1) * 3)
    run.same(s, (expected % WORD).astype(np.uint32).view(np.int32), "signed")
