"""Scans by a tree up and down again, in place, and arrays with gaps against conflicts of banks."""

import numpy as np
from harness import case, kernel

BLOCKS = (2, 4, 16, 32, 64, 128, 256, 512, (16, 16, 1))
TYPES = {"int": np.int32, "float": np.float32, "double": np.float64, "short": np.int16}
GRID = 3

# Where element i lies, and in how many times the memory.
GAPS = {
    "without gaps": ("#define AT(i) (i)", 1),
    "a gap behind 32": ("#define AT(i) ((i) + ((i) >> 5))", 2),
    "a gap behind 16": ("#define AT(i) ((i) + (i) / 16)", 2),
    "gaps of two levels": ("#define AT(i) ((i) + ((i) >> 4) + ((i) >> 8))", 2),
    "a gap in front of 8": ("#define AT(i) ((i) + ((i) + 7) / 8)", 2),
    "a gap behind each": ("#define AT(i) (2 * (i))", 2),
    "pairs swapped": ("#define AT(i) ((i) ^ 1)", 1),
}
UP = """
  for (int d = n; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) { int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1; s[AT(b)] += s[AT(a)]; }
    offset *= 2;
  }"""
DOWN = """
  for (int d = 1; d < 2 * n; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
      T v = s[AT(a)]; s[AT(a)] = s[AT(b)]; s[AT(b)] += v;
    }
  }
  __syncthreads();"""


def inputs(run, dtype, elements=2, seed=1):
    return np.random.default_rng(seed).integers(-9, 10, (GRID, elements * run.threads)).astype(dtype)


def before(values):
    """The sums of what is in front of each element of a row."""
    sums = np.cumsum(values, axis=1, dtype=values.dtype)
    return sums - values


def scan(run, name, gaps, body, values, out, memory="__shared__ T s[4096];", **options):
    macro, _ = GAPS[gaps]
    text = f"const T* row = in + blockIdx.x * 2 * n; T* to = out + blockIdx.x * 2 * n; int offset = 1; {memory}"
    source = kernel("const T* in, T* out", text + body, before=f"typedef {name} T;\n{macro}\n")
    run(source, values, out, grid=GRID, **options)


LOAD = "s[AT(2 * t)] = row[2 * t]; s[AT(2 * t + 1)] = row[2 * t + 1];"
STORE = "to[2 * t] = s[AT(2 * t)]; to[2 * t + 1] = s[AT(2 * t + 1)];"
LAST = "if (t == 0) s[AT(2 * n - 1)] = 0;"


@case(
    blocks=BLOCKS,
    each={
        f"{name}, {gaps}": (name, gaps)
        for gaps in GAPS
        for name in TYPES
        if gaps in ("without gaps", "a gap behind 32")
    },
)
def two_a_thread(run, each):
    """What is in front of each of two elements a thread."""
    name, gaps = each
    values = inputs(run, TYPES[name])
    out = np.zeros_like(values)
    scan(run, name, gaps, LOAD + UP + LAST + DOWN + STORE, values, out)
    run.same(out, before(values))


@case(blocks=BLOCKS, each=tuple(GAPS))
def halves_in_dynamic_memory(run, gaps):
    """A thread loads an element of each half; the total is looked at before it goes."""
    values = inputs(run, np.int32, seed=2)
    out = np.zeros_like(values)
    body = (
        "s[AT(t)] = row[t]; s[AT(t + n)] = row[t + n];"
        + UP
        + "__syncthreads(); T total = s[AT(2 * n - 1)]; __syncthreads();"
        "if (t == n - 1) s[AT(2 * n - 1)] = 0;" + DOWN + "to[t] = s[AT(t)] - total; to[t + n] = s[AT(t + n)] + total;"
    )
    memory, size = "extern __shared__ T s[];", 8 * GAPS[gaps][1] * run.threads
    scan(run, "int", gaps, body, values, out, memory, shared=size)
    total = values.sum(1, dtype=np.int32)[:, None]
    half = np.where(np.arange(2 * run.threads) < run.threads, -1, 1)
    run.same(out, before(values) + half * total)


@case(blocks=BLOCKS, each=("as they are", "a sum of four"))
def between_up_and_down(run, what):
    """Other threads look at what is there between the two trees."""
    values = inputs(run, np.int32, seed=3)
    out = np.zeros_like(values)
    place = "2 * t + 1" if what == "as they are" else "(2 * t + 1) | 3"
    look = f"__syncthreads(); T seen = s[AT({place})]; __syncthreads();"
    scan(run, "int", "without gaps", LOAD + UP + look + LAST + DOWN + "s[AT(2 * t)] += seen;" + STORE, values, out)
    tree = values.copy()
    d = 1
    while d < tree.shape[1]:
        tree[:, 2 * d - 1 :: 2 * d] += tree[:, d - 1 :: 2 * d][:, : tree[:, 2 * d - 1 :: 2 * d].shape[1]]
        d *= 2
    t = np.arange(run.threads)
    wanted = before(values)
    wanted[:, ::2] += tree[:, 2 * t + 1 if what == "as they are" else (2 * t + 1) | 3]
    run.same(out, wanted)


ONE = {
    "by index": "int x = (t + 1) * 2 * d - 1; if (x < n)",
    "by remainder": "int x = t; if ((t + 1) % (2 * d) == 0)",
    "by mask": "int x = t; if ((t & (2 * d - 1)) == 2 * d - 1)",
}


@case(blocks=BLOCKS, each=tuple(ONE))
def one_a_thread(run, name):
    """What is in front of an element, and then the element as well."""
    values = inputs(run, np.float32, 1, seed=4)
    out = np.zeros_like(values)
    body = f"""
      __shared__ float s[1024]; float own = in[blockIdx.x * n + t]; s[t] = own;
      for (int d = 1; d < n; d *= 2) {{ __syncthreads(); {ONE[name]} s[x] += s[x - d]; }}
      __syncthreads(); if (t == n - 1) s[t] = 0;
      for (int d = n / 2; d > 0; d /= 2) {{
        __syncthreads(); {ONE[name]} {{ float v = s[x - d]; s[x - d] = s[x]; s[x] += v; }}
      }}
      __syncthreads(); out[blockIdx.x * n + t] = s[t] + own;"""
    run(kernel("const float* in, float* out", body), values, out, grid=GRID)
    run.same(out, np.cumsum(values, axis=1, dtype=np.float32))


# Sums that stay, and are added to what is between them: of two elements a thread, or one.
STAY = """
  for (unsigned d = 1; d < N; d *= 2) {{
    __syncthreads();
    unsigned x = (t + 1) * 2 * d - 1;
    if (x < N) {{ {0} }}
  }}
  for (int d = N / 4; d > 0; d /= 2) {{
    __syncthreads();
    unsigned x = (t + 1) * 2 * d - 1;
    if (x + d < N) {{ {1} }}
  }}
  __syncthreads();"""
ADD = STAY.format("s[x] += s[x - d];", "s[x + d] += s[x];")


@case(blocks=BLOCKS, each={f"{name}, {elements} a thread": (name, elements) for name in TYPES for elements in (1, 2)})
def sums_that_stay(run, each):
    """Sums of all up to each element."""
    name, elements = each
    values = inputs(run, TYPES[name], elements, seed=5)
    out = np.zeros_like(values)
    body = (
        f"const int N = {elements} * n; __shared__ T s[2048]; const int first = blockIdx.x * N;"
        "for (int i = t; i < N; i += n) s[i] = in[first + i];"
        + ADD
        + "for (int i = t; i < N; i += n) out[first + i] = s[i];"
    )
    run(kernel("const T* in, T* out", body, before=f"typedef {name} T;\n"), values, out, grid=GRID)
    run.same(out, np.cumsum(values, axis=1, dtype=values.dtype))


@case(blocks=BLOCKS)
def sums_from_heads_on(run):
    """Sums begin again at heads: of each place also whether there is a head before."""
    values = inputs(run, np.int32, 1, seed=6)
    heads = (np.random.default_rng(7).uniform(size=values.shape) < 0.1).astype(np.int32)
    out = np.zeros_like(values)
    step = "if (!f[{0}]) s[{0}] += s[{1}]; f[{0}] |= f[{1}];"
    body = (
        "const int N = n; __shared__ int s[1024], f[1024]; const int i = blockIdx.x * n + t; s[t] = in[i]; f[t] = heads[i];"
        + STAY.format(step.format("x", "x - d"), step.format("x + d", "x"))
        + "out[i] = s[t];"
    )
    run(kernel("const int* in, const int* heads, int* out", body), values, heads, out, grid=GRID)
    wanted = values.copy()
    for row, starts in zip(wanted, heads, strict=True):
        for i in range(1, len(row)):
            if not starts[i]:
                row[i] += row[i - 1]
    run.same(out, wanted)


@case(blocks=BLOCKS)
def who_adds_them(run):
    """Threads add their own number on the way down."""
    values = inputs(run, np.int32, 1, seed=8)
    out = np.zeros_like(values)
    body = (
        "const int N = n; __shared__ int s[1024]; const int i = blockIdx.x * n + t; s[t] = in[i];"
        + STAY.format("s[x] += s[x - d];", "s[x + d] += s[x] + t;")
        + "out[i] = s[t];"
    )
    run(kernel("const int* in, int* out", body), values, out, grid=GRID)
    wanted, n = values.copy(), run.threads
    d = 1
    while d < n:
        for x in range(2 * d - 1, n, 2 * d):
            wanted[:, x] += wanted[:, x - d]
        d *= 2
    d = n // 4
    while d > 0:
        for who, x in enumerate(range(2 * d - 1, n - d, 2 * d)):
            wanted[:, x + d] += wanted[:, x] + who
        d //= 2
    run.same(out, wanted)


@case(blocks=(2, 32, 96, 100, 256, 512, (16, 16, 1)), each=tuple(GAPS))
def places_with_gaps(run, gaps):
    """No tree: elements are written by one way and read by others."""
    macro, _ = GAPS[gaps]
    values = inputs(run, np.int32, 1, seed=9)
    out = np.zeros_like(values)
    body = (
        "__shared__ int s[2048]; const int i = blockIdx.x * n + t; s[AT(t)] = in[i]; __syncthreads();"
        "int x = s[AT(n - 1 - t)] * 3; if (t < n / 2) x += s[AT(2 * t + 1)]; if (t == 0) x += s[AT(n - 1)];"
        "__syncthreads(); if (t < n / 2) s[AT(t)] = x; __syncthreads(); out[i] = s[AT(t)] + x;"
    )
    run(kernel("const int* in, int* out", body, before=macro + "\n"), values, out, grid=GRID)
    n = run.threads
    x = values[:, ::-1] * 3
    x[:, : n // 2] += values[:, 1::2][:, : n // 2]
    x[:, 0] += values[:, n - 1]
    after = values.copy()
    after[:, : n // 2] = x[:, : n // 2]
    run.same(out, after + x)
