"""Kernels so long that functions of numbers, the library's and their own, are called: the results are those of copies."""

from collections.abc import Sequence

import numpy as np
from harness import Run, case

BLOCKS = [32, 48, 100, 256]

# No product is next to a sum across a call, which a copy would join and a call does not.
FLOATS = [
    "sinf(a * 3.5f)",
    "expf(-fabsf(a))",
    "logf(fabsf(a) + 0.75f)",
    "powf(fabsf(a), b)",
    "tanhf(a)",
    "atan2f(a, b)",
    "erff(a)",
    "cbrtf(a)",
    "of_sine_and_cosine(a)",
    "of_both(a)",
    "cosf(a * 1e6f)",
]
DOUBLES = [
    "sin(a * 3.5)",
    "exp(-fabs(a))",
    "log(fabs(a) + 0.75)",
    "pow(fabs(a), b)",
    "tan(a)",
    "of_sine_and_cosine(a)",
    "of_both(a)",
]
HEAD = """
__device__ float of_sine_and_cosine(float x) { float s, c; sincosf(x, &s, &c); return expf(s / (fabsf(c) + 1.0f)); }
__device__ float of_both(float x) { return expf(-fabsf(sinf(x))); }
__device__ double of_both(double x) { return exp(-fabs(sin(x))); }
__device__ double of_sine_and_cosine(double x) { double s, c; sincos(x, &s, &c); return exp(s / (fabs(c) + 1.0)); }
"""


def long_and_short(run: Run, kind: str, steps: Sequence[str], repeats: int) -> None:
    """Each step once a turn of a loop, and written out so often that calls are made."""
    size = run.threads
    dtype = np.float32 if kind == "float" else np.float64
    x = np.linspace(-4, 4, 3 * size - 7, dtype=dtype)
    x[::11] = [0.0, -0.0, np.inf, np.nan, 1e30, -1e-30][run.threads % 6]
    turn = "".join(f"a = {step};\n" for step in steps)
    results = []
    for loop, copies in ((f"#pragma unroll 1\nfor (int j = 0; j < {repeats}; ++j)", 1), ("", repeats)):
        out = np.zeros_like(x)
        run(
            f"""{HEAD}
__global__ void k(const {kind}* x, {kind}* out, int n) {{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  {kind} a = x[i], b = a;
  {loop} {{ {turn * copies} }}
  out[i] = a;
}}""",
            x,
            out,
            x.size,
            grid=3,
        )
        results.append(out)
    run.same(results[1], results[0])


@case(blocks=BLOCKS)
def floats(run):
    """Library functions of floats, one with two results, and one of the kernel's own that calls those."""
    long_and_short(run, "float", FLOATS, 24)


@case(blocks=BLOCKS)
def doubles(run):
    """Library functions of doubles, of which some look into tables."""
    long_and_short(run, "double", DOUBLES, 24)


@case(blocks=BLOCKS)
def own_functions(run):
    """Functions of the kernel's own, of integers of both sizes; some threads, or all, call."""
    size = run.threads
    lines = "".join(
        f"""  a = mix(a, {k}u);
  if ((a ^ i) & {1 << k % 5}) b += spread(a, b);
  else a = mix(a >> 3, i);
  u = mix(u, {k}u);
"""
        for k in range(220)
    )
    x = np.arange(3 * size - 5, dtype=np.uint32) * np.uint32(2654435761)
    out = np.zeros(x.size, np.uint64)
    run(
        f"""
__device__ unsigned mix(unsigned h, unsigned k) {{
  k *= 0xcc9e2d51u; k = k << 15 | k >> 17; k *= 0x1b873593u;
  h ^= k; h = h << 13 | h >> 19; h = h * 5 + 0xe6546b64u;
  h ^= h >> 16; h *= 0x85ebca6bu; h ^= h >> 13; h *= 0xc2b2ae35u;
  return h ^ h >> 16;
}}
__device__ unsigned long long spread(unsigned h, unsigned long long s) {{
  unsigned low = mix(h, (unsigned)s), high = mix((unsigned)(s >> 32), h);
  if (low > high) return (unsigned long long)low << 32 | high;
  return ((unsigned long long)high << 32 | low) * 0x9e3779b97f4a7c15ull;
}}
__global__ void k(const unsigned* x, unsigned long long* out, int n) {{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned a = x[i], u = n;
  unsigned long long b = i;
{lines}
  out[i] = b ^ a ^ (unsigned long long)u << 7;
}}""",
        x,
        out,
        x.size,
        grid=3,
    )
    run.same(out, expected_of_own(x))


def mix(h, k):
    k = k * np.uint32(0xCC9E2D51)
    k = (k << np.uint32(15) | k >> np.uint32(17)) * np.uint32(0x1B873593)
    h = h ^ k
    h = (h << np.uint32(13) | h >> np.uint32(19)) * np.uint32(5) + np.uint32(0xE6546B64)
    h = (h ^ h >> np.uint32(16)) * np.uint32(0x85EBCA6B)
    h = (h ^ h >> np.uint32(13)) * np.uint32(0xC2B2AE35)
    return h ^ h >> np.uint32(16)


def spread(h, s):
    low, high = mix(h, s.astype(np.uint32)), mix((s >> np.uint64(32)).astype(np.uint32), h)
    wide_low, wide_high = low.astype(np.uint64), high.astype(np.uint64)
    return np.where(
        low > high,
        wide_low << np.uint64(32) | wide_high,
        (wide_high << np.uint64(32) | wide_low) * np.uint64(0x9E3779B97F4A7C15),
    )


def expected_of_own(x):
    with np.errstate(over="ignore"):
        i = np.arange(x.size, dtype=np.uint32)
        a, b, u = x.copy(), i.astype(np.uint64), np.full(1, x.size, np.uint32)
        for k in range(220):
            a = mix(a, np.full(1, k, np.uint32))
            calls = (a ^ i) & np.uint32(1 << k % 5) != 0
            b = np.where(calls, b + spread(a, b), b)
            a = np.where(calls, a, mix(a >> np.uint32(3), i))
            u = mix(u, np.full(1, k, np.uint32))
        return b ^ a.astype(np.uint64) ^ u.astype(np.uint64) << np.uint64(7)


@case(blocks=[64, 100, 256])
def between_barriers(run):
    """Calls on both sides of barriers, of a value that a neighbour left."""
    size = run.threads
    x = np.linspace(-2, 2, 2 * size, dtype=np.float32)
    results = []
    step = f"s[t] = a; __syncthreads(); a = sinf(s[(t + k) % {size}]); __syncthreads(); a = expf(-fabsf(a));"
    for loop in ("#pragma unroll 1\n for (int k = 0; k < 100; ++k)", ""):
        steps = f"{loop} {{ {step} }}" if loop else "\n".join(step.replace("k)", f"{k})") for k in range(100))
        out = np.zeros_like(x)
        run(
            f"""
__global__ void k(const float* x, float* out) {{
  __shared__ float s[{size}];
  const int t = threadIdx.x, i = blockIdx.x * {size} + t;
  float a = x[i];
  {steps}
  out[i] = a;
}}""",
            x,
            out,
            grid=2,
        )
        results.append(out)
    run.same(results[1], results[0])


@case(blocks=BLOCKS)
def results_that_nobody_wants(run):
    """All calls turn out to be for nothing, or all but those of the last line, of which one value is asked for."""
    x = np.linspace(-4, 4, 3 * run.threads - 7, dtype=np.float32)
    lines = "".join(f"  unwanted = sinf(a + {k}.0f); other = expf(unwanted);\n" for k in range(200))
    for asks in ("", "if (n == -1) out[0] = other;"):
        out = np.zeros_like(x)
        run(
            f"""
__global__ void k(const float* x, float* out, int n) {{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = fabsf(x[i]), unwanted, other;
{lines}
  {asks}
  out[i] = a;
}}""",
            x,
            out,
            x.size,
            grid=3,
        )
        run.same(out, np.abs(x))
