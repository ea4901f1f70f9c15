"""What the lanes of a warp agree on: votes, matches, reductions, the active mask."""

import numpy as np
from harness import case, kernel
from test_warp import LANE, TYPES, as_bits, random_bits

REDUCTIONS = {
    "add": lambda v: np.add.reduce(v, dtype=v.dtype),
    "min": np.min,
    "max": np.max,
    "and": np.bitwise_and.reduce,
    "or": np.bitwise_or.reduce,
    "xor": np.bitwise_xor.reduce,
}


@case
def ballot(run):
    """__ballot_sync of whole warps; lanes that do not exist vote 0."""
    out = np.zeros(run.threads, np.uint32)
    run(kernel("unsigned* out", "out[t] = __ballot_sync(0xffffffffu, t % 3 == 1 ? t : 0);"), out)
    votes = (np.arange(run.threads) % 3 == 1).astype(np.uint64) << run.lane.astype(np.uint64)
    run.same(out, np.bincount(run.warp, votes).astype(np.uint64)[run.warp])


@case(each=["any", "all", "uni"])
def vote(run, name):
    """__any_sync, __all_sync and __uni_sync of whole warps."""
    source = kernel("int* out, int from", f"out[t] = __{name}_sync(0xffffffffu, t >= from) != 0;")
    for start in (0, 1, 33, 500):
        out = np.full(run.threads, -1, np.int32)
        run(source, out, start)

        def expected(t, start=start):
            votes = [i >= start for i in range(t & ~31, min(run.threads, (t & ~31) + 32))]
            return {"any": any(votes), "all": all(votes), "uni": len(set(votes)) == 1}[name]

        run.same(out, run.of(expected), f"from {start}")


@case
def votes_of_both_sides(run):
    """Each side of a branch votes with its own mask, in loops of different length."""
    out = np.zeros(run.threads, np.uint32)
    run(
        kernel(
            "unsigned* out",
            LANE
            + """
            const unsigned even = 0x55555555u & alive, odd = 0xaaaaaaaau & alive;
            unsigned sum = 0;
            if (lane & 1) for (int i = 0; i < 5; ++i) sum += __ballot_sync(odd, t % 5 == i) * (i + 1);
            else for (int i = 0; i < 3; ++i) sum += __ballot_sync(even, t % 3 == i) * (i + 10) + __any_sync(even, lane == i);
            out[t] = sum;
            """,
        ),
        out,
    )

    def expected(t):
        members = [i for i in range(t & ~31, min(run.threads, (t & ~31) + 32)) if i % 2 == t % 2]

        def ballot(predicate):
            return sum(1 << (i & 31) for i in members if predicate(i))

        if t & 1:
            return sum(ballot(lambda i, k=k: i % 5 == k) * (k + 1) for k in range(5))
        return sum(ballot(lambda i, k=k: i % 3 == k) * (k + 10) + any(i & 31 == k for i in members) for k in range(3))

    run.same(out, run.of(expected))


@case(each=[f"{name}, {count}" for name in TYPES for count in (5, 40)])
def match_any(run, what):
    """__match_any_sync: by all bits of a value, so that 0 and -0 differ and a NaN equals itself; of few and many."""
    name, _, count = what.partition(", ")
    dtype = np.dtype(TYPES[name])
    pool = random_bits(int(count), dtype)
    if dtype.kind == "f":
        pool[:4] = [0.0, -0.0, np.nan, np.inf]
    else:
        pool[1] = pool[0] ^ dtype.type(1 << (8 * dtype.itemsize - 2))  # they differ in a high bit only
    values = pool[np.random.default_rng(1).integers(0, len(pool), run.threads)]
    out = np.zeros(run.threads, np.uint32)
    run(kernel(f"unsigned* out, const {name}* v", LANE + "out[t] = __match_any_sync(alive, v[t]);"), out, values)
    b = as_bits(values)

    def expected(t):
        return sum(1 << (i & 31) for i in range(t & ~31, min(run.threads, (t & ~31) + 32)) if b[i] == b[t])

    run.same(out, run.of(expected))


@case
def match_digits(run):
    """__match_any_sync of some bits or bytes of a key, by a warp, by every other lane, and in some lanes of the block."""
    keys = np.random.default_rng(2).integers(0, 2**32, run.threads, dtype=np.uint64).astype(np.uint32)
    out = np.zeros((7, run.threads), np.uint32)
    run(
        kernel(
            "unsigned* out, const unsigned* keys",
            LANE
            + """
            const unsigned odd = alive & (t & 1 ? 0xaaaaaaaau : 0x55555555u);
            out[t] = __match_any_sync(alive, keys[t] >> 8 & 15);
            if (t & 1) out[n + t] = __match_any_sync(odd, keys[t] & 0x80000101u);
            else out[n + t] = __match_any_sync(odd, keys[t] % 3);
            out[2 * n + t] = __match_any_sync(alive, (keys[t] & 7) + 56u);
            out[3 * n + t] = __match_any_sync(alive, (unsigned long long)(keys[t] & 3) << 40);
            const unsigned char* bytes = reinterpret_cast<const unsigned char*>(keys);
            const short* shorts = reinterpret_cast<const short*>(keys);
            out[4 * n + t] = __match_any_sync(alive, bytes[t % 40]);
            out[5 * n + t] = __match_any_sync(alive, shorts[t % 7]);
            if (t & 1) out[6 * n + t] = __match_any_sync(odd, (unsigned short)shorts[t % 5]);
            else out[6 * n + t] = __match_any_sync(odd, bytes[t % 6]);
            """,
        ),
        out,
        keys,
    )
    k = keys.astype(np.int64)
    halves = np.where(np.arange(run.threads) % 2, k & 0x80000101, k % 3)

    def equal(values, t, step=1):
        warp = range(t & ~31, min(run.threads, (t & ~31) + 32))
        return sum(1 << (i & 31) for i in warp if values[i] == values[t] and (i - t) % step == 0)

    run.same(out[0], run.of(lambda t: equal(k >> 8 & 15, t)))
    run.same(out[1], run.of(lambda t: equal(halves, t, 2)))
    run.same(out[2], run.of(lambda t: equal(k & 7, t)))
    run.same(out[3], run.of(lambda t: equal(k & 3, t)))
    t = np.arange(run.threads)
    bytes_, shorts = keys.view(np.uint8), keys.view(np.uint16)
    run.same(out[4], run.of(lambda i: equal(bytes_[t % 40], i)))
    run.same(out[5], run.of(lambda i: equal(shorts[t % 7], i)))
    run.same(out[6], run.of(lambda i: equal(np.where(t % 2, shorts[t % 5], bytes_[t % 6]), i, 2)))


@case(each=list(TYPES))
def match_all(run, name):
    """__match_all_sync: the mask and true where all members agree, else 0 and false."""
    values = np.ones(run.threads, TYPES[name])
    values[run.warp % 2 == 1] = np.arange(run.threads)[run.warp % 2 == 1] // 48
    out = np.full((run.threads, 2), 9, np.uint32)
    run(
        kernel(
            f"unsigned* out, const {name}* v",
            LANE + "int all = 5; out[2 * t] = __match_all_sync(alive, v[t], &all); out[2 * t + 1] = all != 0;",
        ),
        out,
        values,
    )

    def expected(t):
        members = range(t & ~31, min(run.threads, (t & ~31) + 32))
        same = len({values[i] for i in members}) == 1
        return (sum(1 << (i & 31) for i in members) if same else 0), same

    run.same(out, run.of(expected))


@case(each=[*(f"{op} unsigned" for op in REDUCTIONS), "add int", "min int", "max int"])
def reduce_sync(run, what):
    """__reduce_*_sync over a warp, a part of it, and each half with its own mask; sums wrap."""
    op, _, name = what.partition(" ")
    dtype = np.uint32 if name == "unsigned" else np.int32
    values = random_bits(run.threads, dtype)
    if op in ("and", "or"):
        values = values | dtype(0x0F0F0000) if op == "and" else values & dtype(0x11111111)
    out = np.zeros((3, run.threads), dtype)
    run(
        kernel(
            f"{name}* out, const {name}* v",
            LANE
            + f"""
            out[t] = __reduce_{op}_sync(alive, v[t]);
            if (lane % 5 == 2) out[n + t] = __reduce_{op}_sync(0x08421084u & alive, v[t]);
            out[2 * n + t] = __reduce_{op}_sync((lane < 16 ? 0xffffu : 0xffff0000u) & alive, v[t]);
            """,
        ),
        out,
        values,
    )
    every, part = run.warp, run.lane % 5 == 2
    expected = np.zeros((3, run.threads), dtype)
    for w in range(run.warp[-1] + 1):
        expected[0, every == w] = REDUCTIONS[op](values[every == w])
        if (chosen := (every == w) & part).any():
            expected[1, chosen] = REDUCTIONS[op](values[chosen])
        for half in (0, 1):
            if (chosen := (every == w) & (run.lane // 16 == half)).any():
                expected[2, chosen] = REDUCTIONS[op](values[chosen])
    run.same(out, expected)


@case
def activemask(run):
    """__activemask names lanes that are there, always the own one; leaders elected by it add once for each group."""
    out, count = np.zeros(run.threads, np.uint32), np.zeros(2, np.int32)
    run(
        kernel(
            "unsigned* out, int* count",
            LANE
            + """
            out[t] = __activemask();
            if (t % 3) {
              const unsigned group = __activemask();
              if (lane == __ffs(group) - 1) atomicAdd(&count[0], __popc(group));
            } else {
              for (int i = 0; i < lane; ++i) {
                const unsigned group = __activemask();
                if (lane == 31 - __clz(group)) atomicAdd(&count[1], __popc(group));
              }
            }
            """,
        ),
        out,
        count,
    )
    alive = np.where(run.warp < run.threads // 32, 0xFFFFFFFF, (1 << run.threads % 32) - 1).astype(np.uint32)
    own = (1 << run.lane).astype(np.uint32)
    run.same(out & own, own, "the own lane")
    run.same(out & ~alive, 0, "lanes that do not exist")
    t = np.arange(run.threads)
    run.same(count, [(t % 3 != 0).sum(), run.lane[t % 3 == 0].sum()])


KEPT = """
__global__ void k(const T* in, T* out, int* counts, T* all, int* sum, int n, int least) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = i / 32, base = 0;
  bool keep = i < n && in[i] > T(least);
  unsigned votes = __ballot_sync(~0u, keep), below = votes & ((1u << lane) - 1);
  if (keep) out[32 * warp + __popc(below)] = in[i];
  if (lane == 0) {
    counts[warp] = __popc(votes);
    base = atomicAdd(sum, __popc(votes));
  }
  base = __shfl_sync(~0u, base, 0);
  if (keep) all[(unsigned)base + __popc(below)] = in[i];
}"""


@case(blocks=[32, 64, 256], each={"int": np.int32, "float": np.float32, "double": np.float64, "short": np.int16})
def values_kept_by_a_warp(run, dtype):
    """Lanes that keep their values write them side by side, their warp's at a place of its own or where an atomic says."""
    spelled = {np.int32: "int", np.float32: "float", np.float64: "double", np.int16: "short"}[dtype]
    n = 4 * run.threads
    for least, length in ((50, n), (-1, n), (200, n), (90, n - 37)):
        values = np.random.default_rng(least + 2).integers(0, 100, n).astype(dtype)
        out, everything = np.full(n, -1, dtype), np.full(n, -1, dtype)
        counts, total = np.zeros(n // 32, np.int32), np.zeros(1, np.int32)
        run(
            f"typedef {spelled} T;{KEPT}",
            values, out, counts, everything, total, np.int32(length), np.int32(least), grid=4,
        )  # fmt: skip
        keep = (values > least) & (np.arange(n) < length)
        expected = np.full(n, -1, dtype)
        for warp in range(n // 32):
            of_warp = slice(32 * warp, 32 * warp + 32)
            kept = values[of_warp][keep[of_warp]]
            expected[32 * warp : 32 * warp + kept.size] = kept
        run.same(out, expected, f"above {least}")
        run.same(counts, keep.reshape(-1, 32).sum(1).astype(np.int32), "counts")
        run.same(total, np.array([keep.sum()], np.int32), "total")
        run.same(np.sort(everything), np.sort(np.append(values[keep], np.full(n - keep.sum(), -1, dtype))), "all")
