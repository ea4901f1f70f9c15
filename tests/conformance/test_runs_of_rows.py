"""Rows of bytes and shorts, one a thread, whose lanes store now and then, at places of their own."""

import numpy as np
from harness import case

RUNS = """
template <class T, class Pair>
__global__ void runs(Pair* pairs, int* counts, const T* rows, int n, int length) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  const T* in = rows + row * length;
  Pair* out = pairs + row * length;
  int count = 0;
  T value = in[0];
  int run = 1;
  for (int i = 1; i < length; i++) {
    if (in[i] == value && run < 9) {
      run++;
    } else {
      Pair pair;
      pair.x = value;
      pair.y = run;
      out[count++] = pair;
      value = in[i];
      run = 1;
    }
  }
  Pair pair;
  pair.x = value;
  pair.y = run;
  out[count++] = pair;
  counts[row] = count;
}
"""
KINDS = [("unsigned char", "uchar2", np.uint8), ("signed char", "char2", np.int8), ("short", "short2", np.int16)]


def runs_of(row):
    pairs = []
    for value in row:
        if pairs and pairs[-1][0] == value and pairs[-1][1] < 9:
            pairs[-1][1] += 1
        else:
            pairs.append([value, 1])
    return pairs


@case(blocks=[16, 32, 64, 100])
def rows_of_runs(run):
    rng = np.random.default_rng(run.threads)
    n = 2 * run.threads - 5
    for length in (1, 40, 67):
        for name, pair, kind in KINDS:
            rows = np.cumsum(rng.random((n, length)) < 0.2, axis=1).astype(kind)
            pairs, counts = np.zeros((n, length, 2), kind), np.zeros(n, np.int32)
            name = f"runs<{name}, {pair}>"
            records = pairs.view(f"V{2 * pairs.itemsize}")
            run(RUNS, records, counts, rows, np.int32(n), np.int32(length), grid=2, names=[name])
            wanted = [runs_of(row) for row in rows]
            run.same(counts, np.array([len(row) for row in wanted], np.int32))
            for got, row in zip(pairs, wanted, strict=True):
                run.same(got[: len(row)], np.array(row, kind))


SCATTERED = """
__global__ void k(uchar4* colours, char2* pairs, unsigned char* bytes, const int* at, const uchar4* from, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  const uchar4 c = from[t];
  const int i = at[t];
  colours[i] = make_uchar4(c.z, c.y, c.x, 255);
  if (c.x & 1) pairs[i] = make_char2(c.y, c.x);
  if (c.y > 99) bytes[3 * i + c.z % 3] = c.x;
}
"""


@case(blocks=[16, 64, 100])
def bytes_of_records_at_places_from_memory(run):
    rng = np.random.default_rng(run.threads)
    n = 3 * run.threads - 7
    at = rng.permutation(n).astype(np.int32)
    colour = rng.integers(0, 256, (n, 4)).astype(np.uint8)
    colours, pairs, single = np.zeros((n, 4), np.uint8), np.zeros((n, 2), np.uint8), np.zeros(3 * n, np.uint8)
    run(SCATTERED, colours.view("V4"), pairs.view("V2"), single, at, colour.view("V4"), np.int32(n), grid=3)
    x, y, z, _ = colour.T
    wanted = np.zeros((n, 4), np.uint8)
    wanted[at] = np.stack([z, y, x, np.full(n, 255, np.uint8)], 1)
    run.same(colours, wanted)
    odd = (x & 1) == 1
    wanted = np.zeros((n, 2), np.uint8)
    wanted[at[odd]] = np.stack([y, x], 1)[odd]
    run.same(pairs, wanted)
    wanted = np.zeros(3 * n, np.uint8)
    wanted[(3 * at + z % 3)[y > 99]] = x[y > 99]
    run.same(single, wanted)
