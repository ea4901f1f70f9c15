"""Cooperative groups: blocks, tiles, coalesced and labeled groups, what their members exchange."""

import numpy as np
from cooperative import BEGIN, BRANCH, TILES, WIDE, groups, in_branch, whole
from harness import BLOCKS, case


@case
def thread_block(run):
    """this_thread_block: rank, size, indices, sync and the split barrier."""
    out = np.full((run.threads, 10), -1, np.int32)
    run(
        BEGIN
        + """
        __global__ void k(int* out) {
          extern __shared__ int seen[];
          cg::thread_block g = cg::this_thread_block();
          int* mine = out + 10 * g.thread_rank();
          mine[0] = g.thread_rank(); mine[1] = g.size(); mine[2] = g.num_threads();
          mine[3] = g.thread_index().x; mine[4] = g.thread_index().y; mine[5] = g.thread_index().z;
          mine[6] = g.group_dim().x * g.dim_threads().y * g.group_dim().z; mine[7] = g.group_index().x;
          seen[g.thread_rank()] = g.thread_rank() * 3;
          cg::thread_block::arrival_token token = g.barrier_arrive();
          g.barrier_wait(cg::thread_block::arrival_token(token));
          mine[8] = seen[g.size() - 1 - g.thread_rank()];
          g.sync();
          seen[g.thread_rank()] = g.thread_rank() * 5;
          cg::sync(g);
          mine[9] = seen[(g.thread_rank() + 7) % g.size()] + cg::group_size(g) - cg::thread_rank(g);
        }
        """,
        out,
        shared=4 * run.threads,
    )
    t, n = np.arange(run.threads), run.threads
    expected = [t, t * 0 + n, t * 0 + n, run.thread.x, run.thread.y, run.thread.z, t * 0 + n, t * 0]
    run.same(out, np.stack([*expected, (n - 1 - t) * 3, (t + 7) % n * 5 + n - t], 1))


@case
def thread_group_of_a_block(run):
    """A thread_group that holds a block, and pieces of a size known at run time."""
    out = np.full((len(TILES), run.threads, 3), -1, np.int32)
    run(
        BEGIN
        + """
        __device__ unsigned sum_by_rank(const cg::thread_group& g, unsigned* memory) {
          memory[g.thread_rank()] = g.thread_rank() + 1;
          g.sync();
          unsigned sum = 0;
          for (unsigned i = 0; i < g.size(); ++i) sum += memory[i];
          g.sync();
          return sum;
        }
        __global__ void k(int* out) {
          extern __shared__ unsigned memory[];
          cg::thread_block block = cg::this_thread_block();
          cg::thread_group all = block;
          for (unsigned i = 0, size = 1; size <= 32; ++i, size *= 2) {
            cg::thread_group piece = cg::tiled_partition(block, size);
            cg::thread_group half = cg::tiled_partition(piece, size > 1 ? size / 2 : 1);
            int* mine = out + 3 * (i * block.size() + block.thread_rank());
            mine[0] = sum_by_rank(piece, memory + block.thread_rank() / size * size);
            mine[1] = half.thread_rank() * 1000 + half.size();
            all.sync();
            mine[2] = sum_by_rank(all, memory);
          }
        }
        """,
        out,
        shared=4 * run.threads,
    )
    t, n = np.arange(run.threads), run.threads
    for i, size in enumerate(TILES):
        members = np.minimum(size, n - t // size * size)
        half = max(size // 2, 1)
        halves = np.minimum(half, n - t // half * half)
        expected = [members * (members + 1) // 2, t % half * 1000 + halves, t * 0 + n * (n + 1) // 2]
        run.same(out[i], np.stack(expected, 1), f"pieces of {size}")


@case(each={str(n): n for n in (*TILES, *WIDE)})
def tile_place(run, size):
    """tiled_partition<N>: rank, size and place among the tiles, also when the type forgets the parent."""
    if run.on_gpu and size in WIDE and run.threads % size:
        return  # undefined: a GPU waits for the threads that are not there
    out = np.full((run.threads, 6), -1, np.int32)
    run(
        BEGIN
        + f"__device__ int place(const cg::thread_block_tile<{size}>& t)"
        + " { return t.meta_group_rank() * 2000 + t.meta_group_size(); }"
        + """
        __global__ void k(int* out) {
          auto block = cg::this_thread_block();
          auto tile = cg::tiled_partition<SIZE>(block);
          int* mine = out + 6 * block.thread_rank();
          mine[0] = tile.thread_rank(); mine[1] = tile.size(); mine[2] = tile.num_threads();
          mine[3] = tile.meta_group_rank(); mine[4] = tile.meta_group_size(); mine[5] = place(tile);
        }
        """.replace("SIZE", str(size)),
        out,
    )
    t, count = np.arange(run.threads), -(-run.threads // size)
    zero = t * 0
    run.same(
        out,
        np.stack([t % size, zero + size, zero + size, t // size, zero + count, t // size * 2000 + count], 1),
    )


@case
def tiles_in_tiles(run):
    """Tiles of tiles: rank in the parent, counted per parent."""
    out = np.full((run.threads, 4), -1, np.int32)
    run(
        BEGIN
        + """
        __global__ void k(int* out) {
          auto block = cg::this_thread_block();
          auto tile = cg::tiled_partition<32>(block);
          auto quarter = cg::tiled_partition<8>(tile);
          auto pair = cg::tiled_partition<2>(quarter);
          int* mine = out + 4 * block.thread_rank();
          mine[0] = quarter.meta_group_rank(); mine[1] = quarter.meta_group_size();
          mine[2] = pair.meta_group_rank(); mine[3] = pair.thread_rank() + cg::this_thread().size();
        }
        """,
        out,
    )
    t = np.arange(run.threads)
    run.same(out, np.stack([t % 32 // 8, t * 0 + 4, t % 8 // 2, t % 2 + 1], 1))


SHUFFLES = {
    "shfl": ("tile.shfl(v, (int)(rank * 5 + 3))", lambda r, n: (r * 5 + 3) % n),
    "shfl_up": ("tile.shfl_up(v, 3)", lambda r, n: np.where(r >= 3, r - 3, r)),
    "shfl_down": ("tile.shfl_down(v, 2)", lambda r, n: np.where(r + 2 < n, r + 2, r)),
    "shfl_xor": ("tile.shfl_xor(v, 5)", lambda r, n: np.where(r ^ 5 < n, r ^ 5, r)),
}


@case(each=SHUFFLES)
def tile_shuffles(run, shuffle):
    """Shuffles in tiles of every size, of values of 1 to 32 bytes."""
    expression, source = shuffle
    for size in TILES:
        if size < 8 and "xor" in expression:
            continue  # other lanes are undefined
        for kind, extent in (("char", 1), ("float", 1), ("double", 1), ("float", 3), ("double", 4)):
            dtype = {"char": np.int8, "float": np.float32, "double": np.float64}[kind]
            values = (np.arange(run.threads * extent) * 7 % 113).astype(dtype).reshape(run.threads, extent)
            out = np.full_like(values, -1)
            run(
                BEGIN
                + f"struct V {{ {kind} x[{extent}]; }}; constexpr int N = {size};"
                + """
                __global__ void k(const V* in, V* out) {
                  auto block = cg::this_thread_block();
                  auto tile = cg::tiled_partition<N>(block);
                  unsigned rank = tile.thread_rank(), t = block.thread_rank();
                  if (t / N * N + N > block.size()) return;
                  V v = in[t];
                  out[t] = EXPRESSION;
                }
                """.replace("EXPRESSION", expression),
                values.reshape(-1).view(np.dtype((np.void, values.itemsize * extent))),
                out.reshape(-1).view(np.dtype((np.void, values.itemsize * extent))),
            )
            t = np.arange(run.threads)
            expected = values[np.minimum(t // size * size + source(t % size, size), run.threads - 1)]
            filled = (t < whole(run, size))[:, None]
            run.same(out, np.where(filled, expected, -1), f"{kind}[{extent}] in tiles of {size}")


@case
def tile_votes(run):
    """any, all, ballot, match_any and match_all in tiles of every size."""
    for size in TILES:
        out = np.zeros((run.threads, 6), np.uint32)
        run(
            BEGIN
            + f"constexpr int N = {size};"
            + """
            __global__ void k(unsigned* out) {
              auto block = cg::this_thread_block();
              auto tile = cg::tiled_partition<N>(block);
              unsigned t = block.thread_rank();
              if (t / N * N + N > block.size()) return;
              int all = 7;
              unsigned* mine = out + 6 * t;
              mine[0] = tile.any(t % 13 == 0) != 0; mine[1] = tile.all(t % 13 != 0) != 0;
              mine[2] = tile.ballot(t % 3 == 0);
              mine[3] = tile.match_any(t % 5);
              mine[4] = tile.match_all(t / 24, all); mine[5] = all != 0;
            }
            """,
            out,
        )
        t = np.arange(whole(run, size)).reshape(-1, size)
        bit = np.uint64(1) << np.arange(size, dtype=np.uint64)
        full = int(bit.sum())

        def each(row, t=t):
            return np.broadcast_to(np.asarray(row)[:, None], t.shape)

        same = np.array([[int(bit[g % 5 == x % 5].sum()) for x in g] for g in t]).reshape(t.shape)
        equal = (t // 24 == t[:, :1] // 24).all(1)
        expected = np.stack(
            [
                each((t % 13 == 0).any(1)),
                each((t % 13 != 0).all(1)),
                each([int(bit[g % 3 == 0].sum()) for g in t]),
                same,
                each(np.where(equal, full, 0)),
                each(equal),
            ],
            2,
        ).reshape(-1, 6)
        run.same(out[: t.size], expected, f"tiles of {size}")


@case
def coalesced_threads(run):
    """coalesced_threads in a branch: rank, size, shuffles by rank, votes packed by rank."""
    out = np.zeros((run.threads, 9), np.int32)
    run(
        BEGIN
        + """
        __global__ void k(int* out) {
          unsigned rank = cg::this_thread_block().thread_rank();
          if (BRANCH) {
            auto g = cg::coalesced_threads();
            int* mine = out + 9 * rank;
            mine[0] = g.thread_rank(); mine[1] = g.size();
            mine[2] = g.shfl(rank, g.size() - 1); mine[3] = g.shfl_up(rank, 2); mine[4] = g.shfl_down(rank, 3);
            mine[5] = g.ballot(rank % 2); mine[6] = g.any(rank % 32 == 31) * 2 + (g.all(rank % 32 < 20) != 0);
            mine[7] = g.match_any(rank % 4); mine[8] = g.meta_group_rank() * 10 + g.meta_group_size();
          }
        }
        """.replace("BRANCH", BRANCH),
        out,
    )
    expected = np.zeros_like(out)
    taken = in_branch(run)
    for g in groups(run, ~taken):
        if not taken[g[0]]:
            continue
        r, n = np.arange(g.size), g.size
        bit = 1 << r.astype(np.uint64)
        match = [int(bit[g % 4 == x % 4].sum()) for x in g]
        any_, all_ = (g % 32 == 31).any(), (g % 32 < 20).all()
        zero = r * 0
        shuffled = [zero + g[-1], g[np.where(r >= 2, r - 2, r)], g[np.where(r + 3 < n, r + 3, r)]]
        votes = [zero + int(bit[g % 2 == 1].sum()), zero + any_ * 2 + all_, match]
        expected[g] = np.stack([r, zero + n, *shuffled, *votes, zero + 1], 1)
    run.same(out, expected)


@case
def pieces_of_coalesced_threads(run):
    """tiled_partition of a coalesced group: pieces by rank."""
    out = np.zeros((run.threads, 4), np.int32)
    run(
        BEGIN
        + """
        __global__ void k(int* out) {
          unsigned rank = cg::this_thread_block().thread_rank();
          if (BRANCH) {
            auto g = cg::tiled_partition(cg::coalesced_threads(), 4);
            int* mine = out + 4 * rank;
            mine[0] = g.thread_rank(); mine[1] = g.size(); mine[2] = g.meta_group_rank(); mine[3] = g.meta_group_size();
          }
        }
        """.replace("BRANCH", BRANCH),
        out,
    )
    expected = np.zeros_like(out)
    taken = in_branch(run)
    for g in groups(run, ~taken):
        if taken[g[0]]:
            r, n = np.arange(g.size), g.size
            expected[g] = np.stack([r % 4, np.minimum(4, n - r // 4 * 4), r // 4, r * 0 + max(-(-n // 4), 1)], 1)
    run.same(out, expected)


@case
def binary_partition(run):
    """binary_partition of tiles and of coalesced groups."""
    out = np.zeros((2, run.threads, 4), np.int32)
    run(
        BEGIN
        + """
        template <class G> __device__ void tell(const G& g, bool p, int* mine) {
          auto part = cg::binary_partition(g, p);
          mine[0] = part.thread_rank(); mine[1] = part.size();
          mine[2] = part.meta_group_rank(); mine[3] = part.meta_group_size();
        }
        __global__ void k(int* out) {
          auto block = cg::this_thread_block();
          unsigned rank = block.thread_rank();
          if (rank / 16 * 16 + 16 <= block.size()) tell(cg::tiled_partition<16>(block), rank % 5 < 2, out + 4 * rank);
          block.sync();
          if (BRANCH) tell(cg::coalesced_threads(), rank < 40, out + 4 * (block.size() + rank));
        }
        """.replace("BRANCH", BRANCH),
        out,
    )
    expected = np.zeros_like(out)
    t, taken = np.arange(run.threads), in_branch(run)

    def fill(row, members, predicate):
        for p in (False, True):
            part = members[predicate[members] == p]
            if part.size:
                both = part.size < members.size
                rank = np.arange(part.size)
                row[part] = np.stack([rank, rank * 0 + part.size, rank * 0 + p * both, rank * 0 + 1 + both], 1)

    for first in range(0, whole(run, 16), 16):
        fill(expected[0], t[first : first + 16], t % 5 < 2)
    for g in groups(run, ~taken):
        if taken[g[0]]:
            fill(expected[1], g, t < 40)
    run.same(out, expected)


@case
def labeled_partition(run):
    """labeled_partition: groups in order of their first member, and a reduction in each."""
    out = np.zeros((run.threads, 5), np.int32)
    run(
        BEGIN
        + """
        __global__ void k(int* out) {
          unsigned rank = cg::this_thread_block().thread_rank();
          if (BRANCH) {
            auto g = cg::labeled_partition(cg::coalesced_threads(), (rank * 7 + 3) % 4);
            int* mine = out + 5 * rank;
            mine[0] = g.thread_rank(); mine[1] = g.size(); mine[2] = g.meta_group_rank(); mine[3] = g.meta_group_size();
            mine[4] = cg::reduce(g, (int)rank, cg::plus<int>());
          }
        }
        """.replace("BRANCH", BRANCH),
        out,
    )
    t, taken = np.arange(run.threads), in_branch(run)
    label = (t * 7 + 3) % 4
    expected = np.zeros_like(out)
    for g in groups(run, ~taken):
        if taken[g[0]]:
            order = list(dict.fromkeys(label[g]))
            for i, value in enumerate(order):
                part = g[label[g] == value]
                r = np.arange(part.size)
                expected[part] = np.stack([r, r * 0 + r.size, r * 0 + i, r * 0 + len(order), r * 0 + part.sum()], 1)
    run.same(out, expected)


@case(blocks=[b for b in BLOCKS if np.prod(b) % 64 == 0], each={str(n): n for n in WIDE})
def wide_tiles(run, size):
    """Tiles of several warps: sync, shfl, any, all, and tiles of two sizes at the same time."""
    if run.threads % size:
        return
    out = np.full((run.threads, 6), -1, np.int32)
    run(
        BEGIN
        + f"constexpr unsigned N = {size};"
        + """
        __global__ void k(int* out) {
          extern __shared__ int memory[];
          __shared__ cg::block_tile_memory<1024> scratch;
          auto block = cg::this_thread_block(scratch);
          auto tile = cg::tiled_partition<N>(block);
          auto pair = cg::tiled_partition<64>(block);
          unsigned t = block.thread_rank();
          int* mine = out + 6 * t;
          memory[t] = t * 3;
          tile.sync();
          mine[0] = memory[t / N * N + (t + N / 2) % N];
          mine[1] = tile.shfl(t * 5, N - 7);
          mine[2] = (tile.any(t % 300 == 299) != 0) * 2 + (tile.all(t % 300 != 299) != 0);
          // The tiles of two warps take turns of different lengths.
          for (unsigned i = 0; i <= t / 64 % 3; ++i) mine[3] = pair.shfl(t + i, 63);
          mine[4] = tile.shfl(t * 7, 40);
          mine[5] = cg::reduce(tile, (int)t, cg::plus<int>());
        }
        """,
        out,
        shared=4 * run.threads,
    )
    t = np.arange(run.threads)
    first = t // size * size
    hit = np.array([((np.arange(f, f + size) % 300) == 299).any() for f in first])
    run.same(
        out,
        np.stack(
            [
                (first + (t + size // 2) % size) * 3,
                (first + size - 7) * 5,
                hit * 2 + ~hit,
                t // 64 * 64 + 63 + t // 64 % 3,
                (first + 40) * 7,
                first * size + size * (size - 1) // 2,
            ],
            1,
        ),
    )


@case
def memcpy_async(run):
    """memcpy_async by a block and by tiles, whole words and odd bytes, with wait and wait_prior."""
    source = (np.arange(4 * 3001) * 37 % 251).astype(np.uint8)
    out = np.zeros_like(source)
    tiles = np.zeros(run.threads, np.int32)
    run(
        BEGIN
        + """
        __global__ void k(const unsigned char* in, unsigned char* out, int* tiles) {
          __shared__ __align__(16) unsigned char buffer[12288];
          __shared__ int ints[1024];
          auto block = cg::this_thread_block();
          cg::memcpy_async(block, buffer, in, sizeof(unsigned char) * 8000);
          cg::memcpy_async(block, (int*)(buffer + 8000), 1000, (const int*)(in + 8000), 1001);
          cg::memcpy_async(block, buffer + 12000, in + 12000, 3);
          cg::wait(block);
          for (unsigned i = block.thread_rank(); i < 12003; i += block.size()) out[i] = buffer[i];
          auto tile = cg::tiled_partition<8>(block);
          unsigned t = block.thread_rank(), first = t / 8 * 8;
          if (first + 8 <= block.size()) {
            cg::memcpy_async(tile, ints + first, (const int*)in + first, sizeof(int) * 8);
            cg::wait_prior<0>(tile);
            tiles[t] = ints[first + 7 - t % 8];
          }
        }
        """,
        source,
        out,
        tiles,
    )
    run.same(out[:12003], source[:12003])
    t = np.arange(whole(run, 8))
    run.same(tiles[: t.size], source.view(np.int32)[t // 8 * 8 + 7 - t % 8])


@case
def invoke_one(run):
    """invoke_one runs once a group; invoke_one_broadcast gives its result to all."""
    counts = np.zeros((run.threads + 31) // 32 + 1, np.int32)
    out = np.zeros(run.threads, np.int32)
    run(
        BEGIN
        + """
        __global__ void k(int* counts, int* out) {
          auto block = cg::this_thread_block();
          cg::invoke_one(block, [&](int n) { atomicAdd(counts + (block.size() + 31) / 32, n); }, 5);
          unsigned rank = block.thread_rank();
          if (BRANCH) {
            auto g = cg::coalesced_threads();
            out[rank] = cg::invoke_one_broadcast(g, [&] { return atomicAdd(counts + rank / 32, (int)g.size()) + 100; });
          }
        }
        """.replace("BRANCH", BRANCH),
        counts,
        out,
    )
    taken = in_branch(run)
    per_warp = [int(taken[run.warp == w].sum()) for w in range(len(counts) - 1)]
    run.same(counts, [*per_warp, 5])
    run.same(out, taken * 100)
