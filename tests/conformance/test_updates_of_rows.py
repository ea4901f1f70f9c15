"""Atomic updates behind a loop in which rows of a block walk together: each row's counts."""

import numpy as np
from harness import case

SOURCE = """
__device__ void add_by_swaps(int* place, int v) {
  int seen, old = *place;
  do {
    seen = old;
    old = atomicCAS(place, seen, seen + v);
  } while (old != seen);
}
__global__ void k(const int* a, const int* b, int* out, int n) {
  __shared__ int own[WIDTH + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  int* s = MEMORY;
  if (y == 0) {
    s[x] = 0;
    if (x == 0) s[WIDTH] = 0;
  }
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * WIDTH + x];
  UPDATE;
  __syncthreads();
  if (y == 0) {
    out[x] = s[x];
    if (x == 0) out[WIDTH] = s[WIDTH];
  }
}"""


def at_first(total):
    return lambda sums: np.pad([total(sums)], (0, sums.shape[1]))


def of_columns(total):
    return lambda sums: np.append(total(sums), 0)


UPDATES = {
    "add": ("atomicAdd(&s[x], sum)", of_columns(lambda p: p.sum(0))),
    "what is found": ("sum = atomicAdd(&s[x], sum)", of_columns(lambda p: p.sum(0))),
    "greatest": ("atomicMax(&s[x], sum)", of_columns(lambda p: p.max(0))),
    "exclusive or": ("atomicXor(&s[x], sum)", of_columns(lambda p: np.bitwise_xor.reduce(p, 0))),
    "count": ("atomicInc((unsigned*)&s[x], 1000000)", of_columns(lambda p: np.full(p.shape[1], p.shape[0]))),
    "by swaps": ("add_by_swaps(&s[x], sum)", of_columns(lambda p: p.sum(0))),
    "one place": ("atomicAdd(&s[0], sum)", at_first(np.sum)),
    "one place by swaps": ("add_by_swaps(&s[0], sum)", at_first(np.sum)),
    "some of them": ("if (sum & 1) atomicAdd(&s[x], sum)", of_columns(lambda p: (p * (p & 1)).sum(0))),
    "two places": (
        "atomicAdd(&s[x], sum); atomicAdd(&s[x + 1], 2 * sum)",
        lambda p: np.append(p.sum(0), 0) + 2 * np.append(0, p.sum(0)),
    ),
    "in a loop": (
        "for (int i = 0; i < 3; i++) atomicAdd(&s[x + (i & 1)], sum + i)",
        lambda p: np.append((2 * p + 2).sum(0), 0) + np.append(0, (p + 1).sum(0)),
    ),
}


@case(blocks=[(16, 16), (32, 8), (8, 4)], each=list(UPDATES))
def updates_behind_a_product(run, name):
    width, rows, _ = run.block
    n = 40
    rng = np.random.default_rng(width)
    a, b = rng.integers(-9, 9, (rows, n)).astype(np.int32), rng.integers(-9, 9, (n, width)).astype(np.int32)
    update, expected = UPDATES[name]
    for memory in ("own", "out + WIDTH + 1"):
        out = np.zeros(2 * (width + 1), np.int32)
        source = SOURCE.replace("UPDATE", update).replace("MEMORY", memory).replace("WIDTH", str(width))
        run(source, a, b, out, np.int32(n))
        run.same(out[: width + 1], expected(a @ b).astype(np.int32), memory)


FLOATS = """
__global__ void k(const float* a, const float* b, float* out, int n) {
  __shared__ float s[16];
  const int x = threadIdx.x, y = threadIdx.y;
  if (y == 0) s[x] = 0.f;
  __syncthreads();
  float sum = 0.f;
  for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * 16 + x];
  sum *= 0.37f;
  atomicAdd(&s[x], sum);
  atomicAdd(&out[16 + x], sum);
  atomicAdd(&out[32], sum);
  __syncthreads();
  if (y == 0) out[x] = s[x];
}"""


@case(blocks=[(16, 16), (16, 8)])
def sums_of_floats_in_the_order_of_threads(run):
    rows, n = run.block[1], 40
    rng = np.random.default_rng(rows)
    a, b = rng.integers(-99, 99, (rows, n)), rng.integers(-99, 99, (n, 16))
    out = np.zeros(33, np.float32)
    run(FLOATS, a.astype(np.float32), b.astype(np.float32), out, np.int32(n))
    product = (a @ b).astype(np.float32) * np.float32(0.37)
    if run.on_gpu:  # its threads add in any order
        expected = np.concatenate([product.sum(0), product.sum(0), [product.sum()]])
        assert np.allclose(out, expected, rtol=1e-3, atol=1)
        return
    columns = np.cumsum(product, axis=0, dtype=np.float32)[-1]
    run.same(out, np.concatenate([columns, columns, [np.cumsum(product.ravel(), dtype=np.float32)[-1]]]))


GUARDED = """
__global__ void k(const int* in, int* out, int width) {
  __shared__ int s[SIZE], warps[8];
  const int t = threadIdx.y * blockDim.x + threadIdx.x;
  s[t] = 0;
  if (t < 8) warps[t] = 0;
  __syncthreads();
  for (int i = 0; i < 2; i++) {
    atomicAdd(&s[t * 3 % SIZE], in[t]);
    __syncthreads();
  }
  const int key = in[t] & 7;
  const unsigned alike = __match_any_sync(__activemask(), key);
  if ((t & 31) == __ffs(alike) - 1) atomicAdd(&warps[key], __popc(alike));
  __syncthreads();
  if (threadIdx.x < width) out[t] = s[t] + 10000 * warps[t & 7];
}"""


@case(blocks=[(32, 8), (16, 16), 64, (8, 8)])
def updates_in_code_with_guards(run):
    """Some blocks have code of their own for what a guard leaves out."""
    size, columns = run.threads, run.block[0]
    values, out = (np.arange(size) * 7 % 13).astype(np.int32), np.zeros(size, np.int32)
    run(GUARDED.replace("SIZE", str(size)), values, out, np.int32(20))
    t, sums = np.arange(size), np.zeros(size, np.int64)
    np.add.at(sums, t * 3 % size, 2 * values)
    expected = sums + 10000 * np.bincount(values & 7, minlength=8)[t & 7]
    run.same(out, np.where(t % columns < 20, expected, 0).astype(np.int32))
