"""Loops in which a grid strides over planes and volumes: nests of them, each index from its own axis."""

import numpy as np
from harness import case, extents, kernel

GRID = (3, 2)
SIZES = ((1, 1), (50, 7), (97, 33), (256, 64), (300, 130))


def nest(kind, inner, outer="y"):
    """Loops over x and y, `outer` outside."""
    heads = {
        a: f"for ({kind} {a} = blockIdx.{a} * blockDim.{a} + threadIdx.{a}; {a} < {s}; {a} += gridDim.{a} * blockDim.{a})"
        for a, s in (("x", "w"), ("y", "h"))
    }
    return f"{heads[outer]} {heads['xy'.replace(outer, '')]} {inner}"


@case
def planes(run):
    """Whatever type the indices have and whichever loop is outside; sizes that no turn divides."""
    for w, h in SIZES:
        values = np.random.default_rng(w).standard_normal((h, w)).astype(np.float32)
        for kind in ("int", "unsigned", "size_t"):
            for outer in "xy":
                result = np.zeros_like(values)
                body = nest(kind, "to[y * w + x] = from[y * w + x] * 2.0f + 1.0f;", outer)
                parameters = f"const float* from, float* to, {kind} w, {kind} h"
                size = np.int32 if kind == "int" else np.uint32 if kind == "unsigned" else np.uint64
                run(kernel(parameters, body), values, result, size(w), size(h), grid=GRID)
                run.same(result, values * np.float32(2) + np.float32(1), f"{w} x {h}, {kind}, {outer}")


@case
def interiors(run):
    """Four neighbours of each element that has them."""
    for w, h in SIZES[1:]:
        values = np.random.default_rng(w).standard_normal((h, w)).astype(np.float32)
        result = np.zeros_like(values)
        body = """
          for (int y = blockIdx.y * blockDim.y + threadIdx.y + 1; y < h - 1; y += gridDim.y * blockDim.y)
            for (int x = blockIdx.x * blockDim.x + threadIdx.x + 1; x < w - 1; x += gridDim.x * blockDim.x)
              to[y * w + x] = (from[y * w + x - 1] + from[y * w + x + 1]) + (from[(y - 1) * w + x] + from[(y + 1) * w + x]);
        """
        run(kernel("const float* from, float* to, int w, int h", body), values, result, w, h, grid=GRID)
        expected = np.zeros_like(values)
        sides = values[1:-1, :-2] + values[1:-1, 2:]
        expected[1:-1, 1:-1] = sides + (values[:-2, 1:-1] + values[2:, 1:-1])
        run.same(result, expected, f"{w} x {h}")


@case
def own_order(run):
    """Each thread's turns come in its own order, handed on in a register and through memory."""
    columns, rows = (GRID[a] * extents(run.block)[a] for a in (0, 1))
    for w, h in SIZES:
        values = np.random.default_rng(h).integers(-99, 99, (h, w)).astype(np.int32)
        hashes = np.zeros((rows, columns), np.int64)
        for y in range(h):
            for x in range(w):
                own = y % rows, x % columns
                hashes[own] = (hashes[own] * 3 + values[y, x]) % 2**32
        for hashed in ("sum = sum * 3 + v;", "kept[place] = kept[place] * 3 + v;"):
            result = np.zeros((rows, columns), np.int32)
            body = f"""
              const int columns = gridDim.x * blockDim.x;
              const int place = (blockIdx.y * blockDim.y + threadIdx.y) * columns + blockIdx.x * blockDim.x + threadIdx.x;
              int sum = 0;
              {nest("int", "{ const int v = from[y * w + x]; " + hashed + " }")}
              if (sum) kept[place] = sum;
            """
            if extents(run.block)[2] != 1:
                body = f"if (threadIdx.z == 0) {{ {body} }}"
            run(kernel("const int* from, int* kept, int w, int h", body), values, result, w, h, grid=GRID)
            run.same(result, hashes.astype(np.uint32).view(np.int32), f"{w} x {h}: {hashed}")


@case
def volumes(run):
    """Three loops, and a product, whose loop over k is inside of two."""
    w, h, d = 70, 21, 9
    values = np.random.default_rng(5).standard_normal((d, h, w)).astype(np.float32)
    result = np.zeros_like(values)
    body = "for (int z = blockIdx.z * blockDim.z + threadIdx.z; z < d; z += gridDim.z * blockDim.z) "
    body += nest("int", "to[(z * h + y) * w + x] = from[(z * h + y) * w + x] - 1.0f;")
    run(kernel("const float* from, float* to, int w, int h, int d", body), values, result, w, h, d, grid=(2, 2, 2))
    run.same(result, values - np.float32(1))

    a, b = (np.random.default_rng(s).integers(-9, 9, (n, m)).astype(np.int32) for s, n, m in ((1, 45, 37), (2, 37, 61)))
    result = np.zeros((45, 61), np.int32)
    product = "{ int sum = 0; for (int k = 0; k < d; ++k) sum += a[y * d + k] * b[k * w + x]; to[y * w + x] = sum; }"
    source = kernel("const int* a, const int* b, int* to, int w, int h, int d", nest("int", product))
    run(source, a, b, result, 61, 45, 37, grid=GRID)
    run.same(result, a @ b)


@case
def values_handed_on(run):
    """A sum in each thread's order, and the greatest element with its place, over any number of turns."""
    all_threads = 3 * run.threads
    sizes = [1, all_threads, 4 * all_threads - 1, 4 * all_threads, 7 * all_threads + 5, 8 * all_threads + run.threads]
    for kind, size in (("int", np.int32), ("unsigned", np.uint32), ("size_t", np.uint64)):
        source = kernel(
            f"const int* in, int* sums, int* greatest, int* places, {kind} size",
            f"""
              const int at = blockIdx.x * n + t, all = gridDim.x * n;
              int sum = 0, best = -1, place = -1;
              for ({kind} i = at; i < size; i += all) {{
                sum = sum * 3 + in[i];
                if (in[i] > best) {{ best = in[i]; place = i; }}
              }}
              __syncthreads();
              sums[at] = sum; greatest[at] = best; places[at] = place;
            """,
        )
        for count in sizes:
            values = np.random.default_rng(count).integers(0, 99, count).astype(np.int32)
            sums, greatest, places = (np.zeros(all_threads, np.int32) for _ in range(3))
            run(source, values, sums, greatest, places, size(count), grid=3)
            padded = np.full(-(-count // all_threads) * all_threads, -1, np.int64)
            padded[:count] = values
            turns = padded.reshape(-1, all_threads)
            expected = np.zeros(all_threads, np.int64)
            for turn in turns:
                expected = np.where(turn < 0, expected, (expected * 3 + turn) % 2**32)
            run.same(sums, expected.astype(np.uint32).view(np.int32), f"{kind}, {count}")
            best = turns.argmax(axis=0)
            run.same(greatest, turns.max(axis=0).astype(np.int32), f"{kind}, {count}")
            has_one = turns.max(axis=0) >= 0
            run.same(places, np.where(has_one, best * all_threads + np.arange(all_threads), -1).astype(np.int32))


@case
def turns_up_to_the_last_number(run):
    """Where a few turns further an index would wrap, and where steps are so long that several would."""
    all_threads = 3 * run.threads
    for kind, size, top in (("int", np.int32, 2**31 - 1), ("unsigned", np.uint32, 2**32 - 1)):
        source = kernel(
            f"{kind} from, {kind} step, {kind} bound, int* sums",
            f"""
              const int at = blockIdx.x * n + t;
              int sum = 0;
              for ({kind} i = from + blockIdx.x * n + t; i < bound; i += step * gridDim.x) sum = sum * 3 + (i & 63);
              sums[at] = sum;
            """,
        )
        for step in (run.threads, top // 24, top // 9):
            bound = top - 3 * step
            for turns in (2, 3, 4, 5, 9):
                begin = max(0, bound - turns * 3 * step - run.threads // 2)
                sums = np.zeros(all_threads, np.int32)
                run(source, size(begin), size(step), size(bound), sums, grid=3)
                expected = np.zeros(all_threads, np.int64)
                for thread in range(all_threads):
                    total = 0
                    for i in range(begin + thread, bound, 3 * step):
                        total = (total * 3 + (i & 63)) % 2**32
                    expected[thread] = total
                run.same(sums, expected.astype(np.uint32).view(np.int32), f"{kind}, {step}, {turns}")


@case(blocks=[(16, 2), (32, 4), (64, 1), (8, 8), (4, 4), (1, 8), (10, 3), (1, 1)])
def rows_behind_a_guard_of_both_indices(run):
    """One guard asks about row and column; the loop is over columns alone, and rows beyond the last are nobody's."""
    for kind, bits in (("int", np.int32), ("unsigned", np.uint32), ("size_t", np.uint64)):
        source = f"""
          __global__ void k(const int* in, int* out, {kind} w, {kind} h) {{
            {kind} x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
            if (x >= w || y >= h) return;
            for ({kind} i = x; i < w; i += gridDim.x * blockDim.x) out[y * w + i] = in[y * w + i] * 3 + 1;
          }}
        """
        for w, h in ((50, 5), (200, 7), (64, 3)):
            values, out = np.arange(w * h, dtype=np.int32), np.full(w * h + 8 * w, -1, np.int32)
            expected = np.where(np.arange(out.size) < w * h, np.resize(values, out.size) * 3 + 1, -1)
            for columns in (1, 2, -(-w // run.block[0])):
                run(source, values, out, bits(w), bits(h), grid=(columns, -(-h // run.block[1])))
                run.same(out, expected.astype(np.int32))
