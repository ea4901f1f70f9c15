"""A row of memory for each thread, of any length: what all lanes read far apart, and each one after the other."""

import numpy as np
from harness import case, kernel

TYPES = {
    "float": np.float32,
    "double": np.float64,
    "unsigned char": np.uint8,
    "short": np.int16,
    "long long": np.int64,
}


def values(shape, dtype):
    return (np.arange(np.prod(shape)) * 37 % 101 - 50).astype(dtype).reshape(shape)


@case(each=TYPES)
def sums_along_rows(run, dtype):
    """Each thread adds up its own row, of few elements and of many, at a distance that only the launch knows."""
    name = next(name for name, of in TYPES.items() if of is dtype)
    wide = "double" if np.dtype(dtype).kind == "f" else "int"
    body = f"""
      {wide} sum = 1;
      for (int j = 0; j < length; ++j) sum = sum * 3 + x[t * pitch + j];
      out[t] = sum;
    """
    for length, pitch in ((1, 1), (3, 5), (16, 16), (21, 40), (50, 50)):
        x = values((run.threads, pitch), dtype)
        out = np.zeros(run.threads, np.float64 if wide == "double" else np.int32)
        run(kernel(f"const {name}* x, {wide}* out, int length, int pitch", body), x, out, length, pitch)
        expected = np.ones_like(out)
        for j in range(length):
            expected = expected * 3 + x[:, j].astype(out.dtype)
        run.same(out, expected)


@case
def sums_kept_in_memory(run):
    """Each thread adds its row up in memory: apart from what it reads, within its own row, and two such sums at once."""
    body = """
      for (int j = 0; j < length; ++j) y[t * stride] += x[t * pitch + j] * 3;
      z[t] = 5;
      for (int j = 0; j < length; ++j) { z[t] += x[t * pitch + j]; w[t] = w[t] * 2 + x[t * pitch + j]; }
    """
    source = kernel("int* y, const int* x, int* z, int* w, int length, int pitch, int stride", body)
    threads = run.threads
    for length, pitch in ((1, 1), (3, 5), (16, 16), (37, 40)):
        x = values((threads, pitch), np.int32)
        y, z, w = (np.full(threads, k, np.int32) for k in (1, 2, 3))
        run(source, y, x, z, w, length, pitch, 1)
        expected = np.full(threads, 3, np.int64)
        for j in range(length):
            expected = (expected * 2 + x[:, j]).astype(np.int32)
        run.same(y, 1 + 3 * x[:, :length].sum(1, dtype=np.int32))
        run.same(z, 5 + x[:, :length].sum(1, dtype=np.int32))
        run.same(w, expected.astype(np.int32))
    length = pitch = 19
    inside = kernel(
        "int* x, int* z, int* w, int length, int pitch, int at",
        "int* y = x + at;\n" + body.replace("stride", "pitch").replace("y[t", "y[(long long)t"),
    )
    for place in (0, 4, 18):
        x = values((threads, pitch), np.int32) % 5
        z, w = np.zeros(threads, np.int32), np.zeros(threads, np.int32)
        expected = x.astype(np.int64)
        for j in range(length):
            expected[:, place] = (expected[:, place] + expected[:, j] * 3).astype(np.int32)
        run(inside, x, z, w, length, pitch, place)
        run.same(x, expected.astype(np.int32))
        run.same(z, 5 + x.sum(1, dtype=np.int32))

    both = kernel(
        "const int* x, int* z, int length, int pitch, int from", "int* w = z + from;\n" + body[body.index("z[t] = 5") :]
    )
    x = values((threads, pitch), np.int32)
    z = np.zeros(threads, np.int32)
    expected = np.full(threads, 5, np.int64)
    for j in range(length):
        expected = ((expected + x[:, j]) * 2 + x[:, j]).astype(np.int32)
    run(both, x, z, length, pitch, 0)
    run.same(z, expected.astype(np.int32))


@case
def distances_to_centres(run):
    """Two rows at once: each thread's own, and one that all share; guarded, and backwards too."""
    body = """
      if (t % 7 == 6 || t >= limit) return;
      float least = 1e30f; int best = -1;
      for (int c = 0; c < 3; ++c) {
        float d = 0;
        for (int j = 0; j < dims; ++j) { const float e = x[t * dims + j] - centres[c * dims + j]; d += e * e; }
        if (d < least) { least = d; best = c; }
      }
      float back = 0;
      for (int j = dims - 1; j >= 0; --j) back = back * 0.5f + x[t * dims + j] * y[t * dims + j];
      out[t] = best; sums[t] = back;
    """
    n, dims, limit = run.threads, 35, run.threads - run.threads // 5
    x, y, centres = (
        values((n, dims), np.float32),
        values((n, dims), np.float32)[:, ::-1].copy(),
        values((3, dims), np.float32),
    )
    out, sums = np.full(n, -2, np.int32), np.full(n, -2, np.float32)
    names = "const float* x, const float* y, const float* centres, int* out, float* sums, int dims, int limit"
    run(kernel(names, body), x, y, centres, out, sums, dims, limit)
    d = np.zeros((3, n), np.float32)
    for j in range(dims):
        e = x[None, :, j] - centres[:, j, None]
        d += e * e
    back = np.zeros(n, np.float32)
    for j in reversed(range(dims)):
        back = back * np.float32(0.5) + x[:, j] * y[:, j]
    t = np.arange(n)
    active = (t % 7 != 6) & (t < limit)
    run.same(out, np.where(active, d.argmin(0), -2))
    run.same(sums, np.where(active, back, -2))


@case
def records_by_index(run):
    """Four and eight members of records that an index names, read side by side."""
    source = """
struct Node { float a, b, c, d; };
struct Wide { int v[8]; };
"""
    body = """
      const Node q = nodes[index[t]];
      const Wide* w = wides + index[n - 1 - t];
      int sum = 0;
      for (int k = 0; k < 8; ++k) sum = sum * 5 + w->v[k];
      out[t] = (q.a * 2 + q.b) * (q.c - q.d * 3);
      sums[t] = sum;
    """
    n = run.threads
    nodes, wides = values((n + 3, 4), np.float32), values((n + 3, 8), np.int32)
    index = (np.arange(n) * 11 % (n + 3)).astype(np.int32)
    out, sums = np.zeros(n, np.float32), np.zeros(n, np.int32)
    parameters = "const float* all, const int* more, const int* index, float* out, int* sums"
    start = "const Node* nodes = (const Node*)all; const Wide* wides = (const Wide*)more;"
    run(kernel(parameters, start + body, source), nodes, wides, index, out, sums)
    q, w = nodes[index], wides[index[::-1]]
    run.same(out, (q[:, 0] * 2 + q[:, 1]) * (q[:, 2] - q[:, 3] * 3))
    expected = np.zeros(n, np.int32)
    for k in range(8):
        expected = expected * 5 + w[:, k]
    run.same(sums, expected)


@case(each=TYPES)
def rows_written(run, dtype):
    """Each thread writes its own row: from another one, in place, and sums so far."""
    name = next(name for name, of in TYPES.items() if of is dtype)
    body = f"""
      for (int j = 0; j < length; ++j) y[t * pitch + j] = x[t * pitch + j] * factors[j];
      for (int j = 0; j < length; ++j) y[t * pitch + j] += x[t * pitch + j];
      {name} sum = 0;
      for (int j = 0; j < length; ++j) {{ sum += x[t * pitch + j]; z[t * pitch + j] = sum; }}
    """
    for length, pitch in ((1, 1), (3, 5), (16, 16), (37, 40), (50, 50)):
        x = values((run.threads, pitch), dtype)
        factors = (np.arange(pitch) % 5).astype(dtype)
        y, z = np.full_like(x, 1), np.full_like(x, 2)
        run(
            kernel(f"{name}* y, const {name}* x, const {name}* factors, {name}* z, int length, int pitch", body),
            y,
            x,
            factors,
            z,
            length,
            pitch,
        )
        used = x[:, :length]
        run.same(y[:, :length], (used * factors[:length]).astype(dtype) + used)
        run.same(y[:, length:], np.full_like(x, 1)[:, length:])
        run.same(z[:, :length], np.cumsum(used, axis=1, dtype=dtype))
        run.same(z[:, length:], np.full_like(x, 2)[:, length:])


@case
def rows_that_lie_upon_each_other(run):
    """What a thread writes it reads again, some turns later or earlier, or never: only the launch knows."""
    body = """
      const int* x = buffer + t * pitch + from;
      int* y = buffer + t * pitch + to;
      int last = 1;
      for (int j = 0; j < length; ++j) { last = last * 3 + x[j]; y[j] = last; }
    """
    source = kernel("int* buffer, int from, int to, int length, int pitch", body)
    for length, pitch in ((5, 30), (16, 70), (45, 130)):
        for begin, end in ((0, 0), (0, 1), (1, 0), (0, 9), (16, 0), (0, length), (length, 0), (0, length - 1)):
            buffer = values((run.threads, pitch), np.int32)
            expected = buffer.copy()
            last = np.ones(run.threads, np.int32)
            for j in range(length):
                last = last * 3 + expected[:, begin + j]
                expected[:, end + j] = last
            run(source, buffer, begin, end, length, pitch)
            run.same(buffer, expected)


@case
def rows_by_the_turn_before(run):
    """An element from its neighbour in front, which the turn before has written; two rows that need each other's."""
    body = """
      for (int j = 1; j < length; ++j) {
        x[t * pitch + j] = x[t * pitch + j] + x[t * pitch + j - 1] * a[t * pitch + j] - y[t * pitch + j - 1];
        y[t * pitch + j] = y[t * pitch + j] - y[t * pitch + j - 1] * a[t * pitch + j];
      }
    """
    source = kernel("int* x, int* y, const int* a, int length, int pitch", body)
    for length, pitch in ((2, 2), (9, 12), (33, 33), (50, 64)):
        x, y = (values((run.threads, pitch), np.int32) + k for k in (0, 3))
        a = values((run.threads, pitch), np.int32) % 3
        one, other = x.copy(), y.copy()
        for j in range(1, length):
            one[:, j] += one[:, j - 1] * a[:, j] - other[:, j - 1]
            other[:, j] -= other[:, j - 1] * a[:, j]
        run(source, x, y, a, length, pitch)
        run.same(x, one)
        run.same(y, other)


@case
def windows_along_rows(run):
    """A sliding sum: two elements read and one written a turn, at indices that go up together."""
    body = """
      const float* s = x + t * length;
      float* d = y + t * length, sum = s[0] * radius;
      for (int j = 0; j < radius + 1; j++) sum += s[j];
      d[0] = sum;
      for (int j = 1; j < radius + 1; j++) { sum += s[j + radius]; sum -= s[0]; d[j] = sum; }
      for (int j = radius + 1; j < length - radius; j++) { sum += s[j + radius]; sum -= s[j - radius - 1]; d[j] = sum; }
      for (int j = length - radius; j < length; j++) { sum += s[length - 1]; sum -= s[j - radius - 1]; d[j] = sum; }
    """
    source = kernel("const float* x, float* y, int length, int radius", body)
    for length, radius in ((9, 2), (40, 3), (70, 16)):
        x = values((run.threads, length), np.float32)
        y = np.zeros_like(x)
        run(source, x, y, length, radius)
        j = np.arange(length)
        expected = sum(x[:, np.clip(j + d, 0, length - 1)] for d in range(-radius, radius + 1))
        run.same(y, expected)


AGAINST_ALL = {
    "nearest": "float best = 1e30f; int at = -1; for (int c = 0; c < count; c++) { float d = 0;"
    "for (int j = 0; j < width; j++) { float e = x[i * width + j] - y[c * width + j]; d += e * e; }"
    "if (d < best) { best = d; at = c; } } out[i] = at;",
    "backwards, by pointers": "float all = 0; for (int c = 0; c < count; c++) { const float* p = x + (i + 1) * width;"
    "const float* q = y + c * width; for (int j = 0; j < width; j++) all += *--p * *q++; } out[i] = all;",
    "two rows": "float all = 0; for (int c = 0; c < count; c++)"
    "for (int j = 0; j < width; j++) all = all / 2 + x[i * width + j] * z[i * width + j] - y[c * width + j]; out[i] = all;",
    "weights in a private array": "float sums[4] = {}; for (int c = 0; c < count; c++) { float d = 0;"
    "for (int j = 0; j < width; j++) d += x[i * width + j] * y[c * width + j]; sums[(c + i) % 4] += d; }"
    "out[i] = sums[0] + 2 * sums[1] + 3 * sums[2] + 4 * sums[3];",
    "written meanwhile": "for (int c = 0; c < count; c++) { float d = 0;"
    "for (int j = 0; j < width; j++) d += z[i * width + j] * y[c * width + j]; if (width) z[i * width + c % width] = d / 64; out[i] = d; }",
}


@case(each=list(AGAINST_ALL))
def a_row_against_all_others(run, what):
    """Each thread goes along one row of its own many times; the row is short, long or empty, the times few or many."""
    threads = 3 * run.threads
    random = np.random.default_rng(4)
    source = kernel(
        "const float* x, const float* y, float* z, float* out, int width, int count, int size",
        f"const int i = blockIdx.x * n + t; if (i >= size) return; {AGAINST_ALL[what]}",
    )
    for width, count in ((0, 7), (1, 5), (3, 4), (4, 3), (17, 6), (127, 5), (128, 4), (129, 5), (5, 0)):
        size = threads - width % 3
        x, z = (random.integers(-4, 5, (size, width)).astype(np.float32) for _ in range(2))
        y = random.integers(-4, 5, (count, width)).astype(np.float32)
        out = np.full(threads, 77, np.float32)
        expected = out.copy()
        wide = np.float64
        products = x.astype(wide) @ y.astype(wide).T
        match what:
            case "nearest":
                distances = ((x[:, None].astype(wide) - y[None]) ** 2).sum(2)
                expected[:size] = distances.argmin(1) if count else -1
            case "backwards, by pointers":
                expected[:size] = (x[:, ::-1].astype(wide) @ y.astype(wide).T).sum(1)
            case "two rows":
                all_ = np.zeros(size, np.float32)
                for c in range(count):
                    for j in range(width):
                        all_ = all_ / np.float32(2) + x[:, j] * z[:, j] - y[c, j]
                expected[:size] = all_
            case "weights in a private array":
                i = np.arange(size)
                expected[:size] = sum((products[:, c] * ((c + i) % 4 + 1) for c in range(count)), np.zeros(size))
            case "written meanwhile":
                row, d = z.copy(), np.full(size, 77, np.float32)
                for c in range(count):
                    d = np.zeros(size, np.float32)
                    for j in range(width):
                        d = (d.astype(wide) + row[:, j].astype(wide) * y[c, j]).astype(np.float32)  # fused
                    if width:
                        row[:, c % width] = d / np.float32(64)
                expected[:size] = d
        pad = np.zeros(1, np.float32)
        run(source, np.append(x, pad), np.append(y, pad), np.append(z, pad), out, width, count, size, grid=3)
        tolerance = {"two rows": 1e-5, "written meanwhile": 1e-5}.get(what)
        if tolerance is None:
            run.same(out, expected, f"{width} by {count}")
        else:
            assert np.allclose(out, expected, rtol=tolerance, atol=1e-4), f"{width} by {count}"


BUT_ITS_OWN = {
    "sums": "float s = 0; for (int j = 0; j < n_; j++) if (j != i) s += a[i * n_ + j] * x[j]; out[i] = s;",
    "unsigned, from the second on": "float s = 0; for (unsigned j = 1; j < n_; j++) { if (j == i) continue;"
    "s += a[i * n_ + j] - x[j]; } out[i] = s;",
    "long, and what comes before": "double s = 0; for (long long j = 0; j < n_; j++) s = j == i ? s * 0.5 :"
    "s + a[(long long)i * n_ + j]; out[i] = s;",
    "the nearest": "float least = 1e30f; int at = -1; for (int j = 0; j < n_; j++) if (j != i && a[i * n_ + j] < least)"
    "{ least = a[i * n_ + j]; at = j; } out[i] = at;",
    "of another's": "float s = 0; int other = n_ - 1 - i; for (int j = 0; j < n_; j++) if (j != other)"
    "s += a[i * n_ + j]; out[i] = s;",
}


@case
def a_row_against_all_others_written_down(run):
    """The products of a thread's row and all others go elsewhere, or, up or down, into the row that is still read."""
    counted = """
      for (int c = 0; c < count; ++c) {
        const int r = up ? c : count - 1 - c;
        int sum = 0;
        for (int j = 0; j < length; ++j) sum += x[t * pitch + j] * y[r * length + j];
        out[t * pitch + at + r] = sum;
      }
    """
    stepped = "const int step = up ? 1 : -1; int r = up ? 0 : count - 1;" + counted.replace(
        "const int r = up ? c : count - 1 - c;", ""
    ).replace("= sum;", "= sum; r += step;")
    parameters = "int* x, const int* y, int count, int length, int pitch, int at, int up"
    threads = run.threads
    for count, length in ((1, 3), (7, 5), (24, 16), (5, 64), (8, 150)):
        pitch = 2 * max(count, length) + 3
        y = values((count, length), np.int32) % 5
        for body in (counted, stepped):
            for up in (1, 0):
                x, out = values((threads, pitch), np.int32) % 7, np.zeros((threads, pitch), np.int32)
                run(kernel(parameters + ", int* out", body), x, y, count, length, pitch, 1, up, out)
                run.same(out[:, 1 : count + 1], x[:, :length] @ y.T)
                for at in (0, 1, length // 2, length - 1, length):
                    expected = x.astype(np.int64)
                    for c in range(count) if up else reversed(range(count)):
                        expected[:, at + c] = (expected[:, :length] @ y[c].astype(np.int64)).astype(np.int32)
                    inside = x.copy()
                    run(kernel(parameters, "int* out = x;" + body), inside, y, count, length, pitch, at, up)
                    run.same(inside, expected.astype(np.int32))


@case(each=list(BUT_ITS_OWN))
def a_row_but_its_own_element(run, what):
    """Each thread leaves one turn out, another one each; rows of all lengths around the pieces that lanes share."""
    source = kernel(
        "const float* a, const float* x, float* out, int n_, int rows",
        f"const int i = blockIdx.x * n + t; if (i >= rows) return; {BUT_ITS_OWN[what]}",
    )
    random = np.random.default_rng(9)
    for width in (0, 1, 15, 16, 17, 32, 50, 100):
        rows = 2 * run.threads - width % 2
        a = random.integers(-4, 5, (rows, width)).astype(np.float32)
        x = random.integers(-4, 5, width).astype(np.float32)
        out = np.full(2 * run.threads, 77, np.float32)
        pad = np.zeros(1, np.float32)
        run(source, np.append(a, pad), np.append(x, pad), out, width, rows, grid=2)
        i, j = np.arange(rows)[:, None], np.arange(width)[None]
        others = a * (i != j)
        match what:
            case "sums":
                expected = others @ x
            case "unsigned, from the second on":
                expected = ((a - x) * (i != j))[:, 1:].sum(1)
            case "long, and what comes before":
                expected = np.zeros(rows)
                for k in range(width):
                    expected = np.where(i[:, 0] == k, expected * 0.5, expected + a[:, k])
            case "the nearest":
                far = np.where(i == j, np.float32(1e30), a)
                expected = far.argmin(1) if width else np.full(rows, -1)
                expected = np.where((i != j).any(1), expected, -1)
            case "of another's":
                expected = (a * (j != width - 1 - i)).sum(1)
        run.same(out[:rows], expected.astype(np.float32), str(width))
        run.same(out[rows:], np.full(2 * run.threads - rows, 77, np.float32), "beyond")


TO_ITS_END = {
    "a triangle": "double s = 0; for (int j = 0; j <= i; j++) s += a[i * width + j] * x[j]; out[i] = s;",
    "the other one": "double s = 0; for (int j = i + 1; j < width; j++) s += a[i * width + j] - x[j]; out[i] = s;",
    "from here to there": "float s = 0; for (int j = begin[i]; j < begin[i + 1]; j++) s += a[j]; out[i] = s;",
    "the greatest, and where": "float m = -1e30f; int at = -1; for (int j = begin[i]; j < begin[i + 1]; j++)"
    "if (a[j] > m) { m = a[j]; at = j; } out[i] = at;",
    "two arrays, long": "double s = 0; for (long long j = begin[i]; j != begin[i + 1]; j++) s += a[j] * b[j]; out[i] = s;",
    "backwards": "float s = 0; for (int j = begin[i + 1] - 1; j >= begin[i]; j--) s = s * 0.5f + a[j]; out[i] = s;",
}


@case(each=list(TO_ITS_END))
def a_row_to_its_own_end(run, what):
    """Rows of other lengths each: none of some, around the pieces that all lanes go together, long and short ones."""
    source = kernel(
        "const float* a, const float* b, const float* x, const int* begin, double* out, int width, int rows",
        f"const int i = blockIdx.x * n + t; if (i >= rows) return; {TO_ITS_END[what]}",
    )
    random = np.random.default_rng(10)
    for low, high in ((0, 5), (14, 20), (17, 18), (40, 70), (0, 90)):
        rows = 2 * run.threads - low % 2
        width = rows
        lengths = random.integers(low, high, rows)
        begin = np.append(0, np.cumsum(lengths)).astype(np.int32)
        size = max(rows * width, begin[-1]) + 1
        a, b = (random.integers(-4, 5, size).astype(np.float32) for _ in range(2))
        x = random.integers(-4, 5, width).astype(np.float32)
        out = np.full(2 * run.threads, 77.0)
        run(source, a, b, x, begin, out, width, rows, grid=2)
        matrix = a[: rows * width].reshape(rows, width).astype(np.float64)
        parts = [slice(begin[i], begin[i + 1]) for i in range(rows)]
        match what:
            case "a triangle":
                expected = np.tril(matrix) @ x
            case "the other one":
                expected = np.triu(matrix - x, 1).sum(1)
            case "from here to there":
                expected = [a[p].sum() for p in parts]
            case "the greatest, and where":
                expected = [p.start + a[p].argmax() if p.stop > p.start else -1 for p in parts]
            case "two arrays, long":
                expected = [a[p].astype(np.float64) @ b[p] for p in parts]
            case "backwards":
                expected = []
                for p in parts:
                    s = np.float32(0)
                    for v in a[p][::-1]:
                        s = s * np.float32(0.5) + v
                    expected.append(s)
        if what == "backwards":
            assert np.allclose(out[:rows], expected, rtol=1e-5, atol=1e-5), f"{low} to {high}"
        else:
            run.same(out[:rows], np.array(expected, np.float64), f"{low} to {high}")
        run.same(out[rows:], np.full(2 * run.threads - rows, 77.0), "beyond")


@case
def rows_behind_strides_of_none(run):
    """What says that there is a row is also what says that its stride is not zero."""
    source = kernel(
        "const float* a, const int* begin, const int* end, float* out, int stride",
        """const int i = blockIdx.x * n + t; const int last = end[i]; float s = 0;
           if ((stride > 0) & (last > 0)) { const float* p = a + begin[i]; int k = 0;
                                            do { s += *p++; k += stride; } while (k < last); }
           out[i] = s;""",
    )
    random = np.random.default_rng(11)
    a = random.integers(-4, 5, 1100).astype(np.float32)
    begin = random.integers(0, 1000, 2 * run.threads).astype(np.int32)
    end = random.integers(0, 100, 2 * run.threads).astype(np.int32)
    for stride in (1, 3, 0, -1):
        out = np.full(2 * run.threads, 77.0, np.float32)
        run(source, a, begin, end, out, stride, grid=2)
        lengths = -(-end // stride) if stride > 0 else np.zeros_like(end)
        run.same(out, np.array([a[b : b + m].sum() for b, m in zip(begin, lengths, strict=True)], np.float32), stride)
