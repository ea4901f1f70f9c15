"""Rows of lengths of their own, a thread each: threads that are through wait for the one with the longest."""

import itertools

import numpy as np
from harness import case

F = np.float32
BLOCKS = [1, 31, 32, 64, 100, 256, (16, 4), (8, 4, 2)]

LOOPS = {
    "for": "for (INDEX j = first; j < last; ++j) { TURN }",
    "while another": "INDEX j = first; while (j != last) { TURN ++j; }",
    "once at least": "INDEX j = first; if (n < 0) last = first - 1; do { TURN ++j; } while (j < last);",
    "from the middle": "for (INDEX j = (first + last) / 2; j < last; ++j) { TURN }",
    "counted": "for (INDEX k = 0; k < last - first; ++k) { INDEX j = first + k; TURN }",
    "by address": "for (const T* p = x + first; p < x + last; ++p) { INDEX j = p - x; TURN }",
    "left early": "for (INDEX j = first; j < last; ++j) { if (x[j] > 90) break; TURN }",
}
ROWS = """
template <class T, class INDEX>
__global__ void k(const INDEX* starts, const T* x, const T* y, T* sums, T* others, int n) {
  int i = (blockIdx.x * blockDim.z + threadIdx.z) * blockDim.y * blockDim.x + threadIdx.y * blockDim.x + threadIdx.x;
  if (i >= n) return;
  INDEX first = starts[i], last = starts[i + 1];
  T sum = 1, other = -0.0f;
  LOOP
  sums[i] = sum;
  others[i] = other;
}
"""
TURNS = {
    "two sums": "sum = sum * 3 / 4 + x[j]; other += y[j];",
    "some": "if (x[j] > 0) sum = sum / 2 + x[j] * y[j]; else other = x[j];",
    "by number": "sum += x[j] * T(j - first + 1); other = y[j];",
}


def expected(loop, turn, starts, x, y, dtype):
    """In the order of each thread's turns, rounded after each operation."""
    sums, others = [], []
    for first, last in itertools.pairwise(starts):
        total, other = dtype(1), dtype(-0.0)
        begin = (first + last) // 2 if loop == "from the middle" else first
        end = max(last, begin + 1) if loop == "once at least" else last
        for j in range(begin, end):
            if loop == "left early" and x[j] > 90:
                break
            if turn == "two sums":
                total, other = total * dtype(3) / dtype(4) + x[j], other + y[j]
            elif turn == "by number":
                total, other = total + x[j] * dtype(j - first + 1), y[j]
            elif x[j] > 0:
                total = total / dtype(2) + x[j] * y[j]
            else:
                other = x[j]
        sums.append(total)
        others.append(other)
    return np.array(sums, dtype), np.array(others, dtype)


def lengths(rng, n, longest):
    """Some of none, some of one, some far longer than their neighbours."""
    rows = rng.integers(0, longest, n)
    rows[rng.random(n) < 0.2] = 0
    rows[rng.random(n) < 0.1] = 1
    rows[n // 2] = 3 * longest
    return rows


@case(blocks=BLOCKS)
def sums_of_rows(run):
    """Loops spelled in several ways, from one element to many more than a register holds; floats, doubles, two kinds of indices."""
    kinds = [
        ("float", "int", F, np.int32),
        ("double", "long long", np.float64, np.int64),
        ("float", "unsigned", F, np.uint32),
    ]
    n = 3 * run.threads - run.threads // 3
    for number, (loop, spelled) in enumerate(LOOPS.items()):
        turn = list(TURNS)[number % len(TURNS)]
        type_name, index, dtype, index_type = kinds[number % len(kinds)]
        rng = np.random.default_rng(number)
        rows = lengths(rng, n, (4, 12, 40)[number % 3])
        starts = np.concatenate([[0], np.cumsum(rows)])
        x, y = rng.integers(-99, 99, (2, starts[-1] + 1)).astype(dtype)
        sums, others = np.zeros(n, dtype), np.zeros(n, dtype)
        source = ROWS.replace("LOOP", spelled.replace("TURN", TURNS[turn]).replace("INDEX", index))
        run(source, starts.astype(index_type), x, y, sums, others, n, grid=3, names=[f"k<{type_name}, {index}>"])
        want_sums, want_others = expected(loop, turn, starts, x, y, dtype)
        run.same(sums, want_sums, f"sums, {loop}, {turn}")
        run.same(others, want_others, f"others, {loop}, {turn}")


AT_THE_END = """
__global__ void k(const int* starts, const int* x, int* sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int sum = 0;
  for (int j = starts[2 * i]; j < starts[2 * i + 1]; ++j) sum = sum * 31 + x[j];
  sums[i] = sum;
}
"""


@case(blocks=[32, 100, 256])
def rows_where_memory_ends(run):
    """Rows that end with the array, and rows of none that begin anywhere at all: nothing is read but what is asked for."""
    n = run.threads
    rng = np.random.default_rng(n)
    x = rng.integers(0, 9, 1000).astype(np.int32)
    starts = np.zeros((n, 2), np.int32)
    starts[:, 1] = 1000
    starts[:, 0] = 1000 - rng.integers(0, 70, n)
    starts[::3] = 2**31 - 1, -(2**31)
    starts[1::5, 0] = 1000
    sums = np.zeros(n, np.int32)
    run(AT_THE_END, starts, x, sums, n)
    want = []
    for first, last in starts:
        total = 0
        for j in range(first, last):
            total = (total * 31 + int(x[j])) % 2**32
        want.append(total)
    run.same(sums, np.array(want, np.uint32).view(np.int32))
