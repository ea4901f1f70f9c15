"""Records in shared memory whose members become tiles of their own, and others that have to stay as they are."""

import numpy as np
from harness import case

F = np.float32

BLOCKS = (1, 32, 64, 100, 256)

PAIRS = """
// A thread's record and its partner's, in pairs that go further apart.
__global__ void k(const float2* in, float2* out) {
  __shared__ float2 s[256];
  const int t = threadIdx.x, n = blockDim.x, i = blockIdx.x * n + t;
  s[t] = in[i];
  __syncthreads();
  for (int half = 1; half < n; half *= 2) {
    const float2 here = s[t];
    const float2 there = (t ^ half) < n ? s[t ^ half] : make_float2(0, 0);
    __syncthreads();
    s[t].x = here.x + there.y;
    s[t].y = t & half ? here.y - there.x : there.y - here.x;
    __syncthreads();
  }
  out[i] = s[t];
}
"""


@case(blocks=BLOCKS)
def pairs(run):
    """float2 read and written by members and as a whole, at places that threads exchange."""
    rng = np.random.default_rng(1)
    n, t = run.threads, np.arange(run.threads)
    a = (rng.integers(-4, 5, (3, n, 2)) / 8).astype(F)
    out = np.zeros_like(a)
    run(PAIRS, a.view("V8"), out.view("V8"), grid=3)
    s, half = a.copy(), 1
    while half < n:
        has = (t ^ half) < n
        there = np.zeros_like(s)
        there[:, has] = s[:, t[has] ^ half]
        x = s[..., 0] + there[..., 1]
        y = np.where(t & half, s[..., 1] - there[..., 0], there[..., 1] - s[..., 0])
        s, half = np.stack([x, y], -1), half * 2
    run.same(out, s)


KINDS = """
struct Entry { int key; float value; };
struct Point { double x, y, z; };

// Rows of records behind each other, members of several kinds, places by arithmetic, by pointers and beyond the thread's own.
__global__ void k(const int* keys, const float* values, int* to_keys, float* to_values, double* sums, int4* turned) {
  __shared__ Entry entries[4][64];
  __shared__ Point points[257];
  __shared__ int4 four[256];
  const int t = threadIdx.x, n = blockDim.x, i = blockIdx.x * n + t;
  entries[t / 64][t % 64].key = keys[i] + 1;
  entries[t / 64][t % 64].value = 2 * values[i];
  points[t] = Point{double(keys[i]), values[i] + 1.0, 3.0};
  if (t == 0) points[n].x = points[n].y = points[n].z = -1;
  four[t] = make_int4(t, keys[i], -t, 7);
  __syncthreads();
  const int other = n - 1 - t;
  const Entry e = entries[other / 64][other % 64];
  to_keys[i] = e.key * 3;
  to_values[i] = e.value + (&entries[0][0])[t].value;
  const Point* p = points + t;
  sums[i] = p[1].x + p->y + p[1].z + points[0].z;
  int4 v = four[(t + 1) % n];
  v.y = four[other].w - v.y;
  turned[i] = v;
}
"""


@case(blocks=BLOCKS)
def kinds(run):
    """Structures of an int and a float in rows, of three doubles by pointers, int4."""
    rng = np.random.default_rng(2)
    n, grid = run.threads, 2
    shape = (grid, n)
    keys = rng.integers(-1000, 1000, shape).astype(np.int32)
    values = (rng.integers(-64, 65, shape) / 8).astype(F)
    to_keys, to_values = np.zeros_like(keys), np.zeros_like(values)
    sums, turned = np.zeros(shape), np.zeros((*shape, 4), np.int32)
    run(KINDS, keys, values, to_keys, to_values, sums, turned.view("V16"), grid=grid)
    t = np.arange(n)
    run.same(to_keys, (keys[:, ::-1] + 1) * 3, "keys")
    run.same(to_values, 2 * values[:, ::-1] + 2 * values, "values")
    after = np.concatenate([keys[:, 1:], np.full((grid, 1), -1)], 1).astype(np.float64)
    z = np.where(t == n - 1, -1.0, 3.0)
    run.same(sums, after + (values + 1.0) + z + 3.0, "sums")
    next_ = (t + 1) % n
    want = np.stack(
        [np.broadcast_to(next_, shape), 7 - keys[:, next_], np.broadcast_to(-next_, shape), np.full(shape, 7)], -1
    )
    run.same(turned, want.astype(np.int32), "turned")


WHOLE = """
// Bytes of a record, an atomic on a member, a pointer that is chosen, records that are only copied.
__global__ void k(const float2* in, float2* out, int* counts, const int* wanted) {
  __shared__ float2 bytes[256], chosen[256], other[256], copied[256];
  __shared__ int2 counted[256];
  const int t = threadIdx.x, n = blockDim.x, i = blockIdx.x * n + t;
  bytes[t] = in[i];
  chosen[t].x = in[i].x + 1, chosen[t].y = in[i].y;
  other[t].x = in[i].x - 1, other[t].y = in[i].y;
  copied[t] = in[i];
  counted[t].x = t, counted[t].y = 0;
  __syncthreads();
  atomicAdd(&counted[(t * 7) % n].y, t);
  const float2* p = wanted[i] & 1 ? chosen : other;
  const float2 c = copied[n - 1 - t];
  __syncthreads();
  counts[i] = counted[t].x + counted[t].y;
  const float second = reinterpret_cast<const float*>(bytes)[2 * t + (wanted[i] >> 1 & 1)];
  out[3 * i] = make_float2(p[t].x, second);
  out[3 * i + 1] = c;
  out[3 * i + 2] = bytes[n - 1 - t];
}
"""


@case(blocks=(32, 64, 100, 256))
def as_they_are(run):
    """Members that only the launch knows, atomics, pointers to one of two arrays: the records stay together."""
    rng = np.random.default_rng(3)
    n, t = run.threads, np.arange(run.threads)
    a = (rng.integers(-64, 65, (2, n, 2)) / 8).astype(F)
    wanted = rng.integers(0, 4, (2, n)).astype(np.int32)
    out, counts = np.zeros((2, n, 3, 2), F), np.zeros((2, n), np.int32)
    run(WHOLE, a.view("V8"), out.view("V8"), counts, wanted, grid=2)
    added = np.zeros(n, np.int64)
    np.add.at(added, (t * 7) % n, t)
    run.same(counts, np.broadcast_to(t + added, (2, n)).astype(np.int32), "counts")
    first = a[..., 0] + np.where(wanted & 1, F(1), F(-1))
    second = np.where(wanted >> 1 & 1, a[..., 1], a[..., 0])
    run.same(out[:, :, 0], np.stack([first, second], -1), "chosen")
    run.same(out[:, :, 1], a[:, ::-1], "copied")
    run.same(out[:, :, 2], a[:, ::-1], "bytes")
