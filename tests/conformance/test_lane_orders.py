"""Lanes that take or leave elements in an order that is known: pairs that share one, neighbours that swap."""

import numpy as np
from harness import case, kernel

INT = np.int32


@case
def some_lanes_of_an_order(run):
    """Pairs of lanes that share an element, and lanes that swap, where conditions leave out any of them, the first one
    too, whose index may lie before the array."""
    n = run.threads
    rng = np.random.default_rng(5)
    x = rng.integers(-1000, 1000, n + 8, INT)
    wanted = rng.integers(0, 3, n, INT)
    out = np.zeros((5, n), INT)
    source = kernel(
        "const int* x, const int* wanted, int* out, int first, unsigned before",
        """
  const unsigned u = t;
  if (wanted[t]) out[t] = x[t / 2 + first];
  if (t % 2) out[n + t] = x[t / 2] + x[t / 2 + 1];
  else if (wanted[t] == 2) out[n + t] = x[t / 2] - x[t / 2 + 3];
  if (u >= before) out[2 * n + t] = x[(u - before) / 2 + first] + x[u / 2 - before / 2];
  if (wanted[t] && (t ^ 1) < n) out[3 * n + (t ^ 1)] = x[t];
  if (wanted[t] == 1) out[4 * n + t] = x[(t ^ 3) + 4 - t % 4];
""",
    )
    for first, before in ((0, 0), (1, 2), (5, 7), (2, 18)):
        out[:] = 0
        run(source, x, wanted, out, first, before)
        t = np.arange(n)
        expected = np.zeros((5, n), INT)
        expected[0] = np.where(wanted != 0, x[t // 2 + first], 0)
        expected[1] = np.where(wanted == 2, x[t // 2] - x[t // 2 + 3], 0)
        expected[1] = np.where(t % 2 == 1, x[t // 2] + x[t // 2 + 1], expected[1])
        past = np.maximum(t - before, 0)
        expected[2] = np.where(t >= before, x[past // 2 + first] + x[np.maximum(t // 2 - before // 2, 0)], 0)
        swaps = t[(wanted != 0) & ((t ^ 1) < n)]
        expected[3][swaps ^ 1] = x[swaps]
        inside = np.minimum((t ^ 3) + 4 - t % 4, x.size - 1)
        expected[4] = np.where(wanted == 1, x[inside], 0)
        run.same(out, expected)


ORDERED = """
__global__ void k(const T* in, T* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = WAY;
}"""
ORDERS = {
    "in[i / 2]": lambda i, x: x[i // 2],
    "in[i / 8] + i % 8": lambda i, x: x[i // 8] + i % 8,
    "in[i >> 3] >> (i & 7) & 1 ? 3 : 1": lambda i, x: np.where(x[i >> 3].astype(int) >> (i & 7) & 1, 3, 1),
    "in[i ^ 5] - in[i / 4 * 4]": lambda i, x: x[i ^ 5] - x[i // 4 * 4],
    "in[i / 16 * 32 + i % 16]": lambda i, x: x[i // 16 * 32 + i % 16],
}


@case(blocks=[(64, 1, 1), 32, 100, 256], each=ORDERS)
def narrow_lanes_of_an_order(run, way):
    """Bytes, shorts and words that several lanes share, or swap; the last group is not full."""
    (text,) = (name for name, of in ORDERS.items() if of is way)
    for name, kind in (("unsigned char", np.uint8), ("short", np.int16), ("int", INT)):
        n = 3 * run.threads - 5
        x = np.random.default_rng(n).integers(0, 100, 2 * n + 80).astype(kind)
        out = np.zeros(n, kind)
        run(f"typedef {name} T;{ORDERED.replace('WAY', text)}", x, out, np.int32(n), grid=3)
        run.same(out, way(np.arange(n), x).astype(kind), f"{name}, {text}")


@case(blocks=[32, 96, 256])
def members_of_pairs(run):
    """Pairs in and out, pairs with single numbers between them, single numbers of pairs, and pairs in other types."""
    source = """
__global__ void k(const int* a, const int* b, const int* w, int* product, int* sums, float* mixed, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int2 p = ((const int2*)a)[i], q = ((const int2*)b)[i];
  ((int2*)product)[i] = make_int2(p.x * q.x - p.y * q.y, p.x * q.y + p.y * q.x);
  sums[i] = (p.x + q.y) * w[i] - p.y;
  float x = (float)(p.x - w[i]) * 0.5f, y = (float)(p.y ^ i);
  ((float2*)mixed)[i] = make_float2(x - y, fmaf(x, 4.0f, y));
}"""
    n = 7 * run.block[0] - 5
    generator = np.random.default_rng(n)
    a, b = (generator.integers(-1000, 1000, (n, 2), INT) for _ in range(2))
    w = generator.integers(-1000, 1000, n, INT)
    product, sums, mixed = np.zeros((n, 2), INT), np.zeros(n, INT), np.zeros((n, 2), np.float32)
    run(source, a, b, w, product, sums, mixed, n, grid=7)
    (ax, ay), (bx, by) = a.T, b.T
    run.same(product, np.stack([ax * bx - ay * by, ax * by + ay * bx], axis=1))
    run.same(sums, (ax + by) * w - ay)
    x, y = (ax - w).astype(np.float32) * np.float32(0.5), (ay ^ np.arange(n, dtype=INT)).astype(np.float32)
    run.same(mixed, np.stack([x - y, x * 4 + y], axis=1))
