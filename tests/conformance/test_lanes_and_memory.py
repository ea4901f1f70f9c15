"""Memory that a group of lanes touches: none but what its threads touch, wherever groups and rows of blocks end."""

import ctypes
import mmap

import numpy as np
from harness import case, kernel

INT, U, F = np.int32, np.uint32, np.float32


def at_the_end_of_a_page(run, values):
    """A copy behind which no memory is: reading one element further would fault. On a GPU any array."""
    if run.engine == "cuda":
        return values.copy(), None
    size = (values.nbytes + mmap.PAGESIZE - 1) // mmap.PAGESIZE * mmap.PAGESIZE
    memory = mmap.mmap(-1, size + mmap.PAGESIZE)
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.mprotect(ctypes.c_void_p(base + size), ctypes.c_size_t(mmap.PAGESIZE), 0) == 0
    array = np.frombuffer(memory, values.dtype, len(values), size - values.nbytes)
    array[:] = values
    return array, memory


@case
def no_inactive_lane_reads_behind_an_array(run):
    """Guarded loads of 1, 2, 4 and 8 bytes up to the last byte of a page, by index, reversed, and at strides."""
    n = run.threads * 2 + 5
    for dtype, spelled in ((np.int8, "char"), (np.int16, "short"), (INT, "int"), (np.int64, "long long")):
        values = np.random.default_rng(n).integers(-100, 100, n).astype(dtype)
        x, _memory = at_the_end_of_a_page(run, values)
        out = np.zeros((4, n), dtype)
        source = kernel(
            f"const {spelled}* x, {spelled}* out, int count",
            """
  const int i = blockIdx.x * n + t;
  if (i < count) {
    out[i] = x[i] + 1;
    out[count + i] = x[count - 1 - i] + 2;
  }
  if (2 * i + 1 < count) out[2 * count + i] = x[2 * i] - x[2 * i + 1];
  if (i > 0 && i < count) out[3 * count + i] = x[i - 1];
""",
        )
        run(source, x, out, n, grid=-(-n // run.threads))
        half, expected = n // 2, np.zeros((4, n), dtype)
        with np.errstate(over="ignore"):
            expected[0], expected[1] = values + dtype(1), values[::-1] + dtype(2)
            expected[2, :half] = values[0 : 2 * half : 2] - values[1 : 2 * half : 2]
        expected[3, 1:] = values[:-1]
        run.same(out, expected, spelled)


def between_pages(run, size, at_end):
    """`size` bytes with a page that cannot be touched right behind them, or right before. On a GPU any memory."""
    if run.engine == "cuda":
        return np.zeros(size, np.uint8), None
    whole = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
    memory = mmap.mmap(-1, whole + 2 * mmap.PAGESIZE)
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    libc = ctypes.CDLL(None, use_errno=True)
    for page in (base, base + mmap.PAGESIZE + whole):
        assert libc.mprotect(ctypes.c_void_p(page), ctypes.c_size_t(mmap.PAGESIZE), 0) == 0
    return np.frombuffer(memory, np.uint8, size, mmap.PAGESIZE + (whole - size if at_end else 0)), memory


@case
def members_of_records_at_the_ends_of_pages(run):
    """Records of many shapes, of which some members are read and some written: from the first byte of a page that a
    thread may touch to the last one."""
    n = run.threads * 2 + 3
    for dtype, stride, members in (
        ("u1", 3, (0, 1, 2)),
        ("u1", 4, (0, 1, 2)),
        ("u1", 4, (1, 3)),
        ("u1", 8, (0, 1, 2, 3, 6)),
        ("i2", 2, (0, 1)),
        ("i2", 3, (2,)),
        ("i2", 4, (1, 2)),
        ("i4", 2, (1,)),
        ("i4", 3, (0, 1, 2)),
        ("i4", 4, (0, 3)),
        ("i4", 5, (1, 2, 3)),
        ("i4", 6, (0, 5)),
        ("i4", 7, (3,)),
        ("i4", 8, (0, 1, 2, 3, 4, 5, 6, 7)),
        ("i8", 2, (0, 1)),
        ("i8", 3, (1,)),
        ("i4", 20, (0, 7)),
    ):
        spelled = {"u1": "unsigned char", "i2": "short", "i4": "int", "i8": "long long"}[dtype]
        low, high = members[0], members[-1]
        used = (n - 1) * stride + high - low + 1  # elements from the first that is touched to the last
        reads = "".join(f"const {spelled} v{m} = p[{m - low}];" for m in members)
        writes = "".join(
            f"q[{m - low}] = v{high + low - m if high + low - m in members else m} + {m};" for m in members
        )
        source = kernel(
            f"{spelled}* x, {spelled}* y, int count",
            f"""
  const int i = blockIdx.x * n + t;
  if (i < count) {{
    {spelled} *p = x + i * {stride}, *q = y + i * {stride};
    {reads} {writes}
  }}
""",
        )
        values = np.random.default_rng(stride).integers(0, 100, used).astype(dtype)
        for at_end in (False, True):
            arrays, kept = [], []
            for _ in range(2):
                memory, keep = between_pages(run, values.nbytes, at_end)
                arrays.append(memory.view(dtype))
                arrays[-1][:] = values
                kept.append(keep)
            run(source, *arrays, n, grid=-(-n // run.threads))
            expected = values.copy()
            records = np.arange(n) * stride
            for m in members:
                other = high + low - m if high + low - m in members else m
                expected[records + m - low] = values[records + other - low] + np.dtype(dtype).type(m)
            run.same(arrays[1], expected, f"{dtype} {stride} {members}")


@case
def no_inactive_lane_writes(run):
    """Every second element belongs to other blocks, which write it at the same time."""
    n = 8 * run.threads
    x = np.zeros(n, INT)
    source = kernel(
        "int* x, int count",
        """
  for (int r = 0; r < 20; r++)
    for (int i = t; i < count; i += n)
      if ((i & 1) == (blockIdx.x & 1)) x[i] += i + r;
""",
    )
    run(source, x, n, grid=2)
    run.same(x, 20 * np.arange(n) + 190)


@case
def rows_of_many_blocks(run):
    """Each thread of a grid with three axes counts its own element, which is known by its place in the grid only."""
    grid = (5, 3, 2)
    width, height, depth = (size * count for size, count in zip(run.block, grid, strict=True))
    width -= 2  # the last two of a row have nothing to do
    if width <= 0:
        return
    values = np.random.default_rng(width).integers(0, 100, width * height * depth).astype(INT)
    x, _memory = at_the_end_of_a_page(run, values)
    source = """__global__ void k(int* x, int width, int height) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const long long column = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  if ((int)i < width) x[(z * height + y) * width + i] += 1000 + (int)column;
}"""
    run(source, x, width, height, grid=grid)
    run.same(x, values + 1000 + np.arange(len(x)) % width)


@case
def grids_that_stride(run):
    """Loops of a grid over an array: signed, unsigned, wide, backwards; sums that live on behind them; nested ones."""
    x = np.random.default_rng(5).integers(0, 1000, 5003).astype(INT)
    out, part = np.zeros((3, len(x)), INT), np.zeros(3 * run.threads, INT)
    source = kernel(
        "const int* x, int* out, int* part, int count",
        """
  const int first = blockIdx.x * n + t, step = gridDim.x * n;
  for (int i = first; i < count; i += step) out[i] += x[i] + i;
  for (unsigned long long i = first; i < count; i += step) out[count + i] += 2 * x[count - 1 - i];
  int sum = 0;
  for (unsigned i = first; i <= (unsigned)count - 1; i += step)
    for (unsigned k = i; k < count; k += 1000 * gridDim.x) sum += x[k] ^ i;
  part[first] = sum;
  for (int i = 2147483647 - step - first; i >= 0 && i < 2147483647 - step; i += step) part[first] += 1;
  if (t == n - 1) return;
  for (int i = first; i < count; i += step) {
    if (x[i] % 7 == 0) continue;
    if (x[i] % 501 == 0) break;
    out[2 * count + i] = 1;
  }
""",
    )
    run(source, x, out, part, len(x), grid=3)
    everywhere, step = np.arange(len(x)), 3 * run.threads
    run.same(out[0], x + everywhere)
    run.same(out[1], 2 * x[::-1])
    sums, seen = np.zeros(step, INT), np.zeros(len(x), INT)
    for first in range(step):
        for i in range(first, len(x), step):
            sums[first] += (x[i::3000] ^ i).sum()
        sums[first] += first > 0
        for i in range(first, len(x) if first % run.threads != run.threads - 1 else 0, step):
            if x[i] % 7 == 0:
                continue
            if x[i] % 501 == 0:
                break
            seen[i] = 1
    run.same(part, sums)
    run.same(out[2], seen)


@case
def what_turns_of_a_grid_hand_on(run):
    """Values that change places from turn to turn, the last index, and what all threads share; with and without a rest."""
    source = kernel(
        "const int* x, int* out, int* all, int count",
        """
  __shared__ int greatest, seen;
  if (t == 0) greatest = seen = 0;
  __syncthreads();
  int a = 1, b = t, last = -5;
  for (int i = blockIdx.x * n + t; i < count; i += gridDim.x * n) {
    const int c = a;
    a = b;
    b = c + x[i];
    last = i;
    atomicMax(&greatest, x[i]);
    atomicAdd(&seen, 1);
  }
  const int at = 3 * (blockIdx.x * n + t);
  out[at] = a, out[at + 1] = b, out[at + 2] = last;
  __syncthreads();
  if (t == 0) all[2 * blockIdx.x] = greatest, all[2 * blockIdx.x + 1] = seen;
""",
    )
    n = run.threads
    x = np.random.default_rng(7).integers(1, 10**6, 11 * n + 5).astype(INT)
    for count in (0, 1, n, 2 * n, 2 * n + 1, 6 * n, 7 * n - 1, 11 * n + 5):
        out, shared = np.zeros((2 * n, 3), INT), np.zeros((2, 2), INT)
        run(source, x, out, shared, count, grid=2)
        expected, greatest = np.zeros_like(out), np.zeros_like(shared)
        for first in range(2 * n):
            a, b, last = 1, first % n, -5
            for i in range(first, count, 2 * n):
                a, b, last = b, a + x[i], i
                greatest[first // n] = max(greatest[first // n, 0], x[i]), greatest[first // n, 1] + 1
            expected[first] = a, b, last
        run.same(out, expected, f"{count} elements")
        run.same(shared, greatest, f"{count} elements, of all")


@case
def elements_that_lie_by_the_bits_of_an_index(run):
    """Partners of butterflies and of a sorting network, and neighbours in blocks, for powers of two and other distances:
    in shared memory, with exchanges that depend on what is there, and through global memory."""
    size = 2048
    source = kernel(
        "const int* x, int* out, int stride, int rounds",
        """
  __shared__ int s[2048], u[2048];
  for (int i = t; i < 2048; i += n) s[i] = x[i], u[i] = 0;
  __syncthreads();
  for (int k = 0; k < rounds; k++) {
    const int j = stride << k;
    for (int i = t; i < 1024; i += n) {
      const int at = 2 * i - (i & (j - 1));
      const int a = s[at & 2047], b = s[(at + j) & 2047];
      if (at + j < 2048 && (a > b) == ((at & 64) == 0)) {
        s[at] = b;
        s[at + j] = a;
      }
    }
    __syncthreads();
  }
  if (t < 1024) {
    const int a = s[t], b = s[t ^ stride];
    u[t] = a;
    if (a < b) u[t] = b - a;
  }
  __syncthreads();
  for (int i = t; i < 2048; i += n) {
    out[i] = s[i] + x[(i ^ stride) & 2047];
    out[2048 + i] = u[(i | stride) & 2047] + x[i / stride * stride + i % stride];
  }
""",
    )
    values = np.random.default_rng(5).integers(0, 1000, size).astype(INT)
    for stride, rounds in ((1, 5), (2, 1), (4, 3), (8, 1), (16, 2), (32, 1), (64, 2), (3, 0), (24, 0)):
        out = np.zeros((2, size), INT)
        run(source, values, out, INT(stride), INT(rounds))
        s, u = values.copy(), np.zeros(size, INT)
        for k in range(rounds):
            i, j = np.arange(1024), stride << k
            at = 2 * i - (i & (j - 1))
            a, b = s[at], s[at + j]
            swap = (a > b) == ((at & 64) == 0)
            s[at], s[at + j] = np.where(swap, b, a), np.where(swap, a, b)
        t = np.arange(min(run.threads, 1024))
        a, b = s[t], s[t ^ stride]
        u[t] = np.where(a < b, b - a, a)
        i = np.arange(size)
        run.same(out[0], s + values[(i ^ stride) & 2047], f"by {stride}")
        run.same(out[1], u[(i | stride) & 2047] + values, f"by {stride}, behind")


@case
def strides_known_at_run_time(run):
    """Elements that lie apart by an argument, or by a scale: from the first byte of a page to the last one."""
    n = run.threads * 2 - 1
    for dtype, spelled in ((np.uint8, "unsigned char"), (np.int16, "short"), (F, "float"), (np.float64, "double")):
        source = kernel(
            f"const {spelled}* x, {spelled}* out, int count, int start, int stride, float scale, int size",
            """
  const int i = blockIdx.x * n + t;
  if (i >= count) return;
  const int at = start + i * stride;
  out[i] = x[at];
  if (i % 5 != 2 && i > 0) out[count + i] = x[at - stride];
  const int scaled = min((int)((i + 0.5f) * scale), size - 1);
  out[2 * count + i] = x[scaled];
  for (int k = 0; k < 3; ++k)
    if (scaled + k < size) out[3 * count + i] += x[scaled + k];
""",
        )
        for stride, scale in ((1, 0.5), (2, 1.0), (0, 2.0), (-1, 0.3), (3, 1.5), (7, 4.0)):
            size = (n - 1) * abs(stride) + 1
            start = size - 1 if stride < 0 else 0
            for at_end in (False, True):
                memory, _kept = between_pages(run, size * np.dtype(dtype).itemsize, at_end)
                x = memory.view(dtype)
                x[:] = np.random.default_rng(n).integers(0, 60, size)
                out = np.zeros((4, n), dtype)
                run(source, x, out, n, start, stride, F(scale), size, grid=2)
                i = np.arange(n)
                at = start + i * stride
                scaled = np.minimum(((i + F(0.5)) * F(scale)).astype(INT), size - 1)
                expected = np.zeros((4, n), dtype)
                expected[0], expected[2] = x[at], x[scaled]
                some = (i % 5 != 2) & (i > 0)
                expected[1, some] = x[(at - stride)[some]]
                for k in range(3):
                    inside = scaled + k < size
                    expected[3, inside] += x[scaled[inside] + k]
                run.same(out, expected, f"{spelled} by {stride} and {scale}")
