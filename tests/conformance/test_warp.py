"""Operations of a warp: shuffles, votes, matches, reductions, over whole and partial masks."""

import numpy as np
from harness import case, kernel

# `alive`: the lanes of the warp that exist.
LANE = """
const unsigned lane = t & 31;
const unsigned alive = n - (t & ~31) < 32 ? (1u << (n & 31)) - 1u : 0xffffffffu;
"""
TYPES = {
    "int": np.int32,
    "unsigned int": np.uint32,
    "long": np.int64,
    "unsigned long": np.uint64,
    "long long": np.int64,
    "unsigned long long": np.uint64,
    "float": np.float32,
    "double": np.float64,
}
WIDTHS = (32, 16, 8, 4, 2, 1)
AMOUNTS = (0, 1, 2, 5, 7, 15, 16, 31, 33, 70, -1)


def random_bits(n, dtype):
    """Values of every bit pattern, NaNs with all sorts of contents among the floating-point ones."""
    dtype = np.dtype(dtype)
    return np.random.default_rng(n).integers(0, 256, n * dtype.itemsize, np.uint8).view(dtype)


def as_bits(values):
    return values.view(f"u{values.dtype.itemsize}")


def source_lane(kind, lane, amount, width):
    """The lane that a shuffle reads, as PTX's shfl.sync says."""
    start, end = lane & -width, (lane & -width) + width - 1
    if kind == "idx":
        return start | (amount & (width - 1))
    delta = amount & 31
    if kind == "up":
        return np.where(lane - delta >= start, lane - delta, lane)
    j = lane + delta if kind == "down" else lane ^ delta
    return np.where(j <= end, j, lane)


@case(each=[f"{kind} {name}" for kind in ("idx", "up", "down", "xor") for name in TYPES])
def shfl(run, what):
    """Shuffles of every type at every width, with distances inside and outside of the segment; all bits are kept."""
    kind, _, name = what.partition(" ")
    values = random_bits(run.threads, TYPES[name])
    out = np.zeros((len(WIDTHS), len(AMOUNTS), run.threads), TYPES[name])
    amounts = np.array(AMOUNTS, np.int32)
    run(
        kernel(
            "T* out, const T* values, const int* amounts",
            """
            for (int w = 0, width = 32; w < 6; ++w, width /= 2)
              for (int a = 0; a < COUNT; ++a)
                out[(w * COUNT + a) * n + t] = NAME(0xffffffffu, values[t], amounts[a], width);
            """.replace("NAME", f"__shfl_{kind}_sync" if kind != "idx" else "__shfl_sync").replace(
                "COUNT", str(len(AMOUNTS))
            ),
            f"typedef {name} T;",
        ),
        out,
        values,
        amounts,
    )
    for w, width in enumerate(WIDTHS):
        for a, amount in enumerate(AMOUNTS):
            source = (np.arange(run.threads) & ~31) + source_lane(kind, run.lane, amount, width)
            there = source < run.threads  # what a lane that does not exist holds is not defined
            run.same(as_bits(out[w, a])[there], as_bits(values)[source[there]], f"distance {amount}, width {width}")


@case(each=["char", "short", "bool", "unsigned char"])
def shfl_of_small_types(run, name):
    """Smaller integers go as int and come back."""
    out = np.zeros(run.threads, np.int32)
    run(kernel("int* out", f"{name} v = ({name})(t * 37 - 90); v = __shfl_xor_sync(~0u, v, 1, 2); out[t] = v;"), out)
    dtype = {"char": np.int8, "short": np.int16, "bool": np.bool_, "unsigned char": np.uint8}[name]
    value = (np.arange(run.threads) * 37 - 90).astype(dtype)
    source = np.arange(run.threads) ^ 1
    there = source < run.threads
    run.same(out[there], value[source[there]])


@case
def shfl_of_a_lane_of_each_ones_own(run):
    """Every lane reads another one, chosen by data; several read the same."""
    random = np.random.default_rng(run.threads)
    warps = -(-run.threads // 32) * 32
    last = (run.threads - 1) % 32 + 1
    source = random.integers(0, last, warps)[: run.threads].astype(np.int32)
    out = np.zeros(run.threads, np.float64)
    run(
        kernel("double* out, const int* source", LANE + "out[t] = __shfl_sync(alive, t * 0.25 + 1, source[t]);"),
        out,
        source,
    )
    run.same(out, ((np.arange(run.threads) & ~31) + source) * 0.25 + 1)


@case(each=["if", "else", "loop", "nested"])
def shfl_under_divergence(run, shape):
    """Shuffles whose mask names the lanes of one side of a branch."""
    body = {
        "if": "if (lane % 3 == 0) out[t] = __shfl_sync(0x49249249u & alive, t * 5, 30 / 3 * 3 % (32 - __clz(alive)) / 3 * 3);",
        "else": """
            if (lane & 1) out[t] = __shfl_xor_sync(0xaaaaaaaau & alive, t, 0);
            else out[t] = __shfl_sync(0x55555555u & alive, t, (lane ^ 2) < 32 - __clz(alive) ? lane ^ 2 : lane);
            """,
        "loop": """
            unsigned mask = alive; int v = t;
            for (int i = 0; i < 32; ++i) {
              mask = __ballot_sync(mask, lane >= i);
              if (lane < i) break;
              v = __shfl_sync(mask, v, i) + 1;
            }
            out[t] = v;
            """,
        "nested": """
            if (lane < 16) { if (lane & 4) out[t] = __shfl_up_sync(0xf0f0u & alive, t, 8, 16); else out[t] = __shfl_up_sync(0x0f0fu & alive, -t, 8, 16); }
            else out[t] = 7;
            """,
    }[shape]
    out = np.zeros(run.threads, np.int32)
    run(kernel("int* out", LANE + body), out)
    start, last = (lambda t: t & ~31), (lambda t: min(31, run.threads - 1 - (t & ~31)))

    def expected(t):
        lane, w = t & 31, start(t)
        if shape == "if":
            return (w + 30 % (last(t) + 1) // 3 * 3) * 5 if lane % 3 == 0 else 0
        if shape == "else":
            return t if lane & 1 or lane ^ 2 > last(t) else t ^ 2
        if shape == "nested":
            if lane >= 16:
                return 7
            return (t - 8 if lane >= 8 else t) * (1 if lane & 4 else -1)
        value = [w + i for i in range(32)]
        for i in range(lane + 1):
            value[i:] = [value[i] + 1] * (32 - i)
        return value[lane]

    run.same(out, run.of(expected))


@case(each=["words", "longs", "both"])
def shfl_of_what_branches_found(run, what):
    """A shuffle of what some lanes found in memory, where others bring a constant: words, and more than words hold."""
    cells = random_bits(run.threads, np.uint32 if what == "words" else np.uint64)
    source = np.random.default_rng(3).integers(0, 32, run.threads, np.int32)
    out = np.zeros(run.threads, np.uint64)
    other = {"words": "7u", "longs": "7ull", "both": "lane % 3 == 1 ? 1ull << 40 : 7u"}[what]
    found = {"words": "atomicAdd(&cells[t], 5u)", "longs": "atomicAdd(&cells[t], 5ull)", "both": "unsigned(cells[t])"}[
        what
    ]
    run(
        kernel(
            "unsigned long long* out, CELL* cells, const int* source",
            LANE
            + """
            CELL value = OTHER;
            if (lane % 3 == 0) value = FOUND;
            out[t] = __shfl_sync(alive, value, source[t] % __popc(alive));
            """.replace("OTHER", other).replace("FOUND", found),
        ).replace("CELL", "unsigned" if what == "words" else "unsigned long long"),
        out,
        cells.copy(),
        source,
    )
    t = np.arange(run.threads)
    last = np.minimum(32, run.threads - (t & ~31))
    kept = cells & 0xFFFFFFFF if what == "both" else cells
    values = np.where(t % 32 % 3 == 0, kept, 7).astype(np.uint64)
    if what == "both":
        values[t % 32 % 3 == 1] = 1 << 40
    run.same(out, values[(t & ~31) + source % last])


@case
def shfl_from_inactive_lanes(run):
    """A shuffle from a lane outside of the mask gives some value, and the others theirs."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out", LANE + "if (lane < 20) out[t] = __shfl_down_sync(0xfffffu & alive, t * 3, 4); else out[t] = -1;"
        ),
        out,
    )
    t = np.arange(run.threads)
    known = ((run.lane < 16) & (t + 4 < run.threads)) | (run.lane >= 20)
    run.same(out[known], np.where(run.lane < 20, (t + 4) * 3, -1)[known])


@case
def shfl_after_lanes_left(run):
    """A full mask may name lanes that have returned."""
    out = np.full(run.threads, -1, np.int32)
    run(
        kernel("int* out", LANE + "if (lane > 20) return; out[t] = __shfl_xor_sync(0xffffffffu, t, 4);"),
        out,
    )
    t = np.arange(run.threads)
    known = (run.lane > 20) | (((run.lane ^ 4) <= 20) & ((t ^ 4) < run.threads))
    run.same(out[known], np.where(run.lane > 20, -1, t ^ 4)[known])


@case
def warp_aggregated_atomics(run):
    """One atomic for the lanes that are here, a place for each: filtered values land in distinct slots."""
    values = (np.arange(run.threads) * 7919 % 1000).astype(np.int32)
    out, count = np.full(run.threads, -1, np.int32), np.zeros(1, np.int32)
    run(
        kernel(
            "int* out, int* count, const int* values",
            """
            if (values[t] % 3 == 0) {
              const unsigned group = __activemask();
              const int rank = __popc(group & ((1u << (t & 31)) - 1u)), leader = __ffs(group) - 1;
              int base = 0;
              if (rank == 0) base = atomicAdd(count, __popc(group));
              base = __shfl_sync(group, base, leader);
              out[base + rank] = values[t];
            }
            """,
        ),
        out,
        count,
        values,
    )
    kept = values[values % 3 == 0]
    run.same(count, kept.size)
    run.same(np.sort(out[: kept.size]), np.sort(kept))
    run.same(out[kept.size :], -1)


@case
def syncwarp(run):
    """__syncwarp orders shared memory between lanes: of the warp, and of the halves of it at different places."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            LANE
            + """
            __shared__ int s[1024];
            s[t] = t * 3;
            __syncwarp();
            int v = s[(t & ~31) + (lane + 1) % __popc(alive)];
            __syncwarp(alive);
            if (lane < 16) {
              for (int i = 0; i < 3; ++i) {
                s[t] = v + i;
                __syncwarp(0xffffu & alive);
                v = s[(t & ~15) + (lane + 1) % __popc(alive & 0xffffu)];
                __syncwarp(0xffffu & alive);
              }
            } else {
              s[t] = -v;
              __syncwarp(0xffff0000u & alive);
              v = s[(t & ~15) + (lane - 15) % __popc(alive & 0xffff0000u)];
            }
            out[t] = v;
            """,
        ),
        out,
    )

    def expected(t):
        first = t & ~31
        lanes = min(32, run.threads - first)
        v = [(first + (i + 1) % lanes) * 3 for i in range(lanes)]
        low, high = v[:16], v[16:]
        for i in range(3):
            low = [low[(k + 1) % len(low)] + i for k in range(len(low))]
        high = [-high[(k + 1) % len(high)] for k in range(len(high))]
        return (low + high)[t & 31]

    run.same(out, run.of(expected))


@case
def scan_by_shuffles(run):
    """An inclusive scan of a block: shuffles in the warps, shared memory between them."""
    values = (np.arange(run.threads) * 31 % 17 - 8).astype(np.int32)
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out, const int* values",
            LANE
            + """
            __shared__ int sums[32];
            int v = values[t];
            for (int d = 1; d < 32; d *= 2) { const int other = __shfl_up_sync(alive, v, d); if (lane >= d) v += other; }
            if (lane == 31 || t == n - 1) sums[t / 32] = v;
            __syncthreads();
            if (t < 32) {
              int s = t < (n + 31) / 32 ? sums[t] : 0;
              for (int d = 1; d < 32; d <<= 1) { int o = __shfl_up_sync(alive, s, d); if (lane >= d) s += o; }
              if (t < (n + 31) / 32) sums[t] = s;
            }
            __syncthreads();
            out[t] = v + (t >= 32 ? sums[t / 32 - 1] : 0);
            """,
        ),
        out,
        values,
    )
    run.same(out, np.cumsum(values))


@case(blocks=[32, 64, 256, 1024, (16, 16, 1), (4, 4, 4), (8, 8, 16)])
def reduction_by_butterfly(run):
    """Every lane gets the warp's sum of doubles, in the butterfly's order."""
    values = np.random.default_rng(3).standard_normal(run.threads)
    out = np.zeros(run.threads, np.float64)
    run(
        kernel(
            "double* out, const double* values",
            """
            double v = values[t];
            #pragma unroll
            for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(0xffffffff, v, d);
            out[t] = v;
            """,
        ),
        out,
        values,
    )
    v = values.copy()
    for d in (16, 8, 4, 2, 1):
        v = v + v[np.arange(run.threads) ^ d]
    run.same(out, v)


@case(blocks=[32, 64, 256, 1024, (16, 16, 1), (4, 4, 4), (8, 8, 16)])
def softmax_by_butterflies(run):
    """Reductions that every lane makes for itself: maxima of zeros of both signs, sums in an odd order, what follows."""
    values = ((np.arange(run.threads) * 37 % 61) - 55).clip(-50, 0).astype(np.float32)
    values[::3] *= -0.0 if run.threads > 40 else 1.0
    names = "largest", "sum", "share", "product"
    outs = {name: np.zeros(run.threads, np.float32) for name in names}
    run(
        kernel(
            "const float* values, float* largest, float* sum, float* share, float* product",
            """
            float m = values[t];
            for (int w = 16; w > 0; w /= 2) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, w));
            const float own = values[t] - m * 0.5f;
            float s = own;
            for (int w = 0; w < 5; ++w) s = __shfl_xor_sync(0xffffffffu, s, 1 << (w * 2 % 5)) + s;
            int p = t + 1;
            for (int w = 1; w < 32; w *= 2) p *= __shfl_xor_sync(0xffffffffu, p, w);
            int partial = t;
            for (int w = 1; w < 16; w *= 2) partial -= __shfl_xor_sync(0xffffffffu, partial, w);
            largest[t] = m; sum[t] = s; share[t] = own / (s * s + 1.0f); product[t] = p + partial * 3;
            """,
        ),
        values,
        *outs.values(),
    )
    t = np.arange(run.threads)

    def partner(d):
        return np.where((t ^ d) < run.threads, t ^ d, t)

    m = values.copy()
    for d in (16, 8, 4, 2, 1):
        other = m[partner(d)]
        m = np.where(m == other, np.where(np.signbit(m), other, m), np.maximum(m, other))
    own = values - m * np.float32(0.5)
    s = own.copy()
    for w in range(5):
        s = s[partner(1 << (w * 2 % 5))] + s
    p, partial = (t + 1).astype(np.int32), t.astype(np.int32)
    for d in (1, 2, 4, 8, 16):
        p = p * p[partner(d)]
    for d in (1, 2, 4, 8):
        partial = partial - partial[partner(d)]
    run.same(outs["largest"], m)
    run.same(outs["sum"], s)
    run.same(outs["share"], own / (s * s + np.float32(1)))
    run.same(outs["product"], (p + partial * 3).astype(np.float32))


@case
def loop_over_distinct_values(run):
    """Lanes leave a loop in groups of equal values, the mask shrinks with them."""
    values = (np.arange(run.threads) * 7 % 5).astype(np.int32)
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out, const int* values",
            LANE
            + """
            const int v = values[t];
            unsigned left = alive;
            for (int round = 1;; ++round) {
              const int first = __shfl_sync(left, v, __ffs(left) - 1);
              const unsigned same = __ballot_sync(left, v == first);
              if (v == first) { out[t] = round * 100 + __popc(same); break; }
              left &= ~same;
            }
            """,
        ),
        out,
        values,
    )

    def expected(t):
        members = values[t & ~31 : (t & ~31) + 32].tolist()
        order = list(dict.fromkeys(members))
        return (order.index(values[t]) + 1) * 100 + members.count(values[t])

    run.same(out, run.of(expected))


@case(blocks=[64, 256, 1000, 1024], each=["by thread", "by vote"])
def the_last_few_at_the_end(run, way):
    """The first lanes, one for each warp, reduce what the warps have found, while the others are done: the mask names those few."""
    warps = -(-run.threads // 32)
    few = 1 << (warps - 1).bit_length()
    mask = {"by thread": f"{(1 << few) - 1}u", "by vote": "votes"}[way]
    values = np.random.default_rng(4).integers(-1000, 1000, (2, run.threads)).astype(np.int32)
    out = np.zeros((2, 2), np.int32)
    run(
        kernel(
            "int* out, const int* values",
            f"""
            __shared__ int best[32], where[32];
            if (t < 32) best[t] = -9999, where[t] = 0;
            __syncthreads();
            int v = values[blockIdx.x * blockDim.x + t], i = t;
            atomicMax(&best[t / 32], v);
            __syncthreads();
            if (best[t / 32] == v) atomicMax(&where[t / 32], t);
            __syncthreads();
            const unsigned votes = __ballot_sync(__activemask(), t < {few});
            if (t < {few}) {{
              v = best[t], i = where[t];
              for (int d = {few} / 2; d > 0; d /= 2) {{
                const int w = __shfl_down_sync({mask}, v, d), j = __shfl_down_sync({mask}, i, d);
                if (w > v || (w == v && j > i)) v = w, i = j;
              }}
              if (t == 0) out[2 * blockIdx.x] = v, out[2 * blockIdx.x + 1] = i;
            }}
            """,
        ),
        out,
        values,
        grid=2,
    )
    best = values.max(1)
    last = run.threads - 1 - np.argmax(values[:, ::-1], 1)
    run.same(out, np.stack([best, last], 1).astype(np.int32))
