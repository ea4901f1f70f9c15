"""Atomic operations of which some lanes have part, or that seldom change anything."""

import numpy as np
from harness import case, kernel

SOME_LANES = {
    "int add": ("int", "atomicAdd(&bins[v], w)", np.add, 0),
    "float add": ("float", "atomicAdd(&bins[v], (float)w)", np.add, 0),
    "double add": ("double", "atomicAdd(&bins[v], (double)w)", np.add, 0),
    "long max": ("long long", "atomicMax(&bins[v], (long long)w)", np.maximum, -(2**62)),
    "unsigned and": ("unsigned", "atomicAnd(&bins[v], ~(1u << (w & 31)))", None, 2**32 - 1),
}


@case(each=[f"{what}, {percent} of 100" for what in SOME_LANES for percent in (3, 40, 80)], blocks=[32, 100, 256])
def atomics_of_some_lanes(run, what):
    """Updates of shared memory by threads whose value lies in a range, few of them or most: no other element changes."""
    operation, percent = what.split(", ")
    name, update, ufunc, start = SOME_LANES[operation]
    limit = 40 * int(percent.split()[0]) // 100
    rng = np.random.default_rng(11)
    keys = rng.integers(-5, 40, run.threads * 9).astype(np.int32)
    weights = rng.integers(-9, 9, keys.size).astype(np.int32)
    dtype = {"int": np.int32, "float": np.float32, "double": np.float64, "long long": np.int64, "unsigned": np.uint32}[
        name
    ]
    out = np.zeros(64, dtype)
    run(
        kernel(
            f"{name}* out, const int* keys, const int* weights, int size, int limit",
            f"""
            __shared__ {name} bins[64];
            for (int i = t; i < 64; i += n) bins[i] = ({name}){start};
            __syncthreads();
            for (int i = t; i < size; i += n) {{
              const int v = keys[i], w = weights[i];
              if (v >= 0 && v < limit) {update};
            }}
            __syncthreads();
            for (int i = t; i < 64; i += n) out[i] = bins[i];
            """,
        ),
        out,
        keys,
        weights,
        keys.size,
        limit,
    )
    expected = np.full(64, start, dtype)
    some = (keys >= 0) & (keys < limit)
    if ufunc is None:
        ufunc, weights = np.bitwise_and, ~(np.uint32(1) << (weights & 31).astype(np.uint32))
    ufunc.at(expected, keys[some], weights[some].astype(dtype))
    run.same(out, expected)


EXTREMA = {
    "one, of floats by integers": "if (v >= 0) atomicMax((int*)to, __float_as_int(v));"
    " else atomicMin((unsigned*)to, __float_as_uint(v));",
    "keyed, of floats by integers": "int* p = (int*)&to[keys[g]]; if (v >= 0) atomicMax(p, __float_as_int(v));"
    " else atomicMin((unsigned*)p, __float_as_uint(v));",
    "one, looked at before": "if (v > *to) {int *p = (int*)to, old = *p;"
    "while (__int_as_float(old) < v) { int seen = old; old = atomicCAS(p, seen, __float_as_int(v)); if (old == seen) break; } }",
    "keyed, of some": "if (g % 5 < 3 && v > 0) atomicMax((int*)&to[keys[g]], __float_as_int(v));",
    "in shared memory": "__shared__ float s[8]; for (int i = t; i < 8; i += n) s[i] = -1e30f; __syncthreads();"
    "int* p = (int*)&s[keys[g] % 8]; if (v >= 0) atomicMax(p, __float_as_int(v));"
    " else atomicMin((unsigned*)p, __float_as_uint(v)); __syncthreads();"
    "for (int i = t; i < 8; i += n) {float m = s[i]; int* q = (int*)&to[i]; if (m >= 0) atomicMax(q, __float_as_int(m));"
    " else atomicMin((unsigned*)q, __float_as_uint(m)); }",
    "one in shared memory": "__shared__ int most, least; if (t == 0) { most = -1000; least = 1000; } __syncthreads();"
    "if (v > 0) atomicMax(&most, g % 777); else { atomicMin(&least, g % 555); atomicMax(&most, -g); }"
    "if (t % 3) atomicMin(&least, g % 331); __syncthreads();"
    "if (t == 0) { atomicMax((int*)to, most); atomicMin((int*)to + 1, least); }",
}


@case(each=list(EXTREMA))
def extrema_that_seldom_change(run, what):
    """Minima and maxima of which most change nothing, by some threads or all, of both signs."""
    size = 5 * run.threads
    random = np.random.default_rng(8)
    values = random.uniform(-100, 100, size).astype(np.float32)
    keys = random.integers(0, 37, size).astype(np.int32)
    to = np.full(37, -1e30, np.float32)
    expected = to.copy()
    source = kernel(
        "float* to, const int* keys, const float* values",
        f"const int g = blockIdx.x * n + t; const float v = values[g]; {EXTREMA[what]}",
    )
    if what == "one in shared memory":
        to.view(np.int32)[:2] = -1000, 1000
    run(source, to, keys, values, grid=5, timeout=None)
    g, t = np.arange(size), np.arange(size) % run.threads
    match what:
        case "one, of floats by integers" | "one, looked at before":
            expected[0] = values.max()
        case "keyed, of floats by integers":
            np.maximum.at(expected, keys, values)
        case "keyed, of some":
            some = (g % 5 < 3) & (values > 0)
            whole = expected.view(np.int32)
            np.maximum.at(whole, keys[some], values.view(np.int32)[some])
        case "in shared memory":
            np.maximum.at(expected, keys % 8, values)
        case "one in shared memory":
            above = values > 0
            most = np.where(above, g % 777, -g).max()
            least = min((g % 555)[~above].min(initial=1000), (g % 331)[t % 3 != 0].min(initial=1000))
            run.same(to.view(np.int32)[:2], np.array([max(most, -1000), least], np.int32))
            return
    run.same(to, expected)


ROWS = {
    "alike": "for (int d = 0; d < dim; ++d) atomicAdd(&sums[c * dim + d], values[g * dim + d]);",
    "their own": "for (int d = g % 7; d < dim; ++d) atomicAdd(&sums[c * dim + d], values[g * dim + d]);",
    "apart": "for (int d = g % 5; d < dim; ++d) atomicAdd(&sums[(c * dim + d * 11) % (9 * dim)], values[d]);",
}


@case(each=[f"{what}, of {dim}" for what in ROWS for dim in (3, 16, 50)], blocks=[1, 33, 100, (16, 16, 1)])
def rows_added_to_by_each_thread(run, what):
    """Atomic additions of floats along rows, several threads' to one row: as thread after thread adds them."""
    which, dim = what.split(", of ")
    dim, size = int(dim), 3 * run.threads
    random = np.random.default_rng(4)
    # Whole numbers: any order gives the same sum, as blocks may run side by side.
    values = random.integers(-99, 99, (size, dim)).astype(np.float32)
    rows = random.integers(0, 9, size).astype(np.int32)
    sums = np.zeros((9, dim), np.float32)
    run(
        kernel(
            "float* sums, const float* values, const int* rows, int dim, int size",
            f"const int g = blockIdx.x * n + t; if (g >= size) return; const int c = rows[g]; {ROWS[which]}",
        ),
        sums.reshape(-1),
        values.reshape(-1),
        rows,
        np.int32(dim),
        np.int32(size - 1),
        grid=3,
    )
    expected = np.zeros_like(sums)
    for g in range(size - 1):
        match which:
            case "alike":
                expected[rows[g]] += values[g]
            case "their own":
                expected[rows[g], g % 7 :] += values[g, g % 7 :]
            case "apart":
                d = np.arange(g % 5, dim)
                np.add.at(expected.reshape(-1), (rows[g] * dim + d * 11) % (9 * dim), values.reshape(-1)[d])
    run.same(sums, expected)


@case(blocks=[1, 33, 81, (8, 8, 4)])
def stacks_of_each_thread(run):
    """A search that goes down and comes back, with a stack of each thread's own of another depth: queens on a board."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            """
            const int size = 6, full = (1 << size) - 1, first = t % size;
            int rows[8], left[8], right[8], open[8], depth = 0, found = 0;
            rows[0] = 1 << first; left[0] = 2 << first; right[0] = 1 << first >> 1;
            open[0] = t % 4 == 3 ? 0 : full & ~(rows[0] | left[0] | right[0]);
            while (depth >= 0) {
              const int places = open[depth];
              if (places == 0) { --depth; continue; }
              const int place = places & -places;
              open[depth] = places ^ place;
              const int taken = rows[depth] | place;
              if (taken == full) { ++found; continue; }
              ++depth;
              rows[depth] = taken; left[depth] = (left[depth - 1] | place) << 1; right[depth] = (right[depth - 1] | place) >> 1;
              open[depth] = full & ~(taken | left[depth] | right[depth]);
            }
            out[t] = found;
            """,
        ),
        out,
    )
    t = np.arange(run.threads)
    run.same(out, np.where(t % 4 == 3, 0, np.array([0, 1, 1, 1, 1, 0], np.int32)[t % 6]).astype(np.int32))


LEADERS = """
__global__ void k(int* out, int* sums) {
  const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[1024 + t] = t;
  if ((t & FEW) == 0) {
    atomicAdd(&out[t], 1);
    atomicAdd(sums, t + 1);
  }
}"""


@case(blocks=[(20, 5), (12, 8), (40, 4), (33, 3), (16, 4), (8, 4, 2), (5, 3, 4), (48, 2)], each=["31", "15"])
def leaders_of_rows_of_any_length(run, few):
    """Every 32nd thread of a block whose rows are no multiple of a group."""
    out, sums = np.zeros(2048, np.int32), np.zeros(1, np.int32)
    run(LEADERS.replace("FEW", few), out, sums)
    leaders = np.arange(0, run.threads, int(few) + 1)
    expected = np.zeros(2048, np.int32)
    expected[leaders] = 1
    expected[1024 : 1024 + run.threads] = np.arange(run.threads)
    run.same(out, expected)
    run.same(sums, [np.sum(leaders + 1)])


RING = """
__global__ void k(const int* in, int* out, int n) {
  __shared__ int s[PLACES];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (t < PLACES) s[t] = 0;
  __syncthreads();
  if (i < n) atomicAdd(&s[t % PLACES], in[i]);
  __syncthreads();
  if (t < PLACES) out[blockIdx.x * PLACES + t] = s[t];
}"""


@case(blocks=[256, 64, 96, 128], each=["8", "16", "32"])
def a_ring_as_long_as_a_group(run, places):
    """Each group of lanes updates the same vector; a guard cuts through a block."""
    count, blocks = int(places), 3
    values = np.random.default_rng(count).integers(0, 100, blocks * run.threads).astype(np.int32)
    i = np.arange(values.size)
    for n in (33, run.threads, 2 * run.threads - 22, values.size):
        out, expected = np.zeros((blocks, count), np.int32), np.zeros((blocks, count), np.int64)
        run(RING.replace("PLACES", places), values, out, np.int32(n), grid=blocks)
        np.add.at(expected, (i[:n] // run.threads, i[:n] % run.threads % count), values[:n])
        run.same(out, expected.astype(np.int32), str(n))
