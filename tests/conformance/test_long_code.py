"""Long code without loops: hundreds of atomic operations, and of calls of functions that are simplified before they are copied."""

import numpy as np
from harness import case

U = np.uint32
PLACES = 61


@case(
    blocks=[64, (16, 8)],
    each={f"{number} {dtype}": (number, dtype) for number, dtype in ((40, "float"), (100, "unsigned"), (300, "float"))},
)
def many_atomics(run, value):
    """Each line adds to a place of the thread's own choice, every third where the thread wants to."""
    number, dtype = value
    size = run.threads
    lines = "\n".join(
        f"{'if (v & 1)' if k % 3 == 2 else ''} atomicAdd(&{'s' if k % 2 else 'sums'}[(v + {k}) % {PLACES}], {k % 7 + 1});"
        for k in range(number)
    )
    source = f"""
__global__ void k(const unsigned* in, {dtype}* sums, int n) {{
  __shared__ {dtype} s[{PLACES}];
  int t = threadIdx.x + blockDim.x * threadIdx.y, i = blockIdx.x * {size} + t;
  if (t < {PLACES}) s[t] = 0;
  __syncthreads();
  if (i < n) {{
    unsigned v = in[i];
    {lines}
  }}
  __syncthreads();
  if (t < {PLACES}) atomicAdd(&sums[t], s[t]);
}}"""
    blocks, n = 3, 3 * size - 7
    values = np.random.default_rng(size).integers(0, 1 << 20, n, U)
    sums = np.zeros(PLACES, U if dtype == "unsigned" else np.float32)
    run(source, values, sums, n, grid=blocks)
    expected = np.zeros_like(sums)
    for k in range(number):
        adding = values[values & 1 == 1] if k % 3 == 2 else values
        np.add.at(expected, (adding + U(k)) % PLACES, k % 7 + 1)
    run.same(sums, expected)


@case(blocks=[64, 100])
def many_calls(run):
    """Functions with a bool, with a pair by value, with shifts by any number, with quotients and with conversions, each called eighty times."""
    size, calls = run.threads, 80
    lines = "\n".join(
        f"v = mixed(v, {k}u); p = turned(p, v + {k}u); v += shifted(v, first + {k % 40}u, w) ^ shares(w, v % {k % 3 + 1}u);"
        f" w += whole(v * 65537.0f) + chosen(flags + {k % 5}, v, p.y);"
        for k in range(calls)
    )
    source = f"""
struct Pair {{ unsigned x; unsigned y; }};
__device__ unsigned mixed(unsigned v, unsigned k) {{
  bool odd = (v ^ k) & 1, large = v > 0x80000000u;
  if (odd && !large) return v * 3u + k;
  return large ? v - k : v ^ k;
}}
__device__ Pair turned(Pair p, unsigned by) {{
  Pair q;
  q.x = p.y + by;
  q.y = p.x << 3;
  return q;
}}
__device__ unsigned shifted(unsigned v, unsigned by, unsigned w) {{ return (v << by) + (w >> (by & 31u)); }}
__device__ unsigned shares(unsigned v, unsigned by) {{ return v / (by == 0 ? 7u : by) + v % 5u; }}
__device__ unsigned whole(float x) {{ return (unsigned)x; }}
__device__ unsigned chosen(const bool* flag, unsigned v, unsigned w) {{ return *flag ? v : w; }}
__global__ void k(const unsigned* in, const bool* flags, unsigned* out, unsigned first) {{
  int i = blockIdx.x * {size} + threadIdx.x;
  unsigned v = in[i], w = i;
  Pair p = {{v, w}};
  {lines}
  out[3 * i] = v;
  out[3 * i + 1] = w;
  out[3 * i + 2] = p.x ^ p.y;
}}"""
    values = np.random.default_rng(size).integers(0, 1 << 32, 3 * size, U)
    flags = np.array([1, 0, 255, 2, 0], np.uint8)  # what is not 0 is true
    out = np.zeros((values.size, 3), U)
    run(source, values, flags.view(np.bool_), out, U(0), grid=3)
    v, w = values.copy(), np.arange(values.size, dtype=U)
    x, y = v.copy(), w.copy()
    for k in range(calls):
        odd, large = ((v ^ U(k)) & 1) == 1, v > U(1 << 31)
        v = np.where(odd & ~large, v * U(3) + U(k), np.where(large, v - U(k), v ^ U(k)))
        x, y = y + (v + U(k)), x << U(3)
        by, amount = v % U(k % 3 + 1), k % 40
        left = v << U(amount) if amount < 32 else np.zeros_like(v)
        v = v + ((left + (w >> U(amount & 31))) ^ (w // np.where(by == 0, U(7), by) + w % U(5)))
        product = v.astype(np.float32) * np.float32(65537)
        ends = product >= np.float32(2) ** 32
        w = w + np.where(ends, U(0xFFFFFFFF), np.where(ends, 0, product).astype(U)) + (v if flags[k % 5] else y)
    run.same(out, np.stack([v, w, x ^ y], axis=1))


@case(blocks=[32, 96])
def many_pairs_of_halves(run):
    """Sums, products, differences and the larger of pairs of halves, 70 of each, over values that NaN and infinity are among."""
    size, rounds = run.threads, 70
    source = f"""
#include <cuda_fp16.h>
__global__ void k(const __half2* in, __half2* out) {{
  int i = blockIdx.x * {size} + threadIdx.x;
  __half2 q = in[2 * i], r = in[2 * i + 1], s = q;
  {"q = __hmul2(__hadd2(q, r), s); r = __hsub2(r, q); s = __hmax2(__hmin2(r, q), s); r = __hmin2(r, s);" * rounds}
  out[3 * i] = q;
  out[3 * i + 1] = r;
  out[3 * i + 2] = s;
}}"""
    generator = np.random.default_rng(size)
    halves = generator.normal(0, 0.5, (3 * size, 4)).astype(np.float16)
    halves[::7, 0], halves[::11, 3], halves[5::13, 1] = np.nan, np.inf, -0.0
    out = np.zeros((3 * size, 6), np.uint16)
    run(source, halves.view("V4"), out.view("V4"), grid=3)
    q, r = halves[:, :2], halves[:, 2:]
    s = q
    with np.errstate(all="ignore"):
        for _ in range(rounds):
            q = (q + r) * s
            r = r - q
            s = np.fmax(np.fmin(r, q), s)
            r = np.fmin(r, s)
    got, expected = out.view(np.float16), np.concatenate([q, r, s], axis=1)
    run.same(np.where(got == 0, 0, got), np.where(expected == 0, 0, expected))  # NumPy orders no zeros
