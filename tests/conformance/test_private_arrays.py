"""Private arrays whose elements become registers: loops in triangles, sorts, and tables of constants."""

import numpy as np
from harness import case, kernel

ELEMENTS = {"int": np.int32, "float": np.float32, "short": np.int16, "double": np.float64}

READ = """
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  T v[COUNT];
  for (int k = 0; k < COUNT; ++k) v[k] = in[k * n + i];
"""

EXCHANGES = """
  for (int a = 0; a < COUNT - 1; ++a)
    for (int b = 0; b < COUNT - 1 - a; ++b)
      if (v[b] > v[b + 1]) { T t = v[b]; v[b] = v[b + 1]; v[b + 1] = t; }
"""
FROM_THE_NEXT = """
  for (int a = 0; a < COUNT - 1; ++a)
    for (int b = a + 1; b < COUNT; ++b)
      if (v[b] < v[a]) { T t = v[a]; v[a] = v[b]; v[b] = t; }
"""
SELECTION = """
  for (int a = 0; a < COUNT - 1; ++a) {
    int least = a;
    for (int b = a + 1; b < COUNT; ++b)
      if (v[b] < v[least]) least = b;
    T t = v[a]; v[a] = v[least]; v[least] = t;
  }
"""
INSERTION = """
  for (int a = 1; a < COUNT; ++a) {
    T x = v[a];
    int b = a - 1;
    while (b >= 0 && v[b] > x) { v[b + 1] = v[b]; --b; }
    v[b + 1] = x;
  }
"""


def sort_kernel(sort, spelled, count):
    body = READ + sort + "  for (int k = 0; k < COUNT; ++k) out[k * n + i] = v[k];\n"
    text = f"__global__ void k(const T* in, T* out, int n) {{{body}}}"
    return text.replace("COUNT", str(count)).replace("T", spelled)


def sorts(run, ways, counts):
    size, grid = run.threads, 2
    n = size * grid - size // 3
    for way in ways:
        for spelled, dtype in (("float", np.float32), ("short", np.int16), ("double", np.float64)):
            for count in counts:
                values = np.random.default_rng(count).integers(-50, 50, (count, n)).astype(dtype)
                out = np.zeros((count, n), dtype)
                source = sort_kernel(way, spelled, count)
                run(source, values, out, n, grid=grid)
                run.same(out, np.sort(values, axis=0), f"{spelled}, {count}")


@case(blocks=[1, 33, 96, 256])
def arrays_sorted_by_exchanges(run):
    """Each thread sorts a private array: the inner loop's turns differ in each turn of the outer one."""
    sorts(run, [EXCHANGES, FROM_THE_NEXT], [5, 9, 14])


@case(blocks=[1, 33, 96, 256])
def arrays_sorted_by_places(run):
    """Each thread sorts a private array, whose elements it finds by places that it computes."""
    sorts(run, [SELECTION, INSERTION], [4, 9])


CHOLESKY = """
__global__ void k(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a[COUNT][COUNT];
  for (int r = 0; r < COUNT; ++r)
    for (int c = 0; c < COUNT; ++c) a[r][c] = in[(r * COUNT + c) * n + i];
  for (int j = 0; j < COUNT; ++j) {
    for (int k = 0; k < j; ++k) a[j][j] -= a[j][k] * a[j][k];
    a[j][j] = sqrtf(a[j][j]);
    for (int r = j + 1; r < COUNT; ++r) {
      for (int k = 0; k < j; ++k) a[r][j] -= a[r][k] * a[j][k];
      a[r][j] /= a[j][j];
    }
  }
  for (int r = 0; r < COUNT; ++r)
    for (int c = 0; c <= r; ++c) out[(r * COUNT + c) * n + i] = a[r][c];
}
"""


@case(blocks=[1, 33, 256])
def small_matrices_factored_by_each_thread(run):
    """Loops in triangles, three deep, over a private matrix."""
    n = 2 * run.threads - 1
    for count in (3, 6):
        low = np.tril(np.random.default_rng(count).integers(1, 5, (n, count, count))).astype(np.float32)
        values = np.ascontiguousarray((low @ low.transpose(0, 2, 1)).transpose(1, 2, 0))
        out = np.zeros((count, count, n), np.float32)
        run(CHOLESKY.replace("COUNT", str(count)), values, out, n, grid=2)
        run.same(out, np.ascontiguousarray(low.transpose(1, 2, 0)), f"{count}")


PLACES = """
__global__ void k(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  short counts[6] = {}, order[2][4];
  for (int k = 0; k < 4; ++k) order[0][k] = order[1][k] = k;
  int last = -1;
  for (int k = 0; k < 12; ++k) {
    int v = in[k * n + i];
    counts[v]++;
    short t = order[v & 1][v & 3];
    order[v & 1][v & 3] = order[!(v & 1)][last + 1 & 3];
    order[k & 1][(unsigned char)(last + 1) % 4] = t;
    if (counts[v] == 2) last = v >> 1;
  }
  for (int k = 0; k < 6; ++k) out[k * n + i] = counts[k];
  for (int k = 0; k < 8; ++k) out[(6 + k) * n + i] = order[k / 4][k % 4];
  out[14 * n + i] = last;
}
"""


def follow_places(values):
    counts, order, last = [0] * 6, [[0, 1, 2, 3], [0, 1, 2, 3]], -1
    for k, v in enumerate(values):
        counts[v] += 1
        t = order[v & 1][v & 3]
        order[v & 1][v & 3] = order[1 - (v & 1)][last + 1 & 3]
        order[k & 1][(last + 1) % 4] = t
        if counts[v] == 2:
            last = v >> 1
    return [*counts, *order[0], *order[1], last]


@case(blocks=[1, 33, 256])
def elements_by_computed_places(run):
    """Counters and exchanges in small private arrays, of one and two dimensions, at places that data tell."""
    n = 2 * run.threads - 1
    values = np.random.default_rng(n).integers(0, 6, (12, n)).astype(np.int32)
    out = np.zeros((15, n), np.int32)
    run(PLACES, values, out, n, grid=2)
    run.same(out, np.array([follow_places(column) for column in values.T.tolist()], np.int32).T.copy())


@case
def offsets_in_a_table(run):
    """Neighbours by constant offsets, weighted, at the edges fewer; an inner loop with an end of its own."""
    n = 2 * run.threads
    x = (np.arange(n) * 37 % 101).astype(np.float32)
    out = np.zeros((n, 2), np.float32)
    run(
        kernel(
            "const float* x, float* out, int size",
            """
            const int i = blockIdx.x * (blockDim.x * blockDim.y * blockDim.z) + t;
            float sum = 0, greatest = 0;
            for (int k = 0; k < 5; ++k) {
              const int j = i + offsets[k];
              if (j >= 0 && j < size) sum += weights[k] * x[j];
            }
            for (int k = 0; k < 5; ++k)
              for (int s = 1; s < 4; ++s) {
                const int j = i + s * offsets[k];
                if (j < 0 || j >= size) break;
                greatest = fmaxf(greatest, x[j]);
              }
            out[2 * i] = sum; out[2 * i + 1] = greatest;
            """,
            "__constant__ int offsets[5] = {0, 1, -1, 7, -7}; __constant__ float weights[5] = {1, 2, 3, 4, 5};",
        ),
        x,
        out,
        n,
        grid=2,
    )
    expected = np.zeros_like(out)
    for i in range(n):
        for weight, offset in zip(range(1, 6), (0, 1, -1, 7, -7), strict=True):
            if 0 <= i + offset < n:
                expected[i, 0] += weight * x[i + offset]
            for s in range(1, 4):
                if not 0 <= i + s * offset < n:
                    break
                expected[i, 1] = max(expected[i, 1], x[i + s * offset])
    run.same(out, expected)


PERMUTED = """
__constant__ int order[7] = {3, 5, 0, 6, 2, 4, 1}, turn[7] = {1, 7, 12, 30, 5, 21, 18};
__global__ void k(unsigned long long* state, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long s[7], carried;
  for (int k = 0; k < 7; ++k) s[k] = state[k * n + i];
  for (int round = 0; round < 5; ++round) {
    carried = s[1];
    for (int k = 0; k < 7; ++k) {
      int at = order[k];
      unsigned long long old = s[at];
      s[at] = carried << turn[k] | carried >> (64 - turn[k]);
      carried = old;
    }
    s[0] += round;
  }
  for (int k = 0; k < 7; ++k) state[k * n + i] = s[k];
}"""


@case(blocks=[1, 33, 256])
def elements_by_a_table_of_places(run):
    """Elements change places as a table of constants says, as a permutation of a hash does."""
    n = 2 * run.threads - run.threads // 3
    state = np.random.default_rng(n).integers(0, 1 << 63, (7, n), dtype=np.uint64)
    s = [row.copy() for row in state]
    order, turn = (3, 5, 0, 6, 2, 4, 1), (1, 7, 12, 30, 5, 21, 18)
    for step in range(5):
        carried = s[1].copy()
        for at, by in zip(order, turn, strict=True):
            s[at], carried = (carried << np.uint64(by)) | (carried >> np.uint64(64 - by)), s[at]
        s[0] = s[0] + np.uint64(step)
    run(PERMUTED, state, np.int32(n), grid=2)
    run.same(state, np.stack(s))


ELIMINATION = """
__global__ void k(T* out, int* pivots, const T* in, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  T a[SIZE][SIZE];
  for (int i = 0; i < SIZE; ++i)
    for (int j = 0; j < SIZE; ++j) a[i][j] = in[(i * SIZE + j) * n + t];
  for (int c = 0; c < SIZE; ++c) {
    int p = c;
    T best = fabs(a[c][c]);
    for (int i = c + 1; i < SIZE; ++i)
      if (fabs(a[i][c]) > best) { best = fabs(a[i][c]); p = i; }
    pivots[c * n + t] = p;
    if (p != c)
      for (int j = 0; j < SIZE; ++j) { T v = a[c][j]; a[c][j] = a[p][j]; a[p][j] = v; }
    for (int i = c + 1; i < SIZE; ++i) {
      a[i][c] = a[i][c] / a[c][c];
      for (int j = c + 1; j < SIZE; ++j) a[i][j] = a[i][j] - a[i][c] * a[c][j];
    }
  }
  for (int i = 0; i < SIZE; ++i)
    for (int j = 0; j < SIZE; ++j) out[(i * SIZE + j) * n + t] = a[i][j];
}
"""


def eliminated(a):
    """As the kernel does it, for all matrices at once."""
    size, n = a.shape[0], a.shape[2]
    pivots, every = np.zeros((size, n), np.int32), np.arange(n)
    for c in range(size):
        pivots[c] = p = c + np.argmax(np.abs(a[c:, c]), axis=0)
        kept, chosen = a[c].copy(), a[p, :, every].T.copy()
        a[p, :, every] = kept.T
        a[c] = chosen
        for i in range(c + 1, size):
            a[i, c] = a[i, c] / a[c, c]
            for j in range(c + 1, size):
                a[i, j] = a[i, j] - a[i, c] * a[c, j]
    return pivots


@case(blocks=[32, 100, 128], options=["-fmad=false"])
def eliminations_with_pivots(run):
    """Each thread its own matrix, whose rows change places by what it has found."""
    for size, dtype, spelled in ((3, np.float32, "float"), (5, np.float64, "double"), (8, np.float32, "float")):
        n = 2 * run.threads - 3
        matrices = np.random.default_rng(size).uniform(-1, 1, (size, size, n)).astype(dtype)
        out, pivots = np.zeros_like(matrices), np.zeros((size, n), np.int32)
        text = ELIMINATION.replace("SIZE", str(size)).replace("T ", f"{spelled} ").replace("T*", f"{spelled}*")
        run(text, out, pivots, matrices.copy(), np.int32(n), grid=2)
        run.same(pivots, eliminated(matrices), size)
        run.same(out, matrices, size)


@case(blocks=[1, 33, 64, (16, 16)])
def selections(run):
    """Of least and greatest elements, by a place, of bytes and wider ones; the places are results, too."""
    for spelled, dtype in (("unsigned char", np.uint8), ("char", np.int8), ("short", np.int16), ("float", np.float32)):
        for count, turns in ((5, 2), (9, 5)):
            body = f"""
              int i = blockIdx.x * n + t;
              if (i >= size) return;
              {spelled} v[{count}];
              for (int k = 0; k < {count}; ++k) v[k] = in[k * size + i];
              int places = 0;
              for (int a = 0; a < {turns}; ++a) {{
                int m = a;
                for (int b = a + 1; b < {count}; ++b)
                  if (a % 2 ? v[b] > v[m] : v[b] < v[m]) m = b;
                {spelled} kept = v[a]; v[a] = v[m]; v[m] = kept;
                places = places * {count} + m;
              }}
              for (int k = 0; k < {count}; ++k) out[k * size + i] = v[k];
              at[i] = places;
            """
            size = run.threads * 2 - run.threads // 3
            low = 0 if dtype == np.uint8 else -90
            values = np.random.default_rng(count).integers(low, 90 if low else 250, (count, size)).astype(dtype)
            v, places = values.copy(), np.zeros(size, np.int32)
            for a in range(turns):
                m = a + (v[a:].argmax(0) if a % 2 else v[a:].argmin(0))
                kept = v[a].copy()
                v[a] = v[m, np.arange(size)]
                v[m, np.arange(size)] = kept
                places = places * count + m
            out, at = np.zeros_like(values), np.zeros(size, np.int32)
            source = kernel(f"const {spelled}* in, {spelled}* out, int* at, int size", body)
            run(source, values, out, at, size, grid=2)
            run.same(out, v, f"{spelled}, {count}")
            run.same(at, places.astype(np.int32), f"{spelled}, {count}: places")


@case(
    blocks=[1, 33, 100, (16, 16)],
    each={"bytes": ("unsigned char", 9), "shorts": ("short", 12), "words": ("int", 12), "long": ("long long", 5)},
)
def edit_distances(run, value):
    """A row that each thread keeps for as many turns as its word is long, or as it wants: some stop, others go on."""
    spelled, length = value
    body = f"""
      int i = blockIdx.x * n + t;
      if (i >= size) return;
      {spelled} row[{length + 1}];
      for (int j = 0; j <= m; ++j) row[j] = j;
      for (int k = 0; k < lengths[i]; ++k) {{
        char c = words[k * size + i];
        if (c == 'e') continue;
        int diagonal = row[0];
        row[0] = k + 1;
        for (int j = 1; j <= m; ++j) {{
          int up = row[j], cost = diagonal + (c != query[j - 1]);
          row[j] = min(min(up + 1, (int)row[j - 1] + 1), cost);
          diagonal = up;
          if (c == 'd' && j == 3) break;
        }}
        if (c == 'a') row[m] += shift;
      }}
      out[i] = row[m];
    """
    source = kernel(
        f"const char* words, const int* lengths, const char* query, int m, int shift, {spelled}* out, int size", body
    )
    size = run.threads * 3 - run.threads // 3
    generator = np.random.default_rng(length)
    lengths = generator.integers(0, 9, size).astype(np.int32)
    words = generator.integers(97, 102, (8, size)).astype(np.int8)
    query = generator.integers(97, 101, length).astype(np.int8)
    for m in (length, 2, 0):
        out = np.zeros(size, {"unsigned char": np.uint8, "short": np.int16, "int": np.int32}.get(spelled, np.int64))
        run(source, words, lengths, query, m, 3, out, size, grid=3)
        run.same(out, [distance(words[: lengths[i], i], query[:m], 3) for i in range(size)], f"{m}")


def distance(word, query, shift):
    """Of one word, as the kernel above has it."""
    m = len(query)
    row = list(range(m + 1))
    for k, c in enumerate(word.tobytes().decode()):
        if c == "e":
            continue
        diagonal, row[0] = row[0], k + 1
        for j in range(1, m + 1):
            up, cost = row[j], diagonal + (ord(c) != query[j - 1])
            row[j] = min(up + 1, row[j - 1] + 1, cost)
            diagonal = up
            if c == "d" and j == 3:
                break
        if c == "a":
            row[m] += shift
    return row[m]


@case(blocks=[1, 33, 64, (16, 16)])
def recurrences_in_a_row(run):
    """Each element from the one before, of a private array, of a column and of a row in memory, forwards and backwards."""
    size, h = run.threads * 2 - 1, 12
    body = f"""
      int i = blockIdx.x * n + t;
      if (i >= size) return;
      unsigned p[{h}];
      p[0] = in[i];
      for (int y = 1; y < h; ++y) p[y] = p[y - 1] * 3 + in[y * size + i];
      for (int y = 0; y < h; ++y) column[y * size + i] = p[h - 1 - y];
      if (p[1] % 3) for (int y = 1; y < h; ++y) column[y * size + i] += column[(y - 1) * size + i] >> 1;
      for (int y = h - 2; y >= 0; --y) column[y * size + i] ^= column[(y + 1) * size + i] * 5;
      row[i * h] = p[2];
      for (int x = 1; x < h; ++x) row[i * h + x] = row[i * h + x - 1] * step + (unsigned)x;
    """
    source = kernel("const unsigned* in, unsigned* column, unsigned* row, int h, unsigned step, int size", body)
    values = np.random.default_rng(size).integers(0, 1 << 32, (h, size), np.uint32)
    column, row = np.zeros_like(values), np.zeros((size, h), np.uint32)
    run(source, values, column, row, h, 7, size, grid=2)
    p = values.copy()
    for y in range(1, h):
        p[y] = p[y - 1] * np.uint32(3) + values[y]
    expected = p[::-1].copy()
    for y in range(1, h):
        expected[y] = np.where(p[1] % 3 != 0, expected[y] + (expected[y - 1] >> np.uint32(1)), expected[y])
    for y in range(h - 2, -1, -1):
        expected[y] ^= expected[y + 1] * np.uint32(5)
    run.same(column, expected, "column")
    rows = np.zeros_like(row)
    rows[:, 0] = p[2]
    for x in range(1, h):
        rows[:, x] = rows[:, x - 1] * np.uint32(7) + np.uint32(x)
    run.same(row, rows, "row")


KEPT_ADDRESS = """
__global__ void k(int* sums, unsigned* rests, const float* in) {
  const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int v = __float2int_rn(in[t]);
  for (int i = 0;; ++i) {
    const bool taken = i < 2;
    __syncwarp();
    if (!taken) break;
    int a[2] = {};
    a[(unsigned)v & 1u] = 1;
    atomicAdd(&sums[t], a[0]);
  }
  rests[t] = 1u % (((unsigned)v & 0x3ffu) + 1u);
}"""


@case
def elements_chosen_ahead_of_waits(run):
    """The address of a chosen element is computed once, the array lives in each turn anew."""
    n = run.threads
    values = np.random.default_rng(n).uniform(-2e3, 2e3, n).astype(np.float32)
    sums, rests = np.zeros(n, np.int32), np.zeros(n, np.uint32)
    run(KEPT_ADDRESS, sums, rests, values)
    rounded = np.rint(values).astype(np.int32)
    run.same(sums, np.where(rounded % 2 == 0, 2, 0).astype(np.int32))
    run.same(rests, (rounded & 0x3FF != 0).astype(np.uint32))


@case(each=ELEMENTS)
def long_arrays_filled_and_copied(run, dtype):
    """More elements than are filled one by one: zeros, bytes of ones and copies, by all threads and by some."""
    name = next(word for word, of in ELEMENTS.items() if of is dtype)
    body = f"""
      {name} a[LONG], b[LONG];
      for (int k = 0; k < LONG; ++k) a[k] = 0;
      memset(b, bytes, sizeof b);
      for (int k = 0; k < turns; ++k) a[x[(t + k) % n] % LONG] += k;
      if (x[t] % 3 == 0) memcpy(b + LONG / 2, a, LONG / 2 * sizeof({name}));
      if (x[t] % 5 == 0)
        for (int k = 10; k < LONG; ++k) a[k] = 0;
      int sum = 0;
      for (int k = 0; k < LONG; ++k) sum = sum * 3 + (int)a[k] * 5 + (b[k] == b[0]) + (int)(b[k] == a[k]);
      out[t] = sum;
    """
    n = run.threads
    x = (np.arange(n) * 7919 % 1009).astype(np.int32)
    for length in (64, 65, 100, 300):
        out = np.zeros(n, np.int32)
        source = f"#define LONG {length}\n" + kernel("const int* x, int* out, int turns, int bytes", body)
        run(source, x, out, 40, 0)
        expected = np.zeros(n, np.int64)
        for t in range(n):
            a, b = np.zeros(length, np.int64), np.zeros(length, np.int64)
            for k in range(40):
                a[x[(t + k) % n] % length] += k
            if x[t] % 3 == 0:
                b[length // 2 : length // 2 * 2] = a[: length // 2]
            if x[t] % 5 == 0:
                a[10:] = 0
            for k in range(length):
                expected[t] = (expected[t] * 3 + a[k] * 5 + (b[k] == b[0]) + (b[k] == a[k])) & 0xFFFFFFFF
        run.same(out, expected.astype(np.uint32).astype(np.int32))
