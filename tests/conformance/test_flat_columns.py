"""Threads that go down the columns of a plane by a flat index or a pointer, which counts no rows, or again and again."""

import numpy as np
from harness import case, kernel

SIZES = ((1, 1), (1, 9), (5, 1), (37, 2), (130, 23), (700, 5), (64, 0))

LOOPS = {
    "index": "for (int i = x; i < w * h; i += w) {{ {} }}",
    "unsigned": "for (unsigned i = x; i < unsigned(w) * h; i += w) {{ {} }}",
    "size_t": "for (size_t i = x, all = size_t(w) * h; i < all; i += w) {{ {} }}",
    "from the right": "for (int i = x; w * h > i; i = w + i) {{ {} }}",
    "while": "int i = x; while (i < w * h) {{ {} i += w; }}",
    "pointer": "for (const int* p = from + x; p < from + w * h; p += w) {{ const int i = p - from; {} }}",
    "second row": "if (h > 0) {{ int i = x; {0} }} for (int i = x + w; i < w * h; i += w) {{ {0} }}",
}


@case
def columns(run):
    """Sums, in which the order shows, and what each turn writes."""
    grid = -(-max(w for w, _ in SIZES) // run.threads)
    for w, h in SIZES:
        values = np.random.default_rng(w).integers(-99, 99, (h, w)).astype(np.int32)
        sums, written = np.full(w, 7, np.int64), np.zeros((h, w), np.int64)
        for y in range(h):
            sums = sums * 3 + values[y]
            written[y] = sums
        for name, loop in LOOPS.items():
            for guard in ("if (x >= w) return;", "if (x < w)"):
                body = f"""
                  const int x = blockIdx.x * n + t;
                  {guard} {{
                    int sum = 7;
                    {loop.format("sum = sum * 3 + from[i]; to[i] = sum;")}
                    last[x] = sum;
                  }}
                """
                source = np.append(values.ravel(), np.int32(0))
                last, to = np.zeros(w, np.int32), np.zeros(source.size, np.int32)
                code = kernel("const int* from, int* to, int* last, int w, int h", body)
                run(code, source, to, last, w, h, grid=grid)
                run.same(last, sums.astype(np.uint64).astype(np.uint32).view(np.int32), f"{w} x {h}, {name}: sums")
                expected = written.astype(np.uint64).astype(np.uint32).view(np.int32)
                run.same(to[:-1].reshape(h, w), expected, f"{w} x {h}, {name}: columns")


@case
def ragged_columns(run):
    """An end that is no product, starts beyond the row, and a height below 0."""
    w, rows = 61, 7
    values = np.random.default_rng(3).integers(-99, 99, w * rows).astype(np.int32)
    grid = -(-2 * w // run.threads)
    body = """
      const int x = blockIdx.x * n + t;
      if (x < limit) {
        int sum = 0;
        for (int i = x; i < END; i += w) sum += from[i];
        to[x] = sum;
      }
    """
    for end, value in (("all", w * rows - 9), ("w * all", rows), ("w * all", -2), ("w * all + 3", rows - 1)):
        for limit in (w, w + 20):
            to = np.zeros(2 * w, np.int32)
            code = kernel("const int* from, int* to, int w, int all, int limit", body.replace("END", end))
            run(code, values, to, w, value, limit, grid=grid)
            last = eval(end, {"w": w, "all": value})
            expected = np.zeros(2 * w, np.int32)
            for x in range(limit):
                expected[x] = values[x : max(last, 0) : w].sum()
            run.same(to, expected, f"{end}, {value}, {limit}")


@case
def products(run):
    """A column or a row of a product a thread; in place of a factor, too, whose later rows are then made of the new ones."""
    n, m = 70, 33
    a = np.random.default_rng(1).integers(-9, 9, (m, n)).astype(np.int32)
    b = np.random.default_rng(2).integers(-9, 9, (n, n)).astype(np.int32)
    parameters = "const int* a, const int* b, int* c, int n, int m"
    product = "int sum = 0; for (int k = 0; k < n; ++k) sum += a[r * n + k] * b[k * n + x]; c[r * n + x] = sum;"
    for size, loop in ((n, "for (int r = 0; r < m; ++r)"), (m, "const int r = x; for (int x = 0; x < n; ++x)")):
        result = np.zeros((m, n), np.int32)
        body = f"const int x = blockIdx.x * n_ + t; if (x < {'n' if size == n else 'm'}) {{ {loop} {{ {product} }} }}"
        code = kernel(parameters, body).replace("const int n = ", "const int n_ = ")
        run(code, a, b, result, n, m, grid=-(-size // run.threads))
        run.same(result, a @ b, loop)
    expected, own = b.astype(np.int64), np.tril(np.ones((m, n), np.int32))
    for r in range(m):
        expected[r] = (own[r].astype(np.int64) @ expected) % 2**32
    code = kernel(
        "const int* a, int* b, int n, int m",
        """
      const int x = blockIdx.x * n_ + t;
      if (x < n) for (int r = 0; r < m; ++r) {
        int sum = 0;
        for (int k = 0; k < n; ++k) sum += a[r * n + k] * b[k * n + x];
        b[r * n + x] = sum;
      }
    """,
    ).replace("const int n = ", "const int n_ = ")
    result = b.copy()
    run(code, own, result, n, m, grid=-(-n // run.threads))
    run.same(result, expected.astype(np.uint64).astype(np.uint32).view(np.int32))


@case(blocks=[1, 33, 256, (16, 8)], each=["1", "7", "64", "1000"])
def columns_counted_from_one(run, width):
    """Row and column of a number that counts from 1, as Fortran's do, and neighbours by tables of both."""
    width = int(width)
    size = 3 * run.threads
    out, before = np.zeros(size, np.int32), np.maximum(np.arange(width) - 1, 0).astype(np.int32)
    values = np.arange(-(-size // width) * width).astype(np.int32) * 7 % 1013
    run(
        kernel(
            "int* out, const int* values, const int* before, int width, int size",
            """
            const int g = blockIdx.x * n + t;
            int row = (g + 1) % width - 1, column = (g + 1) / width;
            if ((g + 1) % width == 0) { row = width - 1; column = column - 1; }
            if (g < size) out[g] = values[g] - 3 * values[before[row] + width * column];
            """,
        ),
        out, values, before, np.int32(width), np.int32(size), grid=3,
    )  # fmt: skip
    g = np.arange(size)
    run.same(out, values[g] - 3 * values[before[g % width] + width * (g // width)])
