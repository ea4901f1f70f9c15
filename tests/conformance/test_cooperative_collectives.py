"""Collectives of cooperative groups: reductions and scans of tiles and of coalesced groups, in CUDA's order."""

import numpy as np
from cooperative import BEGIN, BRANCH, groups, in_branch, whole
from harness import case

OPERATORS = {
    "plus": lambda a, b: a + b,
    "less": np.minimum,
    "greater": np.maximum,
    "bit_and": np.bitwise_and,
    "bit_or": np.bitwise_or,
    "bit_xor": np.bitwise_xor,
}
TYPES = {"int": np.int32, "unsigned": np.uint32, "long long": np.int64, "float": np.float32, "double": np.float64}


def butterfly(values, operator, size):
    """reduce in a tile: combined with the lane whose rank differs in one bit, the highest first."""
    step = size // 2
    while step:
        values = operator(values, values[..., np.arange(size) ^ step])
        step //= 2
    return values


def doubling(values, operator):
    """inclusive_scan in a group: with the one 1, 2, 4 ... ranks before."""
    step = 1
    while step < values.shape[-1]:
        shifted = operator(values[..., step:], values[..., :-step])
        values = np.concatenate([values[..., :step], shifted], -1)
        step *= 2
    return values


def inputs(run, dtype):
    t = np.arange(run.threads, dtype=np.int64)
    if np.dtype(dtype).kind == "f":
        return (np.sin(t) * 10.0 ** (t % 9 - 4)).astype(dtype)
    return (t * 2654435761 % 4294967291).astype(np.uint32).astype(dtype)


@case(each=OPERATORS)
def tile_reduce(run, operator):
    """reduce in tiles: every operator and type, floats in CUDA's order."""
    name = next(n for n, f in OPERATORS.items() if f is operator)
    for kind, dtype in TYPES.items():
        if np.dtype(dtype).kind == "f" and name.startswith("bit"):
            continue
        values = inputs(run, dtype)
        for size in (2, 16, 32, 128):
            out = np.zeros_like(values)
            run(
                BEGIN
                + f"constexpr unsigned N = {size}; typedef {kind} T;"
                + """
                __global__ void k(const T* in, T* out) {
                  auto block = cg::this_thread_block();
                  auto tile = cg::tiled_partition<N>(block);
                  unsigned t = block.thread_rank();
                  if (t / N * N + N <= block.size()) out[t] = cg::reduce(tile, in[t], cg::OPERATOR<T>());
                }
                """.replace("OPERATOR", name),
                values,
                out,
            )
            n = whole(run, size)
            tiles = butterfly(values[:n].reshape(-1, min(size, 32)), operator, min(size, 32))
            if size > 32:
                across = tiles[:, 0].reshape(-1, size // 32)
                tiles = np.repeat(butterfly(across, operator, size // 32)[:, :1], size, 1)
            run.same(out[:n], tiles.reshape(-1), f"{kind}, tiles of {size}")


@case
def coalesced_reduce(run):
    """reduce in a coalesced group, with an operator and a struct of the source's own."""
    values = inputs(run, np.float32)
    out = np.zeros((run.threads, 3), np.float32)
    run(
        BEGIN
        + """
        struct Span { float low, high; };
        __global__ void k(const float* in, float* out) {
          unsigned rank = cg::this_thread_block().thread_rank();
          if (BRANCH) {
            auto g = cg::coalesced_threads();
            out[3 * rank] = cg::reduce(g, in[rank], cg::plus<float>());
            Span s = cg::reduce(g, Span{in[rank], in[rank]}, [](Span a, Span b) {
              return Span{fminf(a.low, b.low), fmaxf(a.high, b.high)};
            });
            out[3 * rank + 1] = s.low; out[3 * rank + 2] = s.high;
          }
        }
        """.replace("BRANCH", BRANCH),
        values,
        out,
    )
    expected = np.zeros_like(out)
    taken = in_branch(run)
    for g in groups(run, ~taken):
        if taken[g[0]]:
            v = values[g]
            expected[g] = [doubling(v, lambda a, b: a + b)[-1], v.min(), v.max()]
    run.same(out, expected)


@case(each=["inclusive", "exclusive"])
def tile_scans(run, which):
    """inclusive_scan and exclusive_scan in tiles: sums and maxima."""
    for kind, dtype in TYPES.items():
        values = inputs(run, dtype)
        for size in (1, 8, 32, 128):
            out = np.zeros((2, run.threads), dtype)
            run(
                BEGIN
                + f"constexpr unsigned N = {size}; typedef {kind} T;"
                + """
                __global__ void k(const T* in, T* out) {
                  auto block = cg::this_thread_block();
                  auto tile = cg::tiled_partition<N>(block);
                  unsigned t = block.thread_rank();
                  if (t / N * N + N > block.size()) return;
                  out[t] = cg::WHICH_scan(tile, in[t]);
                  out[block.size() + t] = cg::WHICH_scan(tile, in[t], cg::greater<T>());
                }
                """.replace("WHICH", which),
                values,
                out,
            )
            n = whole(run, size)
            for row, operator in enumerate((OPERATORS["plus"], np.maximum)):
                v = values[:n].reshape(-1, size)
                warps = doubling(v.reshape(-1, min(size, 32)), operator).reshape(v.shape)
                expected = warps if size <= 32 else wide_scan(warps, operator)
                if which == "exclusive":
                    expected = exclusive(v, warps, expected, operator, size)
                run.same(out[row, :n], expected.reshape(-1), f"{kind}, tiles of {size}, operator {row}")


def totals_before(warps, operator):
    """For each warp of a tile the combined totals of those before it, and nothing for the first."""
    totals = warps[:, 31::32]
    return doubling(totals, operator)[:, :-1]


def wide_scan(warps, operator):
    result = warps.copy()
    before = np.repeat(totals_before(warps, operator), 32, 1)
    result[:, 32:] = operator(warps[:, 32:], before)
    return result


def exclusive(values, warps, inclusive, operator, size):
    result = np.zeros_like(inclusive)
    if size <= 32:
        if operator is OPERATORS["plus"] and values.dtype.kind in "iu":
            return inclusive - values
        result[:, 1:] = inclusive[:, :-1]
        return result
    inside = np.concatenate([warps[:, :1], warps[:, :-1]], 1)
    result[:, 1:] = inside[:, 1:]
    before = totals_before(warps, operator)
    for w in range(1, size // 32):
        part = slice(32 * w, 32 * w + 32)
        result[:, part] = operator(inside[:, part], before[:, w - 1 : w])
        result[:, 32 * w] = before[:, w - 1]
    return result


@case
def coalesced_scan(run):
    """Scans in a coalesced group."""
    values = inputs(run, np.float32)
    out = np.zeros((run.threads, 2), np.float32)
    run(
        BEGIN
        + """
        __global__ void k(const float* in, float* out) {
          unsigned rank = cg::this_thread_block().thread_rank();
          if (BRANCH) {
            auto g = cg::coalesced_threads();
            out[2 * rank] = cg::inclusive_scan(g, in[rank]);
            out[2 * rank + 1] = cg::exclusive_scan(g, in[rank], cg::plus<float>());
          }
        }
        """.replace("BRANCH", BRANCH),
        values,
        out,
    )
    expected = np.zeros_like(out)
    taken = in_branch(run)
    for g in groups(run, ~taken):
        if taken[g[0]]:
            sums = doubling(values[g], lambda a, b: a + b)
            expected[g] = np.stack([sums, np.concatenate([np.zeros(1, np.float32), sums[:-1]])], 1)
    run.same(out, expected)
