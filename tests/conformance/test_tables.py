"""Look-ups in tables whose results are combined: words taken apart, tables of bytes and words, tables that change."""

import numpy as np
from harness import case, kernel

SOURCE = """
typedef unsigned char byte;
__global__ void words(const unsigned* table, const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned t[256];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) t[k] = table[k];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned v = in[i];
  out[i] = t[v & 255] ^ t[v >> 8 & 255] ^ t[v >> 16 & 255] ^ t[v >> 24];
}
__global__ void bytes(const byte* table, const unsigned* in, unsigned* out, int n) {
  __shared__ byte t[256];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) t[k] = table[k];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned v = in[i] * 2654435761u + i;
  out[i] = t[v & 255] | t[v >> 8 & 255] << 8 | t[v >> 16 & 255] << 16 | (unsigned)t[v >> 24] << 24;
}
__global__ void mixed(const long long* table, const byte* small, const unsigned* in, long long* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned v = in[i], w = v ^ v >> 16;
  out[i] = 3 * table[v & 127] - table[128 + (w >> 2 & 127)] * (small[v & 63] + n) + i;
}
__global__ void changed(unsigned* table, const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned t[256];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) t[k] = table[k];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned v = i < n ? in[i] : 0, first = t[v & 255];
  __syncthreads();
  t[threadIdx.x & 255] += 7;
  __syncthreads();
  if (i < n) out[i] = (first ^ t[v >> 8 & 255]) + (t[v >> 16 & 255] & t[v >> 24]);
}
"""


def data(n):
    random = np.random.default_rng(n)
    return random.integers(0, 2**32, 256, np.uint32), random.integers(0, 2**32, n, np.uint32)


def parts(v):
    return [(v >> np.uint32(shift)) & np.uint32(255) for shift in (0, 8, 16, 24)]


@case(blocks=[32, 64, 100, 256])
def words(run):
    """A word for each byte of a word, in shared memory; joined by exclusive or."""
    n = 5 * run.block[0] - 3
    table, values = data(n)
    out = np.zeros(n, np.uint32)
    run(SOURCE, table, values, out, n, grid=5, kernel="words")
    a, b, c, d = (table[part] for part in parts(values))
    run.same(out, a ^ b ^ c ^ d)


@case(blocks=[32, 64, 100, 256])
def bytes_of_words(run):
    """A byte for each byte of a computed word, put together again."""
    n = 5 * run.block[0] - 3
    table, values = data(n)
    table = table.astype(np.uint8)
    out = np.zeros(n, np.uint32)
    run(SOURCE, table, values, out, n, grid=5, kernel="bytes")
    v = values * np.uint32(2654435761) + np.arange(n, dtype=np.uint32)
    a, b, c, d = (table[part].astype(np.uint32) for part in parts(v))
    run.same(out, a | b << np.uint32(8) | c << np.uint32(16) | d << np.uint32(24))


@case(blocks=[32, 64, 100, 256])
def of_several_kinds(run):
    """Integers of 64 and of 8 bits, products and differences."""
    n = 5 * run.block[0] - 3
    table, values = data(n)
    table = table.astype(np.int64) - 2**31
    small = (table[:64] & 255).astype(np.uint8)
    out = np.zeros(n, np.int64)
    run(SOURCE, table, small, values, out, n, grid=5, kernel="mixed")
    w = values ^ values >> np.uint32(16)
    second = table[128 + (w >> np.uint32(2) & np.uint32(127))] * (small[values & np.uint32(63)].astype(np.int64) + n)
    run.same(out, 3 * table[values & np.uint32(127)] - second + np.arange(n))


@case(blocks=[32, 64, 128, 256])
def of_a_table_that_changes(run):
    """What is looked up before the table changes, and after."""
    size = run.block[0]
    n = 5 * size - 3
    table, values = data(n)
    out = np.zeros(n, np.uint32)
    run(SOURCE, table, values, out, n, grid=5, kernel="changed")
    later = table.copy()
    later[:size] += np.uint32(7)
    a, b, c, d = parts(values)
    run.same(out, (table[a] ^ later[b]) + (later[c] & later[d]))


@case(each=["float", "double", "unsigned char", "long long"])
def places_out_of_reach(run, name):
    """Elements that only some threads look up: the others' places lie far outside. None, one, most and all of them."""
    dtype = {"float": np.float32, "double": np.float64, "unsigned char": np.uint8, "long long": np.int64}[name]
    size, turns = 50, 5
    table = np.random.default_rng(3).integers(0, 200, size).astype(dtype)
    for of_100 in (0, 2, 50, 98, 100):
        for place, index in (("int", np.int32), ("long long", np.int64)):
            rng = np.random.default_rng(of_100)
            count = run.threads * turns
            places = rng.integers(0, size, count).astype(index)
            wild = rng.integers(0, 100, count) >= of_100
            places[wild] = np.where(rng.integers(0, 2, wild.sum()), 2**30, -(2**30))
            out = np.zeros(run.threads, dtype)
            body = f"""
              {name} sum = 1;
              for (int k = t; k < n * {turns}; k += n) {{
                const {place} p = places[k];
                if (p >= 0 && p < {size}) sum += table[p];
              }}
              out[t] = sum;
            """
            run(kernel(f"const {name}* table, const {place}* places, {name}* out", body), table, places, out)
            found = np.where(wild, dtype(0), table[np.where(wild, 0, places)]).reshape(turns, run.threads)
            run.same(out, found.sum(0, dtype=dtype) + dtype(1), f"{of_100}%, {place}")


SHORT = """
typedef TYPE T;
__global__ void k(const T* table, const INDEX* in, T* out, int n) {
  SHARED
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || GUARD) return;
  out[i] = TABLE[in[i] & MASK];
}"""
KINDS = {
    "bytes": ("unsigned char", np.uint8, 256),
    "shorts": ("short", np.int16, 128),
    "words": ("unsigned", np.uint32, 64),
    "floats": ("float", np.float32, 32),
    "doubles": ("double", np.float64, 16),
}


@case(blocks=[(64, 1, 1), 33, 256], each=KINDS)
def short_tables(run, kind):
    """Tables that registers hold, from the host and in shared memory, read by all lanes, by some and by none of a group."""
    spelled, dtype, longest = kind
    for count in (longest, longest // 2, longest // 4, 8):
        for place in ("the host", "shared memory"):
            for guard in ("false", "i % 3 == 1", "in[i] < 256 && i / 64 % 2"):
                n = 5 * run.threads + 3
                random = np.random.default_rng(count)
                index, spelled_index = (np.uint8, "unsigned char") if dtype == np.uint8 else (np.int32, "int")
                values = random.integers(0, 200, n).astype(index)
                table = random.integers(0, 100, count).astype(dtype)
                i = np.arange(n)
                left = {"false": i < 0, "i % 3 == 1": i % 3 == 1}.get(guard, (values < 256) & (i // 64 % 2 == 1))
                expected = np.where(left, 0, table[values & (count - 1)]).astype(dtype)
                fill = (
                    f"__shared__ T t[{count}];for (int k = threadIdx.x; k < {count}; k += blockDim.x) t[k] = table[k];"
                )
                shared = place == "shared memory"
                source = SHORT.replace("SHARED", fill + "__syncthreads();" if shared else "")
                source = source.replace("TABLE", "t" if shared else "table").replace("GUARD", guard)
                source = source.replace("MASK", str(count - 1)).replace("TYPE", spelled).replace("INDEX", spelled_index)
                out = np.zeros(n, dtype)
                run(source, table, values, out, np.int32(n), grid=6)
                run.same(out, expected, f"{count} in {place}, unless {guard}")


@case(blocks=[(64, 1, 1), 256])
def tables_across_pages(run):
    """A table of bytes at each place of a page, also where only its first half is there to be read."""
    n, pages = 4 * run.threads, 3 * 4096
    memory = np.random.default_rng(1).integers(0, 256, pages).astype(np.uint8)
    values = np.random.default_rng(2).integers(0, 256, n).astype(np.uint8)
    source = """
__global__ void k(const unsigned char* memory, int at, const unsigned char* in, unsigned char* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = (memory + at)[in[i]];
}"""
    for at in (0, 1, 3000, 3839, 3841, 4000, 4095, 4096, 7999):
        out = np.zeros(n, np.uint8)
        run(source, memory, np.int32(at), values, out, grid=4)
        run.same(out, memory[at + values.astype(int)], f"from {at}")


@case(blocks=[8, 31, 64, 100, 256])
def tables_in_registers(run):
    """Of 8 to 64 elements, which a few registers hold: constants, arrays of the kernel's own and memory, with guards."""
    for spelled, dtype in (
        ("unsigned char", np.uint8),
        ("signed char", np.int8),
        ("int", np.int32),
        ("float", np.float32),
    ):
        for size in (8, 16, 32, 64):
            numbers = (np.arange(size) * 37 % 101 + 3).astype(dtype)
            listed = ", ".join(str(v) for v in numbers)
            source = f"""
            __constant__ {spelled} fixed[{size}] = {{{listed}}};
            __global__ void k(const {spelled}* table, const unsigned char* in, {spelled}* out, int n) {{
              const {spelled} own[{size}] = {{{listed}}};
              const int i = blockIdx.x * blockDim.x + threadIdx.x;
              if (i >= n) return;
              const unsigned char v = in[i];
              const {spelled} a = fixed[v % {size}], b = own[v / 4 % {size}];
              {spelled} c = 1;
              if (v & 1) c = table[v >> 2 & {size - 1}];
              out[2 * i] = a;
              out[2 * i + 1] = ({spelled})(b - c);
            }}"""
            n = 3 * run.block[0] - 5
            values = np.random.default_rng(size).integers(0, 256, n).astype(np.uint8)
            other = numbers[::-1].copy()
            out = np.zeros(2 * n, dtype)
            run(source, other, values, out, n, grid=3)
            c = np.where(values & 1, other[values // 4 % size], 1).astype(dtype)
            expected = np.stack([numbers[values % size], (numbers[values // 4 % size] - c).astype(dtype)], 1)
            run.same(out, expected.ravel(), f"{spelled}, {size}")


FOUND = """
__constant__ ELEMENT fixed[COUNT] = {FILL};
__global__ void k(const ELEMENT* x, const ELEMENT* table, const int* places, ELEMENT* out, int n) {
  __shared__ ELEMENT shared[COUNT];
  for (int i = threadIdx.x; i < COUNT; i += blockDim.x) shared[i] = table[i];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int low = 0, high = COUNT;
  while (high > low + 1) {
    const int k = (low + high) / 2;
    if (x[i] < shared[k]) high = k; else low = k;
  }
  int first = 0, last = COUNT - 1;
  while (first < last) {
    const int k = (first + last) >> 1;
    if (fixed[k] < x[i]) first = k + 1; else last = k;
  }
  const int at = places[i];
  ELEMENT sum = shared[low] + fixed[first] * 3 + fixed[at];
  if (at > 0) sum += shared[at - 1];
  if (at + 1 < COUNT) sum += shared[at + 1] * 2;
  const unsigned char near = places[n - 1 - i];
  out[i] = sum + shared[near] * 5;
}
"""


@case(blocks=[32, 48, 128, 256], each=[2, 5, 16, 21, 32, 33, 64, 65, 256, 257])
def places_that_were_found(run, count):
    """Tables in constant and shared memory, read where a search or memory says, beside the first and the last place."""
    n = 2 * run.threads - 3
    rng = np.random.default_rng(count)
    types = {"float": np.float32, "double": np.float64, "int": np.int32, "unsigned char": np.uint8, "short": np.int16}
    for spelled, dtype in types.items():
        fixed = np.sort(rng.integers(0, 7 * count if count < 30 else 100, count)).astype(dtype)
        table = np.sort(rng.integers(0, 7 * count if count < 30 else 100, count)).astype(dtype)
        x = rng.integers(0, 100, n).astype(dtype)
        places = rng.integers(0, count if count <= 256 else 256, n).astype(np.int32)
        out = np.zeros(n, dtype)
        source = FOUND.replace("FILL", ", ".join(str(int(v)) for v in fixed))
        run(source, x, table, places, out, n, grid=2, options=[f"-DELEMENT={spelled}", f"-DCOUNT={count}"])
        low = np.maximum(np.searchsorted(table, x, "right") - 1, 0)
        first = np.minimum(np.searchsorted(fixed, x, "left"), count - 1)
        wide = np.float64 if np.dtype(dtype).kind == "f" else np.int64
        before = np.where(places > 0, table[np.maximum(places - 1, 0)].astype(wide), 0)
        after = np.where(places + 1 < count, table[np.minimum(places + 1, count - 1)].astype(wide) * 2, 0)
        expected = table[low].astype(wide) + fixed[first].astype(wide) * 3 + fixed[places].astype(wide)
        expected = (expected + before).astype(dtype).astype(wide)
        expected = (expected + after).astype(dtype).astype(wide) + table[places[::-1]].astype(wide) * 5
        run.same(out, expected.astype(dtype), spelled)


ATOMS = """
__global__ void k(const float* atoms, const int* skipped, float* out, int bins, float far) {
  __shared__ float near[4 * ATOMS];
  const int tid = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const float x = threadIdx.x + 8 * blockIdx.x, y = threadIdx.y, z = 2 * threadIdx.z;
  float sum = 0, higher = 0;
  for (int b = 0; b < bins; ++b) {
    __syncthreads();
    for (int i = tid; i < 4 * ATOMS; i += blockDim.x * blockDim.y * blockDim.z) near[i] = atoms[4 * ATOMS * b + i];
    __syncthreads();
    if (skipped[b]) continue;
    for (int i = 0; i < ATOMS; ++i) {
      const float charge = near[4 * i + 3];
      if (charge == 0) break;
      const float dx = near[4 * i] - x, dy = near[4 * i + 1] - y;
      float dz = near[4 * i + 2] - z;
      const float flat = dx * dx + dy * dy;
      if (flat + dz * dz < far) sum += charge * (far - flat - dz * dz);
      dz -= 1;
      if (flat + dz * dz < far) higher += charge * (far - flat - dz * dz);
    }
  }
  const int at = blockIdx.x * blockDim.x * blockDim.y * blockDim.z + tid;
  out[2 * at] = sum;
  out[2 * at + 1] = higher;
}
"""


@case(blocks=[(8, 8), (8, 8, 2), (4, 16), (8, 3), (24, 4), (4, 4, 4), 64])
def tables_that_all_read_together(run):
    """Pieces of a list in shared memory, which blocks of short rows go through all together; some end early."""
    rng = np.random.default_rng(3)
    atoms, bins, far = 10, 5, np.float32(90)
    x, y, z = run.block
    table = rng.integers(-2, 12, (bins, atoms, 4)).astype(np.float32)
    table[:, :, 3] = rng.integers(1, 4, (bins, atoms))
    table[2, 7, 3] = table[4, 0, 3] = 0
    skipped = np.array([0, 0, 0, 1, 0], np.int32)
    out = np.zeros((2, z, y, x, 2), np.float32)
    run(ATOMS, table, skipped, out, bins, far, grid=2, options=[f"-DATOMS={atoms}"])
    expected = np.zeros(out.shape, np.float64)
    block, k, j, i = np.indices((2, z, y, x))
    for b in np.flatnonzero(skipped == 0):
        for atom in table[b]:
            if atom[3] == 0:
                break
            flat = (atom[0] - i - 8 * block) ** 2 + (atom[1] - j) ** 2
            for h in range(2):
                square = flat + (atom[2] - 2 * k - h) ** 2
                expected[..., h] += np.where(square < far, atom[3] * (far - square), 0)
    run.same(out, expected.astype(np.float32))


ROWS = """
__constant__ int costs[4][4] = {{3, -2, -1, -2}, {-2, 3, -2, -1}, {-1, -2, 3, -2}, {-2, -1, -2, 3}};
__constant__ float weights[3][2][5] = {{{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}}, {{11, 12, 13, 14, 15}, {16, 17, 18, 19, 20}},
                                       {{21, 22, 23, 24, 25}, {26, 27, 28, 29, 30}}};
__global__ void k(const unsigned char* a, const signed char* b, const long long* c, int* cost, float* weight, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  cost[i] = costs[a[i]][b[i] + 2] + 100 * costs[1][a[i]];
  weight[i] = weights[c[i]][a[i] & 1][b[i] + 2] - weights[2][1][a[i]];
}
"""


@case(blocks=[64, 100])
def tables_of_rows(run):
    """Elements of small tables of two and three dimensions, by places that lie in memory."""
    n = 1000
    rng = np.random.default_rng(3)
    a, b, c = rng.integers(0, 4, n), rng.integers(-2, 2, n), rng.integers(0, 3, n)
    cost, weight = np.zeros(n, np.int32), np.zeros(n, np.float32)
    given = (a.astype(np.uint8), b.astype(np.int8), c.astype(np.int64))
    run(ROWS, *given, cost, weight, np.int32(n), grid=-(-n // run.threads))
    costs = np.array([[3, -2, -1, -2], [-2, 3, -2, -1], [-1, -2, 3, -2], [-2, -1, -2, 3]])
    weights = np.arange(1, 31).reshape(3, 2, 5)
    run.same(cost, (costs[a, b + 2] + 100 * costs[1, a]).astype(np.int32))
    run.same(weight, (weights[c, a & 1, b + 2] - weights[2, 1, a]).astype(np.float32))
